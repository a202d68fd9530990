"""Bring a table of evaluations into the labelled container, wherever they come from."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from collection.container import SPLITS, Status
from collection.evaluation.container import DIMS, FIT_DIMS, MEASURES, METRICS, metric_columns
from collection.tasks.metric import TASK_METRICS


def label_evaluations(table: pd.DataFrame, tasks: pd.DataFrame, learners: pd.DataFrame,
                      **attrs: str) -> xr.Dataset:
    """Assemble the container of evaluations.

    Parameters
    ----------
    table : pandas.DataFrame
        One row per evaluation: ``task, learner, repeat, fold, status`` (name), ``message``,
        ``chosen`` and the columns of `collection.evaluation.container.COLUMNS` (NaN: no value; a
        column that is absent is NaN throughout).
    tasks : pandas.DataFrame
        One row per task in the order of the container: ``name``, ``metric`` and whatever else is
        known, all of which become coordinates along ``task``.
    learners : pandas.DataFrame
        The same of learners: ``name``, ``family``, ``hyperparameters`` (JSON), …
    **attrs
        Attributes of the dataset.

    Returns
    -------
    xarray.Dataset
        Dims ``task, learner, repeat, fold, split`` (train, valid, test). Variables: the metrics
        (NaN where an evaluation gave no value), ``error`` (the task's own metric as an error),
        ``train_time`` and ``predict_time`` in seconds, ``status``, ``message`` (position in
        ``message_text``) and ``chosen`` (JSON: hyperparameters that tuning chose; empty: none).
        An evaluation that is not there has the status ``not_run``.
    """
    coords = {"task": _present(tasks["name"], table["task"]),
              "learner": _present(learners["name"], table["learner"]),
              "repeat": np.unique(table["repeat"]), "fold": np.unique(table["fold"]),
              "split": np.array(SPLITS, object)}
    places = [pd.Categorical(table[dim], coords[dim]).codes for dim in FIT_DIMS]
    shape = tuple(len(coords[dim]) for dim in FIT_DIMS)
    flat = np.ravel_multi_index(places, shape)

    def spread(values: Sequence, fill: object, dtype: type) -> np.ndarray:
        array = np.full(int(np.prod(shape)), fill, dtype)
        array[flat] = values
        return array.reshape(shape)

    messages = np.array(["", *sorted(set(table["message"]) - {""})], object)
    codes = pd.Categorical(table["message"], messages).codes
    statuses = table["status"].map({s.name: s.value for s in Status})
    variables = {name: _variable(name, table, spread) for name in METRICS}
    variables["status"] = (FIT_DIMS, spread(statuses, Status.not_run, np.int8), {
        "long_name": "what became of the evaluation",
        "flag_values": np.array([s.value for s in Status], np.int8),
        "flag_meanings": " ".join(s.name for s in Status)})
    variables["message"] = (FIT_DIMS, spread(codes, 0, np.int32),
                            {"long_name": "position in message_text"})
    variables["message_text"] = ("message_id", messages)
    variables["chosen"] = (FIT_DIMS, spread(table["chosen"], "", object), {
        "long_name": "hyperparameters that tuning chose, per fit (JSON)"})
    container = xr.Dataset(variables, coords=coords, attrs=attrs)
    container = _described(container, "task", tasks)
    return add_error(_described(container, "learner", learners))


def add_error(container: xr.Dataset) -> xr.Dataset:
    """Add ``error``: of each task the metric that the coordinate ``metric`` names, as an error."""
    metric = container["metric"]
    shape = (container[name] for name in MEASURES if name in container)
    error = xr.full_like(next(shape), np.nan)
    for name, how in TASK_METRICS.items():
        if name in container:
            error = error.where(metric != name, how.error(container[name]))
    error.attrs = {"long_name": "error by the task's own metric (coordinate metric)"}
    return container.assign(error=error)


def _variable(name: str, table: pd.DataFrame, spread) -> tuple:
    metric = METRICS[name]
    columns = [table.get(c, np.nan) for c in metric_columns(name)]
    arrays = [spread(values, np.nan, float) for values in columns]
    values = np.stack(arrays, axis=-1) if metric.dims == DIMS else arrays[0]
    return metric.dims, values, {"long_name": metric.label, "units": metric.unit}


def _present(names: pd.Series, used: pd.Series) -> np.ndarray:
    """Return those names that occur, in their order."""
    return names[names.isin(set(used))].to_numpy(object)


def _described(container: xr.Dataset, dim: str, facts: pd.DataFrame) -> xr.Dataset:
    """Add what is known of tasks or learners as coordinates along their dim."""
    facts = facts.set_index("name").loc[container[dim].values]
    if "openml_id" in facts:
        facts = facts.astype({"openml_id": float})
    return container.assign_coords({c: (dim, facts[c].to_numpy()) for c in facts})
