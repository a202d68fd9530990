"""What the campaign's small studies must come to, by plain loops over scikit-learn alone.

Nothing of the project is imported: what the commands store is held against these numbers.
"""

from itertools import product

import numpy as np
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

DATA = {"iris": load_iris, "wine": load_wine}
LEARNERS = {"KNN": KNeighborsClassifier, "GaussianNB": GaussianNB}
ANCHORS, INNER, FOLDS, BAGS = (16, 32, 64), (0, 1), (0, 1), 2


def curves() -> dict[tuple, float]:
    """Return the validation error by (dataset, learner, outer, inner, anchor)."""
    found = {}
    for (name, load), inner in product(DATA.items(), INNER):
        X, y = load(return_X_y=True)
        rows = np.arange(len(y))
        for seed in (0, inner):  # the outer split, then the inner one of what is left
            held = len(rows) - int(len(rows) * 0.9)
            rows, valid = train_test_split(rows, train_size=len(rows) - held, test_size=held,
                                           random_state=seed, stratify=y[rows])
        for (learner, make), anchor in product(LEARNERS.items(), ANCHORS):
            fitted = make().fit(X[rows[:anchor]], y[rows[:anchor]])
            found[name, learner, 0, inner, anchor] = np.mean(fitted.predict(X[valid]) != y[valid])
    return found


def evaluations() -> dict[tuple, float]:
    """Return the test error by (task, learner, repeat, fold), of two bags' mean probabilities."""
    found = {}
    for name, load in DATA.items():
        X, y = load(return_X_y=True)
        folds = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y))
        for (learner, make), fold in product(LEARNERS.items(), FOLDS):
            train, test = folds[fold]
            bags = StratifiedKFold(BAGS, shuffle=True, random_state=0).split(train, y[train])
            said = np.mean([make().fit(X[train[fit]], y[train[fit]]).predict_proba(X[test])
                            for fit, _ in bags], axis=0)
            found[name, learner, 0, fold] = np.mean(said.argmax(axis=1) != y[test])
    return found
