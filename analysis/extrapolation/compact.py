"""A forecaster small enough for a web page: two small networks on the end of one curve.

It sees one curve alone, of a learner that it does not know, at any sizes: how the error fell over
the last doublings, what straight lines through powers of the size expect, how far ahead to look.
What it answers are quantiles of the error, which it learnt on LCDB 1.0
(``make extrapolators``); by what its ranges are
widened, on other collections. The page *How much more data do I need?* runs the same
arithmetic in the browser, from the same file.
"""

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import xarray as xr

from analysis.extrapolation.artefacts import trained
from analysis.extrapolation.features import spans, unit
from analysis.extrapolation.seen import (
    FOLDER,
    LEVELS,
    Seen,
    as_quantiles,
    interpolate,
    see_curves,
    to_log,
)

PATH = FOLDER / "compact.json"
LAGS = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0)  # doublings before the last size
FAR = 3  # position in LAGS from which on a missing value is told apart from no change
POWERS = (0.25, 0.5, 1.0)  # of one over the size, that lines are drawn through
MEMORIES = (np.inf, 2.0)  # doublings after which a point counts half
LEAST = 0.003  # added to noise before the logarithm, in units of the last error
LARGEST = 4.0  # of a standardised input
STEEP = 0.5  # exponent by which errors fall steeply over a doubling
STEADY = 0.5  # of their mean, that exponents over each of three doublings are at least
ALIKE = 0.05  # share by which falls of points without noise may shrink unequally


def look(seen: Seen, targets: np.ndarray) -> np.ndarray:
    """Return what the networks see.

    Parameters
    ----------
    seen : Seen
        Learners, datasets and folds are not looked at.
    targets : ndarray, shape (n_curves, n_targets)
        Sizes in rows.

    Returns
    -------
    ndarray, shape (n_curves, n_targets, n_inputs)
        Without NaN.
    """
    ahead = np.log2(targets) - seen.now[:, None]
    lines, residuals = _lines(seen, ahead)
    falls = interpolate(seen.log_sizes, to_log(seen.values), seen.now[:, None] - np.array(LAGS))
    falls -= to_log(seen.level)[:, None]
    own = np.column_stack([_ends(seen), *residuals, np.nan_to_num(falls), np.isnan(falls)[:, FAR:]])
    own = np.broadcast_to(own[:, None], (*targets.shape, own.shape[1]))
    return np.concatenate([own, ahead[..., None], np.stack(lines, axis=-1)], axis=2)


def _ends(seen: Seen) -> np.ndarray:
    per, (span, count, lowest, highest, *since) = unit(seen), spans(seen)
    noise = np.nan_to_num(seen.noise[np.arange(len(per)), seen.last])
    return np.column_stack([
        np.log(per), seen.now, span, count, np.log(noise / per + LEAST), lowest / per,
        highest / per, *since])


