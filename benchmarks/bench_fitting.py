"""Curve fitting on LCDB 1.0: the batched fit against SciPy's least squares from random starts.

The published fits start `scipy.optimize.least_squares(method="lm")` six times per curve at
uniform random numbers, each of POW4's starts at a POW3 that was itself fitted so, anew for every
start. That loop runs on a seeded sample of the curves and its time is
scaled up to all of them; the batched fit runs on all. Here POW3 is fitted once per curve, and the
result is given both ways: as timed, and with POW3's time counted once per start as in the
published code. Times are processor time of one thread, since a shared machine's clock says
little.
"""

import time
from collections.abc import Iterator

import numpy as np
from scipy.optimize import least_squares
from threadpoolctl import threadpool_limits

import analysis
from analysis.fitting import fit_curves
from analysis.fitting.registry import MODELS, CurveModel
from benchmarks.timing import Timing, timed

SAMPLE = 1000  # curves that the loop fits
STARTS = 6
TRIES = 100  # starts at which the model is not finite are drawn again
COMPARED = ("POW4", "MMF4", "WBL4")


def mean_curves():
    """Return the mean validation curves of the paper's subset, dims (curve, anchor)."""
    curves = analysis.load_curves("lcdb10", "paper")["error_rate"].sel(split="valid")
    means = curves.mean(["outer", "inner"]).squeeze(drop=True)
    means = means.stack(curve=("dataset", "learner")).transpose("curve", "anchor")
    return means.dropna("curve", how="all")


def fit_from_random_starts(model: CurveModel, n, y, rng, first=()) -> tuple[float, np.ndarray]:
    """Return the lowest mean squared error of `STARTS` descents, and its parameters."""
    best, done = (np.inf, None), 0
    for _ in range(TRIES):
        start = rng.random(model.n_parameters)
        start[: len(first)] = first
        try:
            found = least_squares(lambda p: model.curve(n, *p) - y, start, method="lm")
        except ValueError:  # not finite where it starts
            continue
        best = min(best, (np.mean(found.fun**2), found.x), key=lambda pair: pair[0])
        done += 1
        if done == STARTS:
            break
    return best


def loop(name: str, means, rows: np.ndarray, first: dict) -> tuple[np.ndarray, dict, float]:
    """Fit one model to those rows; return errors, parameters by row, and the seconds taken.

    A row's start in `first` goes before the random numbers.
    """
    n, errors, found = means["anchor"].values.astype(float), np.full(len(rows), np.nan), {}
    with timed(time.process_time) as clock:
        for k, row in enumerate(rows):
            y = means.values[row]
            seen = np.isfinite(y)
            if seen.sum() >= MODELS[name].n_parameters:
                rng = np.random.default_rng([row, MODELS[name].n_parameters])
                errors[k], found[row] = fit_from_random_starts(
                    MODELS[name], n[seen], y[seen], rng, first.get(row, ()))
    return errors, found, clock.seconds


def compare(name: str, means, rows: np.ndarray) -> np.ndarray:
    """Print one model's comparison; return seconds of batch, loop, and loop as published."""
    with timed(time.process_time) as clock:
        fitted = fit_curves(means, [name]).sel(model=name)
    batch, first, power = clock.seconds, {}, 0.0
    if name == "POW4":
        _, first, power = loop("POW3", means, rows, {})
    published, _, seconds = loop(name, means, rows, first)
    scale = means.sizes["curve"] / len(rows)
    times = np.array([batch, scale * (seconds + power), scale * (seconds + STARTS * power)])
    mse = fitted["mse"].values[rows]
    both = np.isfinite(mse) & np.isfinite(published)
    no_worse = np.mean(mse[both] <= 1.001 * published[both] + 1e-20)
    print(f"{name}: batch {times[0]:5.2f} s, loop {times[1]:6.1f} s ({times[2]:6.1f} s as "
          f"published); no worse on {no_worse:.2%} of {both.sum()}; "
          f"mean MSE {mse[both].mean():.4e} against {published[both].mean():.4e}; "
          f"loop failed on {np.isinf(published).sum()}", flush=True)
    return times


def main() -> Iterator[Timing]:
    means = mean_curves()
    rows = np.random.default_rng(0).permutation(means.sizes["curve"])[:SAMPLE]
    with threadpool_limits(1), np.errstate(all="ignore"):
        batch, once, published = sum(compare(name, means, rows) for name in COMPARED)
    what = f"{', '.join(COMPARED)} fitted to {means.sizes['curve']:,} mean curves"
    rival = f"SciPy's least squares from {STARTS} random starts, scaled from {len(rows):,}"
    yield Timing(what, batch, f"{rival}, as published", published)
    yield Timing(what, batch, f"{rival}, with POW3 fitted once", once)
