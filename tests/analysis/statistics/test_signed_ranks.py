"""Signed ranks of pairs: as scipy has them, and by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, wilcoxon

from analysis.statistics import signed_rank_tests


def test_pairs_are_scipys_and_last_bits_do_not_count():
    rng = np.random.default_rng(0)
    scores = pd.DataFrame(rng.uniform(0.6, 0.9, (30, 2)).round(3), columns=["a", "b"])
    scores["same"] = scores["a"] + 1e-15
    found = signed_rank_tests(scores).set_index(["one", "other"])
    gap = (scores["a"] - scores["b"]).round(12)
    row = found.loc[("a", "b")]
    assert row["p"] == wilcoxon(gap[gap != 0], correction=True, method="approx").pvalue
    assert (row["wins"], row["losses"]) == ((gap > 0).sum(), (gap < 0).sum())
    assert found.loc[("a", "same"), ["p", "ties"]].tolist() == [1, 30]


def test_twelve_differences_are_judged_by_the_normal_approximation():
    """Ranks 1 to 12, the smallest two negative: W = 3, mean 39, variance 162.5, by half a step."""
    gaps = np.arange(1, 13) * np.where(np.arange(12) < 2, -1, 1)
    p = signed_rank_tests(pd.DataFrame({"a": gaps.astype(float), "b": 0.0}))["p"].item()
    assert p == pytest.approx(2 * norm.cdf((3 + 0.5 - 39) / np.sqrt(162.5)))
