"""Real learners on synthetic populations, whose true learning curves violate nothing.

A dataset is a sample of two balanced Gaussian classes, or of one whose labels are noise, and is
split as in LCDB 1.1: repeats share its rows as those of real datasets do. Rows come in pairs, one
of each class, so that splits of pairs are stratified.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

FEATURES = (2, 30)  # of a population, at least and at most


@dataclass(frozen=True)
class Learned:
    """A learner on a kind of population.

    Attributes
    ----------
    errors : callable
        From training pairs (n_pairs, 2, n_features), validation pairs, and anchors to validation
        error rates (n_anchors,), after training on the first rows up to each anchor.
    apart : tuple of two float
        Range from which the distance between the classes' centres in standard deviations is drawn;
        0: labels are noise.
    """

    errors: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    apart: tuple[float, float] = (0.5, 3.0)


def learn_curves(learned: Learned, n: int, anchors: np.ndarray, rows: int, n_valid: int,
                 repeats: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Return validation errors (n, *repeats, n_anchors); the true curves violate nothing.

    Parameters
    ----------
    learned : Learned
        Learner and population, of which each dataset draws its own.
    n : int
        Datasets.
    anchors : ndarray of int
        Training-set sizes.
    rows, n_valid : int
        Rows of each dataset and of a validation set.
    repeats : tuple of int
        Outer and inner seeds.
    rng : Generator
        Where draws come from.
    """
    populations = [(int(rng.integers(*FEATURES, endpoint=True)), rng.uniform(*learned.apart))
                   for _ in range(n)]
    errors = np.empty((n, *repeats, len(anchors)))
    for k, population in enumerate(populations):
        pairs = sample_pairs(rows // 2, *population, rng)
        for outer, inner, train, valid in _splits(pairs, n_valid, repeats, rng):
            errors[k, outer, inner] = learned.errors(train, valid, anchors)
    return errors


def sample_pairs(n: int, features: int, apart: float, rng: np.random.Generator) -> np.ndarray:
    """Draw pairs of rows (n, 2, features), one of each class, of variance 1 in every direction."""
    pairs = rng.normal(size=(n, 2, features))
    pairs[:, 1, 0] += apart
    return pairs


def _splits(pairs: np.ndarray, n_valid: int, repeats: tuple[int, int],
            rng: np.random.Generator) -> Iterator[tuple[int, int, np.ndarray, np.ndarray]]:
    n_test = round(0.1 * len(pairs))
    for outer in range(repeats[0]):
        kept = rng.permutation(len(pairs))[n_test:]
        for inner in range(repeats[1]):
            order = rng.permutation(kept)
            yield outer, inner, pairs[order[n_valid // 2 :]], pairs[order[: n_valid // 2]]


def nearest_centroid(train: np.ndarray, valid: np.ndarray, anchors: np.ndarray) -> np.ndarray:
    """Assign the class whose training mean is closer."""
    sums = train.cumsum(axis=0)
    first, second = (sums[k - 1, label] / k[:, None]
                     for label, k in enumerate(((anchors + 1) // 2, anchors // 2)))
    normal, middle = second - first, (first + second) / 2
    score = valid @ normal.T - (normal * middle).sum(axis=1)
    wrong = np.stack([score[:, 0] > 0, score[:, 1] <= 0], axis=1)
    return 1 - (1 - wrong.mean(axis=(0, 1)))


def nearest_neighbour(train: np.ndarray, valid: np.ndarray, anchors: np.ndarray) -> np.ndarray:
    """Assign the class of the closest training row."""
    rows, asked = train.reshape(-1, train.shape[2]), valid.reshape(-1, valid.shape[2])
    rows = rows[: anchors[-1]]
    distance = (rows**2).sum(axis=1) - 2 * asked @ rows.T
    closest = np.minimum.accumulate(distance, axis=1)
    is_record = distance <= closest
    index = np.maximum.accumulate(np.where(is_record, np.arange(len(rows)), 0), axis=1)
    label = index[:, anchors - 1] % 2
    return (label != np.tile([0, 1], len(valid))[:, None]).mean(axis=0)


def least_squares(train: np.ndarray, valid: np.ndarray, anchors: np.ndarray) -> np.ndarray:
    """Regress ±1 on the features, with the smallest weights where rows are too few."""
    asked = _with_constant(valid.reshape(-1, valid.shape[2]))
    rows = _with_constant(train.reshape(-1, train.shape[2])[: anchors[-1]])
    sign = np.tile([-1.0, 1.0], len(train))[: len(rows)]
    weights = np.stack([_fit(rows[:k], sign[:k]) for k in anchors], axis=1)
    return (np.sign(asked @ weights) != np.tile([-1.0, 1.0], len(valid))[:, None]).mean(axis=0)


def _with_constant(rows: np.ndarray) -> np.ndarray:
    return np.concatenate([rows, np.ones((len(rows), 1))], axis=1)


def _fit(rows: np.ndarray, sign: np.ndarray) -> np.ndarray:
    """Return least-squares weights; the minimum-norm ones where rows are fewer than weights."""
    if len(rows) >= rows.shape[1] + 2:
        return np.linalg.solve(rows.T @ rows, rows.T @ sign)
    return np.linalg.lstsq(rows, sign, rcond=None)[0]


LEARNED = {
    "nearest_centroid": Learned(nearest_centroid),
    "noise_labels": Learned(nearest_centroid, apart=(0, 0)),
    "neighbour_on_noise": Learned(nearest_neighbour, apart=(0, 0)),
    "least_squares_on_noise": Learned(least_squares, apart=(0, 0)),
}
