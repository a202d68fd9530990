"""One joint posterior over learners: draws of their errors now and at larger sizes.

All that the report says is read from these draws. What learners share is drawn once for all: the
rows that errors were measured on, and part of what a forecast cannot know. Levels and changes are
drawn together toward the learners' mean as far as noise alone sets them apart (`pool_learners`),
so that the lowest of several errors needs no correction for having been picked. What a forecast
does not know is the spread that it had on other datasets. Rows and forecast are put together on the
scale of the square root, on which an error rate's sampling error is the same everywhere.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import xarray as xr
from scipy.special import ndtri

from analysis.extrapolation import predict, predict_compact
from analysis.extrapolation.compact import chance_of_fall, with_sampling
from analysis.report.measured import DRAWS, Measured, correlated_normals, measured_points
from analysis.report.metrics import BOUNDED, ENDLESS, GIVEN, Stretch
from analysis.statistics.summary import REPEATS
from collection.containers.curves import only_dims
from collection.own_table.learners import LEARNERS

LEVELS = (0.01, *np.arange(0.05, 0.951, 0.05).round(2).tolist(), 0.99)
TAUS = 40  # values of by how much learners truly differ
APART, CHANGES = 0.05, 0.02  # by which levels and changes of learners differ, roots of shares
STEEP = 0.15  # exponent of a power of the rows by which an error that falls steeply falls
STEADY = 0.5  # of the last two doublings' mean exponent that each of them has at least


def forecast_ahead(measured: Measured, sizes: np.ndarray) -> xr.DataArray:
    """Forecast the errors at larger sizes of the learners that were measured at two sizes.

    Parameters
    ----------
    measured : Measured
        Of points, whose learners are not known, the forecast is the book's page's.
    sizes : ndarray
        Rows.

    Returns
    -------
    DataArray, dims (learner, size, quantile)
        As shares of the worst error; NaN at sizes that the learner has reached.
    """
    curves = _shares(measured)
    if measured.tested is not None:
        points = curves.rename(outer="repeat").isel(inner=0, drop=True)
        ahead = [sizes[sizes > n] for n in measured.size[has_two_sizes(measured)]]
        return xr.concat([predict_compact(one.dropna("anchor", how="all"), further).reindex(
            size=sizes) for one, further in zip(points, ahead, strict=True)],
            "learner").transpose("learner", "size", "quantile")
    known = [LEARNERS[n].like if n in LEARNERS else n for n in curves["learner"].values]
    named = curves.assign_coords(learner=known).rename(None)
    forecast = predict(named, sizes, levels=LEVELS)
    if measured.stretch.most > 1:  # numbers: what learnt from error rates alone promises too much
        forecast = (forecast + predict(named, sizes, extrapolator="usual", levels=LEVELS)) / 2
    forecast = forecast.transpose("learner", "size", "quantile").assign_coords(
        learner=curves["learner"].values)
    return forecast if measured.in_time else _onward(curves, forecast)


def _onward(curves: xr.DataArray, forecast: xr.DataArray) -> xr.DataArray:
    """Take forecasts of errors that fall steeply and steadily halfway to their power of the rows.

    Its exponent is that of the last doubling, or of the last two where that is smaller: what is
    forecast had learned from curves most of which flatten. Halfway, and from which exponent on, was
    chosen among some ten ways by the interval score on a third of the curves that `lab.report`
    cuts. In time, where what is learned drifts, it is not done: on the tables that judged it the
    score was worse there, and better on the others.
    """
    moved = forecast.copy()
    for one, ahead in zip(curves.mean(["outer", "inner"]), moved.values, strict=True):
        one = one.dropna("anchor")
        rows, error = np.log2(one["anchor"].values), np.log2(one.values.clip(1e-6))
        exponents = np.diff(np.interp(rows[-1] - np.arange(3), rows, error))
        mean = exponents.mean()
        if rows[-1] - rows[0] >= 2 and mean >= STEEP and exponents.min() >= STEADY * mean:
            doublings = np.log2(forecast["size"].values) - rows[-1]
            power = error[-1] - min(exponents[0], mean) * doublings
            middle = np.log2(ahead[:, LEVELS.index(0.5)].clip(1e-9))
            ahead *= np.exp2((power - middle) / 2).clip(max=1)[:, None]
    return moved


def simulate_errors(measured: Measured, forecast: xr.DataArray) -> dict[str, np.ndarray]:
    """Draw the errors now and at larger sizes.

    Parameters
    ----------
    measured : Measured
    forecast : DataArray
        From `forecast_ahead`.

    Returns
    -------
    dict of str to ndarray, shape (n_draws, 1 + n_sizes)
        In the metric's unit, of each learner; the first is at the last size that it reached, and
        so are those of the forecast's sizes that it has reached. NaN at larger sizes of learners
        without a forecast.
    """
    stretch = GIVEN if measured.tested is not None else measured.stretch
    now = np.sqrt(measured.sure / measured.worst)
    rows, curves = np.flatnonzero(has_two_sizes(measured)), _shares(measured)
    last = np.array([float(one.mean(["outer", "inner"]).dropna("anchor")[-1]) for one in curves])
    moves = simulate_changes(last, forecast.values, forecast["quantile"].values,
                             np.random.default_rng(1), stretch, len(now), measured.learnt)
    ahead = forecast["size"].values > measured.size[rows, None]
    if measured.tested is None:
        moves[..., ahead.all(0)] = pool_learners(moves[..., ahead.all(0)], CHANGES)
        level = np.flatnonzero(measured.size == measured.size.max())
        now[:, level] = pool_learners(now[:, level], APART)
    else:  # the page has each curve alone
        moves = _as_in_the_page(measured, forecast, now[:, rows, None], moves)
    moves = np.where(ahead, moves, 0)
    roots = np.repeat(now[..., None], 1 + moves.shape[2], axis=2)
    roots[..., 1:][:, forecast["size"].values > measured.size[:, None]] = np.nan
    roots[:, rows, 1:] = now[:, rows, None] + moves
    errors = np.clip(roots, 0, stretch.most) ** 2 * measured.worst
    return {name: errors[:, k] for k, name in enumerate(measured.learners)}


def simulate_changes(level: np.ndarray, quantiles: np.ndarray, levels: np.ndarray,
                     rng: np.random.Generator, stretch: Stretch = BOUNDED, draws: int = DRAWS,
                     learnt: float = 1.0) -> np.ndarray:
    """Draw by how much errors change until larger sizes, on the scale of the root.

    Parameters
    ----------
    level : ndarray, shape (n_learners,)
        Measured at the largest size, as shares of the worst error; what the forecast started from.
    quantiles : ndarray, shape (n_learners, n_sizes, n_levels)
        Of the forecast.
    levels : ndarray, shape (n_levels,)
    rng : numpy.random.Generator
    stretch : Stretch
    draws : int
    learnt : float
        By which expected changes are multiplied; their spread stays.

    Returns
    -------
    ndarray, shape (draws, n_learners, n_sizes)
        A learner's draw has one rank at all sizes; ranks of learners have `ALIKE` in common.
    """
    root = np.sqrt(quantiles) - np.sqrt(level)[:, None, None]
    middle = root[..., [int(np.argmin(np.abs(levels - 0.5)))]]
    score = ndtri(levels)
    sure = np.stack([[np.interp((-1, 1), score, changes) for changes in one] for one in root])
    spread = (sure[..., 1:] - sure[..., :1]) / 2
    weight = middle**2 / np.maximum(middle**2 + stretch.doubt * spread**2, 1e-12)
    rank = correlated_normals(rng, draws, len(level))
    return (learnt * weight * middle)[..., 0] + np.stack([
        np.stack([np.interp(rank[:, k], score, changes) for changes in one], axis=-1)
        for k, one in enumerate(np.sqrt(weight) * (root - middle))], axis=1)


def pool_learners(draws: np.ndarray, scale: float) -> np.ndarray:
    """Draw learners' values together toward their mean, as far as noise alone sets them apart.

    By how much learners truly differ (τ) is unknown, too: each draw takes a τ of its posterior,
    whose prior is half-Cauchy. So the lowest of several is no longer too low for having been
    picked, and equal learners stay equal. What moves all learners alike is kept.

    Parameters
    ----------
    draws : ndarray, shape (n_draws, n_learners, …)
        About what was measured or forecast of each.
    scale : float
        Of the prior.
    """
    n, learners = draws.shape[:2]
    if learners < 2:
        return draws
    shared = draws.mean(1, keepdims=True)
    per_learner = draws - shared
    centre = per_learner.mean(0)
    noise = per_learner.var(0).sum(0) / (learners - 1)
    apart = (scale * np.tan(np.pi / 2 * (np.arange(TAUS) + 0.5) / TAUS)) ** 2
    total = np.maximum(apart.reshape(-1, *[1] * noise.ndim) + noise, 1e-18)
    fit = -0.5 * ((learners - 1) * np.log(total) + (centre**2).sum(0) / total)
    likely = np.exp(fit - fit.max(0)).cumsum(0)
    rank = np.random.default_rng(0).permutation((np.arange(n) + 0.5) / n)
    drawn = (likely[None] < rank.reshape(-1, *[1] * likely.ndim) * likely[-1]).sum(1)
    kept = (apart[drawn] / np.maximum(apart[drawn] + noise, 1e-18))[:, None]
    return shared + kept * centre + np.sqrt(kept) * (per_learner - centre)


def _as_in_the_page(measured: Measured, forecast: xr.DataArray, now: np.ndarray,
                    moves: np.ndarray) -> np.ndarray:
    """Return the changes that give each curve alone the ranges of the book's page."""
    levels, ends = forecast["quantile"].values, now + moves
    rank = ends.argsort(0).argsort(0) / (len(ends) - 1)
    for k, one in enumerate(forecast):
        name = str(one["learner"].values)
        level = measured.now[[measured.learners.index(name)]]
        wide = with_sampling(one.values[None], level, measured.tested.get(name, np.inf))[0]
        ends[:, k] = np.stack([np.interp(rank[:, k, at], levels, np.sqrt(own))
                               for at, own in enumerate(wide)], axis=1)
    return ends - now


