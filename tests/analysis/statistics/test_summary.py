"""One summary: a mean with its interval over units, and how it is written."""

import numpy as np
import pandas as pd
import pytest

from analysis.statistics.bootstrap import mean_interval
from analysis.statistics.summary import Summary, as_number, summarise, with_interval


def test_a_mean_over_units_agrees_with_the_plain_bootstrap():
    rng = np.random.default_rng(0)
    level = rng.integers(0, 12, 60)
    units = [f"drawn {k}" for k in level]
    values = pd.Series(rng.normal(level, 1))
    found = summarise(values, units)
    assert found.value == pytest.approx(values.mean())
    assert (found.low, found.high) == pytest.approx(mean_interval(values, pd.Series(units)))
    assert found.n == len(set(units))


def test_one_unit_has_no_interval_and_no_values_have_no_mean():
    one = summarise([1.0, 3.0], ["a", "a"])
    assert one.value == 2 and np.isnan(one.low) and one.n == 1
    assert np.isnan(summarise([np.nan], ["a"]).value)


def test_two_units_have_an_interval():
    found = summarise([1.0, 3.0], ["a", "b"])
    assert (found.low, found.value, found.high, found.n) == (1, 2, 3, 2)


def test_another_statistic_is_resampled_alike():
    values, units = [0, 0, 1, 1.0], list("abcd")
    total = summarise(values, units, lambda v, times: times @ v)
    assert total.value == 2 and total.low < 2 < total.high


def test_numbers_as_text():
    assert with_interval(1.25, 1, 2, 1, "%") == "1.2 % [1.0, 2.0]"
    assert with_interval(1.25, np.nan, 2, 2) == "1.25"
    assert as_number(-0.04) == "0.0" and as_number(12345, 0, "rows") == "12,345 rows"
    assert as_number(np.nan) == "–" and Summary(2, 1, 3).text(0) == "2 [1, 3]"
