"""The Gaussian over curves of all learners on a dataset, fitted by expectation maximisation."""


import numpy as np
from scipy.linalg import cho_factor, cho_solve

from analysis.extrapolation.gaussian import Gaussian, patterns

SHRINKAGE = 400.0  # windows that the product structure counts as much as
ROUNDS = 5
JITTER = 2e-4


def fit_gaussian(windows: np.ndarray, learners: tuple[str, ...]) -> Gaussian:
    """Find mean and covariance by expectation maximisation.

    Parameters
    ----------
    windows : ndarray, shape (n_windows, n_learners, n_steps)
        Logarithmic errors; NaN where there are none.
    learners : tuple of str
    """
    flat = windows.reshape(len(windows), -1)
    there = np.isfinite(flat)
    count = np.maximum(there.sum(0), 1)
    mean = np.where(there, flat, 0).sum(0) / count
    rest = np.where(there, flat - mean, 0)
    pairs = np.maximum(there.T.astype(float) @ there, 1)
    spread = _positive(rest.T @ rest / pairs)
    for _ in range(ROUNDS):
        spread = _shrink(spread, len(learners), len(flat))
        shift, spread = _expect(np.where(there, flat - mean, np.nan), there, spread)
        mean = mean + shift
    return Gaussian(learners, mean, _shrink(spread, len(learners), len(flat)))


def _positive(matrix: np.ndarray, least: float = 1e-4) -> np.ndarray:
    value, vector = np.linalg.eigh((matrix + matrix.T) / 2)
    return (vector * np.maximum(value, least)) @ vector.T


def _shrink(spread: np.ndarray, learners: int, windows: int) -> np.ndarray:
    """Mix a covariance with its nearest product of one of learners and one of steps."""
    steps = len(spread) // learners
    blocks = spread.reshape(learners, steps, learners, steps)
    curve = np.einsum("lilj->ij", blocks) / learners
    inverse = np.linalg.pinv(curve, rcond=1e-6, hermitian=True)
    between = _positive(np.einsum("likj,ij->lk", blocks, inverse) / steps, 1e-3)
    weight = SHRINKAGE / (SHRINKAGE + windows)
    mixed = (1 - weight) * spread + weight * np.kron(between, curve)
    return mixed + JITTER * np.eye(len(spread))


def _expect(rest: np.ndarray, there: np.ndarray, spread: np.ndarray):
    """Return mean and covariance of the windows, with what is missing expected from the rest.

    In single precision, which is a third of the time.
    """
    full, extra = np.nan_to_num(rest).astype(np.float32), np.zeros_like(spread)
    small = spread.astype(np.float32)
    for rows, seen in patterns(there):
        hidden = ~seen
        if not hidden.any():
            continue
        cross = small[np.ix_(seen, hidden)]
        known = cho_factor(small[np.ix_(seen, seen)], check_finite=False)
        gain = cho_solve(known, cross, check_finite=False)
        full[np.ix_(rows, hidden)] = full[np.ix_(rows, seen)] @ gain
        left = small[np.ix_(hidden, hidden)] - cross.T @ gain
        extra[np.ix_(hidden, hidden)] += len(rows) * left
    full = full.astype(float)
    shift = full.mean(0)
    full -= shift
    return shift, (full.T @ full + extra) / len(full)


def pack_gaussian(model: Gaussian, prefix: str) -> dict[str, np.ndarray]:
    """Return a Gaussian as arrays: the lower triangle of its covariance, in single precision."""
    lower = model.covariance[np.tril_indices(len(model.mean))]
    return {f"{prefix}.mean": model.mean.astype(np.float32),
            f"{prefix}.lower": lower.astype(np.float32)}
