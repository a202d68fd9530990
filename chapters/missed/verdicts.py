"""What is lost before and in judging: anchors, rounding, and Holm's correction as published."""

from dataclasses import replace

import numpy as np
import pandas as pd
import xarray as xr

from analysis.shapes import PROCEDURES, detect_shapes
from analysis.shapes.causes import incomplete_batch
from analysis.shapes.densify import LOOKED_UP
from analysis.statistics.repeats import TIE
from chapters.ledger.means import flat_curves
from collection.anchors import FIRST

#: The violation that each verdict rests on.
SIZES = {"non_monotone": "violation_mono", "non_convex": "violation_conv",
         "peaking": "violation_conv", "dipping": "violation_dip"}


def verdict_sizes(valid: xr.DataArray, database: str,
                  tried: xr.DataArray | None = None) -> pd.DataFrame:
    """Return the violation behind every verdict of the published procedure.

    Parameters
    ----------
    valid : DataArray
        As for `analysis.detect_shapes`.
    database : str
        Written into the column of that name.
    tried : DataArray of bool, optional
        Which curves there are, where not all were gathered.

    Returns
    -------
    DataFrame
        ``database, verdict, size`` (error rate), ``rounding`` (whether it is below `TIE`), and
        ``curves``, how many curves there are in all. A curve is ill-behaved by rounding alone where
        neither its violation of monotonicity nor that of convexity, if significant, is larger.
    """
    found = detect_shapes(valid, "published")
    sizes = {v: found[size].where(found[v]) for v, size in SIZES.items()}
    sizes["ill_behaved"] = np.fmax(sizes["non_monotone"], sizes["non_convex"])
    tables = [pd.DataFrame({"verdict": verdict, "size": size.values[size.notnull().values]})
              for verdict, size in sizes.items()]
    table = pd.concat(tables, ignore_index=True)
    table["rounding"] = table["size"] < TIE
    curves = found["missing"].size if tried is None else int(tried.sum())
    return table.assign(database=database, curves=curves)


def count_rounding(sizes: pd.DataFrame) -> pd.DataFrame:
    """Count, per database and verdict, those that rest on rounding.

    Returns
    -------
    DataFrame
        ``database, verdict, verdicts, by_rounding, percent`` (of all curves, as published),
        ``percent_without``.
    """
    groups = sizes.groupby(["database", "verdict"], sort=False)
    table = groups.agg(verdicts=("size", "size"), by_rounding=("rounding", "sum"),
                       curves=("curves", "first")).reset_index()
    table["percent"] = 100 * table["verdicts"] / table["curves"]
    left = table["verdicts"] - table["by_rounding"]
    table["percent_without"] = 100 * left / table.pop("curves")
    return table


def holm_variants(valid: xr.DataArray) -> dict[str, xr.Dataset]:
    """Judge curves by each correction, all else as in the procedure "corrected".

    Returns
    -------
    dict
        "largest violation, Bonferroni", "Holm", "Holm as published": as from `detect_shapes`.
    """
    published = replace(PROCEDURES["holm"], name="holm without running maximum",
                        correction="holm_published")
    return {"largest violation, Bonferroni": detect_shapes(valid, "corrected"),
            "Holm": detect_shapes(valid, "holm"),
            "Holm as published": detect_shapes(valid, published)}


def compare_holm(variants: dict[str, xr.Dataset], database: str,
                 counted: xr.DataArray | None = None) -> pd.DataFrame:
    """Count curves by correction, and how far the reported violation falls short.

    Parameters
    ----------
    variants : dict
        From `holm_variants`.
    database : str
        Written into the column of that name.
    counted : DataArray of bool, optional
        Which curves count; all unless given.

    Returns
    -------
    DataFrame
        ``database, correction, ill_behaved, non_monotone, non_convex`` (percent of all curves),
        ``same_as_holm`` (verdicts of the two that agree, percent), ``halved_mono, halved_conv``: of
        the curves called so, the percentage whose reported violation is less than half the
        largest one; NaN where there is none.
    """
    if counted is not None:
        variants = {name: found.where(counted) for name, found in variants.items()}
    largest = variants["largest violation, Bonferroni"]
    rows = []
    for name, found in variants.items():
        halved = {f"halved_{kind}": _halved(found, largest, verdict, f"violation_{kind}")
                  for kind, verdict in (("mono", "non_monotone"), ("conv", "non_convex"))}
        agree = [(found[v] == variants["Holm"][v]).where(found[v].notnull()).mean()
                 for v in ("non_monotone", "non_convex")]
        rows.append({"database": database, "correction": name} | {
            v: 100 * float(found[v].mean()) for v in ("ill_behaved", "non_monotone", "non_convex")
        } | {"same_as_holm": 100 * float(np.mean(agree))} | halved)
    return pd.DataFrame(rows)


