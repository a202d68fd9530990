"""Laws and processes as their papers fit them, a curve at a time.

Sizes are counted in the last one seen, where every law is well scaled; errors are fitted on the
scale of their logarithm, as Alabdulmohsin et al. 2022 do, unless a paper says otherwise.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from scipy import linalg, optimize

LEAST_ERROR, EVALUATIONS = 1e-6, 25_000  # the latter of a curve of `CAZACU`, at most
HALVINGS, STEPS = 10, 5  # of bisection and of Newton's method, that find an error of M4
#: Starts, bounds of POW4, MMF4, WBL4 for accuracies (Cazacu 2025, experiment 2).
CAZACU = {
    "POW4": (lambda n, a, b, c, d: a - b * (d + n) ** -c,
             (0.9, 0.8, 1, 100), ([0.01, 0.01, 0.001, 1], [1, 2, 5, 10_000])),
    "MMF4": (lambda n, a, b, c, d: (a * b + c * n**d) / (b + n**d),
             (0.9, 1000, 0.1, 1), ([0.01, 1e-6, 0, 0.01], [1, np.inf, 1, 10])),
    "WBL4": (lambda n, a, b, c, d: c - b * np.exp(-a * n**d),
             (0.001, 0.8, 0.9, 1), ([1e-10, 0.01, 0.01, 0.01], [1, 2, 1, 5]))}


def by_cazacu(sizes: np.ndarray, error: np.ndarray, at: np.ndarray, model: str) -> np.ndarray:
    """Fit accuracies from one fixed start, as Cazacu does, and predict.

    Without bounds where the fit fails, and the start itself where that fails too.

    Parameters
    ----------
    sizes, error : ndarray, shape (n_seen,)
    at : ndarray, shape (n_sizes,)
    model : str
        In `CAZACU`.
    """
    curve, start, bounds = CAZACU[model]
    found = np.array(start, float)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", optimize.OptimizeWarning)
        for limits in (bounds, (-np.inf, np.inf)):
            try:
                found = optimize.curve_fit(curve, sizes, 1 - error, start, bounds=limits,
                                           maxfev=EVALUATIONS)[0]
                break
            except (RuntimeError, ValueError, TypeError):  # as published: the next one is tried
                continue
        return 1 - np.nan_to_num(curve(at, *found), nan=start[0]).clip(0, 1)


@dataclass(frozen=True)
class Law:
    """A scaling law.

    Attributes
    ----------
    curve : callable
        ``curve(z, *parameters)``: errors at sizes counted in the last one seen.
    starts : callable
        ``starts(error)``: parameters that the fit begins at, a tuple each.
    evaluations : int
        Of the residuals, at most, from each start.
    """

    curve: Callable[..., np.ndarray]
    starts: Callable[[np.ndarray], list[tuple[float, ...]]]
    evaluations: int = 200


def _m4(z, a, b, c, top, alpha):
    """Solve (e - a) / (e0 - e)^alpha = b z^-c for e between a and e0, which is a / top-wards."""
    room, right = np.exp(top), b - c * np.log(z)
    share = np.full(z.shape, 0.5)  # of the way from a to e0, on the scale of the logit

    def excess(share):
        return np.log(share * room) - alpha * np.log((1 - share) * room) - right

    step = 0.25
    for _ in range(HALVINGS):
        share = share - step * np.sign(excess(share))
        step /= 2
    logit = np.log(share / (1 - share))
    for _ in range(STEPS):
        share = 1 / (1 + np.exp(-logit))
        logit = logit - excess(share) / (1 - share + alpha * share)
    return a + room / (1 + np.exp(-logit))


def _floors(error: np.ndarray) -> list[float]:
    return [1e-4 * error.min(), 0.5 * error.min(), 0.9 * error.min()]


LAWS = {
    "M1": Law(lambda z, b, c: np.exp(b - c * np.log(z)),
              lambda e: [(np.log(e[-1]), 0.3)]),
    "M2": Law(lambda z, a, b, c: np.abs(a) + np.exp(b - c * np.log(z)),
              lambda e: [(a, np.log(e[-1] - a), 0.3) for a in _floors(e)]),
    "M3": Law(lambda z, a, b, c, g: np.abs(a) + np.exp(b + c * np.log(1 / z + np.abs(g))),
              lambda e: [(a, np.log(e[-1] - a), 0.3, 1e-3) for a in _floors(e)]),
    "M4": Law(lambda z, a, b, c, t, p: _m4(z, np.abs(a), b, c, t, np.abs(p)),
              lambda e: [(a, np.log(e[-1] - a), 0.3, np.log(1.5 * e.max()), 0.5)
                         for a in _floors(e)[1:]], 50),
    "BNSL": Law(lambda z, a, b, c, c1, d, f: np.abs(a) + np.exp(
                    b - c * np.log(z) - c1 * np.abs(f) * np.logaddexp(
                        0, (np.log(z) - d) / np.maximum(np.abs(f), 0.05))),
                lambda e: [(a, np.log(e[-1] - a), 0.2, 0.2, d, 0.5)
                           for a in _floors(e)[:2] for d in (-1.0, -3.0)], 100)}


def by_law(sizes: np.ndarray, error: np.ndarray, at: np.ndarray, name: str) -> np.ndarray:
    """Fit a law to the logarithms of errors from several starts, and predict by the best fit.

    Parameters
    ----------
    sizes, error : ndarray, shape (n_seen,)
    at : ndarray, shape (n_sizes,)
    name : str
        In `LAWS`: M1 to M4 of Alabdulmohsin et al. 2022 (e = b n^-c; with a floor a; with
        1/n + g for 1/n; between a floor and a top), BNSL of Caballero et al. 2023 with one break.

    Returns
    -------
    ndarray, shape (n_sizes,)
        The last error seen where no fit is finite.
    """
    law, z = LAWS[name], sizes / sizes[-1]
    error = np.maximum(error, LEAST_ERROR)
    best, least = None, np.inf
    with np.errstate(all="ignore"):
        for start in law.starts(error):
            try:
                fit = optimize.least_squares(
                    lambda p: np.log(np.maximum(law.curve(z, *p), LEAST_ERROR)) - np.log(error),
                    start, max_nfev=law.evaluations)
            except ValueError:  # a residual is not finite from this start
                continue
            if fit.cost < least:
                best, least = fit.x, fit.cost
        found = law.curve(at / sizes[-1], *best) if best is not None else np.full(at.shape, np.nan)
    return np.where(np.isfinite(found), found, error[-1])


#: Mean functions of the error over sizes counted in the first one, and their starts.
MEANS = {"GP power law": (lambda x, e, a, c: np.abs(e) + np.exp(a) * x ** -np.abs(c),
                          (0.05, -1.0, 0.3)),
         "GP arctan": (lambda x, e, a, c: 1 + np.abs(e) - 2 / np.pi * np.arctan(
                           np.pi / 2 * np.exp(a) * x + c), (0.05, -1.0, 0.5))}
PRIOR_FLOOR = 0.05  # mean of the exponential prior of what no rows remove
LEAST_NOISE = 0.003


def by_process(sizes: np.ndarray, error: np.ndarray, at: np.ndarray, mean: str,
               levels: tuple[float, ...]) -> np.ndarray:
    """Condition a Gaussian process around a curve, after Harvey et al. 2023.

    The kernel is Gaussian in the logarithm of the size; all parameters are at their posterior
    mode. Priors are ours: log-normal on range, spread and noise, exponential on the floor.

    Parameters
    ----------
    sizes, error : ndarray, shape (n_seen,)
        Errors from 0 to 1.
    at : ndarray, shape (n_sizes,)
    mean : str
        In `MEANS`.
    levels : tuple of float

    Returns
    -------
    ndarray, shape (n_sizes, n_levels)
        Quantiles of the normal distribution there, cut to 0 and 1.
    """
    curve, start = MEANS[mean]
    x, ahead = np.log(sizes / sizes[0]), np.log(at / sizes[0])
    prior = np.array([np.log(2.0), np.log(0.02), np.log(0.01)])

    def kernel(one, other, p):
        return np.exp(2 * p[1] - 0.5 * ((one[:, None] - other) / np.exp(p[0])) ** 2)

    def noisy(p):
        return kernel(x, x, p) + (LEAST_NOISE**2 + np.exp(2 * p[2])) * np.eye(len(x))

    def loss(q):
        try:
            lower = linalg.cholesky(noisy(q[3:]), lower=True, check_finite=False)
        except (linalg.LinAlgError, ValueError):
            return 1e6
        rest = linalg.solve_triangular(lower, error - curve(np.exp(x), *q[:3]), lower=True,
                                       check_finite=False)
        own = 0.5 * rest @ rest + np.log(np.diag(lower)).sum()
        value = own + abs(q[0]) / PRIOR_FLOOR + 0.5 * (q[3:] - prior) @ (q[3:] - prior)
        return value if np.isfinite(value) else 1e6

    with np.errstate(all="ignore"):
        q = optimize.minimize(loss, [*start, *prior], method="L-BFGS-B").x
        lower = linalg.cho_factor(noisy(q[3:]), lower=True)
        cross = kernel(ahead, x, q[3:])
        middle = curve(np.exp(ahead), *q[:3]) + cross @ linalg.cho_solve(
            lower, error - curve(np.exp(x), *q[:3]))
        spread = np.exp(2 * q[4]) - (cross * linalg.cho_solve(lower, cross.T).T).sum(1)
    sd = np.sqrt(np.maximum(spread, 0) + LEAST_NOISE**2 + np.exp(2 * q[5]))
    z = np.array([NormalDist().inv_cdf(level) for level in levels])
    return (middle[:, None] + sd[:, None] * z).clip(0, 1)
