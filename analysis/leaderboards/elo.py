"""Elo ratings: the Bradley-Terry model by maximum likelihood.

Method i beats j with probability 1 / (1 + 10^((r_j − r_i) / 400)); ties count half a win each. The
likelihood is concave in the ratings, which are found by Newton's method, many resamples at once.
"""

import numpy as np
from scipy.sparse.csgraph import connected_components

SCALE = 400.0  # points in which the odds grow tenfold
MEAN = 1000.0
UNIT = SCALE / np.log(10)  # points per unit of log-odds
STEPS = 100
LARGEST_STEP = 2.0  # log-odds; keeps Newton's method from overshooting
PRECISE = 1e-9  # of the gradient, relative to the number of comparisons
TIE = 0.5  # tasks added to each pair, tied, where there is no maximum


def rate_wins(wins: np.ndarray) -> np.ndarray:
    """Return the Elo ratings behind some wins.

    Parameters
    ----------
    wins : ndarray of float, shape (..., method, method)
        How often each method (row) beat each other (column); ties count half for both. The
        diagonal is not looked at.

    Returns
    -------
    ndarray of float, shape (..., method)
        Ratings on a scale of 400 with mean 1000. Where some methods never lost anything to the
        others, the likelihood has no maximum (their lead would be infinite); there, half a tied
        task is added to each pair first.
    """
    methods = wins.shape[-1]
    flat = wins.reshape(-1, methods, methods) * (1 - np.eye(methods))
    loose = np.array([not _connected(w) for w in flat], bool)
    flat[loose] += TIE / 2 * (1 - np.eye(methods))
    return (MEAN + UNIT * _strengths(flat)).reshape(wins.shape[:-1])


def _connected(wins: np.ndarray) -> bool:
    """Whether everyone beat everyone, directly or through others: then a maximum exists."""
    return connected_components(wins > 0, connection="strong", return_labels=False) == 1


def _strengths(wins: np.ndarray) -> np.ndarray:
    """Return the log-odds strengths, shape (set, method), of mean 0 each."""
    played = wins + wins.swapaxes(-1, -2)
    won = wins.sum(axis=-1)
    strength = np.zeros(won.shape)
    left = np.arange(len(wins))
    for _ in range(STEPS):
        step, gradient = _newton_step(played[left], won[left], strength[left])
        largest = np.abs(step).max(axis=-1, keepdims=True)
        strength[left] += step * np.minimum(1, LARGEST_STEP / np.maximum(largest, 1e-300))
        left = left[np.abs(gradient).max(axis=-1) > PRECISE * played[left].max(axis=(-1, -2))]
        if not len(left):
            break
    return strength - strength.mean(axis=-1, keepdims=True)


def _newton_step(
    played: np.ndarray, won: np.ndarray, strength: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return Newton's step and the gradient of the log-likelihood."""
    beats = 1 / (1 + np.exp(strength[:, None, :] - strength[:, :, None]))
    gradient = won - (played * beats).sum(axis=-1)
    spread = played * beats * (1 - beats)
    methods = strength.shape[-1]
    hessian = -spread + np.eye(methods) * spread.sum(axis=-1)[:, None]
    # Ratings count up to a constant: fixing their mean makes the matrix regular.
    hessian += hessian.trace(axis1=-2, axis2=-1)[:, None, None] / methods**2
    return np.linalg.solve(hessian, gradient[..., None])[..., 0], gradient
