import csv

import numpy as np
import pytest
from gathered import gather
from hypothesis import given, settings
from hypothesis import strategies as st
from published_data import LCDB11
from sklearn import model_selection
from sklearn.metrics import make_scorer
from sklearn.model_selection import train_test_split

from collection.containers import metrics
from collection.datasets import load_dataset
from collection.learners import find_learner
from collection.protocol import splits as protocol
from collection.protocol.anchors import anchor_grid, sizes_to
from collection.protocol.splits import LearningCurveSplit, ProtocolError

SUMMARIES = LCDB11 / "metadata"


def _published_split(y, outer, inner):
    """Nine tenths by scikit-learn, or all but 5,000 rows: the predecessor's calls."""
    def split(rows, seed):
        sizes = {"train_size": 0.9}
        if int(len(rows) * 0.1) > 5000:
            sizes = {"train_size": len(rows) - 5000, "test_size": 5000}
        return train_test_split(rows, random_state=seed, stratify=y[rows], **sizes)

    learn, test = split(np.arange(len(y)), outer)
    return (*split(learn, inner), test)


@given(n_rows=st.integers(40, 400), outer=st.integers(0, 4), inner=st.integers(0, 4))
@settings(max_examples=30, deadline=None)
def test_splits_are_the_predecessors(n_rows, outer, inner):
    y = np.arange(n_rows) % 3
    split = protocol.split_rows(y, outer, inner)
    for got, expected in zip(
            (split.train, split.valid, split.test), _published_split(y, outer, inner), strict=True):
        np.testing.assert_array_equal(got, expected)
    assert len(split.train) == protocol.training_size(n_rows)
    together = np.concatenate([split.train, split.valid, split.test])
    np.testing.assert_array_equal(np.sort(together), np.arange(n_rows))


@pytest.mark.parametrize("n_rows", [50_000, 50_009, 50_010, 55_555, 55_556, 60_000])
def test_at_most_5000_rows_are_held_out(n_rows):
    y = np.arange(n_rows) % 2
    split = protocol.split_rows(y, 1, 2)
    np.testing.assert_array_equal(split.train, _published_split(y, 1, 2)[0])
    assert len(split.train) == protocol.training_size(n_rows)
    assert len(split.valid) <= 5001  # ⌈a tenth⌉ where a tenth is not over 5,000
    assert len(split.test) <= 5001


@pytest.mark.skipif(not SUMMARIES.exists(), reason=f"needs {SUMMARIES}")
def test_training_sizes_are_the_published_ones():
    def column(name, key, value):
        with open(SUMMARIES / name, encoding="utf-8-sig") as lines:
            return {row[key]: int(row[value]) for row in csv.DictReader(lines)}

    rows = column("datasets_FULL_summary.csv", "OpenML_ID", "#Samples")
    largest = column("datasets_FULL_max_anchor.csv", "openml_id", "max_anchor")
    assert len(rows) == 265
    assert {key: protocol.training_size(n) for key, n in rows.items()} == largest


def test_anchors_are_the_grid_or_those_chosen_as_far_as_they_apply():
    np.testing.assert_array_equal(sizes_to(684), anchor_grid(684))
    assert anchor_grid(64)[-1] == 64 and anchor_grid(63)[-1] == 59  # one that is all rows stays
    assert sizes_to(81, [64, 16, 15, 3, 82, 81, 64]) == [16, 64, 81]


@pytest.mark.parametrize(("labels", "words"), [
    (["a"] * 100, "one class"),
    (["a"] * 100 + ["b"] * 2, "Class 'b' has 2"),
    (["a"] * 10 + ["b"] * 9, "at least 16"),
    ([f"c{i % 30}" for i in range(200)], "classes"),
])
def test_what_cannot_be_split_is_refused_with_the_reason(labels, words):
    labels = np.array(labels)
    with pytest.raises(protocol.ProtocolError, match=words):
        protocol.check_splittable(labels)


