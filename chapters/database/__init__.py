"""Whether curves gathered here equal the published ones; what the shipped database holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.lcdb11.summary import open_lcdb11_summary
from analysis.databases.load import load_curves
from analysis.databases.mini import FOLDER as SHIPPED
from analysis.databases.naming import learner_title
from analysis.drawing.chart import Chart
from analysis.published.computed import DATE, FOLDER, compute_or_recall, recall
from analysis.published.printed import published_table
from analysis.statistics.summary import REPEATS, standard_error, summarise
from chapters.chapter import Chapter
from chapters.facts import Facts
from collection.containers.curves import DIMS, METRICS, Status
from collection.containers.learner_names import LEARNERS
from collection.datasets import load_dataset
from collection.shipped.croissant import DATASETS

# --- Describe databases of curves: how they compare, what they hold, what is missing and why.

PROPERTIES = ("datasets", "learners", "feature scaling", "preprocessor", "anchors per curve",
              "repeats", "metrics", "curves", "missing curves", "reason of what is missing")
DIM_ABOUT = {
    "dataset": "name in mini, OpenML id in LCDB 1.0 and 1.1",
    "learner": "name as in the paper's Table 3, or import path with parameters",
    "scaling": "none; minmax: to [0, 1]; standard: mean 0, variance 1",
    "leakage": "no: preprocessing fitted on the training set; yes: on all data",
    "outer": "seed of the split that sets the test rows aside",
    "inner": "seed of the split that sets the validation rows aside",
    "anchor": "rows of the training set",
    "split": "what is measured on: the training, validation or test rows",
}
STATUS_ABOUT = {
    "ok": "fitted and measured",
    "timeout": "stopped when it passed its time limit",
    "memory": "stopped when it passed its memory limit",
    "error": "the learner raised an error, which the message holds, or its process died",
    "invalid": "what the learner gave for probabilities are none; the message says why",
    "not_run": "there is no such fit; the message says what is known of it",
}


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
        ", ".join(curves["scaling"].values), _leakage(curves["leakage"].values.tolist()),
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


def _leakage(labels: list[str]) -> str:
    words = {"no": "without leakage", "yes": "with leakage"}
    return " and ".join(words[label] for label in labels)


def learners_table(curves: xr.Dataset, published: pd.DataFrame) -> pd.DataFrame:
    """Return the learners, as Table 3 does: names, group, and what the database has of each.

    Parameters
    ----------
    curves : xarray.Dataset
    published : pandas.DataFrame
        The paper's Table 3.

    Returns
    -------
    pandas.DataFrame
        Columns ``learner, abbreviation, what it is, group, datasets, fits, failed`` (percent of
        the fits), ``ms to fit`` (median over all fits), ``ill-behaved (paper)`` (percent, LCDB 1.1
        without scaling). The 32 of the paper first, then others of the database.
    """
    over = [d for d in curves["status"].dims if d != "learner"]
    there = (curves["status"] != Status.not_run).load()
    failed = there & (curves["status"] != Status.ok)
    known = set(curves["learner"].values.tolist())
    ill = published.set_index("learner")["value"]
    time = curves["train_time"].load()
    rows = []
    for name in [*LEARNERS, *sorted(known - set(LEARNERS))]:
        row = _learner_words(name) | {"datasets": 0, "fits": 0}
        if name in known:
            own = there.sel(learner=name)
            fits = int(own.sum())
            row |= {"datasets": int(own.any([d for d in over if d != "dataset"]).sum()),
                    "fits": fits, "failed": 100 * int(failed.sel(learner=name).sum()) / fits,
                    "ms to fit": 1000 * float(time.sel(learner=name).median())}
        rows.append(row | {"ill-behaved (paper)": ill.get(name, np.nan)})
    return pd.DataFrame(rows)


def _learner_words(name: str) -> dict[str, str]:
    known = LEARNERS.get(name)
    if known is None:
        return {"learner": name, "abbreviation": "", "what it is": "not in the paper", "group": ""}
    return {"learner": name, "abbreviation": known.short, "what it is": known.title,
            "group": known.group}


def outcomes_table(curves: xr.Dataset) -> pd.DataFrame:
    """Count fits by status and reason.

    Returns
    -------
    pandas.DataFrame
        Columns ``status, message`` (numbers in it replaced by "…", since they differ from fit to
        fit), ``fits, percent, learners, datasets`` (names, or how many where there are more than
        four), ``anchors`` (from – to). Without the fits that are ok and have nothing to say.
    """
    fits = _fits(curves)
    fits["message"] = fits["message"].str.replace(r"\d+", "…", regex=True)
    told = fits[(fits["status"] != "ok") | (fits["message"] != "")]
    groups = told.groupby(["status", "message"], sort=False)
    table = groups.agg(
        fits=("anchor", "size"), learners=("learner", _some), datasets=("dataset", _some),
        anchors=("anchor", lambda a: f"{a.min():,} – {a.max():,}")).reset_index()
    table.insert(3, "percent", 100 * table["fits"] / len(fits))
    return table.sort_values("fits", ascending=False, ignore_index=True, kind="stable")


def _some(names: pd.Series) -> str:
    found = sorted(names.unique())
    return ", ".join(found) if len(found) <= 4 else f"{len(found)} of them"


def _fits(curves: xr.Dataset) -> pd.DataFrame:
    """Return a row per fit that was run: dataset, learner, anchor, status, message."""
    status = curves["status"].load()
    at = np.nonzero(status.values != Status.not_run)
    where = {dim: curves[dim].values[places] for dim, places in
             zip(status.dims, at, strict=True) if dim in ("dataset", "learner", "anchor")}
    numbers = curves["message"].values[at]
    names = np.array([s.name for s in Status], object)
    return pd.DataFrame(where | {"status": names[status.values[at]],
                                 "message": curves["message_text"].values[numbers]})


def dictionary() -> pd.DataFrame:
    """Return the words of the container: its dims, variables and statuses."""
    dims = [("dim", d, "rows" if d == "anchor" else "", DIM_ABOUT[d]) for d in DIMS]
    metrics = [("variable", m.name, m.unit, f"{m.label}; "
                + ("lower" if m.lower_is_better else "higher") + " is better") for m in
               METRICS.values()]
    outcomes = [("variable", "status", "", "what became of the fit, see below"),
                ("variable", "message", "", "position in message_text of what there is to say"),
                ("variable", "message_text", "", "the distinct messages")]
    statuses = [("status", f"{s.value} {s.name}", "", STATUS_ABOUT[s.name]) for s in Status]
    return pd.DataFrame([*dims, *metrics, *outcomes, *statuses],
                        columns=["kind", "name", "unit", "meaning"])


# --- Hold the curves gathered here against the published means of LCDB 1.1 on the same data.

HALF = 0.5e-4 * (1 + 1e-6)  # the published means are rounded to 4 decimals
NAME = "mini_against_published"  # of what is kept
COLUMNS = ["dataset", "learner", "anchors", "equal_4_decimals", "max_abs_diff", "max_abs_z"]


def compare_with_published(curves: xr.Dataset, published: xr.Dataset) -> pd.DataFrame:
    """Compare mean validation errors without scaling and leakage, learner by learner.

    Parameters
    ----------
    curves : xarray.Dataset
        A database with coordinate ``openml_id`` along ``dataset``.
    published : xarray.Dataset
        From `analysis.databases.lcdb11.summary.open_lcdb11_summary`.

    Returns
    -------
    pandas.DataFrame
        A row per dataset and learner that both have; curves with some of the repeats alone are
        left out. ``anchors`` at which both have a mean, ``equal_4_decimals`` how many of the
        means are equal as far as the published are given; ``max_abs_diff`` the largest difference
        (in error rate); ``max_abs_z`` the largest difference in standard errors (the larger of
        theirs and ours; the 25 repeats taken as independent, as the paper does), infinite where
        that is 0; ``one_sided`` the anchors at which only one of the two has a mean;
        ``openml_id``.
    """
    ids = curves["openml_id"]
    own = curves.sel(dataset=ids.isin(published["dataset"]).values, scaling="none", leakage="no")
    whole = (own["status"] != Status.not_run).all(REPEATS)
    errors = own["error_rate"].sel(split="valid").where(whole)
    theirs = published[["error_rate", "error_rate_stderr"]].sel(
        scaling="none", leakage="no", split="valid")
    rows = []
    for ours in errors.load().dropna("dataset", how="all"):
        name, openml_id = ours["dataset"].item(), int(ours["openml_id"])
        table = _compare(ours, theirs.sel(dataset=openml_id))
        rows.append(table.assign(dataset=name, openml_id=openml_id))
    columns = [*COLUMNS, "one_sided", "openml_id"]
    return pd.concat(rows, ignore_index=True)[columns] if rows else pd.DataFrame(columns=columns)


def _compare(ours: xr.DataArray, theirs: xr.Dataset) -> pd.DataFrame:
    """Return a row per learner that both have, of one dataset."""
    ours = ours.dropna("learner", how="all").dropna("anchor", how="all")
    mean, own, theirs = xr.align(ours.mean(REPEATS), standard_error(ours), theirs, join="inner")
    difference = abs(mean - theirs["error_rate"])
    spread = np.fmax(own, theirs["error_rate_stderr"])
    equal, both = difference <= HALF, difference.notnull()
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (difference / spread).where(~equal, 0.0).where(both)
    table = pd.DataFrame({
        "learner": mean["learner"], "anchors": both.sum("anchor"),
        "equal_4_decimals": equal.sum("anchor"), "max_abs_diff": difference.max("anchor"),
        "max_abs_z": z.max("anchor"),
        "one_sided": (mean.notnull() ^ theirs["error_rate"].notnull()).sum("anchor")})
    return table[table["anchors"] + table["one_sided"] > 0]


def comparison(curves: xr.Dataset, folder: Path = FOLDER) -> pd.DataFrame:
    """Return `compare_with_published`, or what came out last where the means are not at hand.

    Parameters
    ----------
    curves : xarray.Dataset
        A database with coordinate ``openml_id``.
    folder : Path
        Where the last result is kept.

    Returns
    -------
    pandas.DataFrame
        And column ``computed_on``, a date; numbers have six digits.
    """
    return compute_or_recall(
        NAME, lambda: compare_with_published(curves, open_lcdb11_summary()), folder)


#: What is kept for those who lack the means.
KEPT = {NAME: lambda: compare_with_published(load_curves("mini"), open_lcdb11_summary())}

#: What stands in messages of the three reasons that cover most failed fits.
THREE_REASONS = ("Negative values|one class|number of classes|least … classes|shape mismatch|"
                 "AxisError|sample in class")


@dataclass(frozen=True)
class Study:
    """The database, and how its means stand to the published ones.

    Attributes
    ----------
    mini : xarray.Dataset
        The shipped database.
    datasets, outcomes : pandas.DataFrame
        The shipped table of datasets with the share of the largest class; fits by status and
        reason.
    published : pandas.DataFrame
        From `comparison`.
    settings : pandas.DataFrame
        What machines' settings change, as kept.
    """

    mini: xr.Dataset
    datasets: pd.DataFrame
    outcomes: pd.DataFrame
    published: pd.DataFrame
    settings: pd.DataFrame


def compute() -> Study:
    """Describe ``mini``, and hold its means against the published ones."""
    mini = load_curves("mini")
    return Study(mini, _datasets(), outcomes_table(mini), comparison(mini),
                 recall("means_by_setting"))


def _datasets() -> pd.DataFrame:
    table = pd.read_csv(SHIPPED / DATASETS, dtype={"openml_id": "Int64"})
    largest = [np.unique(load_dataset(source).target, return_counts=True)[1].max()
               for source in table["source"]]
    table.insert(9, "max_class_ratio", largest / table["rows"])
    return table


def tables(study: Study) -> Mapping[str, pd.DataFrame]:
    """Return what the database holds, how it compares, and the words of its files."""
    papers = {"LCDB 1.0": load_curves("lcdb10", selection="paper"), "mini": study.mini}
    return {"overview": beside_the_papers(papers, published_table("table2")),
            "datasets": study.datasets,
            "learners": learners_table(study.mini, published_table("table3")),
            "outcomes": study.outcomes, "published": study.published.drop(columns=DATE),
            "equal": equal_by_learner(study.published),
            "means_by_setting": study.settings.drop(columns=DATE),
            "dictionary": dictionary()}


def equal_by_learner(published: pd.DataFrame) -> pd.DataFrame:
    """Return the share of each learner's means that equal the published ones.

    Parameters
    ----------
    published : pandas.DataFrame
        From `comparison`.

    Returns
    -------
    pandas.DataFrame
        ``learner`` (in words; all that are equal everywhere share a row), ``equal`` (percent of
        its means), ``means``, ``max_abs_diff`` (error rate); the most equal first.
    """
    sums = published.groupby("learner", sort=False).agg(
        equal=("equal_4_decimals", "sum"), means=("anchors", "sum"),
        max_abs_diff=("max_abs_diff", "max"))
    whole = sums["equal"] == sums["means"]
    rest = sums[~whole].assign(learner=[learner_title(n) for n in sums.index[~whole]])
    everywhere = sums[whole].agg({"equal": "sum", "means": "sum", "max_abs_diff": "max"})
    everywhere["learner"] = f"the other {int(whole.sum())} learners"
    table = pd.concat([pd.DataFrame([everywhere]), rest], ignore_index=True)
    table["equal"] = 100 * table["equal"].astype(float) / table["means"].astype(float)
    return table.sort_values("equal", ascending=False, kind="stable", ignore_index=True)[
        ["learner", "equal", "means", "max_abs_diff"]]


def facts(study: Study) -> pd.DataFrame:
    """Return the numbers of the chapter's sentences."""
    rows, published, fits = Facts(), study.published, int(study.datasets["fits"].sum())
    failed = study.outcomes[study.outcomes["status"] != "ok"]
    three = failed["message"].str.contains(THREE_REASONS)
    means = int(published["anchors"].sum())
    share = summarise(100 * published["equal_4_decimals"] / published["anchors"],
                      published["dataset"], _weighted(published["anchors"].to_numpy(float)))
    rows.update({"n_fits": fits, "n_datasets": study.mini.sizes["dataset"], "means": means,
                 "compared": int(published["dataset"].nunique())})
    rows.add("megabytes", sum(f.stat().st_size for f in SHIPPED.iterdir()) / 1e6, unit="MB")
    rows.add("failed", failed["percent"].sum(), digits=1, unit="%", n=fits)
    rows.add("covered", 100 * failed.loc[three, "percent"].sum() / failed["percent"].sum(),
             unit="%", note="of the failed fits")
    rows.add("equal_share", share, digits=1, unit="%", note="means equal to 4 decimals")
    rows.add("worst_z", published["max_abs_z"].max(), digits=1)
    rows.add("compared_on", str(published[DATE].iloc[0]))
    rows.add("settings_date", str(study.settings[DATE].iloc[0]))
    return rows.table()


def _weighted(weight: np.ndarray):
    return lambda values, times: (times * weight) @ values / np.maximum(times @ weight, 1)


chapter = Chapter("database", compute, tables, facts, charts={
    "equal": Chart("equal", "dots", x="equal", y="learner",
                   xlabel="means equal to four decimals [%]",
                   title="Most learners' means are the published ones to the last digit")})
