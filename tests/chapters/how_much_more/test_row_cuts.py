"""Parts in time and by group: what is tested on is later, or of others, and was never held."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapters.how_much_more.row_cuts import GROUPS, LEAST_TESTED, cut_part, split_columns
from chapters.how_much_more.row_tables import RowTable
from collection.protocol.rows import LATER


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), rows=st.integers(30, 80), ties=st.sampled_from([1, 7, 60]))
def test_in_time_each_model_is_older_than_what_it_is_tested_on(seed, rows, ties):
    rng = np.random.default_rng(seed)
    times = rng.permutation(6000) // ties * 1.0
    cut = cut_part(6000, rows, rng, times=times)
    assert len(cut.own) == rows and len(np.unique(np.r_[cut.own, cut.rest, cut.after])) == (
        rows + len(cut.rest) + len(cut.after))
    assert (times[cut.rest].max() <= times[cut.own].min()
            and times[cut.own].max() <= times[cut.after].min())
    assert (np.diff(times[cut.rest]) <= 0).all()
    for size in (rows // 2, 2 * rows):
        folds = cut.truth(size)
        for train, test in folds:
            known = np.r_[cut.rest, cut.own, cut.after]
            older = np.sort(times[known][times[known] < times[test].min()])
            np.testing.assert_array_equal(np.sort(times[train]), older[-size:])
        seen = np.concatenate([test for _, test in folds]) if folds else np.array([], int)
        assert len(np.unique(seen)) == len(seen) and (times[seen] > times[cut.own].max()).all()
        assert not folds or len(seen) >= LEAST_TESTED * LATER * rows
    assert ties > 1 or cut.truth(rows // 2)
    assert cut.truth(10**6) == []


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), rows=st.integers(20, 90), n_groups=st.sampled_from([60, 900]))
def test_groups_are_on_one_side(seed, rows, n_groups):
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, n_groups, 3000)
    cut = cut_part(3000, rows, rng, groups=groups)
    if cut is None:
        assert n_groups * (rows // GROUPS) < 3 * rows + 3 * GROUPS
        return
    own, rest = set(groups[cut.own]), set(groups[cut.rest])
    assert not own & rest and len(cut.own) >= rows
    assert len(own) >= min(GROUPS, rows) and len(cut.own) < rows + max(rows // GROUPS, 1)
    for size in (rows // 2, rows, 2 * rows):
        for train, test in cut.truth(size):
            assert len(train) == size and len(test) >= LEAST_TESTED * len(cut.own)
            assert not set(groups[test]) & (set(groups[train]) | own)
    codes = cut.own_splits()["groups"]
    assert sorted(set(codes)) == list(range(len(own)))


def test_a_table_that_is_too_small_gives_no_part():
    rng = np.random.default_rng(0)
    assert cut_part(200, 100, rng) is None and cut_part(300, 100, rng) is not None
    assert cut_part(200, 100, rng, times=np.arange(200.0)) is None
    assert cut_part(3000, 100, rng, groups=np.arange(3000) % 10) is None
    assert cut_part(300, 100, rng).truth(150) == []


def test_rows_that_are_left_out_are_in_nothing():
    rng = np.random.default_rng(0)
    kept = rng.uniform(size=4000) < 0.8
    for by in ({}, {"times": np.arange(4000.0)}, {"groups": np.arange(4000) // 4}):
        cut = cut_part(4000, 60, rng, **by).of(kept)
        assert kept[np.concatenate([cut.own, cut.rest, *(r for f in cut.truth(40) for r in f)])
                    ].all() and len(cut.truth(40))


@pytest.mark.parametrize(("given", "expected"), [
    ({"time": "day"}, {"times": [18262.0, 18263.0]}), ({"group": "who"}, {"groups": [0, 1, 0]}),
    ({}, {})])
def test_a_column_to_split_by_is_no_feature(given, expected):
    frame = pd.DataFrame({"x": [1, 2, 3], "day": ["2020-01-01", "2020-01-02", None],
                          "who": ["a", "b", "a"]})
    rest, by = split_columns(frame, RowTable("keel:banana", **given))
    assert {name: values.tolist() for name, values in by.items()} == expected
    assert set(rest) == set(frame) - set(given.values())
    assert all(len(rest) == len(values) for values in by.values())
