"""One of several, shuffled with the others: against all exchanges."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.statistics import exchange_p


@given(st.integers(0, 10**5), st.integers(2, 4), st.integers(1, 4))
def test_near_the_exact_p(seed, datasets, others):
    generator = np.random.default_rng(seed)
    pool = generator.integers(0, 3, (datasets, others + 1)).astype(float)
    sums = np.array([sum(drawn) for drawn in product(*pool)])
    own = pool[:, 0].sum()
    exact = min(1, 2 * min((sums <= own).mean(), (sums >= own).mean()))
    assert exchange_p(pool[:, 1:], pool[:, 0]) == pytest.approx(exact, abs=0.04)


def test_none_of_nine_is_nothing_special():
    others = np.zeros((9, 11))
    others[:, 0] = 1  # each dataset has one curve in eleven that says yes
    assert exchange_p(others, np.zeros(9)) > 0.5
    assert 0 < exchange_p(others, np.ones(9)) < 0.001


def test_missing_others_are_left_out():
    others = np.array([[0.0, np.nan], [1.0, np.nan]])
    assert exchange_p(others, np.array([0.0, 1.0])) == 1
    with pytest.raises(ValueError, match="1 of 2"):
        exchange_p(others, np.array([0.0, np.nan]))
