"""Extrapolating 10,000 curves at once, against one call per curve and a formula's fit by SciPy.

The curves are the first halves of LCDB 1.0's mean curves, repeated until there are enough,
20 learners to a dataset. The loops run on a seeded sample of 200 and their time is
scaled up. Times are processor time of one thread, since a shared machine's clock says little.
"""

import time
import warnings
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.optimize import OptimizeWarning, curve_fit
from threadpoolctl import threadpool_limits

from analysis.extrapolation import RECOMMENDED, Seen, predict_seen
from analysis.extrapolation.seen import see_curves
from analysis.fitting.registry import MODELS
from benchmarks.timing import Timing, seconds
from lab.trial.rivals import own_curves

CURVES, SAMPLE = 10_000, 200


def many_curves(wanted: int) -> tuple[Seen, np.ndarray]:
    """Return that many cut curves, whole datasets repeated under new numbers, and targets."""
    curves = own_curves()["lcdb10"]
    whole = see_curves(curves.where(curves.notnull().any(["outer", "inner"]).sum("anchor") > 4))[0]
    whole = whole.take(np.flatnonzero(whole.exists.any(1)))
    half = np.maximum(whole.exists.sum(1) // 2, 2)[:, None]
    there = whole.exists & (whole.exists.cumsum(1) <= half)
    first = replace(whole, values=np.where(there, whole.values, np.nan),
                    noise=np.where(there, whole.noise, np.nan))
    targets = whole.sizes[whole.last][:, None]
    n = len(first.values)
    rows = np.arange(wanted) % n
    seen = first.take(rows)
    numbers = seen.dataset + (np.arange(wanted) // n) * (seen.dataset.max() + 1)
    return replace(seen, dataset=numbers), targets[rows]


def one_by_one(seen: Seen, targets: np.ndarray, rows: np.ndarray, name: str) -> None:
    for row in rows:
        predict_seen(seen.take(np.array([row])), targets[[row]], name)


def fit_by_scipy(seen: Seen, targets: np.ndarray, rows: np.ndarray) -> None:
    for row in rows:
        there = seen.exists[row]
        if there.sum() < MODELS["POW3"].n_parameters:  # fewer sizes than parameters: no fit
            continue
        try:
            found, _ = curve_fit(MODELS["POW3"].curve, seen.sizes[there], seen.values[row, there],
                                 p0=(0.1, -1.0, 0.5), maxfev=2000)
        except RuntimeError:  # it did not converge; its time counts
            continue
        MODELS["POW3"].curve(targets[row], *found)


def main() -> Iterator[Timing]:
    seen, targets = many_curves(CURVES)
    rows = np.random.default_rng(0).permutation(len(targets))[:SAMPLE]
    scale = len(targets) / len(rows)

    def taken(call) -> float:
        return seconds(call, clock=time.process_time)

    with threadpool_limits(1), np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", OptimizeWarning)  # as many points as parameters
        predict_seen(seen.take(np.arange(40)), targets[:40])  # loads what was learnt
        for name in ("POW2", "POW4", "gaussian", RECOMMENDED):
            what = f"{len(targets):,} curves extrapolated by {name}"
            batch = taken(lambda n=name: predict_seen(seen, targets, n))
            yield Timing(what, batch, f"one by one, scaled from {SAMPLE}",
                         scale * taken(lambda n=name: one_by_one(seen, targets, rows, n)))
            if name == "POW4":
                yield Timing(what, batch, "SciPy's curve_fit of POW3 from one start, scaled",
                             scale * taken(lambda: fit_by_scipy(seen, targets, rows)))
