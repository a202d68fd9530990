"""Values at anchors that a dataset cannot have: more training rows than there are."""

import pandas as pd
import xarray as xr

from analysis.databases.lcdb11.files import datasets_table


def stray_values(curves: xr.DataArray) -> pd.DataFrame:
    """List the values of a metric past the training set of their dataset.

    Parameters
    ----------
    curves : DataArray
        A metric of ``lcdb11`` or ``lcdb11-summary``; dims at least dataset and anchor.

    Returns
    -------
    DataFrame
        One row per value: the labels of every dim, ``max_anchor`` (rows of the dataset's largest
        training set) and ``value``. In the published means, dataset 1088 has 26 such values and
        41972 has 3 of the validation error and 5 of the others, all of a single repeat: they
        belong to some other dataset.
    """
    max_anchor = datasets_table()["max_anchor"].reindex(curves["dataset"].values)
    ends = _ends(curves)
    affected = curves["dataset"][
        (curves.notnull() & (curves["anchor"] > ends)).any(
            [d for d in curves.dims if d != "dataset"]).values]
    table = curves.sel(dataset=affected).rename("value").to_dataframe()["value"].dropna()
    table = table.reset_index().merge(max_anchor, left_on="dataset", right_index=True)
    return table[table["anchor"] > table["max_anchor"]].reset_index(drop=True)


def without_stray(curves: xr.DataArray) -> xr.DataArray:
    """Return a metric with NaN in place of its stray values."""
    return curves.where(curves["anchor"] <= _ends(curves))


def _ends(curves: xr.DataArray) -> xr.DataArray:
    """Return the largest training set of each dataset, in rows."""
    ids = curves["dataset"].values
    return xr.DataArray(datasets_table()["max_anchor"].reindex(ids).to_numpy(), dims="dataset",
                        coords={"dataset": ids})
