"""Windows of whole curves, past and future, for the Gaussian and the nearest curves."""

import numpy as np

from analysis.extrapolation.training.examples import Source
from analysis.extrapolation.windows import FUTURE, PAST, interpolate, to_log

FIRST, STEP = 5.5, 0.5  # binary logarithms of the sizes that windows stand at
LEAST_LEARNERS = 5
STEPS = np.array([*PAST, *FUTURE])


def make_windows(source: Source) -> tuple[np.ndarray, np.ndarray]:
    """Return windows on all learners of a dataset, at many sizes.

    Returns
    -------
    windows : ndarray, shape (n_windows, n_learners, len(PAST) + len(FUTURE))
        Logarithmic errors, NaN where there is no value; at least `LEAST_LEARNERS` have one at the
        size that the window stands at.
    fold : ndarray of int, shape (n_windows,)
    """
    logs, windows, folds = np.log2(source.sizes), [], []
    for curves, fold in zip(to_log(source.truth), source.fold, strict=True):
        end = logs[np.isfinite(curves).any(0)].max()
        for now in np.arange(FIRST, end - 0.4, STEP):
            windows.append(interpolate(logs, curves, np.broadcast_to(
                now + STEPS, (len(curves), len(STEPS)))))
            folds.append(fold)
    windows, folds = np.stack(windows), np.array(folds)
    kept = np.isfinite(windows[:, :, len(PAST) - 1]).sum(1) >= LEAST_LEARNERS
    return windows[kept], folds[kept]


def single_windows(windows: np.ndarray, fold: np.ndarray, most: int, seed: int = 0) -> dict:
    """Return windows on single curves for the nearest neighbours, as arrays to store.

    Returns
    -------
    dict
        ``past`` (logarithmic errors), ``future`` (their change since the last of these),
        ``fold``; at most `most` curves that have a value one doubling ahead.
    """
    flat = windows.reshape(-1, windows.shape[2])
    folds = np.repeat(fold, windows.shape[1])
    now = len(PAST) - 1
    fit = np.flatnonzero(np.isfinite(flat[:, [now - 1, now, now + 2]]).all(1))
    rows = np.sort(np.random.default_rng(seed).permutation(fit)[:most])
    return {"past": flat[rows, : now + 1].astype(np.float16),
            "future": (flat[rows, now + 1:] - flat[rows, now : now + 1]).astype(np.float16),
            "fold": folds[rows].astype(np.int8)}
