"""Describe databases of curves: how they compare, what they hold, what is missing and why."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr

from collection.containers.curves import METRICS, Status
from collection.shipped.anew import DATASETS, FOLDER, cut_short, read_plan, suite_datasets

PROPERTIES = ("datasets", "learners", "feature scaling", "preprocessor", "anchors per curve",
              "repeats", "metrics", "curves", "missing curves", "reason of what is missing")
LEAKAGE_WORDS = {"no": "without leakage", "yes": "with leakage"}


def describe_database(curves: xr.Dataset) -> dict[str, str]:
    """Return a database's column of Table 2, from the curves themselves.

    Parameters
    ----------
    curves : xarray.Dataset
        A database, with dims ``outer`` and ``inner``.

    Returns
    -------
    dict
        Words for each of `PROPERTIES`. A curve is a combination of dataset, learner, scaling and
        leakage; missing are those that were gathered (some fit has a status other than
        ``not_run``) without a single value, or, where a database does not tell, those that have
        none.
    """
    ok = (curves["status"] == Status.ok).any(["outer", "inner"]).load()
    tried = (curves["status"] != Status.not_run).any(["outer", "inner", "anchor"]).load()
    tells = bool((tried & ~ok.any("anchor")).any())
    asked = tried if tells else xr.ones_like(tried)
    lengths = ok.sum("anchor").values[ok.any("anchor").values]
    missing = 1 - float(ok.any("anchor").sum()) / float(asked.sum())
    reasons = "recorded for every fit" if tells else "unknown"
    values = (
        f"{curves.sizes['dataset']:,}", f"{curves.sizes['learner']:,}",
        ", ".join(curves["scaling"].values),
        " and ".join(LEAKAGE_WORDS[label] for label in curves["leakage"].values.tolist()),
        f"{lengths.min()} to {lengths.max()} (median {np.median(lengths):.0f})",
        f"{curves.sizes['outer']} × {curves.sizes['inner']}",
        ", ".join(name.replace("_", " ") for name in METRICS if name in curves),
        f"{int(asked.sum()):,}", f"{100 * missing:.1f} %", reasons)
    return dict(zip(PROPERTIES, values, strict=True))


def beside_the_papers(curves: Mapping[str, xr.Dataset], table2: pd.DataFrame) -> pd.DataFrame:
    """Return databases side by side, and what the paper's Table 2 says of LCDB 1.1.

    Parameters
    ----------
    curves : mapping of title to xarray.Dataset
    table2 : pandas.DataFrame
        The paper's Table 2.

    Returns
    -------
    pandas.DataFrame
        Column `` `` (a property) and one per database; NaN where the table is silent.
    """
    stated = table2[table2["database"] == "LCDB 1.1"].set_index("property")["value"]
    stated = stated.rename({"anchors": "anchors per curve", "missing": "missing curves",
                            "missing reason": "reason of what is missing"})
    stated["missing curves"] += " %"
    table = pd.DataFrame({title: describe_database(c) for title, c in curves.items()})
    table = table.reindex(PROPERTIES)
    table.insert(1, "LCDB 1.1 (as the paper states it)", stated.reindex(PROPERTIES))
    return table.reset_index(names=" ")


def outcomes_table(curves: xr.Dataset) -> pd.DataFrame:
    """Count fits by status and reason.

    Returns
    -------
    pandas.DataFrame
        Columns ``status, message`` (numbers in it replaced by "…", since they differ from fit to
        fit), ``fits, percent, learners, datasets`` (names, or how many where there are more than
        four), ``anchors`` (from – to). Without the fits that are ok and have nothing to say.
    """
    told, run = _told(curves)
    told["message"] = told["message"].str.replace(r"\d+", "…", regex=True)
    groups = told.groupby(["status", "message"], sort=False)
    table = groups.agg(
        fits=("anchor", "size"), learners=("learner", _some), datasets=("dataset", _some),
        anchors=("anchor", lambda a: f"{a.min():,} – {a.max():,}")).reset_index()
    table.insert(3, "percent", 100 * table["fits"] / run)
    return table.sort_values("fits", ascending=False, ignore_index=True, kind="stable")


def _some(names: pd.Series) -> str:
    found = sorted(names.unique())
    return ", ".join(found) if len(found) <= 4 else f"{len(found)} of them"


def _told(curves: xr.Dataset) -> tuple[pd.DataFrame, int]:
    """Return a row per fit of which there is something to say, and how many fits were run."""
    status = curves["status"].load()
    run = status.values != Status.not_run
    silent = (status.values == Status.ok) & (curves["message_text"].values == "")[
        curves["message"].values]
    at = np.nonzero(run & ~silent)
    where = {dim: curves[dim].values[places] for dim, places in
             zip(status.dims, at, strict=True) if dim in ("dataset", "learner", "anchor")}
    numbers = curves["message"].values[at]
    names = np.array([s.name for s in Status], object)
    return pd.DataFrame(where | {"status": names[status.values[at]],
                                 "message": curves["message_text"].values[numbers]}), int(run.sum())


def shipped_datasets() -> tuple[pd.DataFrame, int]:
    """Return the datasets of ``lcdb11-anew``, and how many its suite plans.

    Returns
    -------
    datasets : pandas.DataFrame
        A row per dataset: ``dataset``, ``rows``, ``classes``, ``fits`` …; ``in_suite``, whether
        the suite's rule chose it; ``ends_at``, the largest training set, in rows, of the curves
        that are ``cut_short``. Attribute ``megabytes``: what the database takes.
    planned : int
    """
    table = pd.read_csv(FOLDER / DATASETS, dtype={"openml_id": "Int64"})
    table["in_suite"] = table["dataset"].isin(suite_datasets())
    table["cut_short"] = table["dataset"].isin(cut_short())
    ends = read_plan().set_index("dataset")["last_anchor"]
    table["ends_at"] = table["source"].map(ends).astype("Int64").where(table["cut_short"])
    table.attrs["megabytes"] = sum(f.stat().st_size for f in FOLDER.iterdir()) / 1e6
    return table, len(read_plan())
