"""What a fitted learner says of some rows: classes and scores, from one pass where that is exact."""

import numpy as np


def outputs(estimator, X, n_classes: int) -> tuple[np.ndarray, np.ndarray | None, bool]:
    """Return a fitted classifier's predictions of class and its scores.

    Parameters
    ----------
    estimator : fitted scikit-learn classifier
        Of integer class codes.
    X : array or DataFrame, n_rows rows
    n_classes : int
        Classes of the dataset.

    Returns
    -------
    labels : ndarray of int, shape (n_rows,)
        As ``predict`` gives them.
    scores : ndarray, shape (n_rows, n_classes), or None
        Probabilities, else decision scores, else nothing. A class unknown to the learner has
        probability 0, decision score −∞.
    are_probabilities : bool
    """
    if hasattr(estimator, "predict_proba"):
        scores, absent = estimator.predict_proba(X), 0.0
    elif hasattr(estimator, "decision_function"):
        scores, absent = estimator.decision_function(X), -np.inf
    else:
        return estimator.predict(X), None, False
    scores = spread(scores, estimator.classes_, n_classes, absent)
    return estimator.predict(X), scores, absent == 0.0


def spread(scores: np.ndarray, classes: np.ndarray, n_classes: int, absent: float) -> np.ndarray:
    """Give every class of the dataset its column."""
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    if len(classes) == n_classes:
        return scores
    wide = np.full((len(scores), n_classes), absent)
    wide[:, classes] = scores
    return wide