def page_chances(measured: Measured, learner: str, forecast: xr.DataArray,
                 less: float) -> np.ndarray | None:
    """Return the chances of points that the error falls by so much, as the book's page has them.

    None where the learner is not there at all rows that the answers are about.
    """
    k = measured.learners.index(learner)
    if measured.tested is None or measured.size[k] < measured.rows:
        return None
    return chance_of_fall(forecast.sel(learner=learner).values, float(measured.now[k]),
                          measured.tested.get(learner, np.inf), less)


def has_two_sizes(measured: Measured) -> np.ndarray:
    """Tell which learners were measured at two sizes."""
    return measured.errors.notnull().any(["outer", "inner"]).sum("anchor").values >= 2


def _shares(measured: Measured) -> xr.DataArray:
    """Return the curves that have two sizes as shares of the worst error, from 0 to 1."""
    return (measured.errors.isel(learner=np.flatnonzero(has_two_sizes(measured)))
            / measured.worst).clip(0, 1)


def forecast_curves(curves: xr.DataArray, sizes: Iterable[float], numbers: bool = False,
                    levels: Iterable[float] = (0.05, 0.5, 0.95)) -> xr.DataArray:
    """Forecast errors of known learners at larger sizes, as a report on a table does.

    Parameters
    ----------
    curves : xarray.DataArray, dims (learner, outer, inner, anchor)
        Errors as far as they were measured, on one dataset: error rates or, where a learner always
        predicting the mean errs by 1, errors of numbers.
    sizes : iterable of float
        Rows, more than were measured.
    numbers : bool
        Whether numbers are predicted, not classes.
    levels : iterable of float
        Of the quantiles.

    Returns
    -------
    xarray.DataArray, dims (learner, size, quantile)
    """
    curves, sizes, levels = only_dims(curves), list(sizes), list(levels)
    repeats = curves.stack(repeat=REPEATS).drop_vars(["repeat", *REPEATS])
    measured = replace(measured_points(repeats.transpose("learner", "repeat", "anchor")),
                       stretch=ENDLESS if numbers else BOUNDED, tested=None)
    draws = simulate_errors(measured, forecast_ahead(measured, np.array(sizes)))
    values = [np.quantile(draws[name][:, 1:], levels, axis=0).T for name in measured.learners]
    return xr.DataArray(values, {"learner": measured.learners, "size": sizes, "quantile": levels},
                        ("learner", "size", "quantile"))
