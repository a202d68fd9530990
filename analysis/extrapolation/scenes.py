"""Which curves stand beside each: those of other learners on its dataset, up to its last size."""

from typing import NamedTuple

import numpy as np

from analysis.extrapolation.seen import Seen
from analysis.extrapolation.windows import PAST, past


class Scenes(NamedTuple):
    """The curves of one dataset, as far as one of them is seen.

    Attributes
    ----------
    past : ndarray, shape (n_scenes, n_learners, n_lags)
        Logarithmic errors at the lags of `analysis.extrapolation.windows`; NaN where
        not seen.
    fold : ndarray of int, shape (n_scenes,)
    scene, slot : ndarray of int, shape (n_curves,)
        Where each curve stands; the slot is -1 for a learner that is not known, which has no scene
        to itself.
    """

    past: np.ndarray
    fold: np.ndarray
    scene: np.ndarray
    slot: np.ndarray


def set_scenes(seen: Seen, learners: tuple[str, ...]) -> Scenes:
    """Gather, for every dataset and last size of a curve on it, what is seen of each learner.

    Parameters
    ----------
    seen : Seen
    learners : tuple of str
        The learners that have a slot.
    """
    number = {name: k for k, name in enumerate(learners)}
    slot = np.array([number.get(name, -1) for name in seen.learner], int)
    keys = np.column_stack([seen.dataset, np.round(1024 * seen.now)]).astype(int)
    distinct, scene = np.unique(keys, axis=0, return_inverse=True)
    scene = scene.reshape(-1)
    curve, at = _members(seen.dataset, distinct[:, 0], slot >= 0)
    values = np.full((len(distinct), len(learners), len(PAST)), np.nan)
    fold = np.full(len(distinct), -1)
    fold[scene] = seen.fold
    if len(curve):
        values[at, slot[curve]] = past(seen.take(curve), distinct[at, 1] / 1024)
    own = slot >= 0
    values[scene[own], slot[own]] = past(seen.take(np.flatnonzero(own)))
    return Scenes(values, fold, scene, slot)


def take_scenes(scenes: Scenes, rows: np.ndarray) -> Scenes:
    """Return where some of the curves stand, in the same scenes."""
    return scenes._replace(scene=scenes.scene[rows], slot=scenes.slot[rows])


def _members(dataset: np.ndarray, wanted: np.ndarray, known: np.ndarray):
    """Return which curves are on the dataset of which scene, as pairs of positions."""
    order = np.argsort(dataset, kind="stable")
    order = order[known[order]]
    low = np.searchsorted(dataset[order], wanted, side="left")
    count = np.searchsorted(dataset[order], wanted, side="right") - low
    at = np.repeat(np.arange(len(wanted)), count)
    step = np.arange(len(at)) - np.repeat(count.cumsum() - count, count)
    return order[low[at] + step], at
