"""Learning curves whose true shape is known, to measure how often each procedure errs.

Two kinds. *Drawn* curves start from a true mean curve, whose violations are exactly known; repeats
scatter around it as those of LCDB 1.0's or mini's learners do, and errors are counted on a finite
validation set. *Learned* curves are those of real learners on data sampled from known populations
(two balanced Gaussian classes, or labels that are noise) and split as in LCDB 1.1, so that repeats
depend on one another as they do there. Rows come in pairs, one of each class, so that splits of
pairs are stratified.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import xarray as xr

from analysis.shapes import verdicts
from analysis.shapes.curves import pack
from analysis.shapes.transitions import excess_of, steps_of
from collection.project.naming import check_known
from collection.protocol.anchors import anchor_grid
from lab.shapes.noise import MAX_VALID, OF_DATASET, Noise, draw_noise, sample_noise, variances

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


ESTIMANDS = ("dataset", "population")
TRUE_SIZES = ("true_mono", "true_conv", "true_dip", "true_peak")
BISECTIONS = 30  # a height is then known to 1e-9
HIGHEST = 0.95  # error rate of a true curve


def _power_law(x, size, rng, n, steepness=1):
    asymptote, rate = rng.uniform(0.05, 0.25, (n, 1)), steepness * rng.uniform(0.2, 0.8, (n, 1))
    return asymptote + rng.uniform(0.1, 0.4, (n, 1)) * (x / x[0, 0]) ** -rate


def _flat(x, size, rng, n):
    return np.broadcast_to(rng.uniform(0.05, 0.5, (n, 1)), (n, x.shape[1]))


def _turn(x, rng, n):
    """Draw a position in the middle half of the anchors' logarithms, and return log(x) from it."""
    log_x = np.log(x)
    where = rng.uniform(0.25, 0.75, (n, 1)) * (log_x[0, -1] - log_x[0, 0]) + log_x[0, 0]
    return log_x - where


def _peak(x, size, rng, n, width=0.3):
    bump = np.exp(-0.5 * (_turn(x, rng, n) / width) ** 2)
    return _power_law(x, size, rng, n, steepness=2) + size * bump


def _dip(x, size, rng, n, width=0.3):
    after = 1 / (1 + np.exp(-_turn(x, rng, n) / width))
    return _power_law(x, size, rng, n, steepness=2) + size * after


def _phase_transition(x, size, rng, n, width=0.05, steepness=1):
    before = 1 / (1 + np.exp(_turn(x, rng, n) / width))
    return _power_law(x, size, rng, n, steepness) + size * before


#: Drawn shapes: from anchors of shape (1, n_anchors), a violation's size, a Generator and a number
#: of curves to true mean error rates.
DRAWN = {
    "power_law": _power_law, "flat": _flat, "peak": _peak,
    "narrow_peak": partial(_peak, width=0.1), "broad_peak": partial(_peak, width=0.8),
    "dip": _dip, "slow_dip": partial(_dip, width=0.8), "phase_transition": _phase_transition,
    "slow_transition": partial(_phase_transition, width=0.15, steepness=0.3)}
SIMULATIONS = (*DRAWN, *LEARNED)
#: The violation that each drawn shape is made for, as a coordinate of `simulate_curves`.
VIOLATION_OF = {"peak": "true_peak", "narrow_peak": "true_peak", "broad_peak": "true_peak",
                "dip": "true_dip", "slow_dip": "true_dip",
                "phase_transition": "true_conv", "slow_transition": "true_conv"}


