"""Curve fitting on LCDB 1.0: the batched fit against SciPy's least squares from random starts.

``python -m benchmarks.bench_fitting [CURVES]``

The published fits start `scipy.optimize.least_squares(method="lm")` six times per curve at
uniform random numbers, POW4 at the parameters of a POW3 fitted in the same way. That loop runs
on a seeded sample of CURVES curves (1,000 by default) and its time is scaled up to all of them;
the batched fit runs on all. The loop here fits POW3 once per curve, the published one once per
start, which would take longer still. Times are processor time of one thread, since a shared
machine's clock says little.
"""

import sys
import time

import numpy as np
from scipy.optimize import least_squares
from threadpoolctl import threadpool_limits

import analysis
from analysis.fitting import fit_curves
from analysis.models import MODELS, CurveModel

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


def fit_published_way(name: str, n, y, rng) -> float:
    """Return one curve's mean squared error; infinite where no start led anywhere."""
    first = ()
    if name == "POW4":
        first = fit_from_random_starts(MODELS["POW3"], n, y, rng)[1]
        if first is None:
            return np.inf
    return fit_from_random_starts(MODELS[name], n, y, rng, first)[0]


def loop(name: str, means, rows: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the loop's mean squared errors of those rows, and the seconds it took."""
    n, errors = means["anchor"].values.astype(float), np.full(len(rows), np.nan)
    started = time.process_time()
    for k, row in enumerate(rows):
        y = means.values[row]
        seen = np.isfinite(y)
        if seen.sum() >= MODELS[name].n_parameters:
            rng = np.random.default_rng([row, MODELS[name].n_parameters])
            errors[k] = fit_published_way(name, n[seen], y[seen], rng)
    return errors, time.process_time() - started


def main(sample: int = 1000) -> None:
    means = mean_curves()
    rows = np.random.default_rng(0).permutation(means.sizes["curve"])[:sample]
    scale, slow, fast = means.sizes["curve"] / len(rows), 0.0, 0.0
    print(f"{means.sizes['curve']:,} mean curves; the loop runs on {len(rows):,} of them")
    for name in COMPARED:
        started = time.process_time()
        with threadpool_limits(1):
            fitted = fit_curves(means, [name]).sel(model=name)
        batched = time.process_time() - started
        with np.errstate(all="ignore"):
            published, seconds = loop(name, means, rows)
        slow, fast = slow + scale * seconds, fast + batched
        mse = fitted["mse"].values[rows]
        both = np.isfinite(mse) & np.isfinite(published)
        no_worse = np.mean(mse[both] <= 1.001 * published[both] + 1e-20)
        print(f"{name}: loop {scale * seconds:7.1f} s, batch {batched:5.2f} s, "
              f"{scale * seconds / batched:5.0f} times; "
              f"no worse on {no_worse:.2%} of {both.sum()}; mean MSE {published[both].mean():.4e} and {mse[both].mean():.4e}; "
              f"loop failed on {np.isinf(published).sum()}", flush=True)
    print(f"together: {slow / fast:.0f} times as fast")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
