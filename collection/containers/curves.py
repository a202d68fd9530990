"""The container that every database of learning curves comes in: dims, metrics, statuses.

One `xarray.Dataset`, whatever the curves were loaded from. Missing is NaN in a metric *and* a
status that says why.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import pandas as pd
import xarray as xr

from collection.protocol.splits import SEEDS

DIMS = ("dataset", "learner", "scaling", "leakage", "outer", "inner", "anchor", "split")
FIT_DIMS = DIMS[:-1]
SPLITS = ("train", "valid", "test")
SCALINGS = ("none", "minmax", "standard")
LEAKAGES = ("no", "yes")
INNER_SEED = "inner_seed"  # coordinate of repeats no two of which share their inner seed


class Status(IntEnum):
    """What became of a fit; the values are those of the variable ``status``."""

    ok = 0
    timeout = 1
    memory = 2
    error = 3
    not_run = 4
    invalid = 5  # it said something that cannot be: probabilities that are none


def flags(kind: type[IntEnum]) -> dict[str, object]:
    """Return the attributes that say what the values of a variable mean."""
    return {"flag_values": np.array(list(kind), np.int8),
            "flag_meanings": " ".join(s.name for s in kind)}


@dataclass(frozen=True)
class Metric:
    """A variable of the container.

    Attributes
    ----------
    name, label, unit : str
        Variable name, words for an axis, unit ("1" for a pure number).
    dims : tuple of str
        Its dims; times of fitting have no split.
    lower_is_better : bool
        Direction of improvement.
    of : {"", "classes", "numbers"}
        What has to be predicted for it to have a value; empty: either.
    low, high : float
        Between which it lies, both included where they are finite.
    """

    name: str
    label: str
    unit: str = "1"
    dims: tuple[str, ...] = DIMS
    lower_is_better: bool = True
    of: str = ""
    low: float = 0.0
    high: float = np.inf

    @property
    def columns(self) -> list[str]:
        """The columns that hold it in tables: one per split, or one."""
        return [f"{self.name}_{split}" for split in SPLITS] if "split" in self.dims else [self.name]

    def from_columns(self, of_column: Callable[[str], np.ndarray]) -> np.ndarray:
        """Return the values of all columns, the splits along the last axis, given those of one."""
        arrays = [of_column(column) for column in self.columns]
        return np.stack(arrays, axis=-1) if "split" in self.dims else arrays[0]


METRICS = {m.name: m for m in (
    Metric("error_rate", "error rate", of="classes", high=1.0),
    Metric("f1", "weighted F1", lower_is_better=False, of="classes", high=1.0),
    Metric("auc", "AUC (weighted, one versus rest)", lower_is_better=False, of="classes",
           high=1.0),
    Metric("log_loss", "log-loss", "nat", of="classes"),
    Metric("train_time", "time to fit", "s", FIT_DIMS),
    Metric("predict_time", "time to predict", "s"),
    Metric("relative_rmse", "root mean squared error over the target's standard deviation",
           of="numbers"),
    Metric("mae", "mean absolute error", "as the target", of="numbers"),
    Metric("r2", "explained share of the variance (R²)", lower_is_better=False, of="numbers",
           low=-np.inf, high=1.0),
)}
#: What curves are judged by unless a metric is named; of classes, and of numbers to predict.
MAIN = {"classes": "error_rate", "numbers": "relative_rmse"}


def metrics_of(*kinds: str) -> list[str]:
    """Return the names of the metrics that curves of these kinds ("classes", "numbers") have."""
    return [name for name, metric in METRICS.items() if metric.of in ("", *kinds)]


def main_metric(curves: xr.Dataset) -> str:
    """Return the metric that a database's curves are judged by: the first of `MAIN` it has."""
    return next(name for name in MAIN.values() if name in curves)


