"""What a fitted learner says of some rows: classes and scores, in one pass where that is exact.

``predict`` and ``predict_proba`` of one learner mostly repeat the same work. `ONE_PASS` holds, for
the classifiers where it saves time, a function that does it once and gives the very
same numbers as the two calls.
"""

from collections.abc import Callable

import numpy as np

ROUNDING, UNEVEN = 1e-6, 1e-3  # by which probabilities and their sums may be off
LEAST_ROWS = 5  # predicted as a class, and as another, from which the two can contradict
Outputs = tuple[np.ndarray, np.ndarray | None, bool]


def outputs(estimator, X, n_classes: int) -> Outputs:
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

    Raises
    ------
    InvalidOutputError
        Where a learner of the user's own gives probabilities that are none, or scores that are not
        those of its classes, or contradict what it predicts.
    """
    cls = type(estimator)
    known = cls.__module__.startswith(("sklearn.", "collection."))
    one_pass = ONE_PASS.get(cls.__name__, two_passes) if known else two_passes
    labels, scores, probabilities = one_pass(estimator, X)
    if scores is not None:
        scores = np.asarray(scores)
        if probabilities and not known:
            check_probabilities(scores)
        scores = _spread(scores, estimator.classes_, n_classes, 0.0 if probabilities else -np.inf)
        if not known:
            _check_agreement(labels, scores, estimator.classes_)
    return labels, scores, probabilities


def check_numbers(predictions: np.ndarray, n_rows: int) -> None:
    """Raise `InvalidOutputError` where a regressor's predictions are not one number a row.

    A finite one, so that its square is.
    """
    if len(predictions) != n_rows:
        raise InvalidOutputError(f"predict gave {len(predictions)} numbers for {n_rows} rows")
    with np.errstate(over="ignore"):
        # the squared error has to be a number
        lost = np.count_nonzero(~np.isfinite(predictions**2))
    if lost:
        raise InvalidOutputError(f"{lost} of {len(predictions)} predictions are no finite numbers")


class InvalidOutputError(ValueError):
    """What a learner says of rows cannot be; the message says what it is."""


def check_probabilities(predictions: np.ndarray) -> None:
    """Raise `InvalidOutputError` where numbers are no probabilities of classes; NaN passes.

    Parameters
    ----------
    predictions : ndarray, shape (n_rows, n_classes)

    Raises
    ------
    InvalidOutputError
        Where they are of another shape, lie outside 0 to 1, or do not sum to 1.
    """
    if predictions.ndim != 2:
        raise InvalidOutputError(f"predict_proba gave an array of {predictions.ndim} dimension(s); "
                                 "rows and classes are needed")
    known = predictions[~np.isnan(predictions).any(axis=1)]
    if known.size and (known.min() < -ROUNDING or known.max() > 1 + ROUNDING):
        raise InvalidOutputError(f"its probabilities are not between 0 and 1: they go from "
                                 f"{known.min():g} to {known.max():g}")
    off = np.abs(known.sum(axis=1) - 1)
    if known.size and off.max() > UNEVEN:
        raise InvalidOutputError("its probabilities of a row do not sum to 1, but to "
                                 f"{known.sum(axis=1)[off.argmax()]:g}")


def two_passes(estimator, X) -> Outputs:
    """Call ``predict``, and ``predict_proba`` or ``decision_function`` where there is one."""
    labels = np.asarray(estimator.predict(X)).ravel()
    if hasattr(estimator, "predict_proba"):
        return labels, estimator.predict_proba(X), True
    if hasattr(estimator, "decision_function"):
        return labels, estimator.decision_function(X), False
    return labels, None, False


def _likeliest(estimator, X) -> Outputs:
    if getattr(estimator, "weights", "uniform") != "uniform":
        return two_passes(estimator, X)  # neighbours' weighted votes tie otherwise
    probabilities = estimator.predict_proba(X)
    return estimator.classes_[probabilities.argmax(axis=1)], probabilities, True


def _of_classes(estimator, X) -> Outputs:
    """Give no scores after training rows of a single class, for learners that have none then."""
    if len(estimator.classes_) > 1:
        return two_passes(estimator, X)
    return np.asarray(estimator.predict(X)).ravel(), None, False


def _votes(estimator, X) -> Outputs:
    """Let pairwise decisions vote, as libsvm's ``predict`` does, and add them up for the scores."""
    from sklearn.utils.multiclass import _ovr_decision_function

    if estimator.probability or estimator.break_ties:
        return two_passes(estimator, X)
    estimator.decision_function_shape = "ovo"
    pairwise, n_classes = estimator.decision_function(X), len(estimator.classes_)
    if n_classes == 2:
        return estimator.classes_[(pairwise >= 0).astype(np.intp)], pairwise, False
    first, second = np.triu_indices(n_classes, 1)
    wins = np.zeros((len(pairwise), n_classes), np.intp)
    for pair, (i, j) in enumerate(zip(first, second, strict=True)):
        is_first = pairwise[:, pair] > 0
        wins[:, i] += is_first
        wins[:, j] += ~is_first
    scores = _ovr_decision_function(pairwise < 0, -pairwise, n_classes)
    return estimator.classes_[wins.argmax(axis=1)], scores, False


ONE_PASS: dict[str, Callable[..., Outputs]] = {
    "SVC": _votes,
    **dict.fromkeys(("LinearDiscriminantAnalysis", "RidgeClassifier"), _of_classes),
    **dict.fromkeys(("KNeighborsClassifier", "DecisionTreeClassifier", "ExtraTreeClassifier",
                     "ExtraTreesClassifier", "RandomForestClassifier", "MLPClassifier",
                     "CatBoost", "TabNet", "RealMLP", "TabPFN", "LightGBM", "XGBoost",
                     "NeuralNetTorch", "Linear"),
                    _likeliest),
}


def _check_agreement(labels: np.ndarray, scores: np.ndarray, classes: np.ndarray) -> None:
    """Raise `InvalidOutputError` where scores, in the order of `classes`, contradict the labels.

    Of a class that is predicted, the score is mostly not the highest *and* lower than in the rows
    where another is predicted. Whoever moves a threshold is the first, but never the second.
    """
    for label in np.setdiff1d(labels, classes)[:1]:
        raise InvalidOutputError(f"it predicts {label}, which is not among its classes_ {classes}")
    whole = ~np.isnan(scores).any(axis=1)
    labels, scores = labels[whole].astype(int), scores[whole]
    top = scores.argmax(axis=1) if len(scores) else labels
    for label in np.unique(labels):
        own = labels == label
        if min(own.sum(), (~own).sum()) < LEAST_ROWS or (top[own] == label).mean() >= 0.5:
            continue
        inside, others = scores[own, label].mean(), scores[~own, label].mean()
        if inside < others:
            raise InvalidOutputError(
                f"its scores contradict its predictions: in the order of its classes_ {classes}, "
                f"class {label} has {inside:.3g} in the mean where it is predicted and "
                f"{others:.3g} elsewhere")


def _spread(scores: np.ndarray, classes: np.ndarray, n_classes: int, absent: float) -> np.ndarray:
    """Give every class of the dataset its column, in whatever order the learner has them."""
    classes = np.asarray(classes)
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    if np.array_equal(classes, np.arange(n_classes)):
        return scores
    if len(classes) != scores.shape[1] or len(set(classes)) < len(classes):
        raise InvalidOutputError(f"it gives {scores.shape[1]} scores for its classes_ {classes}")
    wide = np.full((len(scores), n_classes), absent)
    wide[:, classes] = scores
    return wide
