"""Which shapes a learning curve can have: real curves of each, and how they are judged."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.databases.naming import dataset_title, learner_title
from analysis.databases.paper_curves import validation_errors
from analysis.drawing.chart import Chart
from analysis.drawing.charts import figure
from analysis.drawing.curve import plot_curve
from analysis.drawing.style import SHAPE_COLOURS
from analysis.shapes import PROCEDURES, detect_shapes
from analysis.shapes.significance import in_words
from analysis.statistics.summary import REPEATS, standard_error
from chapters.chapter import Chapter, Study
from chapters.facts import Facts
from collection.containers.curves import only_dims
from analysis.shapes.transitions import detect_transitions


def find_examples(valid: xr.DataArray, shapes: xr.Dataset) -> pd.DataFrame:
    """Return the three curves with the largest peaks, dips and phase transitions each.

    At most one is of a learner.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        Error rates.
    shapes : xarray.Dataset, dims (dataset, learner)
        Verdicts on `valid`, from `analysis.detect_shapes`.

    Returns
    -------
    pandas.DataFrame
        Columns ``shape``, ``dataset``, ``learner``, ``anchor`` (where the violation, or the drop,
        is; in rows) and ``size`` (of the violation, or of the drop, in error rate).
    """
    drops = detect_transitions(valid)
    picks = [_largest("peaking", shapes["peaking"], shapes["violation_conv"], shapes["conv_i"]),
             _largest("dipping", shapes["dipping"], shapes["violation_dip"], shapes["dip_i"]),
             _largest("phase transition", drops["phase_transition"], drops["transition_drop"],
                      drops["transition_j"])]
    return pd.concat([p.head(3) for p in picks], ignore_index=True)


def _largest(shape: str, verdict: xr.DataArray, size: xr.DataArray, at: xr.DataArray):
    """Return the curves with this verdict, the largest violation of each learner first."""
    table = xr.Dataset({"anchor": at, "size": size.where(verdict)})
    table = only_dims(table).to_dataframe()
    table = table.dropna().sort_values("size", ascending=False, kind="stable").reset_index()
    table = table.drop_duplicates("learner").astype({"anchor": int})
    table.insert(0, "shape", shape)
    return table[["shape", "dataset", "learner", "anchor", "size"]]


PEAK = {"dataset": 40996, "learner": "RidgeClassifier"}  # Fashion-MNIST: 784 features
SEEN = 6000  # rows, to which the linear axis reaches


def compute() -> Study:
    """Judge the curves of LCDB 1.0, and choose those to show.

    Returns
    -------
    Study
        ``valid`` (xarray.DataArray, dims (dataset, learner, outer, inner, anchor)): validation
        error rates of LCDB 1.0. ``peak``: the curve with which the definitions are
        explained. ``gallery``: from `find_examples`; ``procedures`` in words.
    """
    valid = validation_errors("lcdb10").sel(scaling="none", drop=True).load()
    procedures = pd.DataFrame([{"procedure": p.name, "what it does": in_words(p)}
                               for p in PROCEDURES.values()])
    return Study(
        {"gallery": find_examples(valid, detect_shapes(valid, procedure="corrected")),
         "procedures": procedures},
        valid=valid, peak=valid.sel(PEAK).dropna("anchor", how="all"))


def facts(study: Study) -> pd.DataFrame:
    """Return the chapter's numbers."""
    rows = Facts()
    rows.add("n_procedures", len(PROCEDURES))
    return rows.table()


def draw_gallery(study: Study) -> Figure:
    """Draw the curves of `find_examples` with a standard error, a row of panels per shape."""
    rows = []
    for example in study.tables["gallery"].itertuples():
        curve = study.valid.sel(dataset=example.dataset, learner=example.learner)
        mean, spread = curve.mean(REPEATS), standard_error(curve).fillna(0)
        table = xr.Dataset({"value": mean, "low": mean - spread, "high": mean + spread})
        rows.append(only_dims(table).to_dataframe().dropna().reset_index().assign(
            curve=f"{learner_title(example.learner)}\non {dataset_title(example.dataset)}"))
    return Chart("rows", "lines", "anchor", "value", "training-set size [rows]", "error rate",
                 "Some fall, some peak, some end worse than they were, some drop at once",
                 panel="curve", own=True, across=3, height=1.75, log="x").draw(
                     {"rows": pd.concat(rows)})


@figure
def draw_monotonicity(curve: xr.DataArray) -> Figure:
    """Draw a curve, the lowest error so far, and the largest gap between the two (Figure 2).

    No `Chart`, as the next: it explains a definition by an arrow.

    Parameters
    ----------
    curve : xarray.DataArray, dims (outer, inner, anchor)
        Of a metric that is better when lower.

    Returns
    -------
    matplotlib.figure.Figure
    """
    ax, mean = plot_curve(curve, plt.subplots()[1]), curve.mean(REPEATS)
    ax.plot(mean["anchor"], np.minimum.accumulate(mean.values), "--", color="0.4")
    i, j = detect_shapes(curve, procedure="corrected")[["mono_i", "mono_j"]].to_array().values
    _gap(ax, mean, "non_monotone", r"$\epsilon_{\mathrm{mono}}$", j,
         float(mean.sel(anchor=i)), [i, j])
    return ax.figure


@figure
def draw_convexity(curve: xr.DataArray) -> Figure:
    """Draw a curve, the line it should not exceed and the largest excess over it (Figure 3).

    Parameters
    ----------
    curve : xarray.DataArray, dims (outer, inner, anchor)
        Of a metric that is better when lower.

    Returns
    -------
    matplotlib.figure.Figure
        Its horizontal axis is linear: distances between anchors count.
    """
    ax, mean = plot_curve(curve, plt.subplots()[1]), curve.mean(REPEATS)
    ax.set_xscale("linear")
    h, i, j = detect_shapes(curve, procedure="corrected")[
        ["conv_h", "conv_i", "conv_j"]].to_array().values
    ends = mean.sel(anchor=[h, j])
    ax.plot([h, j], ends, "--", color="0.4")
    _gap(ax, mean, "non_convex", r"$\epsilon_{\mathrm{conv}}$", i,
         float(np.interp(i, [h, j], ends)), [h, i, j])
    return ax.figure


def _gap(ax: Axes, mean: xr.DataArray, shape: str, label: str, at: float, bottom: float,
         points: list[float]) -> None:
    """Draw points of a curve, and an arrow up to it at one of them, with its name."""
    colour, top = SHAPE_COLOURS[shape], float(mean.sel(anchor=at))
    ax.annotate("", (at, top), (at, bottom), arrowprops={"arrowstyle": "<->", "color": colour})
    ax.annotate(label, (at, (bottom + top) / 2), xytext=(30, 0), textcoords="offset points",
                color=colour, va="center", fontsize="large", parse_math=True)
    ax.plot(points, mean.sel(anchor=points), "o", color=colour)


chapter = Chapter(
    "shapes", compute, facts,
    charts={"gallery": draw_gallery,
            "monotone": lambda study: draw_monotonicity(study.peak),
            "convex": lambda study: draw_convexity(study.peak.sel(anchor=slice(None, SEEN)))})
