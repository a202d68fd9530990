"""How many curves have which shape: rates in percent, per learner, with intervals over datasets."""

import pandas as pd
import xarray as xr

from analysis.shapes.verdicts import VERDICTS
from analysis.statistics.bootstrap import exact_ends, ratio_of_sums_interval
from analysis.statistics.families import count_families
from analysis.statistics.shares import share_error
from collection.containers.curves import only_dims
from collection.containers.learner_names import MODERN, NOT_COUNTED


def curves_table(shapes: xr.Dataset) -> pd.DataFrame:
    """Return a row per curve: its verdicts as 0 or 1, violation sizes, anchors, p-values.

    Parameters
    ----------
    shapes : xarray.Dataset, dims (dataset, learner, scaling[, leakage])
        From `analysis.detect_shapes`.

    Returns
    -------
    pandas.DataFrame
        Columns: the dims, ``missing`` to ``dipping``, then every other
        variable of `shapes`. Anchors in rows; NaN where a curve has no such violation.
    """
    dims = [d for d in ("dataset", "learner", "scaling", "leakage") if d in shapes.dims]
    table = only_dims(shapes).to_dataframe(dim_order=dims).reset_index()
    for verdict in VERDICTS:
        table[verdict] = table[verdict].astype(int)
    rest = [c for c in table.columns if c not in (*dims, *VERDICTS)]
    return table[[*dims, *VERDICTS, *rest]]


def counted(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the learners that the paper's Table 4 counts."""
    return table[~table["learner"].isin(NOT_COUNTED)]


def as_table4(table: pd.DataFrame, tried: xr.DataArray) -> pd.DataFrame:
    """Return the rows of the curves that the paper's Table 4 counts.

    Parameters
    ----------
    table : pandas.DataFrame
        From `curves_table`.
    tried : xarray.DataArray of bool, dims (dataset, learner, scaling)
        From `tried_curves`: a curve that was never tried is not a missing one.
    """
    table = counted(table)
    table = table[(table["scaling"] == "none") | ~table["learner"].isin(MODERN)]
    rows = tried.rename("tried").to_dataframe()["tried"]
    keys = pd.MultiIndex.from_frame(table[list(tried.dims)])
    return table[rows.reorder_levels(tried.dims).reindex(keys, fill_value=False).to_numpy()]


def shape_rates(table: pd.DataFrame, by: tuple[str, ...] = ()) -> pd.DataFrame:
    """Return the share of curves with each verdict, in percent of all curves, missing included.

    Parameters
    ----------
    table : pandas.DataFrame
        From `curves_table`, with columns ``database, procedure`` added.
    by : tuple of str
        Further columns to group by, such as ``("learner",)``.

    Returns
    -------
    pandas.DataFrame
        Columns ``database, procedure, scaling``, those of `by`, ``n_curves`` and the verdicts.
    """
    keys = ["database", "procedure", "scaling", *by]
    groups = table.groupby(keys, sort=False)
    rates = 100 * groups[list(VERDICTS)].mean()
    rates.insert(0, "n_curves", groups.size())
    return rates.reset_index()


def rate_intervals(table: pd.DataFrame, by: tuple[str, ...] = ()) -> pd.DataFrame:
    """Return 95 % percentile bootstrap intervals of `shape_rates`, resampling whole datasets.

    Curves of one dataset resemble each other, so datasets are the units that vary: the interval
    says how far the rate would move on other datasets of the same kind.

    Parameters
    ----------
    table, by
        As in `shape_rates`.

    Returns
    -------
    pandas.DataFrame
        A row per group and verdict: the keys, ``verdict``, ``rate``, ``low``, ``high`` (percent).
        Of few curves with a verdict, or without, from `exact_ends`.
    """
    keys = ["database", "procedure", "scaling", *by]
    rows = []
    for key, group in table.groupby(keys, sort=False):
        counts = group.groupby("dataset")[list(VERDICTS)].sum()
        sizes = group.groupby("dataset").size()
        low, high = ratio_of_sums_interval(100 * counts, sizes, sizes.index)
        rates = 100 * counts.sum() / sizes.sum()
        low, high = exact_ends(rates, low, high, count_families(sizes.index),
                               share_error(counts, sizes, sizes.index))
        for k, verdict in enumerate(VERDICTS):
            values = {"verdict": verdict, "rate": rates[verdict], "low": low[k], "high": high[k]}
            rows.append(dict(zip(keys, key, strict=True)) | values)
    return pd.DataFrame(rows)
