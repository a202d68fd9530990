"""What the published means of LCDB 1.1 say, for those who lack them: kept in some minutes.

Where they show a library's default (batches, stray values: ``artefacts_*``, for *When is a strange
curve the software's fault?*); from how many rows on learners are ahead of logistic regression for
good; lowest errors by size, for *performance*; and races as Figure 20 has them, for DA4's page.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.chapter_curves import paper_curves, without_stray
from analysis.databases.load import load_curves
from analysis.published.printed import published_table
from analysis.selection import PROCEDURES, build_ladders, halving_frame
from analysis.selection.crossing import GOOD, JOIN, KINDS, lead_over, shares_ahead
from analysis.selection.lowest import sizes_of_summary
from analysis.shapes import detect_shapes
from analysis.statistics.bootstrap import ratio_of_sums_interval
from analysis.statistics.summary import shares_of
from collection.official.lcdb11 import datasets_table
from lab.shapes.causes import MLP_BATCH, TABNET_BATCH, incomplete_batch, local_bumps

COMPARED = ["TabNet", "CatBoost", "RealMLP"]
UP_TO = 4096  # rows: two batches of TabNet's and two more
CLEAR = 0.005  # error rate: means are rounded to 4 decimals, so that smaller bends may be nothing


@lru_cache(maxsize=1)
def published_means() -> xr.Dataset:
    """Return what was published of LCDB 1.1's validation errors: means and standard errors.

    Returns
    -------
    xarray.Dataset, dims (dataset, learner, anchor)
        ``error_rate`` and ``error_rate_stderr``, stray values included.

    Raises
    ------
    NotAtHandError
        Where the summary is not at hand; says how to get it.
    """
    curves = load_curves("lcdb11-summary")[["error_rate", "error_rate_stderr"]]
    return curves.sel(split="valid", scaling="none", leakage="no", drop=True)


def stray_values(curves: xr.DataArray) -> pd.DataFrame:
    """List the values of a metric past the training set of their dataset.

    Parameters
    ----------
    curves : DataArray
        A metric of ``lcdb11`` or ``lcdb11-summary``; dims at least dataset and anchor.

    Returns
    -------
    DataFrame
        One row per value: the labels of every dim, ``value``, and ``max_anchor`` (rows of the
        dataset's largest training set). In the published means, dataset 1088 has 26 such values and
        41972 has 3 of the validation error and 5 of the others, all of a single repeat: they
        belong to some other dataset.
    """
    past = curves.where(without_stray(curves).isnull()).rename("value")
    table = past.to_dataframe()["value"].dropna().reset_index()
    return table.assign(max_anchor=table["dataset"].map(datasets_table()["max_anchor"]))


def median_curves(errors: xr.DataArray, learners: list[str], up_to: int) -> pd.DataFrame:
    """Return the median curve of each learner over the datasets on which it reaches `up_to` rows.

    Returns
    -------
    pandas.DataFrame
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


def largest_drops(errors: xr.DataArray) -> pd.DataFrame:
    """Count at which anchor each curve drops most, against the anchor before.

    Curves that reach a batch of TabNet's.

    Returns
    -------
    pandas.DataFrame
        ``learner, anchor, curves`` (how many drop most there), ``of`` (how many there are).
    """
    rows = []
    for learner in errors["learner"].values:
        curves = without_stray(errors).sel(learner=learner, drop=True)
        curves = curves[reaches_batch(curves)]
        falls = (curves.diff("anchor") < 0).any("anchor").values
        anchors, counts = np.unique(largest_drop(curves[falls]), return_counts=True)
        rows.append(pd.DataFrame({"learner": learner, "anchor": anchors, "curves": counts,
                                  "of": curves.sizes["dataset"]}))
    return pd.concat(rows, ignore_index=True)


def reaches_batch(curves: xr.DataArray) -> np.ndarray:
    """Tell which curves (dataset, anchor) have a value where TabNet has a full batch."""
    return curves.sel(anchor=slice(TABNET_BATCH, None)).notnull().any("anchor").values


def largest_drop(curves: xr.DataArray) -> np.ndarray:
    """Return the anchor at which each curve (dataset, anchor) drops most."""
    drop = -curves.diff("anchor")
    return drop["anchor"].values[drop.fillna(-np.inf).argmax("anchor").values]


def tabnet_curves(errors: xr.DataArray) -> pd.DataFrame:
    """Count curves of TabNet, which drops an incomplete batch, so that it may never take a step.

    Returns
    -------
    pandas.DataFrame
        A row: ``learner, curves`` (with any value), ``reach`` (an anchor of one full batch),
        ``constant`` (of those that do not, how many mean curves are exactly constant), ``at_batch``
        (of those that do, how many drop most at that anchor), ``share, low, high`` of them
        (percent, 95 % interval over families of datasets).
    """
    own = without_stray(errors).sel(learner="TabNet", drop=True).dropna("dataset", how="all")
    reaches = reaches_batch(own)
    constant = own[~reaches].max("anchor") == own[~reaches].min("anchor")
    there = np.asarray(largest_drop(own[reaches]) == TABNET_BATCH)
    share, low, high = shares_of(there, np.ones(len(there)), own["dataset"].values[reaches])
    return pd.DataFrame([{"learner": "TabNet", "curves": own.sizes["dataset"],
                          "reach": int(reaches.sum()), "constant": int(constant.sum()),
                          "at_batch": int(there.sum()), "share": share.item(),
                          "low": low.item(), "high": high.item()}])


def tabnet_anew() -> pd.DataFrame:
    """Count the same of TabNet's curves gathered anew, as `tabnet_curves` returns them."""
    errors = load_curves("lcdb11-anew")["error_rate"].sel(
        learner=["TabNet"], split="test", scaling="none", leakage="no", drop=True)
    return tabnet_curves(errors.mean(["outer", "inner"]))


def bumps(errors: xr.DataArray, at_least: int = 20) -> pd.DataFrame:
    """Return how far the perceptron's error lies above the line between its neighbours.

    At each anchor.

    The line is in the logarithm of the training-set size. Anchors of fewer than `at_least`
    datasets are left out.

    Returns
    -------
    pandas.DataFrame
        ``anchor``, ``excess`` (mean over datasets), ``low``, ``high`` (95 % bootstrap interval over
        datasets), ``datasets``, ``last_batch``: rows in the last mini-batch of 200 (0 where none is
        incomplete, or all rows are one batch).
    """
    curves = without_stray(errors).sel(learner="MLP", drop=True).transpose("dataset", "anchor")
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


def bend_places(errors: xr.DataArray) -> pd.DataFrame:
    """Count the anchors at which the perceptron's mean curves violate convexity most.

    Returns
    -------
    pandas.DataFrame
        ``anchor, curves``, the most frequent first: of curves with a violation of at least `CLEAR`.
    """
    curves = without_stray(errors).sel(learner="MLP", drop=True)
    found = detect_shapes(curves.expand_dims(outer=[0]), "corrected")
    places = found["conv_i"].values[found["violation_conv"].values >= CLEAR]
    anchors, counts = np.unique(places, return_counts=True)
    table = pd.DataFrame({"anchor": anchors.astype(int), "curves": counts})
    return table.sort_values(["curves", "anchor"], ascending=[False, True], ignore_index=True)


def stray_by_curve(errors: xr.DataArray, stderr: xr.DataArray) -> pd.DataFrame:
    """Count values past the training set, per curve.

    Parameters
    ----------
    errors, stderr : xarray.DataArray, dims (dataset, learner, anchor)
        Means and their standard errors.

    Returns
    -------
    pandas.DataFrame
        ``dataset, learner, values, first, last`` (their anchors), ``max_anchor`` (rows of the
        training set), ``stderr`` (the largest; 0 for a single repeat).
    """
    strays = stray_values(errors)
    at = {d: xr.DataArray(strays[d].to_numpy(), dims="stray") for d in errors.dims}
    groups = strays.assign(stderr=stderr.sel(at).values).groupby(["dataset", "learner"])
    return groups.agg(values=("value", "size"), first=("anchor", "min"), last=("anchor", "max"),
                      max_anchor=("max_anchor", "first"), stderr=("stderr", "max")).reset_index()


#: Tables that need the published means of LCDB 1.1.
FROM_MEANS: dict[str, Callable[[xr.Dataset], pd.DataFrame]] = {
    "tabnet_medians": lambda m: median_curves(m["error_rate"], COMPARED, UP_TO),
    "largest_drops": lambda m: largest_drops(m["error_rate"]),
    "tabnet_curves": lambda m: tabnet_curves(m["error_rate"]),
    "mlp_bumps": lambda m: bumps(m["error_rate"]),
    "mlp_bend_places": lambda m: bend_places(m["error_rate"]),
    "stray_curves": lambda m: stray_by_curve(m["error_rate"], m["error_rate_stderr"]),
}


DATABASE, BASELINE = "lcdb11-summary", "LogisticRegression"
#: Ensembles of trees, kernels and networks.
LEARNERS = ("ens.GradientBoosting", "ens.RandomForest", "ens.ExtraTrees", "SVM_RBF", "MLP",
            "CatBoost", "RealMLP", "TabNet", "TabPFNv2")
SIZES = (50, 100, 200, 500, 1000, 5000)  # rows


def common_shares() -> pd.DataFrame:
    """Return the shares of problems that all `LEARNERS` have: ``database, learner, rows, share``.

    And ``low, high, n_datasets``, from `analysis.selection.shares_ahead`.
    """
    errors = paper_curves(DATABASE)["error_rate"].sel(
        learner=[BASELINE, *LEARNERS], scaling="none", split="test", drop=True).load()
    shares = shares_ahead(lead_over(errors, BASELINE), SIZES, together=True)
    table = shares.sel(who=GOOD, drop=True).to_dataframe(dim_order=["learner", "rows"])
    return table.reset_index().assign(database=DATABASE)[
        ["database", "learner", "rows", "share", "low", "high", "n_datasets"]]


def paper_groups() -> dict[str, list[str]]:
    """Return the five learners that cross least and most, as the published notebook has them."""
    table = published_table("notebooks").query(
        "property == 'crossing_probability' and scaling == 'minmax'")
    table = table.sort_values("value", kind="stable")
    return {name: learners.split(JOIN)
            for name, learners in zip(KINDS, table["learner"], strict=True)}


def halve_published_means() -> pd.DataFrame:
    """Run the grid of Figure 20 on mean curves of LCDB 1.1 CC-18 without scaling.

    Returns
    -------
    pandas.DataFrame
        As `analysis.selection.halving_frame`, both procedures. A dataset has a single race: the
        means are over all outer and inner seeds.

    Raises
    ------
    NotAtHandError
        If the means are not at hand.
    """
    curves = load_curves(DATABASE)
    curves = curves[["error_rate"]].isel(dataset=curves["cc18"].values)
    curves = curves.sel(scaling="none", leakage="no", drop=True)
    curves = curves.expand_dims(outer=[0], inner=[0]).assign_attrs(database=DATABASE)
    return pd.concat([halving_frame(build_ladders(curves, p), paper_groups()) for p in PROCEDURES],
                     ignore_index=True)


KEPT = {f"artefacts_{name}": lambda table=table: table(published_means())
        for name, table in FROM_MEANS.items()} | {"artefacts_tabnet_anew": tabnet_anew,
        "overtaking_lcdb11_common": common_shares,
        "lcdb11_sizes": sizes_of_summary, "da4_halving_lcdb11": halve_published_means}
