"""Intervals of shares over families of datasets, against exact ones."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from analysis.statistics.summary import family_share, share_error, shares_of


def ends_of(having, names):
    _, low, high = shares_of(having, np.ones(len(having)), names)
    return low.item(), high.item()


def test_intervals_of_few_cases_are_exact_and_move_with_their_number():
    names = pd.Series([f"drawn {k}" for k in range(24)])
    ends = [ends_of([1] * k + [0] * (24 - k), names)
            for k in range(25)]
    low, high = np.transpose(ends)
    assert (np.diff(low[:6]) > 0).all() and (np.diff(high[:6]) > 0).all()
    np.testing.assert_allclose((low + high[::-1])[:5], 100)
    for k in (1, 2, 22, 23):  # one case less is independent where the rate is estimated
        exact = stats.binomtest(k, 24).proportion_ci()
        np.testing.assert_allclose(ends[k], (100 * exact.low, 100 * exact.high), atol=2)


def test_cases_of_one_dataset_are_one_case():
    names = pd.Series([f"drawn {k}" for k in np.repeat(range(20), 5)])
    together = np.array([1] * 5 + [0] * 95)
    apart = np.array(([1] + [0] * 4) * 5 + [0] * 75)
    widths = [np.ptp(ends_of(v, names)) for v in (together, apart)]
    assert widths[0] > 1.5 * widths[1]
    assert np.isnan(ends_of(together[:5], names[:5])).all()


@pytest.mark.parametrize("having", [[1, 0], [1, 1, 0], [0, 1, 0, 1, 1]])
def test_a_share_s_error_is_that_of_a_mean_over_families(having):
    """Of one curve a dataset: the standard error of a mean, with one degree of freedom less."""
    error = share_error(np.array(having, float)[:, None], np.ones((len(having), 1)))
    assert error == pytest.approx(100 * stats.sem(having, ddof=1))


def of_datasets(flags, names=None) -> xr.DataArray:
    names = [f"drawn {k}" for k in range(len(flags))] if names is None else names
    dims = ("dataset", "learner")[:np.ndim(flags)]
    return xr.DataArray(flags, dims=dims, coords={"dataset": names})


@pytest.mark.parametrize(("holds", "low", "high"), [(True, 0.63, 1), (False, 0, 0.37)])
def test_all_and_none_have_an_interval_with_width(holds, low, high):
    found = family_share(of_datasets(np.full(8, holds)), of_datasets(np.ones(8, bool)))
    expected = [float(holds), low, high, 8]
    assert found.to_array().values.tolist() == pytest.approx(expected, abs=0.01)


def test_versions_of_a_dataset_are_one_problem():
    names = ["keel:iris", "sklearn:iris", *(f"drawn {k}" for k in range(4))]
    found = family_share(of_datasets([True, False] + [False] * 4, names),
                         of_datasets(np.ones(6, bool), names))
    assert found["n_datasets"] == 5 and found["share"] == pytest.approx(0.5 / 5)


@settings(max_examples=30, deadline=None)
@given(arrays(bool, (9, 2)), arrays(bool, (9, 2)),
       st.lists(st.integers(0, 6), min_size=9, max_size=9))
def test_a_share_is_the_mean_over_problems(holds, counts, family):
    names = [f"drawn {k}" for k in family]
    found = family_share(of_datasets(holds, names), of_datasets(counts, names))
    for k in range(2):
        means = pd.Series(holds[counts[:, k], k]).groupby(np.array(family)[counts[:, k]]).mean()
        share, low, high, n = found.isel(learner=k).to_array().values
        assert n == len(means)
        if len(means) >= 5:
            assert share == pytest.approx(means.mean()) and low - 1e-9 <= share <= high + 1e-9
        else:
            assert np.isnan([share, low, high]).all()