def simulate_curves(shape: str, n: int, seed: int, size: float = 0.05, rows: int = 1500, *,
                    true_size: float | None = None, anchors: int | None = None,
                    repeats: tuple[int, int] = (5, 5), noise: str = "lcdb10",
                    estimand: str = "dataset") -> xr.DataArray:
    """Simulate validation error rates of `n` learning curves of one known true shape.

    Parameters
    ----------
    shape : str
        A name in `SIMULATIONS`. Nearest centroid's expected error on Gaussian classes of equal
        spread falls with the training set, ever more slowly: monotone and convex. On noise labels
        every learner's is 0.5 throughout.
    n : int
        Number of curves (datasets), each with parameters of its own.
    seed : int
        Same seed, same curves.
    size : float
        Height of the bump, rise or drop added to a power law, as an error rate.
    rows : int
        Rows of each dataset. As in LCDB 1.1, 10 % are for testing, 10 % of the rest (at most 5,000)
        for validation, and anchors go up to what is left.
    true_size : float, optional
        Choose each curve's height so that its true violation, of the kind in `VIOLATION_OF`, has
        this size; `size` is then not used. Drawn curves with a violation only. Where that would
        take error rates above 0.95, the violation is smaller, as its coordinate says.
    anchors : int, optional
        So many, at equal ratios (nearly, where sizes would coincide), instead of LCDB 1.1's.
    repeats : tuple of int
        Outer and inner seeds.
    noise : str
        Database whose noise drawn curves have: each curve that of one of its learners, with their
        variances and correlations along the curve (`lab.shapes.noise`).
    estimand : {"dataset", "population"}
        What the true shape of drawn curves belongs to. With "dataset", repeats scatter around the
        true curve: it is the mean over all splits of this dataset. With "population", the dataset
        is itself a sample: its mean over all splits deviates from the true curve, as repeats
        share its rows. Learned curves always have their population's shape.

    Returns
    -------
    DataArray
        Dims ``curve, outer, inner, anchor``. Coordinates over ``curve``: ``true_mono``,
        ``true_conv``, ``true_dip``, ``true_peak``, the sizes of the true curve's violations (0
        where it has none; for a peak, its height above the higher of the lowest points before and
        after it), by Definitions 1 to 4. A bump or rise too small for the power law that it is
        added to is no violation. ``true_transition``: by how much a drop exceeds what a phase
        transition must (`analysis.shapes.transitions`).

    Raises
    ------
    UnknownNameError
        If there is no such shape, estimand, or database with fitted noise.
    ValueError
        If `rows` leaves fewer than three anchors, or `true_size` is asked of a shape without
        violation.
    """
    check_known("simulation", [shape], SIMULATIONS)
    check_known("estimand", [estimand], ESTIMANDS)
    n_valid, grid = _protocol(rows, anchors)
    rng = np.random.default_rng(seed)
    if shape in DRAWN:
        true = _true_curves(shape, grid, size, true_size, n, rng)
        errors = _draw(true, grid, n_valid, repeats, source=noise,
                       rows=rows * (estimand == "population"), rng=rng)
    else:
        errors = learn_curves(LEARNED[shape], n, grid, rows, n_valid, repeats, rng)
        true = np.zeros((n, len(grid)))
    return xr.DataArray(errors, dims=("curve", "outer", "inner", "anchor"), name="error_rate",
                        coords={"outer": list(range(repeats[0])), "inner": list(range(repeats[1])),
                                "anchor": grid, **_true_violations(true, grid)},
                        attrs={"shape": shape, "estimand": estimand})