@pytest.mark.parametrize("labels", [["a"] * 50 + ["b"], [f"c{i % 30}" for i in range(200)]])
def test_splitting_them_all_the_same_says_why(labels):
    with pytest.raises(protocol.ProtocolError, match="row"):
        protocol.split_rows(np.array(labels), 0, 0)


@given(counts=st.lists(st.integers(3, 60), min_size=2, max_size=5))
@settings(max_examples=40, deadline=None)
def test_what_passes_the_check_can_be_split(counts):
    labels = np.repeat([f"c{i}" for i in range(len(counts))], counts)
    try:
        protocol.check_splittable(labels)
    except protocol.ProtocolError:
        return
    for seed in range(5):
        protocol.split_rows(labels, seed, 4 - seed)


ERRORS = make_scorer(metrics.error_rate)


@pytest.mark.parametrize("on", ["valid", "test"])
@pytest.mark.parametrize("name", ["KNN", "LDA", "Decision Tree"])
def test_cross_validation_by_the_splitter_is_what_collect_gathers(name, on):
    wine, learner = load_dataset("sklearn:wine"), find_learner(name)
    seeds = {"outer": (0, 3), "inner": (1, 2)}
    gathered = gather(wine, [name], anchors=[16, 40, 64], **seeds)["error_rate"].sel(split=on)
    X, cv = wine.features.to_numpy(), LearningCurveSplit([64, 16, 40], on=on, **seeds)
    _, codes = np.unique(wine.target, return_inverse=True)
    found = model_selection.cross_validate(learner.make(None), X, codes, cv=cv,
                                           scoring=ERRORS)["test_score"]
    assert found.tolist() == gathered.values.ravel().tolist()  # to the last bit
    of = cv.repeats(X, codes)
    assert of.names == ["outer", "inner", "anchor"] and len(of) == cv.get_n_splits(X, codes) == 12
    whole = LearningCurveSplit(on=on, **seeds)
    curve = model_selection.learning_curve(learner.make(None), X, codes, cv=whole,
                                           train_sizes=[16, 40, 64], scoring=ERRORS)[2]
    assert curve.T.ravel().tolist() == found.tolist()


def test_numbers_are_split_as_collect_splits_them():
    diabetes = load_dataset("sklearn:diabetes")
    cv = LearningCurveSplit([32, 128], outer=[2], inner=[0])
    (small, _), (large, scored) = cv.split(diabetes.features, diabetes.target)
    split = protocol.split_rows(diabetes.target, 2, 0)
    assert small.tolist() == split.train[:32].tolist() and scored.tolist() == split.valid.tolist()
    assert large.tolist() == split.train[:128].tolist()


def test_it_is_a_splitter_to_scikit_learn():
    wine = load_dataset("sklearn:wine")
    cv = LearningCurveSplit(outer=[0], inner=[0, 1])
    assert model_selection.check_cv(cv) is cv and cv.get_n_splits() == 2
    search = model_selection.GridSearchCV(find_learner("KNN").make(None), {"n_neighbors": [1, 5]},
                                          cv=cv)
    search.fit(wine.features.to_numpy(), wine.target)
    assert search.n_splits_ == 2 and search.best_params_["n_neighbors"] in (1, 5)


@pytest.mark.parametrize(("cv", "arguments", "words"), [
    (LearningCurveSplit([1000]), (np.arange(100) % 2,), "anchors: none of them is from 16 to 81"),
    (LearningCurveSplit(on="train"), (np.arange(100) % 2,), "'valid' or 'test', not 'train'"),
    (LearningCurveSplit(), (None,), "give y"),
    (LearningCurveSplit(), (np.arange(100) % 2, np.arange(100) % 9), "Give no groups"),
    (LearningCurveSplit(), (np.zeros(100, int),), "one class"),
])
def test_what_cannot_be_split_so_is_refused(cv, arguments, words):
    with pytest.raises(ProtocolError, match=words):
        list(cv.split(None, *arguments))
