"""Curves of learners on one dataset as the container, without a store between."""

from itertools import product

import numpy as np

from collection.containers import curves
from collection.protocol.splits import SEEDS
from collection.running.curve import curve_anchors, curve_fits


def gather(dataset, learners, scalings=("none",), leakage=("no",), outer=SEEDS, inner=SEEDS,
           anchors=None):
    sizes = curve_anchors(dataset, anchors)
    labels = (learners, scalings, leakage, outer, inner)
    coords = dict(zip(curves.DIMS, ([dataset.name], *map(list, labels), sizes,
                                    list(curves.SPLITS)), strict=True))
    shape = tuple(len(coords[dim]) for dim in curves.FIT_DIMS)
    fits = [fit for of in product(*labels)
            for fit in curve_fits(dataset, curves.CurveKey(dataset.source, *of), sizes)]
    messages = ["", *sorted({fit.message for fit in fits} - {""})]
    variables = {name: np.array([getattr(fit, name) for fit in fits], float).reshape(
        shape + (len(curves.SPLITS),) * (curves.METRICS[name].dims == curves.DIMS))
        for name in curves.metrics_of("numbers" if dataset.is_regression else "classes")}
    return curves.build_container(
        coords, variables, messages=messages, database="gathered here",
        status=np.array([fit.status for fit in fits], np.int8).reshape(shape),
        message=np.array([messages.index(fit.message) for fit in fits]).reshape(shape))