def _halved(found: xr.Dataset, largest: xr.Dataset, verdict: str, size: str) -> float:
    called = found[verdict].values == 1
    halved = (found[size] < largest[size] / 2).values[called]
    return 100 * float(halved.mean()) if called.any() else np.nan


def flat_without_one(valid: xr.DataArray) -> pd.DataFrame:
    """Return the share of flat curves when one learner is not there to be compared with.

    Parameters
    ----------
    valid : DataArray, dims (dataset, learner, outer, inner, anchor)
        Error rates.

    Returns
    -------
    DataFrame
        ``left_out``, ``flat``: percent of the curves of the others; ``before``:
        percent of the same curves with all learners there; ``change`` in points, the
        largest loss first.
    """
    mean = valid.mean(["outer", "inner"]).expand_dims("scaling").transpose(..., "anchor")
    flat = flat_curves(mean)
    learners = valid["learner"].values.tolist()
    rows = []
    for left_out in learners:
        others = [x for x in learners if x != left_out]
        rows.append({"left_out": left_out,
                     "flat": 100 * float(flat_curves(mean.sel(learner=others)).mean()),
                     "before": 100 * float(flat.sel(learner=others).mean())})
    table = pd.DataFrame(rows)
    table["change"] = table["flat"] - table["before"]
    return table.sort_values("change", ignore_index=True, kind="stable")


def anchor_losses(valid: xr.DataArray) -> pd.DataFrame:
    """Count, per curve of LCDB 1.0, the anchors that the published look-up finds.

    Parameters
    ----------
    valid : DataArray, dims (dataset, learner, outer, inner, anchor)
        Error rates; curves without any are left out.

    Returns
    -------
    DataFrame
        ``dataset, learner, recorded, kept`` (anchors), ``first_kept`` (rows; NaN where none is),
        ``moved``: whether the curve, which is then written from 16 rows on, starts later.
    """
    there = valid.notnull().any(["outer", "inner"])
    found = there & there["anchor"].isin(LOOKED_UP)
    table = pd.DataFrame({
        "recorded": there.sum("anchor").to_series(), "kept": found.sum("anchor").to_series(),
        "first_kept": found["anchor"].where(found).min("anchor").to_series()})
    table["moved"] = (table["first_kept"] > FIRST) & (table["kept"] > 1)
    return table[table["recorded"] > 0].reset_index()


def most_moved(losses: pd.DataFrame) -> tuple[int, str]:
    """Return dataset and learner of the longest curve among those that are moved furthest."""
    moved = losses[losses["moved"]]
    furthest = moved[moved["first_kept"] == moved["first_kept"].max()]
    row = furthest.sort_values(["recorded", "dataset", "learner"]).iloc[-1]
    return int(row["dataset"]), str(row["learner"])


def smallest_batch(anchors: np.ndarray, batch: int) -> int:
    """Return the fewest rows that an incomplete last batch has at any anchor beyond one batch."""
    rest = incomplete_batch(anchors, batch)
    return int(rest[rest > 0].min())


def small_last_batches(valid: xr.DataArray, batch: int, below: int) -> pd.DataFrame:
    """Return the curves whose last training size leaves few rows in its last batch.

    Parameters
    ----------
    valid : DataArray, dims (dataset, outer, inner, anchor)
        Error rates of one learner.
    batch : int
        Rows of a full batch; sizes up to that make no incomplete one.
    below : int
        Fewer rows than that are few.

    Returns
    -------
    DataFrame
        ``dataset, last, last_batch``: the last size, and its rows in the last batch.
    """
    there = valid.notnull().any(["outer", "inner"])
    last = there["anchor"].where(there).max("anchor").to_series().dropna().astype(int)
    table = pd.DataFrame({"last": last, "last_batch": last % batch}).query("last > @batch")
    return table.query("0 < last_batch < @below").reset_index()