def _protocol(rows: int, anchors: int | None) -> tuple[int, np.ndarray]:
    """Return the validation rows and the anchors of a dataset with so many rows."""
    n_valid = max(2, min(round(0.09 * rows), MAX_VALID) // 2 * 2)
    largest = rows - round(0.1 * rows) - n_valid
    grid = anchor_grid(up_to=largest)
    if len(grid) < 3:
        raise ValueError(f"{rows} rows leave {len(grid)} anchors, and a shape needs three: ask "
                         "for at least 30 rows.")
    if anchors is not None:
        grid = _equal_ratios(grid[0], largest, anchors)
    return n_valid, grid


def _equal_ratios(first: int, last: int, anchors: int) -> np.ndarray:
    """Return so many different sizes; where ratios make some coincide, of a slightly finer grid."""
    for count in range(min(anchors, last - first + 1), last - first + 2):
        grid = np.unique(np.geomspace(first, last, count).round().astype(int))
        if len(grid) >= anchors:
            return grid
    return np.arange(first, last + 1)


def _true_curves(shape: str, anchors: np.ndarray, size: float, true_size: float | None,
                 n: int, rng: np.random.Generator) -> np.ndarray:
    """Return true mean curves (n, n_anchors), of a given true violation where that is asked."""
    x, state = anchors[None].astype(float), rng.bit_generator.state
    if true_size is None:
        return DRAWN[shape](x, size, rng, n)
    if shape not in VIOLATION_OF:
        raise ValueError(f"A curve of shape {shape!r} has no violation whose true size could "
                         f"be {true_size}: ask for one of {', '.join(VIOLATION_OF)}.")

    def at_height(height: np.ndarray) -> np.ndarray:
        rng.bit_generator.state = state  # the same curves at every height
        return DRAWN[shape](x, height[:, None], rng, n)

    low, high = np.zeros(n), HIGHEST - at_height(np.zeros(n)).max(axis=1)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        below = size_of(VIOLATION_OF[shape], at_height(middle), anchors) < true_size
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return at_height(high)


def _draw(true: np.ndarray, anchors: np.ndarray, n_valid: int, repeats: tuple[int, int],
          source: str, rows: int, rng: np.random.Generator) -> np.ndarray:
    """Draw repeats around true curves (n, n_anchors), of datasets of so many rows if that is not 0.

    All repeats of a dataset then share a deviation from the true curve, which has n_valid / rows of
    their variance, the share of its rows that two validation sets have in common.
    """
    noise = sample_noise(source, len(true), rng)
    variance = variances(true, anchors, n_valid, noise)
    if rows:
        shared = Noise(*np.broadcast_to(np.array(OF_DATASET)[:, None], (5, len(true))))
        deviation = draw_noise(anchors, shared, (1, 1), rng)[:, 0, 0]
        true = true + _bounded(np.sqrt(variance * n_valid / rows) * deviation, true)
        variance = variance * (1 - n_valid / rows)
    spread, true = np.sqrt(variance)[:, None, None], true[:, None, None]
    chance = n_valid * (true + _bounded(spread * draw_noise(anchors, noise, repeats, rng), true))
    wrong = np.floor(chance + rng.random(chance.shape))  # a count, with `chance` as its mean
    return 1 - (n_valid - wrong) / n_valid


def _bounded(noise: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Clip noise on both sides alike, so that rates stay in [0, 1] and means are not moved."""
    room = np.minimum(true, 1 - true)
    return np.clip(noise, -room, room)


def _true_violations(true: np.ndarray, anchors: np.ndarray) -> dict[str, tuple[str, np.ndarray]]:
    sizes = {name: ("curve", size_of(name, true, anchors)) for name in TRUE_SIZES}
    return sizes | {"true_transition": ("curve", true_transition(true, anchors))}


def size_of(name: str, true: np.ndarray, anchors: np.ndarray) -> np.ndarray:
    """Return the sizes of one kind of violation of true curves (n, n_anchors)."""
    curves = pack(true[:, None], anchors.astype(float), np.finfo(float).eps)
    if name == "true_mono":
        return verdicts.largest_increase(curves.means, curves.rounding).size
    if name == "true_dip":
        return verdicts.largest_final_increase(curves.means, curves.counts, curves.rounding).size
    if name == "true_conv":
        gap = true - verdicts.convex_minorant(curves.anchors, true, curves.counts)
        return np.where(gap > curves.rounding[:, None], gap, 0).max(axis=1)
    before = np.minimum.accumulate(true, axis=1)
    after = np.minimum.accumulate(true[:, ::-1], axis=1)[:, ::-1]
    return (true - np.maximum(before, after)).max(axis=1)


def true_transition(true: np.ndarray, anchors: np.ndarray) -> np.ndarray:
    """Return by how much the drops of true curves (n, n_anchors) exceed twice what precedes them.

    The largest over all places, at least 0, in the metric's unit.
    """
    steps = steps_of(np.asarray(anchors, float).tobytes())
    if not len(steps.i):
        return np.zeros(len(true))
    return np.maximum(excess_of(true, steps), 0).max(axis=1)
