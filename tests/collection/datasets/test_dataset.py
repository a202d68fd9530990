import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collection.datasets.dataset import DatasetError, make_dataset

WHO = {"name": "toy", "source": "test:toy"}
LABELS = st.sampled_from(["b", "a", "c", None])
NUMBERS = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False), st.integers(-9, 9))
WORDS = st.one_of(st.none(), st.text(max_size=3), st.booleans(), st.integers(0, 2))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(NUMBERS, WORDS, LABELS), max_size=12))
def test_form_against_plain_python(rows):
    frame = pd.DataFrame(rows, columns=["n", "w", "y"], dtype=object)
    kept = [row for row in rows if row[2] is not None]
    full = [j for j in (0, 1) if any(row[j] is not None for row in kept)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if len({row[2] for row in kept}) < 2 or not full:
            with pytest.raises(DatasetError, match="test:toy"):
                make_dataset(frame, "y", categorical=["w"], **WHO)
            return
        dataset = make_dataset(frame, "y", categorical=["w"], **WHO)
    assert list(dataset.target) == [row[2] for row in kept]
    assert list(dataset.classes) == sorted({row[2] for row in kept})
    assert (dataset.n_rows, dataset.unlabelled_rows) == (len(kept), len(rows) - len(kept))
    assert dataset.n_missing == sum(row[j] is None for row in kept for j in full)
    assert list(dataset.features.index) == list(range(len(kept)))
    assert list(dataset.features) == ["nw"[j] for j in full]
    if 0 in full:
        assert dataset.features["n"].dtype == np.float64 and dataset.numeric == ["n"]
        np.testing.assert_array_equal(
            dataset.features["n"], [np.nan if row[0] is None else float(row[0]) for row in kept])
    if 1 in full:
        column = dataset.features["w"]
        assert dataset.categorical == ["w"] and not column.cat.ordered
        words = [None if row[1] is None else str(row[1]) for row in kept]
        assert list(column.cat.categories) == sorted({w for w in words if w is not None})
        assert list(column.astype(object).where(column.notna(), None)) == words


def test_categories_are_those_that_occur_in_sorted_order():
    declared = pd.Categorical(["9", "10", None, "9"], categories=["unused", "9", "10"],
                              ordered=True)
    frame = pd.DataFrame({"c": declared, "y": ["a", "b", "a", "b"]})
    column = make_dataset(frame, "y", **WHO).features["c"]
    assert list(column.cat.categories) == ["10", "9"] and not column.cat.ordered
    assert column.isna().tolist() == [False, False, True, False]


def test_kinds_are_seen_where_not_declared():
    frame = pd.DataFrame({"i": [1, 2], "f": [1.5, None], "b": [True, False], "s": ["1", "2"],
                          "o": pd.array([1, None], dtype="Int64"), "y": [0, 1]})
    dataset = make_dataset(frame, "y", **WHO)
    assert dataset.numeric == ["i", "f", "o"] and dataset.categorical == ["b", "s"]
    assert np.isnan(dataset.features["o"][1])
    assert list(dataset.target) == ["0", "1"]


def test_constant_columns_stay_and_empty_ones_go():
    frame = pd.DataFrame({"constant": [1, 1, 1], "empty": [None] * 3, "late": [None, None, 2],
                          "y": ["a", "b", None]})
    with pytest.warns(UserWarning, match="test:toy: 1 of 3 rows have no label"):
        dataset = make_dataset(frame, "y", **WHO)
    assert list(dataset.features) == ["constant"]


@pytest.mark.parametrize("labels, message", [
    ([None, None], "no row has a label"), (["a", "a"], "one class only, 'a'"),
])
def test_unusable_targets(labels, message):
    with pytest.raises(DatasetError, match=message):
        make_dataset(pd.DataFrame({"x": [1, 2], "y": labels}), "y", **WHO)
    with pytest.raises(DatasetError, match="no feature with a value"):
        make_dataset(pd.DataFrame({"x": [None, None], "y": ["a", "b"]}), "y", **WHO)


def test_numbers_that_are_none():
    frame = pd.DataFrame({"x": ["1", "two"], "y": ["a", "b"]})
    with pytest.raises(DatasetError, match="'x' is declared numeric"):
        make_dataset(frame, "y", categorical=[], **WHO)
    frame["x"] = [1, np.inf]
    with pytest.raises(DatasetError, match="'x' holds infinite values"):
        make_dataset(frame, "y", **WHO)


def test_nothing_of_the_dataset_changes_by_accident():
    frame = pd.DataFrame({"x": [1.0, 2.0], "y": ["a", "b"]})
    dataset = make_dataset(frame, "y", **WHO)
    with pytest.raises(AttributeError):
        dataset.name = "other"
    with pytest.raises(ValueError, match="read-only"):
        dataset.target[0] = "b"
    frame.loc[0, "x"] = 9.0
    assert dataset.features.loc[0, "x"] == 1.0 and list(frame) == ["x", "y"]
