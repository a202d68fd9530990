"""Phase transitions: a curve that hardly moves, and then drops within one doubling.

The paper picked them by eye. Here a curve has one where, for some anchors h < i < j with h at most
half of i and j at most twice i, the drop after i is more than twice any change before it:

    C(i) − C(j) > 2 |C(h) − C(i)|.

No convex curve that falls does that: its slope after i is at most that before, and the way before
at least half as long. A peak does not either, as long as it rises over at least a doubling as much
as half of what it falls. Both sides of the absolute value are tested, and both must hold.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import xarray as xr

from analysis.shapes.curves import CurveStack
from analysis.shapes.dependence import TESTS
from analysis.shapes.flips import flip_p_values, standardise
from analysis.shapes.max_t import blocks_of
from analysis.shapes.procedures import Procedure, find_procedure
from analysis.shapes.significance import ALPHA

WITHIN = 2.05  # from i to j, and from h to i at least 1/1.025 of 2: grids are rounded
TIMES = 2.0  # the drop over the change before it


class Steps(NamedTuple):
    """Positions h < i < j compared, each an ndarray of int."""

    h: np.ndarray
    i: np.ndarray
    j: np.ndarray


def detect_transitions(valid: xr.DataArray,
                       procedure: str | Procedure = "max_t") -> xr.Dataset:
    """Find the phase transitions of curves, each at its clearest place.

    Parameters
    ----------
    valid : DataArray
        As for `analysis.detect_shapes`.
    procedure : str or Procedure
        One with the correction "max_t": sign flips are what is known to hold here.

    Returns
    -------
    Dataset
        Over the remaining dims: ``phase_transition``, bool; ``p_transition``, NaN where no drop is
        more than twice what comes before it; ``transition_drop``, C(i) − C(j) in the metric's unit,
        and ``transition_h``, ``transition_i``, ``transition_j``, in rows, of the place where the
        drop most exceeds twice the change before it, significant or not; NaN where there is none.

    Raises
    ------
    ValueError
        If the procedure does not flip signs, and as `analysis.detect_shapes`.
    """
    chosen = find_procedure(procedure)
    if chosen.correction != "max_t" or chosen.across:
        raise ValueError(f"Phase transitions are tested by sign flips, which {chosen.name!r} does "
                         "not use: take 'max_t', or another whose name begins like that.")
    stack, columns = CurveStack(valid), []
    for curves in stack.blocks():
        blocks = blocks_of(curves, chosen)
        for row, n in enumerate(curves.counts):
            columns.append(_judge(curves.values[row, :, :n], curves.anchors[row, :n], blocks,
                                  chosen, curves.rounding[row]))
    names = ("p_transition", "transition_drop", *(f"transition_{k}" for k in "hij"))
    found = xr.Dataset({name: stack.unstack(column) for name, column
                        in zip(names, np.array(columns).T, strict=True)},
                       coords=stack.lead_coords(), attrs={"procedure": chosen.name})
    return found.assign(phase_transition=found["p_transition"] <= ALPHA)


def _judge(repeats: np.ndarray, anchors: np.ndarray, blocks: np.ndarray, procedure: Procedure,
           rounding: float) -> tuple[float, ...]:
    nothing = (np.nan,) * 5
    if len(anchors) < 3 or not len((steps := steps_of(anchors.tobytes())).i):
        return nothing
    means = np.nanmean(repeats, axis=0)
    drop, before = means[steps.i] - means[steps.j], np.abs(means[steps.h] - means[steps.i])
    excess = drop - TIMES * before
    clearest = excess.argmax()
    if excess[clearest] <= rounding:
        return nothing
    differences = np.concatenate(both_sides(repeats, steps), axis=1)
    wider = TESTS[procedure.test].wider(len(repeats))
    table = standardise(differences, blocks, wider, rounding)
    smaller = table.u.reshape(2, -1).min(axis=0).max(keepdims=True)
    p = flip_p_values(table.parts, smaller)[0]
    return (p, drop[clearest], *(anchors[k[clearest]] for k in steps))


def both_sides(repeats: np.ndarray, steps: Steps) -> tuple[np.ndarray, np.ndarray]:
    """Return each repeat's drop less and plus `TIMES` the change before it."""
    drop = repeats[:, steps.i] - repeats[:, steps.j]
    before = repeats[:, steps.h] - repeats[:, steps.i]
    return drop - TIMES * before, drop + TIMES * before


def true_transition(true: np.ndarray, anchors: np.ndarray) -> np.ndarray:
    """Return by how much the drops of true curves (n, n_anchors) exceed twice what precedes them.

    The largest over all places, at least 0, in the metric's unit.
    """
    h, i, j = steps_of(np.asarray(anchors, float).tobytes())
    excess = true[:, i] - true[:, j] - TIMES * np.abs(true[:, h] - true[:, i])
    return np.maximum(excess, 0).max(axis=1, initial=0)


@lru_cache(maxsize=64)
def steps_of(anchors: bytes) -> Steps:
    """Return the places h < i < j that a phase transition may have, of anchors as bytes."""
    x = np.frombuffer(anchors)
    h, i, j = np.meshgrid(*[np.arange(len(x))] * 3, indexing="ij", sparse=True)
    apart = (x[h] * (2 / 1.025) <= x[i]) & (i < j) & (x[j] <= WITHIN * x[i])
    return Steps(*np.nonzero(apart))
