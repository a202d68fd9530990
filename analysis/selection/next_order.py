"""Who will be ahead with more rows: chances for the learners of one dataset, from curves so far.

On the scale of the root of the error each learner is where it is now, plus the change that the
extrapolator expects of all, and a share of what it expects of this one beyond. What cannot be known
is drawn jointly: repeats on the same splits say how far measured differences are off (what learners
share cancels), and forecasts of the learners of one dataset err alike to some part. The five
numbers of each multiple are fitted on LCDB 1.0 by ``lab.next_order``, which judges the chances on
other families.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import ndtri, stdtr

from analysis.extrapolation.predict import LEVELS, predict_seen
from analysis.extrapolation.seen import REPEATS, see_curves
from analysis.statistics.summary import HELD_OUT_SHARE
from collection.containers.curves import only_dims
from collection.project.arguments import checked
from collection.reading.directions import as_errors

TIMES = (2, 4, 16)
#: By doublings ahead: the share of an expected change that counts (beside the one that all learners
#: share), what the variance of the noise and of the forecast are multiplied by, the correlation of
#: forecasts' errors between learners, and how much regret came of what draws expect: the lowest of
#: many draws is too low.
FITTED = {1.0: (0.69, 0.48, 0.33, 0.20, 0.55), 2.0: (0.77, 0.48, 0.37, 0.18, 0.46),
          4.0: (0.81, 0.48, 0.36, 0.30, 0.37)}
FREEDOM = 8  # of Student's t, as chances at both ends came on LCDB 1.0
LEAST = 0.0025  # error from which on its root is taken for straight
TYPICAL = 0.0003  # variance of the noise of a root where nothing was measured twice


@dataclass(frozen=True)
class NextOrder:
    """Chances of what the order will be.

    Attributes
    ----------
    size : int
        Rows now.
    pairs : pandas.DataFrame
        ``times, one, other, chance``: that the one, first in the alphabet, errs less than the other
        at so many times the rows.
    lowest : pandas.DataFrame
        ``times, learner, error`` (median), ``chance`` to err least; the likeliest first.
    staying : pandas.DataFrame
        ``times, stays`` (lowest now), ``regret``: its expected error less that of who will be
        lowest. Whoever is expected to be lowest errs no less than who is lowest now, as judged.
    """

    size: int
    pairs: pd.DataFrame
    lowest: pd.DataFrame
    staying: pd.DataFrame


@checked
def forecast_order(curves: xr.DataArray, times: Sequence[float] = TIMES, draws: int = 4000,
                   seed: int = 0) -> NextOrder:
    """Forecast who will be ahead on a dataset when there are more rows.

    Parameters
    ----------
    curves : xarray.DataArray, dims (learner, anchor) and any of (outer, inner, repeat)
        Error rates (or scores, as `analysis.extrapolation.predict` takes them) of one dataset, as
        far as they were measured; repeats on the same splits for all learners. Known names of
        learners help, and a coordinate ``dataset`` keeps what was learnt of it out.
    times : sequence of float
        Multiples of the rows now, above 1. On families that took no part chances were better than
        that nothing changes at 2 and 4 times; at 16 the order now, mixed with a board of other
        datasets there, is better.
    draws, seed : int

    Returns
    -------
    NextOrder
        Of the learners that have an error at the largest size and one more.

    Raises
    ------
    ValueError
        Of fewer than two such learners, a multiple of 1 or less, or an error outside 0 to 1.
    """
    errors, times = as_errors(curves), np.array(list(times), float)
    if not (times > 1).all() or not len(times):
        raise ValueError(f"Multiples of the rows now have to be above 1, not {times}.")
    repeats = [d for d in REPEATS if d in errors.dims]
    errors = errors.transpose("learner", *repeats, "anchor").dropna("anchor", how="all")
    there = errors.notnull().any(repeats)
    kept = there.isel(anchor=-1) & (there.sum("anchor") >= 2)
    if kept.sum() < 2:
        raise ValueError(f"{int(kept.sum())} learners have an error at the largest size and at "
                         "another one; an order needs two.")
    errors = errors.isel(learner=np.flatnonzero(kept))
    seen, size = see_curves(errors)[0], float(errors["anchor"][-1])
    ahead = predict_seen(seen, np.tile(size * times, (len(seen.values), 1)))
    last = only_dims(errors.isel(anchor=-1)).values.reshape(len(seen.values), -1)
    centre, covariance = joint_moments(seen.level, last, ahead, np.log2(times))
    return _tables(errors["learner"].values.astype(str), seen.level, size, times,
                   centre, covariance, draws, seed)


def joint_moments(level: np.ndarray, repeats: np.ndarray, quantiles: np.ndarray,
                  doublings: np.ndarray, fitted: dict[float, tuple[float, ...]] | None = None
                  ) -> tuple[np.ndarray, np.ndarray]:
    """Return where the roots of learners' errors will be, and their covariance.

    Parameters
    ----------
    level : ndarray, shape (n_learners,)
        Error rates at the last size.
    repeats : ndarray, shape (n_learners, n_repeats)
        What they are means of, on the same splits; NaN where missing.
    quantiles : ndarray, shape (n_learners, n_times, len(LEVELS))
        Of the extrapolator.
    doublings : ndarray, shape (n_times,)
    fitted : dict, optional
        As `FITTED`, whose first four numbers count here.

    Returns
    -------
    centre : ndarray, shape (n_times, n_learners)
    covariance : ndarray, shape (n_times, n_learners, n_learners)
    """
    fitted = fitted or FITTED
    share, noise, doubt, alike = (np.interp(doublings, list(fitted), column)[:, None, None]
                                  for column in list(zip(*fitted.values(), strict=True))[:4])
    root, ahead = np.sqrt(level), np.sqrt(quantiles).transpose(1, 0, 2)
    low, middle, high = (ahead[..., LEVELS.index(at)] for at in (0.1, 0.5, 0.9))
    spread = (high - low) / (2 * ndtri(0.9))
    off = (repeats - level[:, None]) / (2 * np.sqrt(np.maximum(level, LEAST)))[:, None]
    off, number = np.nan_to_num(off), repeats.shape[1]
    measured = TYPICAL * np.eye(len(level)) if number < 2 else (
        (1 / number + HELD_OUT_SHARE) / (number - 1) * off @ off.T)
    both = spread[:, :, None] * spread[:, None] * (alike + (1 - alike) * np.eye(len(level)))
    change = middle - root
    shared = change.mean(1, keepdims=True)
    return (root + shared + share[..., 0] * (change - shared), noise * measured + doubt * both)


def pair_chances(centre: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """Return the chance that each learner errs less than each other, shape as `covariance`."""
    own = np.diagonal(covariance, axis1=-2, axis2=-1)
    variance = own[..., :, None] + own[..., None, :] - 2 * covariance
    apart = centre[..., None, :] - centre[..., :, None]
    return stdtr(FREEDOM, apart / np.sqrt(np.maximum(variance, 1e-12)))


def draw_errors(centre: np.ndarray, covariance: np.ndarray, draws: int, seed: int) -> np.ndarray:
    """Return draws of the errors, shape (draws, n_times, n_learners); one rank at all times."""
    rng = np.random.default_rng(seed)
    value, vector = np.linalg.eigh(covariance)
    factor = vector * np.sqrt(value.clip(0))[:, None]
    normal = rng.normal(size=(draws, centre.shape[1]))
    heavy = np.sqrt(FREEDOM / rng.chisquare(FREEDOM, size=draws))
    moved = np.einsum("tkj,dj->dtk", factor, normal * heavy[:, None])
    return (centre + moved).clip(0, 1) ** 2


def expected_regrets(errors: np.ndarray, doublings: np.ndarray) -> np.ndarray:
    """Return what each learner is expected to err above the lowest, shape (n_times, n_learners).

    Parameters
    ----------
    errors : ndarray, shape (draws, n_times, n_learners)
    doublings : ndarray, shape (n_times,)
    """
    comes = np.interp(doublings, list(FITTED), [own[-1] for own in FITTED.values()])
    return comes[:, None] * (errors - errors.min(2, keepdims=True)).mean(0)


def _tables(names: np.ndarray, level: np.ndarray, size: float, times: np.ndarray,
            centre: np.ndarray, covariance: np.ndarray, draws: int, seed: int) -> NextOrder:
    chance = pair_chances(centre, covariance)
    errors = draw_errors(centre, covariance, draws, seed)
    order = np.argsort(names, kind="stable")
    one, other = (order[k] for k in np.triu_indices(len(names), 1))
    lowest = errors == errors.min(axis=2, keepdims=True)
    first, regret = lowest / lowest.sum(2, keepdims=True), expected_regrets(errors, np.log2(times))
    now = int(level.argmin())
    return NextOrder(
        size=int(size),
        pairs=pd.concat([pd.DataFrame({
            "times": by, "one": names[one], "other": names[other], "chance": chance[t, one, other],
        }) for t, by in enumerate(times)], ignore_index=True),
        lowest=pd.concat([pd.DataFrame({
            "times": by, "learner": names, "error": np.median(errors[:, t], axis=0),
            "chance": first[:, t].mean(0)}).sort_values("chance", ascending=False, kind="stable")
            for t, by in enumerate(times)], ignore_index=True),
        staying=pd.DataFrame({"times": times, "stays": names[now], "regret": regret[:, now]}))
