"""The container of evaluations, and what one evaluation is before it is in it.

One `xarray.Dataset`, wherever the evaluations come from. Missing is NaN in a metric *and* a
status that says why; validation is NaN in a metric where nothing was bagged.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import xarray as xr

from collection.containers import curves as container
from collection.containers.curves import SPLITS, Metric, Status
from collection.containers.metrics import TASK_METRICS

DIMS = ("task", "learner", "repeat", "fold", "split")
FIT_DIMS = DIMS[:-1]

METRICS = {m.name: m for m in (
    *(replace(container.METRICS[name], dims=DIMS)
      for name in ("error_rate", "f1", "auc", "log_loss")),
    Metric("rmse", "root mean squared error", "as the target", DIMS),
    *(replace(container.METRICS[name], dims=DIMS) for name in ("mae", "r2")),
    replace(container.METRICS["train_time"], dims=FIT_DIMS),
    replace(container.METRICS["predict_time"], dims=DIMS),
)}
# How good a learner is, as against what it costs.
MEASURES = tuple(name for name in METRICS if not name.endswith("_time"))


COLUMNS = [column for metric in METRICS.values() for column in metric.columns]
NONE = (np.nan,) * len(SPLITS)


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a learner says of some rows.

    Attributes
    ----------
    kind : {"probability", "score", "label", "value"}
        Class probabilities; decision scores, where it has none; votes (1 for the class that is
        predicted, or the share of bags that do), where it has neither; numbers, for regression.
    values : ndarray, shape (n_rows, n_classes), or (n_rows,) for regression
    labels : ndarray of int, shape (n_rows,), optional
        Classes predicted; None for regression.
    """

    kind: str
    values: np.ndarray
    labels: np.ndarray | None = None

    @property
    def stored(self) -> np.ndarray:
        """The values to keep: of two classes the second's, of more all, for regression as is."""
        two = self.values.ndim == 2 and self.values.shape[1] == 2
        return self.values[:, 1] if two else self.values


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What became of a learner on a task's fold; tuples are of train, valid, test.

    Attributes
    ----------
    status : Status
    message : str
        Why, where the status is not ok, or why a metric has no value; else empty.
    measures : mapping of str to tuple of float
        By names of `collection.containers.evaluations.MEASURES`; what is absent is NaN.
    train_time : float
        Seconds to fit, the bags' together; preprocessing is not counted.
    predict_time : tuple of float
        Seconds to predict, the bags' together.
    chosen : tuple of mapping
        The hyperparameters that the learner's own tuning chose, per fit; empty without tuning.
    predictions : mapping of "valid" and "test" to Predictions, optional
        In the order of the fold's training rows (out of fold) and test rows.
    """

    status: Status
    message: str = ""
    measures: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    train_time: float = np.nan
    predict_time: tuple[float, ...] = NONE
    chosen: tuple[Mapping[str, object], ...] = ()
    predictions: Mapping[str, Predictions] | None = None


def label_evaluations(table: pd.DataFrame, tasks: pd.DataFrame, learners: pd.DataFrame,
                      **attrs: str) -> xr.Dataset:
    """Assemble the container of evaluations.

    Parameters
    ----------
    table : pandas.DataFrame
        One row per evaluation: ``task, learner, repeat, fold, status`` (name), ``message``,
        ``chosen`` and the columns of `collection.containers.evaluations.COLUMNS` (NaN: no value; a
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
    spread = container.scatter(places, shape)
    messages = np.array(["", *sorted(set(table["message"]) - {""})], object)
    codes = pd.Categorical(table["message"], messages).codes
    statuses = table["status"].map({s.name: s.value for s in Status})
    variables = {name: _variable(name, table, spread) for name in METRICS}
    variables["status"] = (FIT_DIMS, spread(statuses, Status.not_run, np.int8),
                           {"long_name": "what became of the evaluation"} | container.flags(Status))
    variables["message"] = (FIT_DIMS, spread(codes, 0, np.int32),
                            {"long_name": "position in message_text"})
    variables["message_text"] = ("message_id", messages)
    variables["chosen"] = (FIT_DIMS, spread(table["chosen"], "", object), {
        "long_name": "hyperparameters that tuning chose, per fit (JSON)"})
    evaluations = _described(xr.Dataset(variables, coords=coords, attrs=attrs), "task", tasks)
    return add_error(_described(evaluations, "learner", learners))


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
    values = metric.from_columns(lambda column: spread(table.get(column, np.nan)))
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
