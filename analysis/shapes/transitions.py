"""Phase transitions: a curve that hardly moves for a doubling, then drops within one.

The paper picked them by eye. Here a curve has one where, for some anchors i < j with j at most
twice i, the drop after i is more than twice any change within the doubling before it, and more than
half of it leads where the curve had not been before:

    C(i) − C(j) > 2 (C(k) − C(i)) for every anchor k from h to i,
    C(i) − C(j) > 2 (C(i) − C(k)) for every anchor k before i,

h being the largest anchor that is at most half of i. No convex curve that falls does that: its
slope after i is at most that before, and the way before at least half as long. A peak does not
either, unless it falls from its top by more than twice what it rose. All of it is tested, and all
must hold.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import xarray as xr

from analysis.shapes.curves import CurveStack
from analysis.shapes.max_t import flip_p_values, standardise
from analysis.shapes.significance import find_procedure

WITHIN = 2.05  # from i to j, and from h to i at least 1/1.025 of 2: grids are rounded
TIMES = 2.0  # the drop over the change before it


class Steps(NamedTuple):
    """What must hold of places (i, j): a row each, those of one place one after the other.

    Attributes
    ----------
    k, i, j : ndarray of int
        Positions k < i < j; a place's first k is its h.
    side : ndarray of int
        1 where C(k) must not lie too high, −1 where it must not lie too low.
    first : ndarray of int
        Of each place, its first row.
    """

    k: np.ndarray
    i: np.ndarray
    j: np.ndarray
    side: np.ndarray
    first: np.ndarray


def detect_transitions(valid: xr.DataArray, alpha: float | None = None) -> xr.Dataset:
    """Find the phase transitions of curves, each at its clearest place.

    Parameters
    ----------
    valid : DataArray
        As for `analysis.detect_shapes`.
    alpha : float, optional
        As for `analysis.detect_shapes`.

    Returns
    -------
    Dataset
        Over the remaining dims: ``phase_transition``, bool; ``p_transition``, NaN where no drop is
        more than twice each change before it; ``transition_drop``, C(i) − C(j) in the metric's
        unit, and ``transition_h``, ``transition_i``, ``transition_j``, in rows, of the place where
        the drop most exceeds twice the changes before it, significant or not; NaN where there is
        none.

    Raises
    ------
    ValueError
        As `analysis.detect_shapes`.
    """
    chosen = find_procedure("max_t", alpha)
    stack, columns = CurveStack(valid), []
    for curves in stack.blocks():
        for row, n in enumerate(curves.counts):
            columns.append(_judge(curves.values[row, :, :n], curves.anchors[row, :n],
                                  curves.rounding[row]))
    names = ("p_transition", "transition_drop", *(f"transition_{k}" for k in "hij"))
    found = stack.labelled(dict(zip(names, np.array(columns).T, strict=True)))
    found.attrs["procedure"] = chosen.name
    return found.assign(phase_transition=found["p_transition"] <= chosen.alpha)


def _judge(repeats: np.ndarray, anchors: np.ndarray, rounding: float) -> tuple[float, ...]:
    nothing = (np.nan,) * 5
    if len(anchors) < 3 or not len((steps := steps_of(anchors.tobytes())).i):
        return nothing
    means = np.nanmean(repeats, axis=0)
    excess = excess_of(means[None], steps)[0]
    clearest = excess.argmax()
    if excess[clearest] <= rounding:
        return nothing
    parts, u = standardise(_rows(repeats, steps), 1, rounding)
    p = flip_p_values(parts, np.minimum.reduceat(u, steps.first).max(keepdims=True))[0]
    h, i, j = (places[steps.first[clearest]] for places in steps[:3])
    return (p, means[i] - means[j], anchors[h], anchors[i], anchors[j])


def _rows(curves: np.ndarray, steps: Steps) -> np.ndarray:
    """Return by how much drops exceed `TIMES` each change before, (n_curves, n_rows)."""
    drop = curves[:, steps.i] - curves[:, steps.j]
    return drop - TIMES * steps.side * (curves[:, steps.k] - curves[:, steps.i])


def excess_of(curves: np.ndarray, steps: Steps) -> np.ndarray:
    """Return by how much drops exceed `TIMES` any change before, (n_curves, n_places)."""
    return np.minimum.reduceat(_rows(curves, steps), steps.first, axis=1)


@lru_cache(maxsize=64)
def steps_of(anchors: bytes) -> Steps:
    """Return the places that a phase transition may have, of anchors as bytes."""
    x, found, first = np.frombuffer(anchors), [], []
    for i in range(len(x)):
        half = np.flatnonzero(x * (2 / 1.025) <= x[i])
        for j in np.flatnonzero((x > x[i]) & (x <= WITHIN * x[i])) if len(half) else ():
            first.append(len(found))
            found += [(k, i, j, 1) for k in range(half[-1], i)]
            found += [(k, i, j, -1) for k in range(i)]
    return Steps(*np.array(found, int).reshape(-1, 4).T, np.array(first, int))
