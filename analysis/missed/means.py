"""What the published means of LCDB 1.1 show, where they are at hand."""

from functools import lru_cache

import numpy as np
import pandas as pd
import xarray as xr

from analysis.bootstrap import percentile_interval, resample_datasets
from analysis.lcdb11.files import datasets_table
from analysis.lcdb11.stray import stray_values, without_stray
from analysis.ledger.means import CLASSIC, LEFT_OUT, flat_curves
from analysis.load import load_curves
from analysis.shapes import detect_shapes

TABNET_BATCH = 1024  # pytorch-tabnet's default batch, of which it drops an incomplete last one
MLP_BATCH = 200  # scikit-learn's default batch, min(200, n)
CLEAR = 0.005  # error rate: means are rounded to 4 decimals, so that smaller bends may be nothing


@lru_cache(maxsize=1)
def summary_means() -> xr.Dataset:
    """Return what was published of LCDB 1.1's validation errors: means and standard errors.

    Returns
    -------
    Dataset
        ``error_rate`` and ``error_rate_stderr`` over dataset, learner and anchor.

    Raises
    ------
    FileNotFoundError
        Where the summary is not at hand; says how to get it.
    """
    curves = load_curves("lcdb11-summary")[["error_rate", "error_rate_stderr"]]
    return curves.sel(split="valid", scaling="none", leakage="no", drop=True)


def median_curves(errors: xr.DataArray, learners: list[str], up_to: int) -> pd.DataFrame:
    """Return the median curve of each learner over the datasets on which it reaches `up_to` rows.

    Returns
    -------
    DataFrame
        ``learner, anchor, median, low, high`` (quartiles), ``datasets``; the same datasets at all
        anchors of a learner, except where a value is missing.
    """
    rows = []
    for learner in learners:
        curves = without_stray(errors).sel(learner=learner, drop=True)
        curves = curves[(curves.sel(anchor=up_to).notnull()).values].sel(anchor=slice(None, up_to))
        low, median, high = np.nanquantile(curves.values, [0.25, 0.5, 0.75], axis=0)
        rows.append(pd.DataFrame({"learner": learner, "anchor": curves["anchor"].values,
                                  "median": median, "low": low, "high": high,
                                  "datasets": curves.sizes["dataset"]}))
    return pd.concat(rows, ignore_index=True)


def largest_drops(errors: xr.DataArray, beyond: int = TABNET_BATCH) -> pd.DataFrame:
    """Count at which anchor each curve drops most, against the anchor before.

    Curves that reach `beyond` rows.

    Returns
    -------
    DataFrame
        ``learner, anchor, curves`` (how many drop most there), ``of`` (how many there are), and
        ``spread_before``: the median over its curves of the standard deviation along the anchors
        before `beyond`.
    """
    rows = []
    for learner in errors["learner"].values:
        curves = without_stray(errors).sel(learner=learner, drop=True)
        reaches = curves.sel(anchor=slice(beyond, None)).notnull().any("anchor")
        curves = curves[reaches.values]
        spread = curves.sel(anchor=slice(None, beyond - 1)).std("anchor").median()
        drop = -curves.diff("anchor")
        drop = drop[(drop > 0).any("anchor").values]
        at = drop["anchor"].values[drop.fillna(-np.inf).argmax("anchor").values]
        anchors, counts = np.unique(at, return_counts=True)
        rows.append(pd.DataFrame({"learner": learner, "anchor": anchors, "curves": counts,
                                  "of": curves.sizes["dataset"], "spread_before": float(spread)}))
    return pd.concat(rows, ignore_index=True)


def bends_from(errors: xr.DataArray, learner: str, starts: tuple[int, ...]) -> pd.DataFrame:
    """Count mean curves that violate monotonicity or convexity clearly, from some anchor on.

    Without repeats there is no test: a violation is clear from `CLEAR` on.

    Returns
    -------
    DataFrame
        ``from`` (rows), ``curves`` (those with at least three anchors from the last start on),
        ``non_monotone``, ``non_convex`` (percent of them with a clear violation).
    """
    curves = without_stray(errors).sel(learner=learner, drop=True).expand_dims(outer=[0])
    enough = (curves.sel(anchor=slice(max(starts), None)).notnull().sum("anchor") >= 3)[0]
    rows = []
    for start in starts:
        part = curves.sel(anchor=slice(start, None), dataset=enough.values)
        found = detect_shapes(part, "corrected")
        rows.append({"from": start, "curves": part.sizes["dataset"]} | {
            verdict: 100 * float((found[size] >= CLEAR).mean())
            for verdict, size in (("non_monotone", "violation_mono"),
                                  ("non_convex", "violation_conv"))})
    return pd.DataFrame(rows)


def bumps(errors: xr.DataArray, learner: str = "MLP", at_least: int = 20) -> pd.DataFrame:
    """Return how far the error lies above the line between its neighbours, at each anchor.

    The line is in the logarithm of the training-set size. Anchors of fewer than `at_least`
    datasets are left out.

    Returns
    -------
    DataFrame
        ``anchor``, ``excess`` (mean over datasets), ``low``, ``high`` (95 % bootstrap interval over
        datasets), ``datasets``, ``last_batch``: rows in the last mini-batch of 200 (0 where none is
        incomplete, or all rows are one batch).
    """
    curves = without_stray(errors).sel(learner=learner, drop=True).transpose("dataset", "anchor")
    x, y = np.log(curves["anchor"].values), curves.values
    share = (x[1:-1] - x[:-2]) / (x[2:] - x[:-2])
    excess = y[:, 1:-1] - (1 - share) * y[:, :-2] - share * y[:, 2:]
    there = ~np.isnan(excess)
    weights, filled = resample_datasets(len(excess)), np.where(there, excess, 0)
    kept = there.sum(axis=0) >= at_least
    low, high = percentile_interval((weights @ filled[:, kept]) / (weights @ there[:, kept]))
    anchors = curves["anchor"].values[1:-1][kept]
    return pd.DataFrame({
        "anchor": anchors, "excess": filled[:, kept].sum(axis=0) / there[:, kept].sum(axis=0),
        "low": low, "high": high, "datasets": there[:, kept].sum(axis=0),
        "last_batch": last_batch(anchors)})


