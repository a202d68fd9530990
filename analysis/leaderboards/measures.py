"""How good a method is on one fold of a task, relative to the others there; by name."""

import numpy as np
from scipy.stats import rankdata

MOST_PARTIAL = 0.5  # of a place, for the position between two neighbours
LEAST_SPAN = 1e-5  # of the median above the best error (TabRepo, Section 4)


def ranks(error: np.ndarray) -> np.ndarray:
    """Return each method's rank on each split: 1 is best, equal ones share their mean rank."""
    return rankdata(error, axis=1)


def normalized_errors(error: np.ndarray) -> np.ndarray:
    """Return (error − best) / (median − best), the denominator at least 1e-5, cut to [0, 1].

    TabRepo, Section 4: best and median are over the methods compared. Infinite errors (missing
    results counted as the worst) are 1 and do not move the median.
    """
    return np.array([normalize_among(row, row[np.isfinite(row)]) for row in error])


def place_among(error: np.ndarray, others: np.ndarray, partial: bool = True) -> np.ndarray:
    """Return the places of errors among others: 0 is better than all.

    Each smaller error counts 1, an equal one 1/2.

    Parameters
    ----------
    error : ndarray, shape (query,)
        On one task; 0 or more.
    others : ndarray, shape (method,)
        Errors of others there, in any order.
    partial : bool
        Add up to half a place for the position between the two neighbours: from 0 to 1/2 of the
        way from the next smaller error (0 if there is none) to the next larger one; above the
        worst, from there to twice the worst.

    Returns
    -------
    ndarray of float, shape (query,)
    """
    error, others = np.asarray(error, float), np.sort(np.asarray(others, float))
    smaller, up_to = (np.searchsorted(others, error, side) for side in ("left", "right"))
    place = (smaller + up_to) / 2
    return place + _partial(error, others, up_to) if partial else place


def _partial(error: np.ndarray, others: np.ndarray, up_to: np.ndarray) -> np.ndarray:
    """Return the position between neighbours, from 0 to 1/2; `up_to` counts smaller or equal."""
    low = np.append(0.0, others)[up_to]
    high = np.append(others, 2 * others[-1])[up_to]
    span = high - low
    way = np.divide(error - low, span, out=np.zeros_like(error), where=span > 0)
    return MOST_PARTIAL * np.clip(way, 0, 1)


def normalize_among(error: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return (error − best) / max(median − best, 1e-5), cut to [0, 1] (TabRepo, Section 4).

    Parameters
    ----------
    error : ndarray, shape (query,)
    others : ndarray, shape (method,)
        Errors of others on the task, of which best and median are taken.
    """
    best = np.min(others)
    span = max(np.median(others) - best, LEAST_SPAN)
    return np.clip((np.asarray(error, float) - best) / span, 0, 1)
