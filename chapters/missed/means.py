"""What the published means of LCDB 1.1 show, where they are at hand."""

from functools import lru_cache

import numpy as np
import pandas as pd
import xarray as xr
from scipy.optimize import isotonic_regression

from analysis.databases.counted import CLASSIC, MODERN
from analysis.databases.lcdb11.files import datasets_table, stray_values, without_stray
from analysis.databases.load import load_curves
from analysis.shapes import detect_shapes
from analysis.shapes.causes import MLP_BATCH, incomplete_batch, local_bumps
from analysis.statistics.bootstrap import ratio_of_sums_interval
from chapters.ledger.means import LEFT_OUT, flat_curves

TABNET_BATCH = 1024  # pytorch-tabnet's default batch, of which it drops an incomplete last one
JUNGLE_CHESS = 41027  # on which the paper sees ensembles dip severely
SIZES = (0.005, 0.01, 0.02, 0.05)  # of violations, in error rate
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
    NotAtHandError
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


def without_a_step(errors: xr.DataArray) -> pd.DataFrame:
    """Count curves of TabNet, which drops an incomplete batch, so that it may never take a step.

    Returns
    -------
    DataFrame
        A row: ``learner, curves`` (with any value), ``reach`` (an anchor of one full batch),
        ``constant`` (of those that do not, how many mean curves are exactly constant).
    """
    own = without_stray(errors).sel(learner="TabNet", drop=True).dropna("dataset", how="all")
    reaches = own.sel(anchor=slice(TABNET_BATCH, None)).notnull().any("anchor")
    short = own[~reaches.values]
    constant = short.max("anchor") == short.min("anchor")
    return pd.DataFrame([{"learner": "TabNet", "curves": own.sizes["dataset"],
                          "reach": int(reaches.sum()), "constant": int(constant.sum())}])


def rises_by_noise(errors: xr.DataArray, stderr: xr.DataArray, learner: str = "TabNet",
                   start: int = TABNET_BATCH, seed: int = 0) -> pd.DataFrame:
    """Compare how many mean curves rise clearly with how many would by noise alone.

    The noise is independent at each anchor, with the published standard error, around the monotone
    curve that is nearest to the mean curve (isotonic regression).

    Parameters
    ----------
    errors, stderr : DataArray, dims (dataset, learner, anchor)
        Means and their standard errors.
    learner, start
        Whose curves, and from which anchor on; those with at least three anchors there.
    seed : int
        Of the noise.

    Returns
    -------
    DataFrame
        A row: ``learner, curves``, then ``rising`` and ``by_noise``, percent that rise by `CLEAR`.
    """
    part = without_stray(errors).sel(learner=learner, anchor=slice(start, None))
    rng, rising = np.random.default_rng(seed), []
    for dataset in part["dataset"].values:
        mean = part.sel(dataset=dataset).dropna("anchor")
        if mean.size >= 3:
            spread = stderr.sel(dataset=dataset, learner=learner, anchor=mean["anchor"]).values
            fitted = isotonic_regression(mean.values, increasing=False).x
            noisy = fitted + rng.normal(size=mean.size) * spread
            rising.append([_largest_rise(values) >= CLEAR for values in (mean.values, noisy)])
    shares = 100 * np.mean(rising, axis=0)
    return pd.DataFrame([{"learner": learner, "curves": len(rising), "rising": shares[0],
                          "by_noise": shares[1]}])


def _largest_rise(values: np.ndarray) -> float:
    return float((values - np.minimum.accumulate(values)).max())


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
    excess = local_bumps(curves).values[:, 1:-1]
    there = ~np.isnan(excess)
    filled = np.where(there, excess, 0)
    kept = there.sum(axis=0) >= at_least
    low, high = ratio_of_sums_interval(filled[:, kept], there[:, kept], curves["dataset"].values)
    anchors = curves["anchor"].values[1:-1][kept]
    return pd.DataFrame({
        "anchor": anchors, "excess": filled[:, kept].sum(axis=0) / there[:, kept].sum(axis=0),
        "low": low, "high": high, "datasets": there[:, kept].sum(axis=0),
        "last_batch": incomplete_batch(anchors, MLP_BATCH)})


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


