"""Splits: each row held out once a round, groups whole, time forward, prefixes that are samples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collection.protocol.rows import FOLDS, LEAST, Rows, rounds, sizes_up_to


def parts(rows, inner=0):
    return [rows.split(outer, inner) for outer in range(FOLDS)]


@given(n=st.integers(40, 300), inner=st.integers(0, 4), regression=st.booleans())
def test_every_row_is_held_out_once_in_a_round(n, inner, regression):
    target = np.random.default_rng(n).integers(0, 3, n)
    rows = Rows(target.astype(float) if regression else target, regression)
    folds = parts(rows, inner)
    assert sorted(np.concatenate([f.test for f in folds])) == list(range(n))
    for fold in folds:
        assert sorted(np.r_[fold.train, fold.test]) == list(range(n))
    assert max(len(f.test) for f in folds) - min(len(f.test) for f in folds) <= 1
    assert rows.largest() == min(len(f.train) for f in folds)


@given(n=st.integers(60, 300), share=st.floats(0.2, 0.5))
def test_folds_and_prefixes_have_the_classes_in_proportion(n, share):
    target = (np.arange(n) < share * n).astype(int)
    for fold in parts(Rows(target, False)):
        assert abs(target[fold.test].mean() - target.mean()) <= 1.5 / len(fold.test)
        assert abs(target[fold.train[:30]].sum() - 30 * target.mean()) <= 2


@given(n=st.integers(60, 300), groups=st.integers(10, 40))
def test_a_group_is_on_one_side_and_in_one_stretch(n, groups):
    group = np.random.default_rng(n).integers(0, groups, n)
    group = np.unique(group, return_inverse=True)[1]
    rows = Rows(np.zeros(n, int), False, groups=group)
    for fold in parts(rows):
        assert not set(group[fold.train]) & set(group[fold.test])
        changes = (np.diff(group[fold.train]) != 0).sum()
        assert changes == len(set(group[fold.train])) - 1
    assert (rows.units() == group).all()


@given(n=st.integers(90, 300), ticks=st.integers(30, 300))
def test_time_goes_forward_and_the_latest_rows_come_first(n, ticks):
    times = np.random.default_rng(n).integers(0, ticks, n).astype(float)
    rows = Rows(np.zeros(n), True, times=times)
    tested = []
    for fold in parts(rows):
        assert times[fold.train].max() < times[fold.test].min()
        assert (np.diff(times[fold.train]) <= 0).all()
        tested.append(fold.test)
    tested = np.concatenate(tested)
    assert len(set(tested)) == len(tested) == round(n / 3)
    units = rows.units()[np.argsort(times, kind="stable")]
    assert (np.diff(units) >= 0).all() and len(set(units)) >= 20


def test_rounds_differ_and_are_the_same_again():
    rows = Rows(np.arange(100) % 2, False)
    first, other, again = rows.split(0, 0), rows.split(0, 1), rows.split(0, 0)
    assert not np.array_equal(first.test, other.test)
    np.testing.assert_array_equal(first.train, again.train)
    assert rounds()[:6] == [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (0, 1)]


@given(largest=st.integers(2 * LEAST, 10**6))
def test_sizes_are_halves_up_to_the_largest(largest):
    sizes = sizes_up_to(largest)
    assert sizes[-1] == largest and sizes[0] >= LEAST and list(sizes) == sorted(set(sizes))
    assert len(sizes) >= 2 and sizes[0] < 2 * LEAST + 1


@pytest.mark.parametrize("regression", [False, True])
def test_neighbours_in_the_target_go_to_different_folds(regression):
    target = np.arange(100.0) if regression else np.arange(100) % 2
    for fold in parts(Rows(target, regression)):
        assert abs(target[fold.test].mean() - target.mean()) < 3
