"""An ensemble at one anchor as a fit of the container: its errors, its costs, its weights."""

from collections.abc import Mapping

import numpy as np

from analysis.ensemble_curves.members import Members
from analysis.ensembles import combine
from collection import metrics
from collection.container import SPLITS, Status
from collection.curve import Fit

DIGITS = 4  # of log-losses, significant


def judge(
    anchor: int, members: Members, weights: np.ndarray, labels: Mapping[str, np.ndarray],
    train_time: float, predict_times: np.ndarray,
) -> Fit:
    """Return the fit that an ensemble would have been.

    Parameters
    ----------
    anchor : int
    members : Members
    weights : ndarray of float, shape (member,)
    labels : mapping of split to ndarray of int
        As `read_labels` gives them.
    train_time : float
        Seconds that it took to train every member that could have been chosen.
    predict_times : ndarray, shape (member, split)
        Seconds; those with weight are added up.

    Returns
    -------
    Fit
        With ``error_rate``, ``log_loss`` and times; F1, AUC and what is on training rows are NaN:
        not computed. Its
        predictions are the weights: ``member`` (names) and ``weight``.
    """
    errors, losses = {}, {}
    for split, true in labels.items():
        said = combine(members.probabilities[split], weights)
        errors[split] = metrics.error_rate(true, said.argmax(axis=1))
        losses[split] = float(f"{metrics.log_loss(true, said):.{DIGITS}g}")
    return Fit(
        anchor, Status.ok, error_rate=_by_split(errors), log_loss=_by_split(losses),
        train_time=float(train_time),
        predict_time=tuple(predict_times[weights > 0].sum(axis=0)),
        predictions={"member": np.array(members.names), "weight": weights},
    )


def _by_split(values: Mapping[str, float]) -> tuple[float, ...]:
    return tuple(values.get(split, np.nan) for split in SPLITS)
