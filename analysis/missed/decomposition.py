"""From LCDB 1.0's share of ill-behaved curves to LCDB 1.1's: what each difference contributes."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.chosen import validation_errors
from analysis.databases.lcdb11.stray import without_stray
from analysis.intervals.bootstrap import percentile_interval, ratio_of_sums, resample_datasets
from analysis.ledger.published import FULL
from analysis.missed.from_means import (
    calibrated_shares,
    on_sparse_grid,
    reconstructed,
    violation_ratios,
)
from analysis.missed.headline import DUMMY, printed_shares
from analysis.missed.means import summary_means
from analysis.records.published import published_table
from analysis.shapes import dense_lcdb10_cube, detect_shapes, published_lcdb10_cube


class Verdicts(NamedTuple):
    """Ill-behaved curves by dataset and learner, and which curves there are.

    Attributes
    ----------
    old : dict of str to DataArray
        LCDB 1.0: "published", "rounding", "anchors", the first steps of its correction.
    old_there : DataArray
        Which of LCDB 1.0's curves are not missing.
    dense, sparse : DataArray
        LCDB 1.1, reconstructed from its means: on all anchors, and on one in four.
    new_there : DataArray
        Which of LCDB 1.1's curves are not missing.
    """

    old: dict[str, xr.DataArray]
    old_there: xr.DataArray
    dense: xr.DataArray
    sparse: xr.DataArray
    new_there: xr.DataArray


@lru_cache(maxsize=1)
def old_verdicts() -> tuple[dict[str, xr.DataArray], xr.DataArray]:
    """Return the first two fields of `Verdicts`."""
    valid = validation_errors("lcdb10").load().squeeze("scaling", drop=True)
    steps = {"published": detect_shapes(valid, "published"),
             "rounding": detect_shapes(published_lcdb10_cube(valid), "corrected"),
             "anchors": detect_shapes(dense_lcdb10_cube(valid), "corrected")}
    there = valid.notnull().any(["outer", "inner", "anchor"])
    return {name: found["ill_behaved"] for name, found in steps.items()}, there


@lru_cache(maxsize=1)
def both_verdicts() -> Verdicts:
    """Judge both databases; FileNotFoundError where LCDB 1.1's means are not at hand."""
    means = summary_means()
    errors = without_stray(means["error_rate"]).drop_sel(learner=DUMMY)
    stderr = means["error_rate_stderr"].sel(learner=errors["learner"])
    ratios = violation_ratios(errors, stderr)
    share = calibrated_shares(ratios, printed_shares())
    sparse, between = on_sparse_grid(errors, stderr)
    return Verdicts(*old_verdicts(), reconstructed(ratios, share),
                    reconstructed(sparse, share, between), errors.notnull().any("anchor"))


def decomposition(found: Verdicts) -> pd.DataFrame:
    """Return what each difference between the databases adds to the share, in points.

    A path from one database to the other that changes one thing at a time; another order would
    share the sum out a little differently.

    Parameters
    ----------
    found : Verdicts
        From `both_verdicts`.

    Returns
    -------
    pandas.DataFrame
        ``step`` in words, ``change`` in points (the steps sum to the difference of the two printed
        numbers), ``low, high``: 95 % intervals from resampling the datasets of both databases.
    """
    rates = _path(found)
    draws = resample_datasets(len(next(iter(rates.values())).dataset))
    at = {name: _rate(rows, np.ones((1, len(rows.dataset)))) for name, rows in rates.items()}
    again = {name: _rate(rows, draws) for name, rows in rates.items()}
    rows = []
    for step, parts in STEPS.items():
        change, moved = (sum(x[b] - x[a] for a, b in parts) for x in (at, again))
        low, high = percentile_interval(moved[:, None])
        rows.append((step, float(change[0]), float(low[0]), float(high[0])))
    table = pd.DataFrame(rows, columns=["step", "change", "low", "high"])
    left = printed_difference() - table["change"].sum()
    table.loc[len(table)] = ("numbers printed with one decimal", left, np.nan, np.nan)
    return table


