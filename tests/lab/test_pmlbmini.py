"""PMLBmini's raw results, and the tests that its text reports: by brute force and by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import norm, wilcoxon

from analysis.published.computed import NotAtHandError
from analysis.statistics.bootstrap import holm
from lab.pmlbmini import OTHERS, compare_pairs, published_results, published_test_auc


@given(st.lists(st.sampled_from([0.0, 0.001, 0.01, 0.02, 0.3, 1.0]) | st.floats(0, 1), min_size=1,
                max_size=12))
def test_holm_is_as_defined(p):
    """The smallest p times their number, the next times one less, none below one before it."""
    ranked = sorted(range(len(p)), key=p.__getitem__)
    expected, least = [0.0] * len(p), 0.0
    for k, place in enumerate(ranked):
        expected[place] = least = max(least, min(1, (len(p) - k) * p[place]))
    assert_allclose(holm(np.array(p)), expected)


def test_pairs_are_scipys_and_last_bits_do_not_count():
    rng = np.random.default_rng(0)
    scores = pd.DataFrame(rng.uniform(0.6, 0.9, (30, 2)).round(3), columns=["a", "b"])
    scores["same"] = scores["a"] + 1e-15
    found = compare_pairs(scores).set_index(["one", "other"])
    gap = (scores["a"] - scores["b"]).round(12)
    row = found.loc[("a", "b")]
    assert row["p"] == wilcoxon(gap[gap != 0], correction=True, method="approx").pvalue
    assert (row["wins"], row["losses"]) == ((gap > 0).sum(), (gap < 0).sum())
    assert found.loc[("a", "same"), ["p", "ties"]].tolist() == [1, 30]


def test_twelve_differences_are_judged_by_the_normal_approximation():
    """Ranks 1 to 12, the smallest two negative: W = 3, mean 39, variance 162.5, by half a step."""
    gaps = np.arange(1, 13) * np.where(np.arange(12) < 2, -1, 1)
    p = compare_pairs(pd.DataFrame({"a": gaps.astype(float), "b": 0.0}))["p"].item()
    assert p == pytest.approx(2 * norm.cdf((3 + 0.5 - 39) / np.sqrt(162.5)))


def test_the_results_are_of_44_datasets_and_five_methods(published):
    table = published_results()
    assert table.groupby(["method", "split"])["dataset"].nunique().eq(44).all()
    assert published_test_auc().shape == (44, 5) and set(OTHERS) < set(published_test_auc())


@pytest.mark.parametrize("digits, p", [(None, 0.0749), (2, 0.0514)])
def test_autogluon_against_logistic_regression(published, digits, p):
    auc = published_test_auc()
    auc = auc if digits is None else np.floor(100 * auc + 0.5) / 100
    pairs = compare_pairs(auc).set_index(["one", "other"])["p_adjusted"]
    assert pairs["AutoGluon", "Logistic regression"] == pytest.approx(p, abs=5e-5)


def test_what_is_not_at_hand_says_so(monkeypatch, tmp_path):
    for value in ("", str(tmp_path)):
        monkeypatch.setenv("LEARNING_CURVES_PUBLISHED", value)
        with pytest.raises(NotAtHandError, match="LEARNING_CURVES_PUBLISHED"):
            published_results()
