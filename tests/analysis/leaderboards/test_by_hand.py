"""Leaderboards' numbers, worked out by hand: not by the constants that the code has."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from analysis.leaderboards import normalize_among, place_among
from analysis.leaderboards.board import rate_wins
from analysis.leaderboards.measures import normalized_errors
from analysis.leaderboards.wilcoxon import compare_pairs


def test_a_method_that_won_its_only_task_is_given_half_a_tied_one():
    """A win and half a tied task: 1.25 against 0.25 wins, odds of 5, 400 log10(5) points."""
    rating = rate_wins(np.array([[0.0, 1.0], [0.0, 0.0]]))
    assert rating[0] - rating[1] == pytest.approx(279.588, abs=1e-3)


@pytest.mark.parametrize(("query", "partial", "share"), [
    (0.05, True, 0.25 / 3.5),  # half of the way from 0 to 0.1: a quarter of a place of 3.5
    (0.9, True, 1.0),  # beyond twice the worst
    (0.9, False, 1.0),
    (0.25, False, 2 / 3)])
def test_shares_of_the_worst_place(query, partial, share):
    found = place_among(np.array([query]), np.array([0.1, 0.2, 0.4]), partial=partial, share=True)
    assert found[0] == pytest.approx(share)


def test_a_spread_of_a_ten_thousandth_still_counts_and_one_of_a_millionth_does_not():
    narrow = np.array([[0.1, 0.1001, 0.1002]])
    np.testing.assert_allclose(normalized_errors(narrow), [[0, 1, 1]], atol=1e-6)
    assert normalize_among(np.array([0.10005]), narrow[0])[0] == pytest.approx(0.5)
    equal = np.array([[0.1, 0.100001, 0.100002]])
    np.testing.assert_allclose(normalized_errors(equal), [[0, 0.1, 0.2]], atol=1e-6)


def test_twelve_differences_are_judged_by_the_normal_approximation():
    """Ranks 1 to 12, the smallest two negative: W = 3, mean 39, variance 162.5, by half a step."""
    gaps = np.arange(1, 13) * np.where(np.arange(12) < 2, -1, 1)
    p = compare_pairs(pd.DataFrame({"a": gaps.astype(float), "b": 0.0}))["p"].item()
    assert p == pytest.approx(2 * norm.cdf((3 + 0.5 - 39) / np.sqrt(162.5)))


def test_nine_differences_are_judged_exactly():
    """Ranks 1 to 9, the smallest negative: of 512 flips, 2 give W of 1 or less, on either side."""
    gaps = np.arange(1, 10) * np.where(np.arange(9) < 1, -1, 1)
    p = compare_pairs(pd.DataFrame({"a": gaps.astype(float), "b": 0.0}))["p"].item()
    assert p == pytest.approx(2 * 2 / 2**9)
