"""Extrapolating 10,000 curves at once, against one call per curve and a formula's fit by SciPy.

``python -m benchmarks.bench_extrapolation [CURVES]``

The curves are the first halves of LCDB 1.0's mean curves, repeated until there are CURVES (10,000
by default), 20 learners to a dataset. The loops run on a seeded sample of 200 and their time is
scaled up. Times are processor time of one thread, since a shared machine's clock says little.
"""

import sys
import time
import warnings
from dataclasses import replace

import numpy as np
from scipy.optimize import OptimizeWarning, curve_fit
from threadpoolctl import threadpool_limits

from analysis.extrapolation import EXTRAPOLATORS, RECOMMENDED, Seen, predict_seen
from analysis.fitting.registry import MODELS
from chapters.extrapolation.contest import contest_curves
from chapters.extrapolation.cuts import cut_at_share

SAMPLE = 200


def many_curves(wanted: int) -> tuple[Seen, np.ndarray]:
    """Return that many cut curves, whole datasets repeated under new numbers, and targets."""
    challenge = cut_at_share(contest_curves("lcdb10"), 0.5)
    n = len(challenge.seen.values)
    rows = np.arange(wanted) % n
    seen = challenge.seen.take(rows)
    numbers = seen.dataset + (np.arange(wanted) // n) * (seen.dataset.max() + 1)
    return replace(seen, dataset=numbers), challenge.targets[rows]


def seconds(run, *arguments) -> float:
    started = time.process_time()
    run(*arguments)
    return time.process_time() - started


def one_by_one(seen: Seen, targets: np.ndarray, rows: np.ndarray, name: str) -> None:
    for row in rows:
        predict_seen(seen.take(np.array([row])), targets[[row]], name)


def fit_by_scipy(seen: Seen, targets: np.ndarray, rows: np.ndarray) -> None:
    for row in rows:
        there = seen.there[row]
        if there.sum() < MODELS["POW3"].n_parameters:  # fewer sizes than parameters: no fit
            continue
        try:
            found, _ = curve_fit(MODELS["POW3"].curve, seen.sizes[there], seen.values[row, there],
                                 p0=(0.1, -1.0, 0.5), maxfev=2000)
        except RuntimeError:  # it did not converge; its time counts
            continue
        MODELS["POW3"].curve(targets[row], *found)


def main(wanted: int = 10_000) -> None:
    warnings.simplefilter("ignore", OptimizeWarning)  # a fit through as many points as parameters
    seen, targets = many_curves(wanted)
    rows = np.random.default_rng(0).permutation(len(targets))[:SAMPLE]
    scale = len(targets) / len(rows)
    with threadpool_limits(1), np.errstate(all="ignore"):
        predict_seen(seen.take(np.arange(40)), targets[:40])  # loads what was learnt
        for name in ("POW2", "POW4", "gaussian", "boosted", "network", RECOMMENDED):
            batch = seconds(predict_seen, seen, targets, name)
            loop = scale * seconds(one_by_one, seen, targets, rows, name)
            print(f"{EXTRAPOLATORS[name].name:10} {len(targets):,} curves at once {batch:6.2f} s; "
                  f"one by one {loop:7.1f} s, {loop / batch:.0f} times as long", flush=True)
        scipy = scale * seconds(fit_by_scipy, seen, targets, rows)
        print(f"POW3 by scipy.optimize.curve_fit, one start: {scipy:.1f} s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