def _lines(seen: Seen, ahead: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return what least squares in powers of the size expect, and how far off the points are.

    Both in units of the last error and compressed, so that no line runs away.
    """
    per, values = unit(seen), np.nan_to_num(seen.values)
    back = seen.log_sizes - seen.now[:, None]
    lines, residuals = [], []
    for memory in MEMORIES:
        weight = seen.exists * np.exp2(back.clip(max=0) / memory)
        weight /= weight.sum(1, keepdims=True)
        for power in POWERS:
            z = np.where(seen.exists, np.exp2(-power * back), 0)
            mean_z, mean = (weight * z).sum(1)[:, None], (weight * values).sum(1)[:, None]
            spread = (weight * (z - mean_z) ** 2).sum(1) + 1e-9
            slope = ((weight * (z - mean_z) * (values - mean)).sum(1) / spread)[:, None]
            line = mean + slope * (np.exp2(-power * ahead) - mean_z)
            moved = (line - seen.level[:, None]) / per[:, None]
            lines.append((np.sign(moved) * np.log1p(3 * np.abs(moved))).clip(-4, 4))
            if power == POWERS[1]:
                off = values - mean - slope * (z - mean_z)
                residuals.append(np.log(np.sqrt((weight * off**2).sum(1)) / per + LEAST))
    return lines, residuals


def run(networks: list[dict[str, list]], inputs: np.ndarray) -> np.ndarray:
    """Return the mean of the networks' outputs, shape (n_rows, len(LEVELS)).

    Parameters
    ----------
    networks : list of dict
        ``shift`` and ``scale`` of the inputs, ``weights`` and ``biases`` of the layers.
    inputs : ndarray, shape (n_rows, n_inputs)
        From `look`.
    """
    total = 0.0
    for one in networks:
        layer = ((inputs - np.array(one["shift"])) / np.array(one["scale"])).clip(-LARGEST, LARGEST)
        total = total + forward(layer, *([np.array(part) for part in one[kind]]
                                         for kind in ("weights", "biases")))
    return total / len(networks)


def forward(layer: np.ndarray, weights: Sequence[np.ndarray],
            biases: Sequence[np.ndarray]) -> np.ndarray:
    """Return what layers make of inputs that are ready, with SiLU between them."""
    for k, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        layer = layer @ weight + bias
        if k < len(weights) - 1:
            layer = layer / (1 + np.exp(-layer.clip(-30, 30)))
    return layer


def widened(outputs: np.ndarray, ahead: np.ndarray, horizons: Iterable[float],
            widen: Iterable[float]) -> np.ndarray:
    """Return outputs, ascending, stretched about their median.

    Parameters
    ----------
    outputs : ndarray, shape (n_rows, len(LEVELS))
    ahead : ndarray, shape (n_rows,)
        Doublings.
    horizons : iterable of float
        Doublings.
    widen : iterable of float
        Factors there, so that 90 % ranges held 90 % on collections that took no part in training;
        on straight lines between.
    """
    outputs = np.sort(outputs, axis=-1)
    middle = outputs[:, [LEVELS.index(0.5)]]
    by = np.interp(ahead, list(horizons), list(widen))
    return middle + by[:, None] * (outputs - middle)


def crps(quantiles: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return the continuous ranked probability score of quantiles at `LEVELS`, shape (n,).

    Twice the pinball loss, each level weighing the part of 0 to 1 that is nearest to it.
    """
    levels = np.array(LEVELS)
    weight = np.diff(np.r_[0, (levels[1:] + levels[:-1]) / 2, 1])
    off = truth[:, None] - quantiles
    return 2 * np.maximum(levels * off, (levels - 1) * off) @ weight


def with_sampling(quantiles: np.ndarray, level: np.ndarray, tested: float) -> np.ndarray:
    """Widen quantiles by what the rows that the errors were measured on do not know.

    On the scale of the square root, on which the sampling error of a rate hardly depends on the
    rate; half a row predicted wrongly and half a row predicted well stand for what was not seen
    (Jeffreys' prior), so that no range has no width. The median is no higher than today's error
    for that half row alone.

    Parameters
    ----------
    quantiles : ndarray, shape (n_curves, n_targets, len(LEVELS))
    level : ndarray, shape (n_curves,)
        Error rate at the last size.
    tested : float
        Rows it was measured on; infinite where that is no source of error.
    """
    if np.isinf(tested):
        return quantiles
    true, spread = root_sampling(level, tested)
    wide = _widened_by(np.sqrt(quantiles), spread[:, None, None])
    found = ((wide + (true - np.sqrt(level))[:, None, None]).clip(0, 1)) ** 2
    at = LEVELS.index(0.5) + 1
    middle = np.maximum(level[:, None, None], quantiles[..., [at - 1]])
    found[..., :at] = np.minimum(found[..., :at], middle)
    return found


def root_sampling(level: np.ndarray, tested: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the root of the error behind a measured one, and how far it is off by sampling."""
    true = (level * tested + 0.5) / (tested + 1)
    return np.sqrt(true), np.sqrt((1 - true) / (4 * (tested + 1)))


def _widened_by(root: np.ndarray, spread: np.ndarray | float) -> np.ndarray:
    """Return quantiles at `LEVELS` to whose distance from the median a normal one is added."""
    z = np.array([NormalDist().inv_cdf(p) for p in LEVELS])
    middle = root[..., [LEVELS.index(0.5)]]
    return middle + np.sign(z) * np.hypot(root - middle, z * spread)


def chance_of_fall(quantiles: np.ndarray, level: float, tested: float,
                   less: float = 0.0) -> np.ndarray:
    """Return the chance that an error falls by some amount or more.

    What the tested rows do not know of the error now is as unsure of its change.

    Parameters
    ----------
    quantiles : ndarray, shape (n_targets, len(LEVELS))
        From `forecast`, without sampling.
    level : float
        Error rate at the last size.
    tested : float
        Rows it was measured on; infinite where that is no source of error.
    less : float

    Returns
    -------
    ndarray, shape (n_targets,)
    """
    if level <= less:
        return np.zeros(len(quantiles))
    spread = 0.0 if np.isinf(tested) else float(root_sampling(np.array(level), tested)[1])
    moved = _widened_by(np.sqrt(quantiles) - np.sqrt(level), spread)
    return np.array([np.interp(np.sqrt(level - less) - np.sqrt(level), own, LEVELS, 0, 1)
                     for own in moved])


@lru_cache(maxsize=1)
def shipped() -> dict:
    """Return the shipped forecaster: ``levels``, ``networks``, and what `widened` takes.

    Raises
    ------
    NotTrainedError
        If it is not there.
    """
    return json.loads(trained(PATH).read_text(encoding="utf-8"))


def forecast(seen: Seen, targets: np.ndarray) -> np.ndarray:
    """Return quantiles at `LEVELS`, shape (n_curves, n_targets, len(LEVELS)), of `Seen` curves."""
    model, inputs = shipped(), look(seen, targets)
    outputs = widened(run(model["networks"], inputs.reshape(-1, inputs.shape[2])),
                      (np.log2(targets) - seen.now[:, None]).ravel(), model["horizons"],
                      model["widen"])
    moved = unit(seen)[:, None, None] * outputs.reshape(*inputs.shape[:2], -1)
    return (seen.level[:, None, None] + moved).clip(0, 1)


def continued(seen: Seen, targets: np.ndarray, quantiles: np.ndarray) -> np.ndarray:
    """Return quantiles at `LEVELS` that go on with steep falls, as far as points show them.

    Of errors c · n^-a + floor, the fall of a doubling is always the same share of the one before:
    three that agree tell the rest. Where they are only steady, with the exponent `STEEP` or more,
    the forecast is halfway (on the scale of logarithms) to the power law with that exponent, or the
    last doubling's, if less: networks expect less of the lowest errors, even that they rise. That
    was chosen on LCDB 1.0's curves.
    """
    log = np.log2(np.maximum(seen.values, np.finfo(float).tiny))
    log = interpolate(seen.log_sizes, log, seen.now[:, None] - np.arange(4))
    slope, fall = np.diff(log, axis=1), np.diff(np.exp2(log), axis=1)
    fell = (slope >= STEEP - 1e-9) & (seen.level > 0)[:, None]
    ahead, level = np.log2(targets) - seen.now[:, None], seen.level[:, None]
    with np.errstate(all="ignore"):  # of curves that do not fall so
        share, before = (fall[:, [k]] / fall[:, [k + 1]] for k in (0, 1))
        alike = (share < 1) & (np.abs(share / before - 1) <= ALIKE)
        known = (fall > 0).all(1, keepdims=True) & fell[:, 2:] & alike
        line = np.maximum(level - fall[:, :1] * share * (1 - share**ahead) / (1 - share),
                          level * np.exp2(-slope[:, :1] * ahead))
        mean = slope.mean(1, keepdims=True)
        steady = (slope.min(1, keepdims=True) >= STEADY * mean) & (mean >= STEEP) & (level > 0)
        power = level * np.exp2(-np.minimum(slope[:, :1], mean) * ahead)
    at = LEVELS.index(0.5)
    middle = np.maximum(quantiles[..., at], 1e-9)
    by = np.where(known, line / middle, np.where(steady, np.sqrt(power / middle), 1))
    found = quantiles * np.minimum(by, 1)[..., None]
    steep = fell[:, :2].all(1)
    found[steep, :, :at + 1] = np.minimum(found[steep, :, :at + 1], level[steep, :, None])
    return found


def predict_compact(curves: xr.DataArray, sizes: Iterable[float],
                    tested: float = np.inf) -> xr.DataArray:
    """Predict error rates at larger sizes, as the book's page does in the browser.

    Parameters
    ----------
    curves : DataArray, dims (..., anchor)
        As in `analysis.extrapolation.predict`; learners and datasets are not looked at.
    sizes : iterable of float
        Training-set sizes in rows, each larger than every curve's last one.
    tested : float
        Rows that the errors were measured on: the ranges know that they are a sample.

    Returns
    -------
    DataArray, dims (..., size, quantile)
        Error rates from 0 to 1 at the quantiles `LEVELS`; 0.05 and 0.95 bound the 90 % range.

    Raises
    ------
    ValueError
        As `predict`; if a size is not larger than a curve's last one, or `tested` is below 1.
    """
    if not tested >= 1:
        raise ValueError(f"Errors are measured on at least one row, not on {tested}.")
    seen, template = see_curves(curves)
    sizes = np.array(list(sizes), float)
    if not len(sizes) or not (sizes > seen.sizes[seen.last].max()).all():
        raise ValueError("Sizes to predict at must be larger than the curves' last ones, "
                         f"not {sizes}.")
    targets = np.broadcast_to(sizes, (len(seen.values), len(sizes)))
    found = continued(seen, targets, forecast(seen, targets))
    return as_quantiles(with_sampling(found, seen.level, tested), template, sizes, LEVELS)

