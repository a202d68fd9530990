"""Flat curves: those whose range is small beside that of all learners on the same dataset."""

import numpy as np

FLAT_SHARE = 0.05  # Section 5.1


def curve_extremes(means: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return lowest and highest mean of packed curves (n_curves, n_anchors); NaN where missing."""
    return np.fmin.reduce(means, axis=1), np.fmax.reduce(means, axis=1)


def is_flat(lowest: np.ndarray, highest: np.ndarray, learner_axis: int | None,
            least: np.ndarray | float) -> np.ndarray:
    """Tell which curves are flat (Section 5.1).

    Parameters
    ----------
    lowest, highest : ndarray
        Extremes of the mean curves; NaN where missing.
    learner_axis : int or None
        The axis of the learners among which the largest range is sought. Without one a curve is
        compared to its own range, and only a constant one is flat.
    least : ndarray or float
        A range within this is flat whatever the other learners do.

    Returns
    -------
    ndarray of bool
        False where missing.
    """
    own = highest - lowest
    among_all = own
    if learner_axis is not None and own.size:
        among_all = (np.fmax.reduce(highest, axis=learner_axis, keepdims=True)
                     - np.fmin.reduce(lowest, axis=learner_axis, keepdims=True))
    return (own <= among_all * FLAT_SHARE) | (own <= least)
