"""What each correction of the published procedure does to the rates, one at a time."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import xarray as xr

from analysis.published.shared import shared
from analysis.shapes import (
    dense_lcdb10_cube,
    detect_shapes,
    on_lcdb10_anchors,
    published_lcdb10_cube,
)
from analysis.shapes.detect import VERDICT_OF
from analysis.shapes.rates import as_table4, curves_table, shape_rates
from analysis.shapes.significance import ALPHA
from analysis.shapes.verdicts import n_pairs, n_triples

IN_PLACE = "every anchor stays, in its place"
OWN_GRID = "on its own grid: fewer comparisons (corrected)"
#: How many comparisons a curve of so many anchors pays for, by kind of violation.
COMPARISONS = {"mono": n_pairs, "conv": n_triples, "dip": lambda n: n - 1, "peak": n_triples}


@shared
def correction_steps(valid: xr.DataArray, tried: xr.DataArray) -> pd.DataFrame:
    """Return the rates from the published procedure to the corrected one, step by step.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
        Error rates. On LCDB 1.0's anchors the steps that concern its preparation are taken too.
    tried : xarray.DataArray of bool, dims (dataset, learner, scaling)
        As in `analysis.shapes.rates.as_table4`.

    Returns
    -------
    pandas.DataFrame
        A row per step (and scaling): ``step`` in words, ``database``, ``scaling``, ``n_curves``,
        then the verdicts in percent of the curves that Table 4 counts.
    """
    database = valid.attrs.get("database", "")
    rows = []
    for step, shapes in _steps(valid):
        rates = shape_rates(as_table4(curves_table(shapes, database, step), tried))
        rows.append(rates.rename(columns={"procedure": "step"}))
    table = pd.concat(rows, ignore_index=True)
    return table[["step", *(c for c in table.columns if c != "step")]]


def _steps(valid: xr.DataArray) -> Iterator[tuple[str, xr.Dataset]]:
    yield "published", detect_shapes(valid, "published")
    if on_lcdb10_anchors(valid["anchor"].values):
        cube = published_lcdb10_cube(valid)
        yield "rounding no longer counts", detect_shapes(cube, "corrected")
        cube = dense_lcdb10_cube(valid)
        in_place = detect_shapes(cube, "corrected")
        yield IN_PLACE, in_place
        own = detect_shapes(valid, "corrected")
        yield "not interpolated, as many comparisons", priced(own, in_place["n_anchors"])
        yield OWN_GRID, own
    else:
        yield "rounding no longer counts (corrected)", detect_shapes(valid, "corrected")


def priced(shapes: xr.Dataset, n_anchors: xr.DataArray) -> xr.Dataset:
    """Return the verdicts had the correction paid for another number of anchors.

    Parameters
    ----------
    shapes : xarray.Dataset
        From `detect_shapes`, by a procedure whose p-values are Bonferroni's.
    n_anchors : xarray.DataArray of int
        For how many anchors each curve is to pay; its own where that is more.

    Returns
    -------
    xarray.Dataset
        As `shapes`, with other verdicts and p-values.
    """
    priced = shapes.copy()
    n_anchors = np.maximum(n_anchors, shapes["n_anchors"]).astype(int)
    for kind, verdict in VERDICT_OF.items():
        more = COMPARISONS[kind](n_anchors) / COMPARISONS[kind](shapes["n_anchors"])
        p = shapes[f"p_{kind}"]
        priced[f"p_{kind}"] = np.minimum(p * more.where(p.notnull()), 1)
        priced[verdict] = shapes[verdict] & (priced[f"p_{kind}"] < ALPHA)
    priced["ill_behaved"] = priced["non_monotone"] | priced["non_convex"]
    return priced
