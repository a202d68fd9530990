"""All that the chapter *Shapes up close* computes: its tables, the numbers of its sentences."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

import analysis
from analysis.databases.chosen import main_curves, validation_errors
from analysis.databases.lcdb10 import meta_features_table
from analysis.databases.naming import counted_once
from analysis.drawing.tables import write_results
from analysis.shapes import causes
from analysis.shapes.verdicts import SHAPE_LABELS
from analysis.statistics.summary import interval_texts
from chapters.closeup.shapes import (
    LOSSES,
    peaks_by_reach,
    shapes_by_metric,
    transitions_by_scaling,
)
from chapters.facts import Facts

#: The perceptron with mini-batches of so many rows.
BATCHES = {200: "MLP"} | {
    n: f"sklearn.neural_network.MLPClassifier(batch_size={n})" for n in (180, 203)}
METRICS = ["error_rate", "f1", "auc", "log_loss"]
ALL = ["outer", "inner", "anchor"]


@dataclass(frozen=True)
class Study:
    """The chapter's curves and tables.

    Attributes
    ----------
    mlp : dict of int to xarray.DataArray, dims (outer, inner, anchor)
        The multilayer perceptron on *vehicle*, by batch size (rows).
    mlp_scaled : xarray.DataArray, dims (dataset, scaling, outer, inner, anchor)
        The same under every scaling.
    tabnet : dict of str to xarray.DataArray, dims (outer, inner, anchor)
        Both variants on *kr-vs-kp*.
    svm : xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
        Support vector machines, under every scaling.
    results : dict of str to pandas.DataFrame
        The tables that are written, by the name of their file.
    """

    mlp: dict[int, xr.DataArray]
    mlp_scaled: xr.DataArray
    tabnet: dict[str, xr.DataArray]
    svm: xr.DataArray
    results: dict[str, pd.DataFrame]


def study() -> Study:
    """Compute the chapter's curves and tables, and write these; half a minute."""
    mini = validation_errors("mini")
    once = counted_once(mini)
    mlp = {batch: mini.sel(dataset="vehicle", learner=name, scaling="none", inner=[0]).dropna(
        "anchor", how="all") for batch, name in BATCHES.items()}
    scaled = once.sel(learner="MLP", drop=True)
    scaled = scaled.sel(dataset=scaled.notnull().any(ALL).all("scaling")).load()
    tabnet = {name: mini.sel(dataset="kr-vs-kp", learner=name, scaling="none").dropna(
        "anchor", how="all") for name in ("TabNet", "TabNetSmallBatch")}
    svm = mini.sel(learner=["SVM_Linear", "SVM_RBF"])
    svm = svm.sel(dataset=svm.notnull().any(ALL).all(["learner", "scaling"])).load()
    results = (_batches(mlp) | _transitions(scaled) | {"tabnet": _means(tabnet)} | _spread(svm)
               | _peaks() | {"by_metric": _by_metric()})
    write_results("closeup", results)
    return Study(mlp, scaled, tabnet, svm, results)


def _batches(mlp: dict[int, xr.DataArray]) -> dict[str, pd.DataFrame]:
    bumps = causes.bumps_by_batch(mlp)
    sizes = causes.last_batches(mlp[200]["anchor"].values, tuple(BATCHES)).query("small")
    return {"last_batches": sizes, "mlp_bump_means": causes.summarise_bumps(bumps),
            "mlp_bumps": bumps}


def _transitions(scaled: xr.DataArray) -> dict[str, pd.DataFrame]:
    counts, places = transitions_by_scaling(scaled)
    return {"mlp_transitions": counts, "mlp_transition_places": places}


def _means(curves: dict[str, xr.DataArray]) -> pd.DataFrame:
    table = pd.DataFrame({name: curve.mean(["outer", "inner"]).to_series()
                          for name, curve in curves.items()})
    return table.reset_index().rename_axis(columns=None)


def _spread(svm: xr.DataArray) -> dict[str, pd.DataFrame]:
    spread = causes.spread_over_repeats(svm).mean("anchor").to_dataframe("spread").reset_index()
    spread = spread[["dataset", "learner", "scaling", "spread"]]
    return {"svm_spread": spread, "svm_spread_changes": causes.spread_changes(spread)}


