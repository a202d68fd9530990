"""How many curves are truly ill-behaved, learner by learner, from calls whose errors are known.

The pool that the errors are measured on is made of the database's own curves: a well-behaved curve
near each, a violation of known size on it, and the learner's own residuals around that, as skewed
as they are. What is seen of a real curve (who calls it, and how large its violation is when it is
measured anew) is then a mixture of what is seen of the pool's sizes. Learners differ by a factor of
twenty, so that each has its own mixture; what little a learner's curves tell is filled up with what
all tell together.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from analysis.fitting.curves import fit_curves
from analysis.shapes import detect_shapes
from chapters.lab.calibration.lookalikes import scattered, well_behaved
from chapters.lab.shapes.shrunken import cross_fitted_sizes
from chapters.lab.shapes.simulation import size_of

#: Classes of true sizes: the first is well-behaved; of the others these are the ends.
TRUE_ENDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.2)
N_TRUE = len(TRUE_ENDS)
SEEN_ENDS = (0.01, 0.02, 0.05)  # between the classes of sizes measured anew
#: Base and residuals of the pools: on one dataset in so many, beginning with which.
POOLS = {("hull", "redrawn"): (2, 0), ("power law", "redrawn"): (2, 1),
         ("hull", "normal"): (6, 0), ("power law", "normal"): (6, 3)}
LEAST_ANCHORS = 4
HIGHEST = 0.97  # error rate of a true curve
BISECTIONS = 25
PLACES = (0.05, 0.95)  # of a curve's logarithmic range: early violations are found as well as late


class Kind(NamedTuple):
    """A violation: its shape over the logarithm of training rows from its place."""

    name: str
    width: float


KINDS = tuple(Kind(*k) for k in (
    ("peak", 0.1), ("peak", 0.3), ("peak", 0.8), ("dip", 0.3), ("dip", 0.8), ("drop", 0.05),
    ("drop", 0.15)))


def _bump(t: np.ndarray, kind: Kind) -> np.ndarray:
    if kind.name == "peak":
        return np.exp(-0.5 * (t / kind.width) ** 2)
    return 1 / (1 + np.exp(np.clip((t if kind.name == "drop" else -t) / kind.width, -50, 50)))


def pool_of(dataset: xr.DataArray, seed: int | tuple[int, ...], base: str,
            residuals: str) -> pd.DataFrame:
    """Return what is seen of curves like those of one dataset, a true size drawn for each.

    Parameters
    ----------
    dataset : xarray.DataArray, dims (learner, outer, inner, anchor)
        Error rates, complete.
    seed : int or tuple of int
        Same seed, same curves.
    base : {"hull", "power law"}
        The well-behaved curve: the greatest below the mean curve, or the power law fitted to it;
        of the mean curve's level.
    residuals : {"redrawn", "normal"}
        As `chapters.lab.calibration.lookalikes.scattered` has them.

    Returns
    -------
    pandas.DataFrame
        ``learner, true`` (class of its true size), ``max_t, corrected`` (0 or 1: who calls it
        ill-behaved), ``size`` (class, measured anew).
    """
    rng = np.random.default_rng(seed)
    means = dataset.mean(["outer", "inner"])
    truth = well_behaved(means if base == "hull" else
                         fit_curves(means, ["POW3"])["prediction"].isel(model=0, drop=True))
    truth = truth + (means - truth).mean("anchor")
    true = rng.integers(N_TRUE, size=dataset.sizes["learner"])
    values, true = _with_violations(truth.transpose("learner", "anchor").values,
                                    dataset["anchor"].values.astype(float), true, rng)
    drawn = scattered(truth.transpose("learner", "anchor").copy(data=values), dataset, seed,
                      residuals)
    return seen_of(drawn).assign(true=true)


def _with_violations(truth: np.ndarray, anchors: np.ndarray, true: np.ndarray,
                     rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Add to each curve a violation of a size of its class; return the classes that came out.

    At an end of the curve, or under the ceiling, a violation may stay smaller than was asked for.
    """
    low = np.log(np.maximum(TRUE_ENDS[0], np.array([0, *TRUE_ENDS[:-1]])))
    high = np.log(TRUE_ENDS)
    wanted = np.exp(rng.uniform(low[true], high[true]))
    log_x = np.log(anchors)
    span = log_x[-1] - log_x[0]
    places = log_x[0] + span * rng.uniform(*PLACES, size=len(truth))
    kinds = rng.integers(len(KINDS), size=len(truth))
    bump = np.array([_bump(log_x - place, KINDS[k]) for place, k in zip(places, kinds,
                                                                         strict=True)])
    height_low, height_high = np.zeros(len(truth)), np.full(len(truth), 2.0)
    for _ in range(BISECTIONS):
        middle = (height_low + height_high) / 2
        below = _size(truth + middle[:, None] * bump, anchors) < wanted
        height_low = np.where(below, middle, height_low)
        height_high = np.where(below, height_high, middle)
    out = truth + np.where(true > 0, height_high, 0)[:, None] * bump
    out = np.minimum(out, HIGHEST)
    reached = np.searchsorted(TRUE_ENDS, _size(out, anchors) * (1 - 1e-6))
    return out, np.where(true > 0, np.minimum(reached, N_TRUE - 1), 0)