def last_batch(anchors: np.ndarray) -> np.ndarray:
    """Return the rows in the last, incomplete batch of `MLP_BATCH`; 0 where there is none."""
    return np.where(anchors > MLP_BATCH, anchors % MLP_BATCH, 0)


def bend_places(errors: xr.DataArray, learner: str = "MLP") -> pd.DataFrame:
    """Count the anchors at which a learner's mean curves violate convexity most.

    Returns
    -------
    DataFrame
        ``anchor, curves``, the most frequent first: of curves with a violation of at least `CLEAR`.
    """
    curves = without_stray(errors).sel(learner=learner, drop=True)
    found = detect_shapes(curves.expand_dims(outer=[0]), "corrected")
    places = found["conv_i"].values[found["violation_conv"].values >= CLEAR]
    anchors, counts = np.unique(places, return_counts=True)
    table = pd.DataFrame({"anchor": anchors.astype(int), "curves": counts})
    return table.sort_values(["curves", "anchor"], ascending=[False, True], ignore_index=True)


def flat_readings(errors: xr.DataArray) -> pd.DataFrame:
    """Return the share of flat curves by the learners that they are compared with.

    Returns
    -------
    DataFrame
        ``learner``, ``beside_24``, ``beside_28``: percent of the datasets; 24 classic learners.
    """
    means = errors.expand_dims("scaling").transpose("dataset", "learner", "scaling", "anchor")
    beside_24 = flat_curves(means.sel(learner=CLASSIC))
    beside_28 = flat_curves(means).sel(learner=CLASSIC)
    shares = {name: (100 * flat.mean(["dataset", "scaling"])).to_series()
              for name, flat in (("beside_24", beside_24), ("beside_28", beside_28))}
    return pd.DataFrame(shares).rename_axis("learner").reset_index()


def stray_by_curve(errors: xr.DataArray, stderr: xr.DataArray) -> pd.DataFrame:
    """Count values past the training set, per curve.

    Parameters
    ----------
    errors, stderr : DataArray, dims (dataset, learner, anchor)
        Means and their standard errors.

    Returns
    -------
    DataFrame
        ``dataset, learner, values, first, last`` (their anchors), ``max_anchor`` (rows of the
        training set), ``stderr`` (the largest; 0 for a single repeat).
    """
    strays = stray_values(errors)
    at = {d: xr.DataArray(strays[d].to_numpy(), dims="stray") for d in errors.dims}
    groups = strays.assign(stderr=stderr.sel(at).values).groupby(["dataset", "learner"])
    return groups.agg(values=("value", "size"), first=("anchor", "min"), last=("anchor", "max"),
                      max_anchor=("max_anchor", "first"), stderr=("stderr", "max")).reset_index()


def stray_effects(errors: xr.DataArray) -> pd.DataFrame:
    """Return Figure 7's averages as published and without stray values.

    Returns
    -------
    DataFrame
        ``learner``, ``published``, ``without_stray``, ``change``: mean over datasets of the
        smallest mean validation error; learners that move, the most moved first.
    """
    averages = {name: curves.min("anchor").mean("dataset").to_series() for name, curves in
                (("published", errors), ("without_stray", without_stray(errors)))}
    table = pd.DataFrame(averages).rename_axis("learner").reset_index()
    table["change"] = table["without_stray"] - table["published"]
    moved = table[table["change"].abs() > 1e-9]
    return moved.sort_values("change", ascending=False, ignore_index=True)


def tabpfn_datasets(errors: xr.DataArray) -> pd.DataFrame:
    """Return which datasets TabPFN v2 has curves on, by the size of their training sets.

    Returns
    -------
    DataFrame
        ``training_set`` (up to 10,000 rows, beyond), ``datasets``, ``with_curve``.
    """
    has = errors.sel(learner="TabPFNv2").notnull().any("anchor").to_series()
    beyond = (datasets_table()["max_anchor"].reindex(has.index) > 10_000).map(
        {False: "up to 10,000 rows", True: "more than 10,000 rows"})
    groups = has.groupby(beyond)
    table = pd.DataFrame({"datasets": groups.size(), "with_curve": groups.sum()})
    return table.rename_axis("training_set").reset_index().sort_values(
        "training_set", ascending=False, ignore_index=True)


def constant_stretches(errors: xr.DataArray, anchors: int = 8) -> pd.DataFrame:
    """Count curves whose mean, to four decimals, stays the same over many neighbouring anchors.

    Rounding can be called ill-behaviour only where a curve is constant (or interpolated).

    Returns
    -------
    DataFrame
        ``learner``, ``curves`` (percent that are constant over at least `anchors` anchors); without
        QDA and Dummy, the most frequent first.
    """
    chosen = [x for x in errors["learner"].values if x not in LEFT_OUT]
    same = (without_stray(errors).sel(learner=chosen).diff("anchor") == 0)
    runs = same.rolling(anchor=anchors - 1).sum() == anchors - 1
    shares = (100 * runs.any("anchor").mean("dataset")).to_series().rename("curves")
    return shares.sort_values(ascending=False).rename_axis("learner").reset_index()
