"""When ill-behaviour is made by software: batches, rounding, stray rows, versions of libraries."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from analysis.databases.chapter_data import published_means
from analysis.databases.lcdb11.files import stray_values, without_stray
from analysis.databases.naming import learner_title
from analysis.drawing.chart import Chart
from analysis.published.computed import DATE, compute_or_recall, recall
from analysis.published.printed import printed_shares
from analysis.shapes import detect_shapes
from analysis.shapes.causes import MLP_BATCH, TABNET_BATCH, incomplete_batch, local_bumps
from analysis.statistics.bootstrap import ratio_of_sums_interval, share_interval
from chapters.artefacts.versions import compared_versions
from chapters.chapter import Chapter
from chapters.facts import Facts

# --- Where the published means of LCDB 1.1 show a library's default: batches, and stray values.

CLEAR = 0.005  # error rate: means are rounded to 4 decimals, so that smaller bends may be nothing


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


def largest_drops(errors: xr.DataArray, beyond: int = TABNET_BATCH) -> pd.DataFrame:
    """Count at which anchor each curve drops most, against the anchor before.

    Curves that reach `beyond` rows.

    Returns
    -------
    pandas.DataFrame
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
    reaches = own.sel(anchor=slice(TABNET_BATCH, None)).notnull().any("anchor").values
    constant = own[~reaches].max("anchor") == own[~reaches].min("anchor")
    drop = -own[reaches].diff("anchor")
    at = drop["anchor"].values[drop.fillna(-np.inf).argmax("anchor").values]
    there = pd.Series(100.0 * (at == TABNET_BATCH))
    low, high = share_interval(there, pd.Series(own["dataset"].values[reaches]))
    return pd.DataFrame([{"learner": "TabNet", "curves": own.sizes["dataset"],
                          "reach": int(reaches.sum()), "constant": int(constant.sum()),
                          "at_batch": int((there > 0).sum()), "share": there.mean(), "low": low,
                          "high": high}])


def bumps(errors: xr.DataArray, learner: str = "MLP", at_least: int = 20) -> pd.DataFrame:
    """Return how far the error lies above the line between its neighbours, at each anchor.

    The line is in the logarithm of the training-set size. Anchors of fewer than `at_least`
    datasets are left out.

    Returns
    -------
    pandas.DataFrame
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
    pandas.DataFrame
        ``anchor, curves``, the most frequent first: of curves with a violation of at least `CLEAR`.
    """
    curves = without_stray(errors).sel(learner=learner, drop=True)
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

COMPARED = ["TabNet", "CatBoost", "RealMLP"]
UP_TO = 4096  # rows: two batches of TabNet's and two more
DATASETS = 265  # of LCDB 1.1 FULL
DUMMY = "DummyClassifier"
LARGE_SHIFT = 0.01  # error rate
NAMED = 4  # bumps

#: Tables that need the published means of LCDB 1.1.
FROM_MEANS: dict[str, Callable[[xr.Dataset], pd.DataFrame]] = {
    "tabnet_medians": lambda m: median_curves(m["error_rate"], COMPARED, UP_TO),
    "largest_drops": lambda m: largest_drops(m["error_rate"]),
    "tabnet_curves": lambda m: tabnet_curves(m["error_rate"]),
    "mlp_bumps": lambda m: bumps(m["error_rate"]),
    "mlp_bend_places": lambda m: bend_places(m["error_rate"]),
    "stray_curves": lambda m: stray_by_curve(m["error_rate"], m["error_rate_stderr"]),
}
KEPT = {f"artefacts_{name}": lambda table=table: table(published_means())
        for name, table in FROM_MEANS.items()}


@dataclass(frozen=True)
class Study:
    """The chapter's tables, and when those that rest on published means were computed."""

    tables: dict[str, pd.DataFrame]
    date: str


def compute() -> Study:
    """Recall or compute what means show, what versions change, and what each does to the share."""
    kept = {name: compute_or_recall(f"artefacts_{name}", KEPT[f"artefacts_{name}"])
            for name in FROM_MEANS}
    tables = {name: table.drop(columns=DATE) for name, table in kept.items()}
    tables["versions"] = compared_versions()
    tables["causes"] = causes(tables)
    return Study(tables, max(table[DATE].max() for table in kept.values()))