def violation_shares(errors: xr.DataArray) -> pd.DataFrame:
    """Return how many mean curves have a violation of at least some sizes, significant or not.

    As far as means go towards Tables 6 and 7, whose verdicts need the repeats.

    Returns
    -------
    DataFrame
        ``learner``, ``kind`` (non_monotone, non_convex), ``curves``, and ``at_least_<size>``:
        percent of the learner's curves that are not missing.
    """
    rows = []
    for learner in MODERN:
        curves = without_stray(errors).sel(learner=learner, drop=True).dropna("dataset", how="all")
        found = detect_shapes(curves.expand_dims(outer=[0]), "corrected")
        rows += [{"learner": learner, "kind": kind, "curves": curves.sizes["dataset"]} | {
            f"at_least_{size:g}": 100 * float((found[violation] >= size).mean()) for size in SIZES}
            for kind, violation in (("non_monotone", "violation_mono"),
                                    ("non_convex", "violation_conv"))]
    return pd.DataFrame(rows)


def lasting_rises(errors: xr.DataArray, stderr: xr.DataArray) -> pd.DataFrame:
    """Return the learners whose mean error on jungle chess ends well above where it was lowest.

    Returns
    -------
    DataFrame
        ``learner``; ``anchor`` and ``lowest`` error; ``last_anchor``, ``last`` error; ``rise``
        between them and ``stderr`` at the last; the largest rise first, of a point at least.
    """
    rows = []
    for learner in errors["learner"].values.tolist():
        curve = errors.sel(dataset=JUNGLE_CHESS, learner=learner).dropna("anchor").to_series()
        if len(curve):
            end = curve.index[-1]
            rows.append((learner, curve.idxmin(), curve.min(), end, curve[end],
                         curve[end] - curve.min(),
                         float(stderr.sel(dataset=JUNGLE_CHESS, learner=learner, anchor=end))))
    table = pd.DataFrame(rows, columns=["learner", "anchor", "lowest", "last_anchor", "last",
                                        "rise", "stderr"])
    return table[table["rise"] >= 0.01].sort_values("rise", ascending=False, ignore_index=True,
                                                    kind="stable")


def flat_readings(errors: xr.DataArray) -> pd.DataFrame:
    """Return the share of flat curves by the learners that they are compared with.

    Returns
    -------
    DataFrame
        ``learner``, ``beside_24``, ``beside_28``: percent of the datasets; 24 classic learners.
    """
    means = errors.expand_dims("scaling").transpose("dataset", "learner", "scaling", "anchor")
    beside_24 = flat_curves(means.sel(learner=[*CLASSIC]))
    beside_28 = flat_curves(means).sel(learner=[*CLASSIC])
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


def stray_dummies(errors: xr.DataArray) -> pd.DataFrame:
    """Look for the Dummy's stray values among the values that it has on other datasets.

    The Dummy's error is the share of validation rows outside the largest class.

    Returns
    -------
    DataFrame
        ``dataset, anchor, value``, ``elsewhere``: on how many other datasets the Dummy has the same
        error, to four decimals, at any anchor of theirs.
    """
    dummy = errors.sel(learner=["DummyClassifier"])
    strays, own = stray_values(dummy), without_stray(dummy).squeeze("learner")
    strays["elsewhere"] = [
        int((abs(own - row.value) < 5e-5).any("anchor").drop_sel(dataset=row.dataset).sum())
        for row in strays.itertuples()]
    return strays[["dataset", "anchor", "value", "elsewhere"]]


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
    return moved.sort_values("change", ascending=False, ignore_index=True, kind="stable")


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
        "training_set", ascending=False, ignore_index=True, kind="stable")


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
    return shares.sort_values(ascending=False, kind="stable").rename_axis("learner").reset_index()
