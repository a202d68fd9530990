import numpy as np
import pandas as pd
import pytest
import xarray as xr

from analysis.shapes.causes import CAUSES, dataset_facts, likely_causes

ANCHORS = np.array([16, 64, 128, 256, 1024, 2048])
FACTS = pd.DataFrame({"features": [100], "classes": [2], "majority_error": [0.4]}, index=[7])


def label(learner, i, j, size=0.1, before=0.3, dataset=7):
    error = np.where(i >= ANCHORS, before, 0.1)
    valid = xr.DataArray(np.broadcast_to(error, (1, 1, 5, 5, 6)),
                         dims=("dataset", "learner", "outer", "inner", "anchor"),
                         coords={"dataset": [dataset], "learner": [learner], "anchor": ANCHORS})
    found = pd.DataFrame({"dataset": [dataset], "learner": [learner], "i": [i], "j": [j],
                          "size": [size]})
    return likely_causes(found, valid, FACTS).iloc[0]


@pytest.mark.parametrize("expected, how", [
    ("constant prediction", {"learner": "SVM_RBF", "i": 64, "j": 128, "before": 0.4}),
    ("not told", {"learner": "SVM_RBF", "i": 64, "j": 128}),
    ("batch size", {"learner": "TabNet", "i": 256, "j": 1024}),
    ("batch size", {"learner": "MLP", "i": 128, "j": 256}),
    ("last mini-batch", {"learner": "MLP", "i": 2 * 200 + 9, "j": 1024}),
    ("n ≈ d", {"learner": "LDA", "i": 64, "j": 128}),
    ("not told", {"learner": "LDA", "i": 1024, "j": 2048}),
    ("n ≈ d", {"learner": "QDA", "i": 128, "j": 256}),
    ("not told", {"learner": "KNN", "i": 64, "j": 128}),
    ("ties or threads", {"learner": "KNN", "i": 64, "j": 128, "size": 0.002}),
    ("not told", {"learner": "LDA", "i": 64, "j": 128, "dataset": 8}),
])
def test_each_cause_is_told_by_its_sign(expected, how):
    assert label(**how) == expected
    assert expected in CAUSES


def test_facts_are_those_of_the_datasets():
    facts = dataset_facts()
    assert facts.loc[3, "features"] == 36
    assert facts["majority_error"].between(0, 1).all() and facts.index.is_unique