def causes(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return what software does to shapes: cause, which curves, points of the share, remark.

    Points are of LCDB 1.1's printed share where the cause concerns that, else of LCDB 1.0's by the
    published procedure; NaN where it concerns neither.
    """
    shares = printed_shares().drop(DUMMY)
    tabnet, stray = tables["tabnet_curves"].iloc[0], tables["stray_curves"]
    versions = tables["versions"]
    changed = int((versions["changed"] > 0).sum())
    parts = recall("da1_decomposition").query("price == \"the dense grid's\"").set_index("step")
    old = parts["change"]
    rows = [
        ("TabNet drops a batch that is not full: no step below 1,024 rows", "LCDB 1.1",
         f"{tabnet['curves']}", shares.drop("TabNet").mean() - shares.mean(),
         "without TabNet"),
        ("last batch of the multilayer perceptron", "LCDB 1.1",
         f"{tables['mlp_bend_places']['curves'].iloc[0]} at one size",
         -shares["MLP"] / len(shares), "at most: all its curves"),
        ("values past the end of a dataset", "LCDB 1.1", f"{len(stray)}",
         -100 * len(stray) / DATASETS / len(shares), "at most, either way"),
        ("rounding counted as a violation", "LCDB 1.0", "–",
         old["rounding no longer counts (LCDB 1.0)"], "exact"),
        ("sizes looked up rounded the wrong way", "LCDB 1.0", "–",
         old["every anchor in its place (LCDB 1.0)"], "exact"),
        ("newer versions of libraries", "own fits", f"{changed} of {len(versions)}",
         np.nan, "not judged")]
    return pd.DataFrame(rows, columns=["cause", "database", "curves", "points", "which is"])


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers, by the keys that its sentences cite."""
    rows, shares = Facts(), printed_shares().drop(DUMMY)
    rows.add("date", study.date)
    rows.add("printed", shares.mean(), unit="%", digits=1, note="LCDB 1.1 FULL, as printed")
    rows.add("no_tabnet", shares.drop("TabNet").mean(), unit="%", digits=1, n=len(shares) - 1)
    tabnet, drops = study.tables["tabnet_curves"].iloc[0], study.tables["largest_drops"]
    rows.add("tabnet_at", *tabnet[["share", "low", "high"]], unit="%", n=int(tabnet["reach"]),
             note="of TabNet's curves that reach 1,024 rows, those that fall most there")
    rows.add("tabnet_all", int(tabnet["curves"]))
    rows.add("tabnet_stepless", int(tabnet["curves"] - tabnet["reach"]))
    at_batch = drops[drops["anchor"] == TABNET_BATCH].set_index("learner")
    others = (100 * at_batch["curves"] / at_batch["of"]).drop("TabNet")
    rows.add("others_at", others.max(), unit="%", digits=1, note="the null: any other learner")
    bumps, places = study.tables["mlp_bumps"], study.tables["mlp_bend_places"]
    clear = bumps[bumps["low"] > 0].nlargest(1, "excess").iloc[0]
    rows.add("bump", int(clear["anchor"]))
    rows.add("bump_rest", int(clear["last_batch"]))
    rows.add("bump_excess", *(100 * clear[["excess", "low", "high"]]), unit="points", digits=1,
             n=int(clear["datasets"]))
    at_bump = places.set_index("anchor")["curves"]
    rows.add("bump_curves", int(at_bump[clear["anchor"]]))
    _add_versions(rows, study.tables["versions"])
    return rows.table()


def _add_versions(rows: Facts, versions: pd.DataFrame) -> None:
    counts = versions["verdict"].value_counts()
    rows.add("version_pairs", len(versions))
    for key, verdict in (("equal", "equal"), ("different", "different")):
        rows.add(f"version_{key}", int(counts.get(verdict, 0)))
    unsure = versions[versions["verdict"] == "not significant"]
    unsure = unsure[unsure["shift"].abs() >= LARGE_SHIFT].sort_values("shift")
    rows.add("version_unsure", "; ".join(
        f"{learner_title(r.learner)} on {r.dataset}, {100 * r.shift:+.1f} points "
        f"({r.changed} of {r.fits} fits)" for r in unsure.itertuples()) or "none")


def draw_tabnet(study: Study) -> Figure:
    """Draw median curves, and where each learner's curves drop most."""
    medians, drops = study.tables["tabnet_medians"], study.tables["largest_drops"]
    drops = drops[drops["learner"].isin(COMPARED)]
    rows = pd.concat([
        medians.rename(columns={"median": "value"}).assign(panel="error rate"),
        drops.assign(value=100 * drops["curves"] / drops["of"], panel="% that drop most there")])
    return Chart("rows", "lines", "anchor", "value", "training-set size [rows]", by="learner",
                 panel="panel", own=True, at=TABNET_BATCH, log="x", height=3.4,
                 title="TabNet does not learn below 1,024 rows").draw({"rows": rows})


def draw_bumps(study: Study) -> Figure:
    """Draw how far the perceptron's error lies above the line between its neighbours, by anchor."""
    table = study.tables["mlp_bumps"]
    named = table[table["low"] > 0].nlargest(NAMED, "excess")["anchor"]
    table = table.assign(named=named.map("{:,}".format), learner="MLP")
    return Chart("rows", "points", "anchor", "excess", "training-set size [rows]",
                 "points of error above\nthe neighbours' line", reference=0, log="x", percent=True,
                 by="learner", text="named").draw({"rows": table})


chapter = Chapter("artefacts", compute, lambda study: study.tables, facts,
                  charts={"tabnet": draw_tabnet, "bumps": draw_bumps})
