"""Learning curves whose true shape is known, to measure how often each procedure errs.

Two kinds. *Drawn* curves start from a true mean curve, whose violations are exactly known; repeats
share effects of their outer and inner seed, and the validation set is finite. *Learned* curves come
from a real learner, nearest centroid, on data sampled from Gaussian classes and split as in LCDB
1.1, so that repeats depend on one another as they do there.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import xarray as xr

from analysis.shapes.curves import pack
from analysis.shapes.violations import largest_bulge, largest_final_increase, largest_increase
from collection.anchors import anchor_grid
from collection.container import SEEDS
from collection.naming import check_known

MAX_VALID = 5000  # rows, as in LCDB 1.1
SEED_SPREAD = 0.01  # standard deviation of an outer or inner seed's effect on the error rate
SLOPE_SPREAD = 0.1  # and on the size of what is still to be learned, as a share of it


@dataclass(frozen=True)
class Simulation:
    """A kind of curve that can be simulated.

    Attributes
    ----------
    name, title : str
        Key in `SIMULATIONS`; in words.
    curve : callable, optional
        From anchors of shape (1, n_anchors), the violation's size, and a Generator with the number
        of curves, to true mean error rates; None for curves that are learned.
    separation : bool
        For learned curves, whether the classes differ; otherwise labels are noise.
    """

    name: str
    title: str
    curve: Callable[[np.ndarray, float, np.random.Generator, int], np.ndarray] | None = None
    separation: bool = True


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


def _peak(x, size, rng, n):
    bump = np.exp(-0.5 * (_turn(x, rng, n) / 0.3) ** 2)
    return _power_law(x, size, rng, n, steepness=2) + size * bump


def _dip(x, size, rng, n):
    after = 1 / (1 + np.exp(-_turn(x, rng, n) / 0.3))
    return _power_law(x, size, rng, n, steepness=2) + size * after


def _phase_transition(x, size, rng, n):
    before = 1 / (1 + np.exp(_turn(x, rng, n) / 0.05))
    return _power_law(x, size, rng, n) + size * before


SIMULATIONS = {
    s.name: s
    for s in (
        Simulation("power_law", "power law, monotone and convex", _power_law),
        Simulation("flat", "constant", _flat),
        Simulation("peak", "power law with a bump", _peak),
        Simulation("dip", "power law with a lasting rise", _dip),
        Simulation("phase_transition", "power law with a sudden drop", _phase_transition),
        Simulation("nearest_centroid", "nearest centroid on two Gaussian classes"),
        Simulation("noise_labels", "nearest centroid on labels that are noise", separation=False),
    )
}


def simulate_curves(shape: str, n: int, seed: int, size: float = 0.05,
                    rows: int = 1500) -> xr.DataArray:
    """Simulate validation error rates of `n` learning curves of one known true shape.

    Parameters
    ----------
    shape : str
        A name in `SIMULATIONS`. Nearest centroid's expected error on Gaussian classes of equal
        spread falls with the training set, ever more slowly: monotone and convex. On noise labels
        it is 0.5 throughout.
    n : int
        Number of curves (datasets), each with parameters of its own.
    seed : int
        Same seed, same curves.
    size : float
        Height of the bump, rise or drop added to a power law, as an error rate.
    rows : int
        Rows of each dataset. As in LCDB 1.1, 10 % are for testing, 10 % of the rest (at most 5,000)
        for validation, and anchors go up to what is left.

    Returns
    -------
    DataArray
        Dims ``curve, outer, inner, anchor`` with 5 × 5 repeats. Coordinates over ``curve``:
        ``true_mono``, ``true_conv``, ``true_dip``, ``true_peak``, the sizes of the true curve's
        violations (0 where it has none; for a peak, its height above the higher of the lowest
        points before and after it), by Definitions 1 to 4. A bump or rise too small for the power
        law that it is added to is no violation.

    Raises
    ------
    UnknownNameError
        If there is no such shape.
    ValueError
        If `rows` leaves fewer than three anchors.
    """
    check_known("simulation", [shape], SIMULATIONS)
    n_valid = min(round(0.09 * rows), MAX_VALID) // 2 * 2
    anchors = anchor_grid(up_to=rows - round(0.1 * rows) - n_valid)
    if len(anchors) < 3:
        raise ValueError(f"{rows} rows leave {len(anchors)} anchors, and a shape needs three: ask "
                         "for at least 30 rows.")
    chosen, rng = SIMULATIONS[shape], np.random.default_rng(seed)
    if chosen.curve:
        true = chosen.curve(anchors[None].astype(float), size, rng, n)
        errors = _draw(true, n_valid, rng)
    else:
        true = np.zeros((n, len(anchors)))  # violates nothing, which is all that is known of it
        errors = np.stack([_learn(anchors, rows, n_valid, chosen.separation, rng)
                           for _ in range(n)])
    return xr.DataArray(errors, dims=("curve", "outer", "inner", "anchor"), name="error_rate",
                        coords={"outer": list(SEEDS), "inner": list(SEEDS), "anchor": anchors,
                                **_true_violations(true, anchors)}, attrs={"shape": shape})


def _draw(true: np.ndarray, n_valid: int, rng: np.random.Generator) -> np.ndarray:
    """Draw 5 × 5 repeats around true curves (n, n_anchors)."""
    n, seeds = len(true), len(SEEDS)
    effects = [(rng.normal(0, SEED_SPREAD, (*at, 1)), rng.normal(0, SLOPE_SPREAD, (*at, 1)))
               for at in ((n, seeds, 1), (n, seeds, seeds))]
    true = true[:, None, None]
    chance = true + sum(shift + slope * (true - true[..., -1:]) for shift, slope in effects)
    return 1 - rng.binomial(n_valid, 1 - np.clip(chance, 0, 1)) / n_valid


def _learn(anchors: np.ndarray, rows: int, n_valid: int, separation: bool,
           rng: np.random.Generator) -> np.ndarray:
    """Learn one dataset of two balanced classes; return (5, 5, n_anchors) validation errors.

    Rows come in pairs, one of each class, so that splits of pairs are stratified.
    """
    features = int(rng.integers(2, 30))
    apart = rng.uniform(0.5, 3.0) if separation else 0.0  # between centres, in standard deviations
    pairs = rng.normal(size=(rows // 2, 2, features))
    pairs[:, 1, 0] += apart
    n_test = round(0.1 * len(pairs))
    errors = np.empty((len(SEEDS), len(SEEDS), len(anchors)))
    for outer in range(len(SEEDS)):
        kept = rng.permutation(len(pairs))[n_test:]
        for inner in range(len(SEEDS)):
            order = rng.permutation(kept)
            valid, train = pairs[order[: n_valid // 2]], pairs[order[n_valid // 2 :]]
            errors[outer, inner] = _nearest_centroid_errors(train, valid, anchors)
    return errors


def _nearest_centroid_errors(train: np.ndarray, valid: np.ndarray,
                             anchors: np.ndarray) -> np.ndarray:
    """Return the validation error after training on the first rows, up to each anchor."""
    sums = train.cumsum(axis=0)
    first, second = (sums[k - 1, label] / k[:, None]
                     for label, k in enumerate(((anchors + 1) // 2, anchors // 2)))
    normal, middle = second - first, (first + second) / 2
    score = valid @ normal.T - (normal * middle).sum(axis=1)
    wrong = np.stack([score[:, 0] > 0, score[:, 1] <= 0], axis=1)
    return 1 - (1 - wrong.mean(axis=(0, 1)))


def _true_violations(true: np.ndarray, anchors: np.ndarray) -> dict[str, tuple[str, np.ndarray]]:
    curves = pack(true[:, None], anchors.astype(float), np.finfo(float).eps)
    before = np.minimum.accumulate(true, axis=1)
    after = np.minimum.accumulate(true[:, ::-1], axis=1)[:, ::-1]
    sizes = {
        "true_mono": largest_increase(curves.means, curves.rounding).size,
        "true_conv": largest_bulge(curves, curves.rounding).size,
        "true_dip": largest_final_increase(curves.means, curves.counts, curves.rounding).size,
        "true_peak": (true - np.maximum(before, after)).max(axis=1),
    }
    return {name: ("curve", size) for name, size in sizes.items()}
