"""PMLBmini's raw results, and the tests that its text reports."""

import numpy as np
import pytest

from analysis.leaderboards.wilcoxon import compare_pairs
from analysis.published.computed import NotAtHandError
from chapters.lab.pmlbmini import OTHERS, published_results, published_test_auc


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
