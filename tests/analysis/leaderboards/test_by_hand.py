"""Leaderboards' numbers, worked out by hand: not by the constants that the code has."""

import numpy as np
import pytest

from analysis.leaderboards import normalize_among, place_among
from analysis.leaderboards.measures import normalized_errors


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