def _size(curves: np.ndarray, anchors: np.ndarray) -> np.ndarray:
    return np.maximum(size_of("true_mono", curves, anchors), size_of("true_conv", curves, anchors))


def seen_of(valid: xr.DataArray) -> pd.DataFrame:
    """Return what is seen of each curve: ``learner, max_t, corrected, size`` as in `pool_of`."""
    by_flips, corrected = detect_shapes(valid, "max_t"), detect_shapes(valid, "corrected")
    anew = cross_fitted_sizes(valid)
    size = np.fmax(anew["size_mono"], anew["size_conv"]).fillna(0)
    return pd.DataFrame({"learner": valid["learner"].values,
                         "max_t": by_flips["ill_behaved"].values.astype(int),
                         "corrected": corrected["ill_behaved"].values.astype(int),
                         "size": np.searchsorted(SEEN_ENDS, size.values, side="right")})


def seen_curves(valid: xr.DataArray, folder: Path | None = None) -> pd.DataFrame:
    """Return what is seen of every real curve and of the pool's, dataset by dataset.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        Error rates.
    folder : Path, optional
        Where each dataset's part is kept, so that a run that was stopped goes on.

    Returns
    -------
    pandas.DataFrame
        As `pool_of`, with ``pool`` ("real", or base and residuals), ``dataset`` and ``last`` (rows
        of its largest training set). Of real curves, which have no known truth, ``true`` is −1.
    """
    parts = []
    for k, label in enumerate(valid["dataset"].values.tolist()):
        path = folder / f"{label}.csv" if folder else None
        if path is None or not path.exists():
            part = seen_of_dataset(valid.sel(dataset=label), k)
            part = part.assign(dataset=label)
            if path is not None:
                folder.mkdir(parents=True, exist_ok=True)
                part.to_csv(path.with_suffix(".part"), index=False)
                path.with_suffix(".part").replace(path)
        parts.append(part if path is None else pd.read_csv(path))
    return pd.concat(parts, ignore_index=True)


def seen_of_dataset(curves: xr.DataArray, number: int) -> pd.DataFrame:
    """Return one dataset's part of `seen_curves`; `number` is its place among them."""
    curves = curves.dropna("anchor", how="all")
    real = curves[curves.notnull().any(["outer", "inner", "anchor"]).values]
    parts = [seen_of(real).assign(pool="real", true=-1)]
    whole = curves[curves.notnull().all(["outer", "inner", "anchor"]).values]
    if len(whole) and whole.sizes["anchor"] >= LEAST_ANCHORS:
        for k, ((base, residuals), (one_in, first)) in enumerate(POOLS.items()):
            if number % one_in == first:
                pool = pool_of(whole, (number, k, 0), base, residuals)
                parts.append(pool.assign(pool=f"{base}, {residuals}"))
    return pd.concat(parts).assign(last=int(curves["anchor"].max()))