def build_container(coords: Mapping[str, Sequence], variables: Mapping[str, np.ndarray],
                    status: np.ndarray, message: np.ndarray | None = None,
                    messages: Sequence[str] = ("",), **attrs: str) -> xr.Dataset:
    """Assemble the container from arrays in the order of `DIMS`.

    Parameters
    ----------
    coords : mapping of dim to labels
        One entry per dim of `DIMS`. ``anchor`` is in rows of the training set.
    variables : mapping of metric name to ndarray
        Names from `METRICS`, shapes by their dims; NaN where the fit gave no value. These and the
        next two may also be arrays that xarray reads lazily.
    status : ndarray of int8
        `Status` per fit, over `FIT_DIMS`.
    message : ndarray of int, optional
        Per fit, the position of its message in `messages`; by default all 0.
    messages : sequence of str
        Distinct messages, ``messages[0]`` being the empty one.
    **attrs
        Attributes of the dataset: ``database``, ``source``, …

    Returns
    -------
    xarray.Dataset
    """
    if message is None:
        message = np.zeros(np.shape(status), np.int16)
    data = {name: (METRICS[name].dims, array,
                   {"long_name": METRICS[name].label, "units": METRICS[name].unit})
            for name, array in variables.items()}
    data["status"] = (FIT_DIMS, status, {"long_name": "what became of the fit"} | flags(Status))
    data["message"] = (FIT_DIMS, message, {"long_name": "position in message_text"})
    data["message_text"] = ("message_id", np.asarray(messages, dtype=object))
    container = xr.Dataset(data, coords={d: (d, np.asarray(coords[d])) for d in DIMS}, attrs=attrs)
    container["anchor"].attrs.update(long_name="training-set size", units="rows")
    return container


def with_inner_seeds(container: xr.Dataset) -> xr.Dataset:
    """Return the curves with what inner seeds repeats have, where no two share one.

    Labels of ``inner`` are then 0 to 4 for every outer seed; the coordinate ``inner_seed``, dims
    ``outer, inner``, has the seeds themselves, by which stores know the repeats.
    """
    seeds = len(SEEDS) * container["outer"] + container["inner"]
    return container.assign_coords({INNER_SEED: seeds.transpose("outer", "inner")})


def scatter(places: Sequence[np.ndarray], shape: tuple[int, ...]) -> Callable[..., np.ndarray]:
    """Return a function of values: an array of `shape` that has them at `places`.

    It also takes what all other places have, NaN by default, and the array's type.
    """
    flat = np.ravel_multi_index(places, shape)

    def scattered(values: Sequence, fill: object = np.nan, dtype: type = float) -> np.ndarray:
        array = np.full(shape, fill, dtype)
        array.ravel()[flat] = values
        return array
    return scattered


def only_dims(data: xr.Dataset | xr.DataArray) -> xr.Dataset | xr.DataArray:
    """Return `data` with the coordinates of its dims alone, as a table has to have it.

    What stands beside a dim (a dataset's name) or was settled by a choice (the scaling) would
    become a column of its own.
    """
    return data.drop_vars([c for c in data.coords if c not in data.dims])


@dataclass(frozen=True)
class CurveKey:
    """One learner on one dataset, under one setting, in one repeat.

    Attributes
    ----------
    dataset : str
        Spec, such as ``keel:vehicle``, where curves are gathered; name, such as ``vehicle``, where
        they are stored.
    learner : str
        Name or spec; see `collection.learners.find_learner`.
    scaling : {"none", "minmax", "standard"}
    leakage : {"no", "yes"}
    outer, inner : int
        Seeds of the splits.
    """

    dataset: str
    learner: str
    scaling: str
    leakage: str
    outer: int
    inner: int

    @property
    def pair(self) -> tuple[str, str]:
        """What curves that cost about the same have in common."""
        return self.dataset, self.learner


#: Coordinates beside a dim that a row is told, where the container has them.
BESIDE = ("name", "problem", "metric")
FAILED = [s.value for s in Status if s not in (Status.ok, Status.not_run)]


def tidy_table(container: xr.Dataset) -> pd.DataFrame:
    """Return every measurement of a container as a row.

    Parameters
    ----------
    container : xarray.Dataset
        Of learning curves (`collection.containers.curves`) or of evaluations
        (`collection.containers.evaluations`).

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
