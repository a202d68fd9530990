"""Intervals of shares over families of datasets, against exact ones."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.statistics.shares import share_error, share_interval


def test_intervals_of_few_cases_are_exact_and_move_with_their_number():
    names = pd.Series([f"drawn {k}" for k in range(24)])
    ends = [share_interval(pd.Series([100.0] * k + [0.0] * (24 - k)), names)
            for k in range(25)]
    low, high = np.transpose(ends)
    assert (np.diff(low[:6]) > 0).all() and (np.diff(high[:6]) > 0).all()
    np.testing.assert_allclose((low + high[::-1])[:5], 100)
    for k in (1, 2, 22, 23):  # one case less is independent where the rate is estimated
        exact = stats.binomtest(k, 24).proportion_ci()
        np.testing.assert_allclose(ends[k], (100 * exact.low, 100 * exact.high), atol=2)


def test_cases_of_one_dataset_are_one_case():
    names = pd.Series([f"drawn {k}" for k in np.repeat(range(20), 5)])
    together = pd.Series([100.0] * 5 + [0.0] * 95)
    apart = pd.Series(([100.0] + [0.0] * 4) * 5 + [0.0] * 75)
    widths = [np.ptp(share_interval(v, names)) for v in (together, apart)]
    assert widths[0] > 1.5 * widths[1]
    assert np.isnan(share_interval(together[:5], names[:5])).all()


@pytest.mark.parametrize("having", [[1, 0], [1, 1, 0], [0, 1, 0, 1, 1]])
def test_a_share_s_error_is_that_of_a_mean_over_families(having):
    """Of one curve a dataset: the standard error of a mean, with one degree of freedom less."""
    names = [f"d{k}" for k in range(len(having))]
    error = share_error(np.array(having, float), np.ones(len(having)), names)
    assert error == pytest.approx(100 * stats.sem(having, ddof=1))
