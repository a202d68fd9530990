"""Fits of whole curves: how much worse those to ill-behaved curves are, and what none avoids."""

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure
from scipy.optimize import isotonic_regression

from analysis.databases.naming import dataset_title, learner_title
from analysis.drawing.chart import Chart
from analysis.drawing.style import PALETTE
from chapters.da3.predictions import CURVE, ILL, WELL, compare_kinds
from collection.containers.curves import only_dims

EXACT = 1e-20  # mean squared errors below are rounding: their logarithm says nothing
#: The verdicts that curves are compared by, and the violation that belongs to each.
COMPARED = {"non_monotone": "violation_mono", "non_convex": "violation_conv"}


def fit_ratios(mse: xr.DataArray, shapes: xr.Dataset) -> pd.DataFrame:
    """Compare fits to ill- and to well-behaved curves, for both verdicts (Section 5.4).

    Parameters
    ----------
    mse : DataArray, dims (dataset, learner, model)
        Mean squared errors; NaN, and what is below `EXACT`, is left out.
    shapes : Dataset, dims (dataset, learner)
        From `analysis.detect_shapes`. Flat curves are left out, as in the paper.

    Returns
    -------
    DataFrame
        A row per ``verdict`` and ``model``: ``n_well``, ``n_ill``; ``ratio`` of the geometric
        means (ill / well) with its 95 % interval over families of datasets, ``cluster_low`` to
        ``cluster_high``; ``own_ratio, own_low, own_high``, against the same learner's well-behaved
        curves.
    """
    usable = np.log10(mse.where((mse >= EXACT) & ~shapes["flat"])).rename("log")
    table = only_dims(usable.to_dataset()).to_dataframe().reset_index().dropna(subset="log")
    verdicts = only_dims(shapes[list(COMPARED)]).to_dataframe(dim_order=CURVE)
    table = table.join(verdicts, on=CURVE)
    frames = []
    for verdict in COMPARED:
        found = compare_kinds(table.assign(group=np.where(table[verdict], ILL, WELL)), "log")
        ends = {"ratio": "cost", "cluster_low": "cost_low", "cluster_high": "cost_high",
                "own_ratio": "same_learner", "own_low": "same_learner_low",
                "own_high": "same_learner_high"}
        frames.append(found[["model", "n_well", "n_ill"]].assign(
            verdict=verdict, **{name: 10 ** found[c] for name, c in ends.items()}))
    return pd.concat(frames, ignore_index=True)


def monotone_floor(curves: xr.DataArray) -> xr.DataArray:
    """Return the smallest mean squared error that any monotone function reaches on each curve.

    POW4, MMF4 and WBL4 are monotone for all parameters that have finite values on the anchors,
    rising or falling; none of them can get below.

    Parameters
    ----------
    curves : DataArray, dims (..., anchor)
        NaN where there is no anchor.

    Returns
    -------
    DataArray, dims (...)
        The smaller one of a falling and a rising isotonic regression's errors; NaN without
        anchors.
    """
    return xr.apply_ufunc(_floor, curves, input_core_dims=[["anchor"]], vectorize=True)


def _floor(curve: np.ndarray) -> float:
    seen = curve[np.isfinite(curve)]
    if not len(seen):
        return np.nan
    fitted = (isotonic_regression(seen, increasing=rising).x for rising in (False, True))
    return min(((seen - values) ** 2).mean() for values in fitted)


def draw_example_fits(means: xr.DataArray, fits: xr.Dataset, shapes: xr.Dataset) -> Figure:
    """Draw the largest peak and the largest dip, and every model's fit to them (Figure 18).

    Parameters
    ----------
    means : DataArray, dims (dataset, learner, anchor)
        Mean error rates.
    fits : Dataset, dims (dataset, learner, model, anchor)
        From `analysis.fit_curves` on them.
    shapes : Dataset, dims (dataset, learner)
        From `analysis.detect_shapes`.
    """
    rows, names = [], fits["model"].values.tolist()
    for shape, size in (("peaking", "violation_conv"), ("dipping", "violation_dip")):
        violation = shapes[size].where(shapes[shape]).to_series()
        if violation.notna().any():
            dataset, learner = violation.idxmax()
            curve = means.sel(dataset=dataset, learner=learner).dropna("anchor")
            fitted = fits["prediction"].sel(dataset=dataset, learner=learner,
                                            anchor=curve["anchor"])
            every = pd.DataFrame({"measured": curve, **{
                name: fitted.sel(model=name) for name in names}}, curve["anchor"])
            rows.append(every.rename_axis("anchor").reset_index().melt(
                "anchor", var_name="of", value_name="error").assign(
                    curve=f"{learner_title(learner)}\non {dataset_title(dataset)}"))
    return Chart("rows", "lines", "anchor", "error", "training-set size [rows]", "error rate",
                 by="of", panel="curve", own=True, log="x", height=3.2,
                 colours={"measured": "0.5", **dict(zip(names, PALETTE, strict=False))},
                 marks={"measured": "o", **dict(zip(names, ("-", "--", ":"), strict=False))}).draw(
                     {"rows": pd.concat(rows)})
