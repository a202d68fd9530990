"""A container as a tidy table: a row per measurement, for pandas and for a file."""

import numpy as np
import pandas as pd
import xarray as xr

from collection.container import Status

#: Coordinates beside a dim that a row is told, where the container has them.
BESIDE = ("name", "problem", "metric")
FAILED = [s.value for s in Status if s not in (Status.ok, Status.not_run)]


def tidy_table(container: xr.Dataset) -> pd.DataFrame:
    """Return every measurement of a container as a row.

    Parameters
    ----------
    container : xarray.Dataset
        Of learning curves (`collection.container`) or of evaluations
        (`collection.evaluation_container`).

    Returns
    -------
    pandas.DataFrame
        A column per dim, such as ``dataset, learner, …, anchor, split`` or
        ``task, learner, repeat, fold, split``; the dataset's ``name`` or the task's ``problem`` and
        ``metric`` where they are known; ``status`` and ``message``; a column per metric, in the
        container's units. There is a row where a metric has a value, and where a fit failed: its
        metrics are NaN, and the message says why. What was not run has none.
    """
    dims = tuple(max((v.dims for v in container.data_vars.values()), key=len))
    measured = {name: v.transpose(*(d for d in dims if d in v.dims))
                for name, v in container.data_vars.items()
                if v.dtype.kind == "f" and set(v.dims) <= set(dims)}
    there = container["status"].isin(FAILED)
    for values in measured.values():
        if set(values.dims) == set(dims):
            there = there | values.notnull()
    there = there.transpose(*dims)
    places = dict(zip(dims, np.nonzero(there.values), strict=True))

    def at_places(values: xr.DataArray) -> np.ndarray:
        return values.values[tuple(places[d] for d in values.dims)]

    columns = {d: container[d].values[places[d]] for d in dims}
    columns |= {name: at_places(container[name]) for name in BESIDE
                if name in container.coords and container[name].dims}
    texts = container["message_text"].values if "message_text" in container else np.array([""])
    columns["status"] = np.array([s.name for s in Status], object)[at_places(container["status"])]
    if "message" in container:
        columns["message"] = texts[at_places(container["message"]).astype(int)]
    return pd.DataFrame(columns | {name: at_places(v) for name, v in measured.items()})
