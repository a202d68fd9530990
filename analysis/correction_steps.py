"""What each correction of the published procedure does to the rates, one at a time."""

from collections.abc import Iterator

import pandas as pd
import xarray as xr

from analysis.rates import as_table4, curves_table, shape_rates
from analysis.shapes import (
    dense_lcdb10_cube,
    detect_shapes,
    on_lcdb10_anchors,
    published_lcdb10_cube,
)


def correction_steps(valid: xr.DataArray, tried: xr.DataArray) -> pd.DataFrame:
    """Return the rates from the published procedure to the corrected one, step by step.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
        Error rates. On LCDB 1.0's anchors the steps that concern its preparation are taken too.
    tried : xarray.DataArray of bool, dims (dataset, learner, scaling)
        As in `analysis.rates.as_table4`.

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
        yield "every anchor stays, in its place", detect_shapes(cube, "corrected")
        yield "not interpolated (corrected)", detect_shapes(valid, "corrected")
    else:
        yield "rounding no longer counts (corrected)", detect_shapes(valid, "corrected")
