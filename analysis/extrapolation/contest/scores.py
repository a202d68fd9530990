"""Proper scores of predictive distributions that are given by quantiles."""

import numpy as np

#: Evenly spaced, so that the mean pinball loss approximates the CRPS; with the ends of the 50, 80
#: and 90 % intervals among them.
LEVELS = tuple(np.round(np.arange(0.05, 0.96, 0.05), 2).tolist())
INTERVALS = (50, 80, 90)


def pinball(quantiles: np.ndarray, truth: np.ndarray, levels: tuple[float, ...]) -> np.ndarray:
    """Return the pinball loss of every quantile, shape (n, n_levels).

    Parameters
    ----------
    quantiles : ndarray, shape (n, n_levels)
    truth : ndarray, shape (n,)
    levels : tuple of float
    """
    short = truth[:, None] - quantiles
    return np.maximum(np.array(levels) * short, (np.array(levels) - 1) * short)


def crps(quantiles: np.ndarray, truth: np.ndarray, levels: tuple[float, ...]) -> np.ndarray:
    """Return the continuous ranked probability score, approximated: twice the mean pinball loss."""
    return 2 * pinball(quantiles, truth, levels).mean(1)


def interval(quantiles: np.ndarray, levels: tuple[float, ...], percent: int) -> np.ndarray:
    """Return low and high end of a central interval, shape (2, n).

    Raises
    ------
    ValueError
        If its ends are not among the levels.
    """
    low = (100 - percent) / 200
    ends = [np.flatnonzero(np.isclose(levels, end)) for end in (low, 1 - low)]
    if not all(map(len, ends)):
        raise ValueError(f"The ends of a {percent} % interval, {low:g} and {1 - low:g}, are not "
                         "among the quantiles.")
    return np.stack([quantiles[:, end[0]] for end in ends])
