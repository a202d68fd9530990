"""Gather a few curves here and now, in this process and without limits: for demonstrations.

`make collect` is for more: it stores what it gathers, and stops a fit that runs wild.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np
import xarray as xr

from collection.container import (
    DIMS,
    FIT_DIMS,
    METRICS,
    SEEDS,
    SPLITS,
    Status,
    build_container,
)
from collection.curve import curve_anchors, curve_fits
from collection.curve_key import CurveKey
from collection.datasets import Dataset


def gather(
    dataset: Dataset,
    learners: Sequence[str],
    scalings: Sequence[str] = ("none",),
    leakage: Sequence[str] = ("no",),
    outer: Sequence[int] = SEEDS,
    inner: Sequence[int] = SEEDS,
    anchors: Sequence[int] | None = None,
) -> xr.Dataset:
    """Return the curves of learners on one dataset.

    Parameters
    ----------
    dataset : Dataset
    learners : sequence of str
        Names of Table 3, or specs; see `collection.learners.find_learner`.
    scalings, leakage : sequence of str
    outer, inner : sequence of int
        Seeds.
    anchors : sequence of int, optional
        Training-set sizes in rows, by default the whole grid.

    Returns
    -------
    xarray.Dataset
        The container of `collection.container`.

    Raises
    ------
    UnknownNameError, ProtocolError
        See `collection.curve.curve_fits`.
    """
    sizes = curve_anchors(dataset, anchors)
    coords = dict(zip(DIMS, ([dataset.name], list(learners), list(scalings), list(leakage),
                             list(outer), list(inner), sizes, list(SPLITS)), strict=True))
    shape = tuple(len(coords[dim]) for dim in FIT_DIMS)
    tasks = (CurveKey(dataset.source, *of) for of in product(*(coords[d] for d in FIT_DIMS[1:-1])))
    fits = [fit for task in tasks for fit in curve_fits(dataset, task, sizes)]
    messages = ["", *sorted({fit.message for fit in fits} - {""})]
    variables = {name: np.array([getattr(fit, name) for fit in fits], float).reshape(
        shape + (len(SPLITS),) * (metric.dims == DIMS)) for name, metric in METRICS.items()}
    return build_container(
        coords, variables, messages=messages, database="gathered here",
        status=np.array([Status(fit.status) for fit in fits], np.int8).reshape(shape),
        message=np.array([messages.index(fit.message) for fit in fits]).reshape(shape))
