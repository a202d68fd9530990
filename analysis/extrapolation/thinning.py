"""Whether a denser grid of anchors is what tells two databases apart: the same with fewer."""

import pandas as pd
import xarray as xr

from analysis.extrapolation.fit_tables import fit_summary
from analysis.fitting import fit_curves


def thin_anchors(curves: xr.DataArray, every: int = 4) -> xr.DataArray:
    """Return the curves at each `every`-th of their own anchors, and at their last; NaN elsewhere.

    Parameters
    ----------
    curves : xarray.DataArray, dims (..., anchor)
        Each curve's first anchor is kept.
    every : int
    """
    place = curves.notnull().cumsum("anchor")
    return curves.where((place % every == 1 % every) | (place == place.max("anchor")))


def thinning_effect(curves: xr.DataArray, shapes: xr.Dataset, model: str = "POW4",
                    every: int = 4) -> pd.DataFrame:
    """Compare fits of ill- and well-behaved curves on all anchors and on few.

    Parameters
    ----------
    curves : xarray.DataArray, dims (dataset, learner, anchor)
        Mean error rates.
    shapes : xarray.Dataset, dims (dataset, learner)
        Of the curves on all anchors: the same curves are called ill-behaved both times.
    model : str
    every : int
        As in `thin_anchors`.

    Returns
    -------
    pandas.DataFrame
        As `analysis.extrapolation.fit_tables.fit_summary`, with ``anchors`` ("all" or "thinned")
        in front.
    """
    tables = []
    for anchors, these in (("all", curves), ("thinned", thin_anchors(curves, every))):
        table = fit_summary(fit_curves(these, [model])["mse"], shapes)
        table.insert(0, "anchors", anchors)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)
