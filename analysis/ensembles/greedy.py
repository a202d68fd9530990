"""Greedy ensemble selection (Caruana et al. 2004): pick, with repetition, what helps most."""

from functools import partial

import numpy as np

from analysis.ensembles import candidates as contenders
from analysis.ensembles.candidates import Candidates, PlainMean, PublishedMean
from analysis.ensembles.inputs import check_inputs
from analysis.ensembles.registry import Ensemble, ensembler
from collection.project.naming import check_known

DECIMALS = 6  # of the published errors from the second pick on …
UNROUNDED = 1e-4  # … unless the first pick's error is at most this
EQUAL = 1e-9  # the recommended procedure takes errors that differ by less to be equal

CANDIDATES = {"log_loss": contenders.LogLossCandidates, "auc": contenders.AucCandidates,
              "error_rate": contenders.ErrorRateCandidates, "rmse": contenders.RmseCandidates}


def pick_published(candidates: Candidates, size: int, seed: int) -> tuple[list[int], list[float]]:
    """Pick as the published implementation does; what comes after the first lowest error goes.

    From the second pick on errors are rounded to 6 decimals, if the first is above 1e-4. Of equal
    ones, configs already picked go first; then a seeded draw decides.
    """
    draws = np.random.RandomState(seed)
    order, trajectory, decimals = [], [], None
    while len(order) < size:
        found = candidates.best(0 if decimals is None else 10.0**-decimals)
        if decimals is not None:
            rounded = np.round(list(found.values()), decimals)
            found = dict(zip(found, rounded, strict=True))
        lowest = min(found.values())
        equal = sorted(config for config, error in found.items() if error == lowest)
        pick = int(draws.choice([c for c in equal if c in order] or equal))
        if not order and abs(lowest) > UNROUNDED:
            decimals = DECIMALS
            lowest = np.round(lowest, decimals)
        order.append(pick)
        trajectory.append(float(lowest))
        candidates.add(pick)
        if len(candidates.mean.predictions) == 1:
            break
    last = trajectory.index(min(trajectory)) + 1
    return order[:last], trajectory[:last]


def pick_without_draws(candidates: Candidates, size: int,
                       seed: int) -> tuple[list[int], list[float]]:
    """Pick by exact errors, without rounding or draws, and cut after the first lowest error.

    Of configs whose errors are equal, those already picked go first, then the one that was better
    alone, then the first.
    """
    order, trajectory, alone = [], [], None
    while len(order) < size:
        found = candidates.best(EQUAL)
        if alone is None:
            alone = candidates.bounds()
        lowest = min(found.values())
        equal = [config for config, error in found.items() if error <= lowest + EQUAL]
        pick = min(equal, key=lambda config: (config not in order, alone[config], config))
        order.append(pick)
        trajectory.append(float(found[pick]))
        candidates.add(pick)
    last = int(np.argmax(np.array(trajectory) <= min(trajectory) + EQUAL)) + 1
    return order[:last], trajectory[:last]


PROCEDURES = {"published": pick_published, "recommended": pick_without_draws}


def select_ensemble(predictions: np.ndarray, labels: np.ndarray, metric: str, size: int,
                    procedure: str = "recommended", seed: int = 0) -> Ensemble:
    """Select an ensemble of configs greedily, with replacement (TabRepo, Section 3, Equation 4).

    Parameters
    ----------
    predictions : ndarray, shape (config, row) or (config, row, class)
        Of the rows to select on. Probabilities: of class 1 of two, or of each class; numbers for
        ``"rmse"``.
    labels : ndarray, shape (row,)
        Class numbers from 0, or numbers.
    metric : {"log_loss", "auc", "error_rate", "rmse"}
        The error to make low (for ``"auc"``, 1 − AUC), by `size` picks.
    size : int
    procedure : {"published", "recommended"}
        ``"published"`` gives what the published implementation (TabRepo with AutoGluon 1.4) gives:
        4-byte arithmetic, errors rounded to 6 decimals, ties to configs already picked and then
        drawn, picks after the first lowest error dropped. ``"recommended"`` uses exact errors,
        breaks ties without a draw, and drops picks after the first lowest error.
    seed : int
        Of the published draws among ties.

    Returns
    -------
    Ensemble
        ``weights`` (config,), ``order`` and ``trajectory`` (pick,).

    Raises
    ------
    PredictionError, UnknownNameError
        As `check_inputs` does; and for an unknown procedure.
    ValueError
        If `size` is less than 1.
    """
    check_known("procedure", [procedure], PROCEDURES)
    if size < 1:
        raise ValueError(f"size: an ensemble has at least one pick, not {size}.")
    predictions, labels = check_inputs(predictions, labels, metric)
    contest = open_candidates(predictions, labels, metric, procedure == "published")
    order, trajectory = PROCEDURES[procedure](contest, int(size), seed)
    weights = np.bincount(order, minlength=len(predictions)) / len(order)
    return Ensemble(weights, np.array(order), np.array(trajectory))


def open_candidates(predictions: np.ndarray, labels: np.ndarray, metric: str,
                    published: bool) -> Candidates:
    """Return the candidates of an ensemble without picks; inputs are as `check_inputs` returns."""
    if metric == "log_loss":
        exact = predictions if published else predictions.astype(float)
        predictions = contenders.clipped_true_probability(exact, labels, published)
    if published and metric in ("log_loss", "auc"):
        predictions = predictions.astype(np.float32)
    mean = PublishedMean(predictions) if published else PlainMean(predictions)
    return CANDIDATES[metric](mean, labels)


ensembler("greedy")(select_ensemble)
ensembler("greedy_published")(partial(select_ensemble, procedure="published"))
