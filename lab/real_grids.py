"""How often curves of a known true size are called, on a database's own grids and residuals.

The pool is made of the database's own curves: a well-behaved curve near each, a violation of known
size on it, and the learner's own residuals around that, as skewed as they are.

Makes ``trust_real_grids``, some ten minutes, for *Can the verdicts be trusted?*
"""

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.chapter_curves import counted_curves
from analysis.fitting.curves import fit_curves
from analysis.shapes import detect_shapes
from analysis.shapes.lookalikes import scattered, well_behaved
from analysis.statistics.summary import exact_share
from lab.shapes.simulation import size_of

PROCEDURES = ("max_t", "corrected", "corrected_independent")

#: Classes of true sizes: the first is well-behaved; of the others these are the ends.
TRUE_ENDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.2)
N_TRUE = len(TRUE_ENDS)
BASES = ("hull", "power law")  # well-behaved curves near real ones
#: Whole inner seeds are drawn: repeats of one share their sequence of classes.
RESIDUALS = "redrawn by inner seed"
LEAST_ANCHORS = 4
HIGHEST = 0.97  # error rate of a true curve
BISECTIONS = 25
PLACES = (0.05, 0.95)  # of a curve's logarithmic range: early violations are found as well as late


#: Violations: their shape over the logarithm of training rows from their place, its width.
KINDS = (("peak", 0.1), ("peak", 0.3), ("peak", 0.8), ("dip", 0.3), ("dip", 0.8), ("drop", 0.05),
         ("drop", 0.15))


def _bump(t: np.ndarray, kind: str, width: float) -> np.ndarray:
    if kind == "peak":
        return np.exp(-0.5 * (t / width) ** 2)
    return 1 / (1 + np.exp(np.clip((t if kind == "drop" else -t) / width, -50, 50)))


def pool_of(dataset: xr.DataArray, seed: int | tuple[int, ...], base: str) -> pd.DataFrame:
    """Return who calls curves like those of one dataset, a true size drawn for each.

    Parameters
    ----------
    dataset : xarray.DataArray, dims (learner, outer, inner, anchor)
        Error rates, complete.
    seed : int or tuple of int
        Same seed, same curves.
    base : {"hull", "power law"}
        The well-behaved curve: the greatest below the mean curve, or the power law fitted to it;
        of the mean curve's level.

    Returns
    -------
    pandas.DataFrame
        ``learner``, `PROCEDURES` (0 or 1: who calls it ill-behaved), ``true`` (class of its true
        size).
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
                      RESIDUALS)
    called = {name: detect_shapes(drawn, name)["ill_behaved"].values.astype(int)
              for name in PROCEDURES}
    return pd.DataFrame({"learner": drawn["learner"].values, **called, "true": true})


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
    bump = np.array([_bump(log_x - place, *KINDS[k])
                     for place, k in zip(places, kinds, strict=True)])
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


def seen_curves(valid: xr.DataArray) -> pd.DataFrame:
    """Return what is called of the pool's curves.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        Error rates.

    Returns
    -------
    pandas.DataFrame
        As `pool_of`: on every other dataset of either base.
    """
    parts = []
    for number, label in enumerate(valid["dataset"].values.tolist()):
        curves = valid.sel(dataset=label).dropna("anchor", how="all")
        whole = curves[curves.notnull().all(["outer", "inner", "anchor"]).values]
        if len(whole) and whole.sizes["anchor"] >= LEAST_ANCHORS:
            which = number % len(BASES)
            parts.append(pool_of(whole, (number, which, 0), BASES[which]))
    return pd.concat(parts, ignore_index=True)


def called_by_size(table: pd.DataFrame) -> pd.DataFrame:
    """Return how often curves of each true size are called, on the database's own grids.

    Parameters
    ----------
    table : pandas.DataFrame
        From `seen_curves`.

    Returns
    -------
    pandas.DataFrame
        ``procedure``, ``size`` (lower end of the class; 0: well-behaved), ``rate, low, high``
        (percent called, 95 % Clopper-Pearson interval), ``n`` (curves).
    """
    rows, lower = [], (0.0, *TRUE_ENDS[:-1])
    for true, group in table.groupby("true"):
        for procedure in PROCEDURES:
            hits, n = int(group[procedure].sum()), len(group)
            rate, low, high = exact_share(hits, n)
            rows.append({"procedure": procedure, "size": lower[true], "rate": rate, "low": low,
                         "high": high, "n": n})
    return pd.DataFrame(rows).sort_values(["procedure", "size"], ignore_index=True)


def real_grids() -> pd.DataFrame:
    """Return `called_by_size` of curves like LCDB 1.0's, of the learners that Table 4 counts."""
    return called_by_size(seen_curves(counted_curves("lcdb10", "none")[0]))


#: What is kept, as it takes minutes.
KEPT = {"trust_real_grids": real_grids}
