"""PMLBmini's raw results, and the tests that its text reports."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from analysis.published.computed import NotAtHandError
from analysis.statistics import signed_rank_tests
from analysis.statistics.bootstrap import holm
from lab.pmlbmini import OTHERS, published_results, published_test_auc


@given(st.lists(st.sampled_from([0.0, 0.001, 0.01, 0.02, 0.3, 1.0]) | st.floats(0, 1), min_size=1,
                max_size=12))
def test_holm_is_as_defined(p):
    """The smallest p times their number, the next times one less, none below one before it."""
    ranked = sorted(range(len(p)), key=p.__getitem__)
    expected, least = [0.0] * len(p), 0.0
    for k, place in enumerate(ranked):
        expected[place] = least = max(least, min(1, (len(p) - k) * p[place]))
    assert_allclose(holm(np.array(p)), expected)


def test_the_results_are_of_44_datasets_and_five_methods(published):
    table = published_results()
    assert table.groupby(["method", "split"])["dataset"].nunique().eq(44).all()
    assert published_test_auc().shape == (44, 5) and set(OTHERS) < set(published_test_auc())


@pytest.mark.parametrize("digits, p", [(None, 0.0749), (2, 0.0514)])
def test_autogluon_against_logistic_regression(published, digits, p):
    auc = published_test_auc()
    auc = auc if digits is None else np.floor(100 * auc + 0.5) / 100
    pairs = signed_rank_tests(auc).set_index(["one", "other"])["p_adjusted"]
    assert pairs["AutoGluon", "Logistic regression"] == pytest.approx(p, abs=5e-5)


def test_what_is_not_at_hand_says_so(monkeypatch, tmp_path):
    for value in ("", str(tmp_path)):
        monkeypatch.setenv("LEARNING_CURVES_PUBLISHED", value)
        with pytest.raises(NotAtHandError, match="LEARNING_CURVES_PUBLISHED"):
            published_results()