def _peaks() -> dict[str, pd.DataFrame]:
    errors = validation_errors("lcdb10").sel(scaling="none").load()
    features = meta_features_table()["NumberOfFeaturesAfterBinarization"]
    shapes = analysis.detect_shapes(errors)
    peaks = causes.peaks_against_features(shapes, features)
    return {"peaks": peaks, "peak_ratios": causes.ratio_interval(peaks),
            "lda_by_reach": peaks_by_reach(errors, shapes, features, "LDA")}


def _by_metric() -> pd.DataFrame:
    curves = counted_once(main_curves("mini")).sel(scaling="none", split="valid", drop=True)
    return shapes_by_metric(curves[METRICS].load())


def transitions_in_words(counts: pd.DataFrame) -> pd.DataFrame:
    """Return the counts of transitions as the page shows them."""
    shown = counts.assign(percent=interval_texts(counts, "percent")).drop(columns=["low", "high"])
    return shown.rename(columns={"median_drop": "median of the clearest drop"})


def bumps_in_words(means: pd.DataFrame) -> pd.DataFrame:
    """Return the mean bumps as the page shows them."""
    return means.assign(small=np.where(means["small"], "small", "not small")).rename(columns={
        "batch_size": "batch size", "small": "last mini-batch", "mean": "mean bump",
        "sem": "standard error", "count": "anchors"})


def spread_wide(spread: pd.DataFrame) -> pd.DataFrame:
    """Return the spread over the repeats with a column per scaling."""
    wide = spread.pivot(index=["learner", "dataset"], columns="scaling", values="spread")
    return wide[["none", "minmax", "standard"]].reset_index()


def metrics_wide(by_metric: pd.DataFrame) -> pd.DataFrame:
    """Return the shares of shapes with a row per metric, intervals as text."""
    shown = by_metric.assign(share=interval_texts(by_metric, "percent")).replace(SHAPE_LABELS)
    wide = shown.pivot(index="metric", columns="verdict", values="share")
    return wide.loc[list(LOSSES)].reset_index()


def facts(found: Study) -> pd.DataFrame:
    """Return the numbers of the chapter's sentences, as `chapters.facts.Facts.table`."""
    rows, results = Facts(), found.results
    means = results["mlp_bump_means"].set_index(["small", "batch_size"])["mean"]
    rows.add("bump_small", 100 * means[True].mean(), digits=1, unit="points")
    rows.add("bump_else", 100 * means[False].mean(), digits=1, unit="points")
    rows.add("bumps_moved", int((means[True] > means[False].reindex(means[True].index)).sum()))
    rows.add("bump_sizes", len(means[True]))
    counts = results["mlp_transitions"]
    rows.update({"transition_datasets": int(counts["curves"].iloc[0]),
                 "transitions": int(counts["found"].sum()),
                 "transition_curves": int(counts["curves"].sum())})
    tabnet = results["tabnet"].set_index("anchor")
    rows.add("tabnet_moves", 100 * np.ptp(tabnet.loc[:1023, "TabNet"]), digits=1, unit="points",
             note="mean error at fewer than 1,024 rows, largest minus smallest")
    rows.add("tabnet_published", 100 * tabnet.loc[512, "TabNet"], unit="%")
    rows.add("tabnet_fitting", 100 * tabnet.loc[512, "TabNetSmallBatch"], unit="%")
    for r in results["svm_spread_changes"].itertuples():
        rows.add(f"{r.learner.lower()}_{r.scaling}", 100 * r.change, 100 * r.low, 100 * r.high,
                 digits=1, unit="points", n=r.n_datasets)
    lda = results["peak_ratios"].set_index("learner").loc["LDA"]
    rows.add("lda_ratio", lda["median"], lda["low"], lda["high"], digits=2, n=int(lda["peaks"]),
             note="rows per feature at the peak, median")
    rows.add("lda_peaks", int(lda["peaks"]))
    reach = results["lda_by_reach"].set_index("margin")
    for where, key in ((True, "inside"), (False, "outside")):
        by_margin = reach[reach["inside"] == where]
        r = by_margin.loc[1]
        rows.add(f"peaks_{key}", r["percent"], r["low"], r["high"], unit="%", n=int(r["curves"]))
        for margin, more in ((0, "_edges"), (1, ""), (2, "_well")):
            counted = by_margin.loc[margin]
            rows.add(f"peaks_{key}{more}_of",
                     f"{counted['peaks']:.0f} of {counted['curves']:.0f}")
    return rows.table()
