"""Least squares under weights that are not negative, for few unknowns, many times over."""

import numpy as np

PATIENCE = 3  # exchanges of whole blocks that may fail to help, before one at a time
ROUNDING = 1e-12  # of a gradient, relative to the largest product


def solve_nonnegative(gram: np.ndarray, product: np.ndarray) -> np.ndarray:
    """Return the w >= 0 that minimises w' G w / 2 - p' w, by block principal pivoting.

    After Portugal, Júdice and Vicente 1994: guess which unknowns are above 0, solve for these,
    exchange all that contradict the guess; one at a time where that does not help (Murty's rule,
    which ends).

    Parameters
    ----------
    gram : ndarray, shape (unknown, unknown)
        Symmetric, positive definite.
    product : ndarray, shape (unknown,)

    Returns
    -------
    ndarray of float, shape (unknown,)
    """
    free = np.ones(len(product), bool)
    fewest, patience = len(product) + 1, PATIENCE
    slack = ROUNDING * np.abs(product).max()
    while True:
        solution = np.zeros(len(product))
        solution[free] = np.linalg.solve(gram[free][:, free], product[free])
        wrong = np.where(free, solution < 0, gram @ solution - product < -slack)
        count = np.count_nonzero(wrong)
        if not count:
            return solution
        if count < fewest:
            fewest, patience = count, PATIENCE
        elif patience:
            patience -= 1
        else:
            wrong[:np.flatnonzero(wrong)[-1]] = False
        free ^= wrong
