"""A Gaussian over the curves of all learners on a dataset, conditioned on what is seen of them.

The curves of all learners around one training-set size are one long vector: logarithmic errors at
some doublings before it and after it. Its mean and covariance over datasets and sizes are found by
expectation maximisation, missing values included, the covariance shrunk towards the product of one
between learners and one along the curve. Any part of it then predicts the rest in closed form. A
learner that is not known is taken for each of the known ones, weighted by how likely its own past
is under each: a mixture.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from analysis.extrapolation.seen import FUTURE, PAST, Scenes, Seen, along, past, set_scenes

STEPS = len(PAST) + len(FUTURE)
AHEAD = np.arange(len(PAST) - 1, STEPS)  # now and the future


@dataclass(frozen=True)
class Gaussian:
    """Mean and covariance of windows.

    Attributes
    ----------
    learners : tuple of str
    mean : ndarray, shape (n_learners * n_steps,)
    covariance : ndarray, shape (n_learners * n_steps, n_learners * n_steps)
    """

    learners: tuple[str, ...]
    mean: np.ndarray
    covariance: np.ndarray


def patterns(there: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the rows that share a pattern of what is there, and the pattern."""
    kinds, which = np.unique(there, axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    ends = np.bincount(which.ravel()).cumsum()[:-1]
    yield from zip(np.split(order, ends), kinds, strict=True)


def condition(model: Gaussian, scenes: Scenes) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and variance of every learner's curve, now and ahead, in every scene.

    Returns
    -------
    mean, variance : ndarray, shape (n_scenes, n_learners, 1 + len(FUTURE))
        Of logarithmic errors.
    """
    n, learners = len(scenes.past), len(model.learners)
    column = np.arange(learners * STEPS).reshape(learners, STEPS)
    known, wanted = column[:, :len(PAST)].ravel(), column[:, AHEAD].ravel()
    values = scenes.past.reshape(n, -1)
    mean, variance = np.empty((2, n, len(wanted)))
    prior = np.diag(model.covariance)[wanted]
    for rows, seen in patterns(np.isfinite(values)):
        at = known[seen]
        cross = model.covariance[np.ix_(at, wanted)]
        gain = np.linalg.solve(model.covariance[np.ix_(at, at)], cross)
        mean[rows] = model.mean[wanted] + (values[np.ix_(rows, seen)] - model.mean[at]) @ gain
        variance[rows] = prior - (gain * cross).sum(0)
    shape = (n, learners, len(AHEAD))
    return mean.reshape(shape), variance.clip(1e-8).reshape(shape)


def expect_alone(model: Gaussian, own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and variance of curves of unknown learners, each from its own past.

    Parameters
    ----------
    model : Gaussian
    own : ndarray, shape (n_curves, len(PAST))
        Logarithmic errors; NaN where not seen.

    Returns
    -------
    mean, variance : ndarray, shape (n_curves, 1 + len(FUTURE))
        Of the mixture over the known learners.
    """
    column = np.arange(len(model.mean)).reshape(-1, STEPS)
    mean, variance = np.empty((2, len(own), len(AHEAD)))
    for rows, seen in patterns(np.isfinite(own)):
        parts = [_alone(model, at, own[np.ix_(rows, seen)], seen) for at in column]
        weight, centre, spread = (np.stack(part) for part in zip(*parts, strict=True))
        weight = np.exp(weight - weight.max(0))[..., None]
        weight /= weight.sum(0)
        mean[rows] = (weight * centre).sum(0)
        variance[rows] = (weight * (spread + centre**2)).sum(0) - mean[rows] ** 2
    return mean, variance.clip(1e-8)


def _alone(model: Gaussian, column: np.ndarray, values: np.ndarray, seen: np.ndarray):
    """Return the log density of pasts under one learner, and its conditional moments."""
    at, wanted = column[: len(PAST)][seen], column[AHEAD]
    inner = model.covariance[np.ix_(at, at)]
    cross = model.covariance[np.ix_(at, wanted)]
    rest = values - model.mean[at]
    solved = np.linalg.solve(inner, rest.T).T
    density = -0.5 * ((rest * solved).sum(1) + np.linalg.slogdet(inner)[1])
    left = np.diag(model.covariance)[wanted] - (np.linalg.solve(inner, cross) * cross).sum(0)
    return density, model.mean[wanted] + solved @ cross, np.broadcast_to(
        left, (len(values), len(wanted)))


def expect(model: Gaussian, seen: Seen, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and standard deviation of the logarithmic error at the targets.

    Returns
    -------
    mean, deviation : ndarray, shape (n_curves, n_targets)
        As far off the last value as the Gaussian expects to move from its own smoothed one.
    """
    scenes = set_scenes(seen, model.learners)
    mean, variance = np.empty((2, len(seen.values), len(AHEAD)))
    known = scenes.slot >= 0
    if known.any():
        moments = condition(model, scenes)
        at = scenes.scene[known], scenes.slot[known]
        mean[known], variance[known] = (part[at] for part in moments)
    if not known.all():
        mean[~known], variance[~known] = expect_alone(
            model, past(seen.take(np.flatnonzero(~known))))
    horizon = np.log2(targets) - seen.now[:, None]
    return along(mean, horizon), np.sqrt(along(variance, horizon).clip(1e-8))
