"""Which shapes a learning curve can have: real curves of each, and how they are judged."""

import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from analysis.databases.naming import dataset_title, learner_title
from analysis.drawing.chart import Chart
from analysis.drawing.curve import draw_convexity, draw_monotonicity
from analysis.shapes import PROCEDURES, detect_shapes
from analysis.shapes.significance import in_words
from analysis.statistics.summary import REPEATS, standard_error
from chapters.chapter import Chapter, Study
from chapters.facts import Facts
from chapters.lab.chapter_data import validation_errors
from chapters.lab.shapes.transitions import detect_transitions
from collection.containers.curves import only_dims


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


chapter = Chapter(
    "shapes", compute, facts,
    charts={"gallery": draw_gallery,
            "monotone": lambda study: draw_monotonicity(study.peak),
            "convex": lambda study: draw_convexity(study.peak.sel(anchor=slice(None, SEEN)))})
