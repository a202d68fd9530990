"""What of LCDB 1.1 is not counted: values past the end of a dataset, learners like others."""

import numpy as np
import xarray as xr

from analysis.statistics.families import near_duplicates
from collection.official.lcdb11 import datasets_table

#: What the registry of near-duplicates remarks of a pair that has the same rows and classes.
COPY = ("copy", "the same rows in the same order")


def without_stray(curves: xr.DataArray) -> xr.DataArray:
    """Return a metric with NaN in place of stray values; none is of a dataset LCDB 1.1 lacks."""
    return curves.where(curves["anchor"] <= _ends(curves).fillna(np.inf))


def _ends(curves: xr.DataArray) -> xr.DataArray:
    """Return the largest training set of each dataset, in rows."""
    ids = curves["dataset"].values
    return xr.DataArray(datasets_table()["max_anchor"].reindex(ids).to_numpy(), dims="dataset",
                        coords={"dataset": ids})


def drop_copies(curves: xr.Dataset | xr.DataArray) -> xr.Dataset | xr.DataArray:
    """Return curves without the datasets that are copies of others among them, by the registry."""
    labels = {str(label): label for label in curves["dataset"].values.tolist()}
    pairs = near_duplicates().query("evidence == 'rows' and remark in @COPY")
    names = pairs[["one", "other"]].apply(lambda column: column.str.rpartition(":")[2])
    return curves.drop_sel(dataset=sorted({
        labels[other] for one, other in names.itertuples(index=False)
        if one != other and {one, other} <= set(labels)}, key=str))
