import csv

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published_data import LCDB11
from sklearn.model_selection import train_test_split

from collection import protocol
from collection.anchors import anchor_grid

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


def test_anchors_default_to_the_grid_up_to_the_training_size():
    np.testing.assert_array_equal(protocol.applicable_anchors(846), anchor_grid(684))
    assert protocol.training_size(846) == 684


def test_chosen_anchors_are_sorted_and_cut_to_those_that_apply():
    assert protocol.applicable_anchors(100, [64, 16, 15, 3, 82, 81, 64]).tolist() == [16, 64, 81]


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
