"""Where a dataset claims an OpenML id, its rows are in OpenML's order: curves equal the published.

Two learners without randomness or numerics of a platform, on some anchors, all 25 repeats, by
scikit-learn alone. A dataset with the rows in another order fails (the last test).
"""

import dataclasses
import json

import numpy as np
import pytest
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.preprocessing import OneHotEncoder

from collection.datasets import load_dataset
from collection.protocol.anchors import anchor_grid

LEARNERS = {"GaussianNB": GaussianNB, "NearestCentroid": NearestCentroid}
POSITIONS = (0, 5, 11)  # anchors 16, 25, 42
STANDARDISED = {"keel:phoneme"}  # as it is on OpenML; the file's 3 decimals then show


def claims():
    from collection.datasets.bundled import NAMES
    from collection.datasets.keel import ROWS_AS_ON_OPENML

    found = {f"keel:{n}": i for n, i in ROWS_AS_ON_OPENML.items()}
    return found | {f"sklearn:{n}": i for n, i in NAMES.items() if i is not None}


def split(rows, labels, seed):
    return train_test_split(rows, test_size=min(5000, int(np.ceil(len(rows) / 10))),
                            random_state=seed, stratify=labels[rows])


def prefix_error(learner, X, y, fit, valid, one_hot):
    if one_hot:
        encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(X[fit])
        return np.mean(learner().fit(encoder.transform(X[fit]), y[fit])
                       .predict(encoder.transform(X[valid])) != y[valid])
    return np.mean(learner().fit(X[fit], y[fit]).predict(X[valid]) != y[valid])


def validation_errors(dataset) -> np.ndarray:
    """Return mean errors, one row per learner and one column per anchor."""
    X, y = dataset.features.to_numpy(), dataset.target
    X = X if dataset.categorical else X.astype(float)
    errors = np.zeros((len(LEARNERS), len(POSITIONS), 25))
    for repeat in range(25):
        rest, _ = split(np.arange(len(y)), y, repeat // 5)
        train, valid = split(rest, y, repeat % 5)
        for j, anchor in enumerate(anchor_grid()[list(POSITIONS)]):
            for i, learner in enumerate(LEARNERS.values()):
                errors[i, j, repeat] = prefix_error(learner, X, y, train[:anchor], valid,
                                                    bool(dataset.categorical))
    return errors.mean(axis=2)


def published_errors(folder, openml_id) -> np.ndarray:
    names = json.loads((folder / "lcdb11" / "meta.json").read_text())["learners"]
    curves = json.loads((folder / "lcdb11" / "er" / f"{openml_id}.json").read_text())
    # dims: learner, (mean, standard error), anchor, (train, valid, test)
    return np.array([[curves[names.index(name)][0][k][1] for k in POSITIONS] for name in LEARNERS])


@pytest.mark.parametrize("spec", claims())
def test_curves_equal_the_published(spec, published):
    dataset, tolerance = load_dataset(spec), 5.1e-5
    expected = published_errors(published, dataset.openml_id)
    if spec in STANDARDISED:
        X, tolerance = dataset.features, 1.5e-4
        dataset = dataclasses.replace(dataset, features=(X - X.mean()) / X.std(ddof=0))
    np.testing.assert_allclose(validation_errors(dataset), expected, rtol=0, atol=tolerance)
