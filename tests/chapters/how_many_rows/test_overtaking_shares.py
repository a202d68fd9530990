"""Shares of problems, near-duplicates counted once."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from chapters.how_many_rows import shares as chapter
from chapters.how_many_rows.overtaking import study_overtaking

NAN = np.nan


def some_cases(rows, last) -> xr.Dataset:
    rows, last = np.asarray(rows, float), np.asarray(last, float)
    return xr.Dataset(
        {"rows": (("dataset", "learner"), rows[:, None]),
         "last": (("dataset", "learner"), last[:, None]),
         "first": (("dataset", "learner"), np.where(np.isnan(last), NAN, 16.0)[:, None])},
        coords={"dataset": np.arange(len(rows)), "learner": ["L"]})


def families_of(*numbers) -> pd.Series:
    return pd.Series(numbers, index=range(len(numbers)))


def test_datasets_that_end_before_do_not_count():
    cases = some_cases([32, 64, NAN, NAN, 128, 16, NAN], [90, 800, 90, 800, 800, 800, NAN])
    table = chapter.overtaking_shares(cases, families_of(*range(7)), "x", sizes=(50, 100))
    assert table["n_datasets"].tolist() == [6, 4]
    assert table["share"].iloc[0] == pytest.approx(2 / 6) and np.isnan(table["share"].iloc[1])
    assert table.columns.tolist() == ["database", "learner", "rows", "share", "low", "high",
                                      "n_datasets"]


def test_datasets_that_begin_later_do_not_count():
    cases = some_cases([32, 64, NAN, 256, 256, 256, 256], [800] * 7)
    late = cases["first"].where(cases["dataset"] != 1, 128)
    table = chapter.overtaking_shares(cases.assign(first=late), families_of(*range(7)), "x",
                                      sizes=(100, 200))
    assert table["n_datasets"].tolist() == [6, 7]
    assert table["share"].tolist() == pytest.approx([1 / 6, 2 / 7])


def test_versions_of_a_dataset_are_one_problem():
    cases = some_cases([16, 16, 16, NAN, NAN, NAN, NAN, NAN], [800] * 8)
    family = families_of(0, 0, 0, 0, 1, 2, 3, 4)
    row = chapter.overtaking_shares(cases, family, "x", sizes=(100,)).iloc[0]
    assert row["n_datasets"] == 5 and row["share"] == pytest.approx(0.75 / 5)


@pytest.mark.parametrize(("holds", "low", "high"), [(True, 0.63, 1), (False, 0, 0.37)])
def test_all_and_none_have_an_interval_with_width(holds, low, high):
    flags = np.full(8, holds)
    found = chapter.problem_shares(flags, np.ones(8, bool), families_of(*range(8)))
    assert [*found.values()] == pytest.approx([float(holds), low, high, 8], abs=0.01)


@settings(max_examples=30, deadline=None)
@given(arrays(bool, (9, 2)), arrays(bool, (9, 2)),
       st.lists(st.integers(0, 6), min_size=9, max_size=9))
def test_a_share_is_the_mean_over_problems(holds, counts, family):
    share, low, high, n = chapter.problem_shares(holds, counts, pd.Series(family)).values()
    for k in range(2):
        found = pd.Series(holds[counts[:, k], k]).groupby(np.array(family)[counts[:, k]]).mean()
        assert n[k] == len(found)
        if len(found) >= 5:
            assert share[k] == pytest.approx(found.mean())
            assert low[k] - 1e-9 <= share[k] <= high[k] + 1e-9
        else:
            assert np.isnan([share[k], low[k], high[k]]).all()


def test_common_shares_are_of_the_same_problems():
    few = study_overtaking("mini")
    n = chapter.common_shares(few).groupby("rows")["n_datasets"].nunique()
    assert (n == 1).all()