def printed_difference() -> float:
    """Return LCDB 1.1's printed share of ill-behaved curves minus LCDB 1.0's, in points."""
    table4 = published_table("table4").query("property == 'ill_behaved' and scaling == 'none'")
    shares = table4.set_index("database")["value"].astype(float)
    return float(shares[FULL] - shares["LCDB 1.0"])


GRID_STEP = "grid: four times as many anchors"
#: Each step, and the differences of rates (by their names in `_path`) that make it up.
STEPS = {
    "rounding no longer counts (LCDB 1.0)": [("published", "rounding")],
    "every anchor in its place (LCDB 1.0)": [("rounding", "anchors")],
    "fewer curves are missing": [("anchors", "old present"), ("old present", "old shared"),
                                 ("sparse shared", "sparse present"), ("present", "all")],
    "the same curves measured anew: preprocessing, versions, rows": [
        ("old shared", "sparse shared")],
    GRID_STEP: [("sparse present", "dense present")],
    "datasets": [("dense present", "all datasets")],
    "learners": [("all datasets", "present")],
}


class _Rows(NamedTuple):
    """Per dataset: how many curves are ill-behaved, and how many there are."""

    ill: np.ndarray
    of: np.ndarray
    dataset: np.ndarray


def _path(found: Verdicts) -> dict[str, _Rows]:
    datasets = np.union1d(found.old_there["dataset"], found.new_there["dataset"])
    every = {name: rows.reindex(dataset=datasets, fill_value=False) for name, rows in (
        ("old", found.old_there), ("new", found.new_there), ("dense", found.dense),
        ("sparse", found.sparse), *found.old.items())}
    learners = found.old_there["learner"]
    in_old = xr.ones_like(found.old_there).reindex(dataset=datasets, fill_value=False)
    in_new = xr.ones_like(found.new_there).reindex(dataset=datasets, fill_value=False)
    same = in_old & in_new.sel(learner=learners)
    new = every["new"].sel(learner=learners)
    shared = every["old"] & new
    chosen = {"published": ("published", in_old), "rounding": ("rounding", in_old),
              "anchors": ("anchors", in_old), "old present": ("anchors", every["old"]),
              "old shared": ("anchors", shared), "sparse shared": ("sparse", shared),
              "sparse present": ("sparse", new & same), "dense present": ("dense", new & same),
              "all datasets": ("dense", new), "present": ("dense", every["new"]),
              "all": ("dense", in_new)}
    return {name: _Rows((every[kind] & of).sum("learner").values, of.sum("learner").values,
                        datasets) for name, (kind, of) in chosen.items()}


def _rate(rows: _Rows, draws: np.ndarray) -> np.ndarray:
    return 100 * ratio_of_sums(rows.ill, rows.of, draws)


def grid_by_learner(found: Verdicts) -> pd.DataFrame:
    """Return each learner's share of ill-behaved curves by grid, on the curves of both databases.

    Returns
    -------
    pandas.DataFrame
        ``learner, curves`` (that both databases have), ``lcdb10`` (percent, from the repeats,
        anchors in place), ``sparse``, ``dense`` (percent, LCDB 1.1 reconstructed from its means).
    """
    datasets = np.intersect1d(found.old_there["dataset"], found.new_there["dataset"])
    at = {"dataset": datasets, "learner": found.old_there["learner"]}
    shared = found.old_there.sel(at) & found.new_there.sel(at)
    rows = {name: 100 * verdicts.sel(at).where(shared).mean("dataset").to_series()
            for name, verdicts in (("lcdb10", found.old["anchors"]), ("sparse", found.sparse),
                                   ("dense", found.dense))}
    table = pd.DataFrame(rows)
    table.insert(0, "curves", shared.sum("dataset").to_series())
    return table.rename_axis("learner").reset_index()
