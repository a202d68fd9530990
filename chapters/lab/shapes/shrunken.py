"""Sizes of violations, without the luck of having been chosen as the largest.

The largest of many noisy differences is too large on average. Chosen on four outer seeds and
measured on the fifth, each in turn, it is not: the place is still the best guess, its size is
unbiased for that place.
"""

from dataclasses import replace

import numpy as np
import xarray as xr

from analysis.shapes.curves import Curves, CurveStack
from analysis.shapes.significance import known_means
from analysis.shapes.verdicts import largest_violations

KINDS = ("mono", "conv", "dip", "peak")


def cross_fitted_sizes(valid: xr.DataArray) -> xr.Dataset:
    """Return the sizes of the largest violations, each measured on repeats that did not choose it.

    Parameters
    ----------
    valid : DataArray
        As for `analysis.detect_shapes`, with at least two outer seeds.

    Returns
    -------
    Dataset
        Over the remaining dims ``size_mono``, ``size_conv``, ``size_dip`` and ``size_peak`` (height
        above the higher of the lowest points before and after it), in the metric's unit: means over
        the outer seeds, each left out in turn. A seed without which there is no violation adds 0.
        May be below 0; NaN where the curve is missing, or a seed's repeats all lack an anchor.

    Raises
    ------
    ValueError
        If there is only one outer seed.
    """
    stack = CurveStack(valid)
    if len(np.unique(stack.outer)) < 2:
        raise ValueError("Sizes are chosen on some outer seeds and measured on others: there must "
                         "be two at least.")
    parts = [_sizes(curves) for curves in stack.blocks()]
    flat = np.concatenate(parts, axis=1) if parts else np.empty((len(KINDS), 0))
    return xr.Dataset({f"size_{kind}": stack.unstack(column)
                       for kind, column in zip(KINDS, flat, strict=True)},
                      coords=stack.lead_coords())


def _sizes(curves: Curves) -> np.ndarray:
    """Return sizes (n_kinds, n_curves) of a block."""
    total = np.zeros((len(KINDS), len(curves)))
    for seed in np.unique(curves.outer):
        chosen = replace(curves, means=known_means(curves.values[:, curves.outer != seed]))
        held_out = known_means(curves.values[:, curves.outer == seed])
        there = np.arange(held_out.shape[1]) < curves.counts[:, None]
        lacking = ((np.isnan(held_out) | np.isnan(chosen.means)) & there).any(axis=1)
        sizes = _at_places(chosen.anchors, _places(chosen), held_out)
        total += np.where(lacking | (curves.counts == 0), np.nan, sizes)
    return total / len(np.unique(curves.outer))


def _places(chosen: Curves) -> dict[str, np.ndarray]:
    """Return the positions of the largest violations, by kind."""
    largest = largest_violations(chosen, chosen.rounding)
    return {kind: violation.at for kind, violation in largest.items()} | {
        "peak": _highest_peak(chosen)}


def _at_places(anchors: np.ndarray, places: dict[str, np.ndarray],
               values: np.ndarray) -> np.ndarray:
    """Return the sizes (n_kinds, n_curves) that curves (n_curves, n_anchors) have at places."""
    value = {kind: np.take_along_axis(values, np.maximum(k, 0), axis=1).T
             for kind, k in places.items()}
    h, i, j = value["conv"]
    x_h, x_i, x_j = np.take_along_axis(anchors, np.maximum(places["conv"], 0), axis=1).T
    with np.errstate(invalid="ignore", divide="ignore"):
        bulge = i - (h * (x_j - x_i) + j * (x_i - x_h)) / (x_j - x_h)
    low, top, end = value["peak"]
    sizes = [value["mono"][1] - value["mono"][0], bulge, value["dip"][1] - value["dip"][0],
             np.minimum(top - low, top - end)]
    return np.stack([np.where(places[kind][:, 0] >= 0, size, 0.0)
                     for kind, size in zip(KINDS, sizes, strict=True)])


def _highest_peak(curves: Curves) -> np.ndarray:
    """Return positions of the highest peak, the lowest before and the lowest after it; -1: none."""
    means = np.where(np.isnan(curves.means), np.inf, curves.means)
    before = np.minimum.accumulate(means, axis=1)
    after = np.minimum.accumulate(means[:, ::-1], axis=1)[:, ::-1]
    with np.errstate(invalid="ignore"):
        height = np.nan_to_num(curves.means - np.maximum(before, after), nan=-np.inf)
    top = height.argmax(axis=1)
    position = np.arange(means.shape[1])
    low = np.where(position < top[:, None], means, np.inf).argmin(axis=1)
    end = np.where(position > top[:, None], means, np.inf).argmin(axis=1)
    return np.where((height.max(axis=1) > curves.rounding)[:, None],
                    np.stack([low, top, end], axis=1), -1)
