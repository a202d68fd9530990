"""What the last bits decide: ties against plain loops, and data nudged and fitted again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from chapters.database import last_bits
from collection.curve import gather
from collection.datasets import load_dataset
from collection.protocol import split_rows


@pytest.fixture(scope="module")
def curves():
    """Three learners, of which one cannot take negative values."""
    return gather(load_dataset("sklearn:wine"), ["SVM_Linear", "MultinomialNB", "GaussianNB"],
                  scalings=["none", "standard"], outer=[0, 1], inner=[0], anchors=[16, 30])


def test_changed_fits_are_counted(curves):
    others = curves.copy(deep=True).assign_coords(dataset=["other"])
    one = {"learner": "GaussianNB", "outer": 0, "anchor": 30, "scaling": "none", "split": "valid"}
    others["error_rate"].loc[one] += 0.5
    table = last_bits.changed_fits(curves, others).set_index("learner")
    assert table["changed"].tolist() == [0, 0, 100 / 8]
    assert table["fits"].tolist() == [8, 4, 8]
    assert table.loc["GaussianNB", "largest_shift"] == pytest.approx(0.25)


points = arrays(float, (7, 2), elements=st.integers(0, 3).map(float))


@given(train=points, valid=points, k=st.integers(1, 6))
def test_ties_are_those_of_sorted_distances(train, valid, k):
    expected = 0
    for row in valid:
        distances = sorted(sum((row - other) ** 2) for other in train)
        expected += distances[k - 1] == distances[k]
    assert last_bits.tied_neighbours(train, valid, k) == expected


def test_classes_tie_where_rounding_alone_tells_them_apart():
    logs = np.log([[0.4, 0.4, 0.2], [0.5, 0.3, 0.2], [0.2, 0.3, 0.5], [1 / 3, 1 / 3, 1 / 3]])
    assert last_bits.tied_classes(logs + np.array([0, 1e-15, 0])) == 2
    assert last_bits.tied_classes(logs + np.array([0, 1e-3, 0])) == 0


def test_nudged_data_are_moved_by_next_to_nothing():
    iris = load_dataset("sklearn:iris")
    moved = last_bits.nudged(iris)
    relative = abs(moved.features / iris.features - 1).to_numpy()
    assert 0 < relative.max() < 1e-11 and (moved.target == iris.target).all()
    assert last_bits.nudged(iris).features.equals(moved.features)
    assert not last_bits.nudged(iris, seed=2).features.equals(moved.features)


def test_what_averages_does_not_mind_and_what_sorts_may():
    table = last_bits.nudged_refits(load_dataset("sklearn:iris"),
                                    ["GaussianNB", "KNN", "GaussianNB"],
                                    anchors=(16, 64), inner=(0,))
    assert table.columns.tolist() == ["dataset", "learner", "fits", "changed", "largest_shift"]
    rows = table.set_index("learner")
    assert rows.index.tolist() == ["GaussianNB", "KNN"] and rows["fits"].tolist() == [10, 10]
    assert rows.loc["GaussianNB", "changed"] == 0
    assert rows.loc["KNN", "changed"] > 0  # iris is measured in tenths: distances tie


def test_ties_are_counted_over_all_splits():
    digits = load_dataset("sklearn:digits")
    tied, asked = last_bits.count_ties(digits, 16, last_bits.class_ties)
    assert asked == 25 * len(split_rows(digits.target, 0, 0).valid) and 0 < tied < asked / 2
    counted = []
    assert last_bits.count_ties(digits, 20, lambda X, y, V: counted.append(X.shape) or 1)[0] == 25
    assert set(counted) == {(20, 64)}
    train = np.array([[0.0], [1], [2], [3], [4], [4], [9]])
    assert last_bits.neighbour_ties(train, np.zeros(7), np.array([[0.0], [9]])) == 1
