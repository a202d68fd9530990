"""Look-alikes, whose truth is known: real curves' scatter around a curve of our choice.

What a simulation of normal noise leaves out is kept: the skewed, heavy-tailed residuals of real
learners, with whatever correlation they have along the curve.
"""

import math
from typing import Literal

import numpy as np
import xarray as xr

from analysis.shapes.curves import CurveStack, pack
from analysis.shapes.verdicts import convex_minorant
from analysis.statistics.summary import REPEATS

VALID_SHARE = 1 / 9  # validation rows per training row of the whole curve, by LCDB's protocol
MAX_VALID = 5000  # rows, as in LCDB 1.1
EPS = np.finfo(float).eps
Residuals = Literal["redrawn", "normal", "redrawn by inner seed", "normal by inner seed"]


def well_behaved(means: xr.DataArray) -> xr.DataArray:
    """Return the greatest curve below each that never rises and is convex.

    Parameters
    ----------
    means : DataArray
        Dim ``anchor`` and any others; NaN where there is no value.

    Returns
    -------
    DataArray
        The same dims; NaN where `means` is.
    """
    flat = means.transpose(..., "anchor")
    values = flat.values.reshape(-1, flat.sizes["anchor"])
    curves = pack(values[:, None], flat["anchor"].values.astype(float), EPS)
    hull = convex_minorant(curves.anchors, curves.means, curves.counts)
    falling = np.minimum.accumulate(hull, axis=1)
    out = np.full(values.shape, np.nan)
    front = np.arange(falling.shape[1]) < curves.counts[:, None]
    out[~np.isnan(values)] = falling[front]  # curve by curve, anchors in order: as they were packed
    return flat.copy(data=out.reshape(flat.shape)).transpose(*means.dims)


def scattered(truth: xr.DataArray, valid: xr.DataArray, seed: int,
              residuals: Residuals = "redrawn", *, counts: bool = True) -> xr.DataArray:
    """Scatter repeats around true curves as those of real curves scatter around their means.

    Parameters
    ----------
    truth : DataArray
        True curves: the dims of `valid` without its repeats.
    valid : DataArray
        Real curves, dims ``outer, inner, anchor`` and any others.
    seed : int
        Same seed, same curves.
    residuals : str
        "redrawn": each repeat takes the residuals of a repeat of the same curve, drawn with
        replacement, as skewed as they are; "normal": normal ones with the covariances that the
        curve's residuals have. With "by inner seed" all repeats of an inner seed are drawn
        together, so that what they have in common stays.
    counts : bool
        Whether values are error rates, counts of the validation rows over their number; those of
        numbers to predict are not.

    Returns
    -------
    DataArray
        The dims of `valid`. Residuals are stretched so that their variance is that of repeats.
        Error rates are counts of the validation rows again, rounded up or down at random, all
        anchors of a repeat alike, so that means are kept: without that, where most repeats of two
        anchors are equal, a true difference of less than a row would show in every one of them.
    """
    stack, rng = CurveStack(valid), np.random.default_rng(seed)
    ordered, shape = stack.valid, stack.valid.shape
    own = ordered - ordered.mean([d for d in REPEATS if d in valid.dims])
    rates = truth + _redrawn(own, residuals, rng)
    if not counts:
        return rates.transpose(*valid.dims)
    rows = _validation_rows(ordered)
    up = xr.DataArray(rng.random(shape[:-1]), dims=ordered.dims[:-1])
    rates = rates.transpose(*ordered.dims)
    return (np.floor(rows * rates + up) / rows).transpose(*valid.dims)


def _redrawn(own: xr.DataArray, residuals: Residuals, rng: np.random.Generator) -> xr.DataArray:
    """Return new residuals from a curve's own, the units that are drawn repeats or inner seeds.

    A mean over n units takes 1/n off the variance of residuals, which is put back.
    """
    way, by_inner, _ = residuals.partition(" by inner seed")
    units = ["inner"] if by_inner else list(REPEATS)
    lead = [d for d in own.dims if d not in (*REPEATS, "anchor")]
    ordered = own.transpose(*lead, *units, ..., "anchor")
    n_curves, n = (math.prod(own.sizes[d] for d in dims) for dims in (lead, units))
    flat = ordered.values.reshape(n_curves, n, -1)
    if way == "normal":
        drawn = rng.normal(size=(n_curves, n, n)) / np.sqrt(n) @ flat
    else:
        drawn = np.take_along_axis(flat, rng.integers(n, size=(n_curves, n, 1)), axis=1)
    stretched = np.sqrt(n / max(n - 1, 1)) * drawn
    return ordered.copy(data=stretched.reshape(ordered.shape)).transpose(*own.dims)


def _validation_rows(valid: xr.DataArray) -> xr.DataArray:
    """Return how many rows validate, by LCDB's protocol: a ninth of the largest training set."""
    there = valid.notnull().any([d for d in valid.dims if d not in ("dataset", "anchor")])
    last = there["anchor"].where(there).max("anchor")
    return np.clip(np.round(last * VALID_SHARE), 1, MAX_VALID)
