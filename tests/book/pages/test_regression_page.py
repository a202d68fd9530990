"""Least squares peaks where theory says, on tables and on one that is made up."""

import numpy as np
import pytest
from notebook_runs import run


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return run("regression", tmp_path_factory.mktemp("page"), every=16, draws=1)


def test_least_squares_peaks_where_theory_says_and_ridge_does_not(page):
    made = page.table("made")
    wide = made.pivot(index="anchor", columns="learner", values="value")
    theory = made.dropna(subset="theory").set_index("anchor")["theory"]
    assert 47 <= wide["LeastSquares"].idxmax() == page.numbers.loc["made_peak", "value"] <= 51
    assert wide["LeastSquares"].max() > 2 * wide["LeastSquares"].iloc[0] and wide["Ridge"].max() < 1
    assert np.isinf(theory[[48, 49, 50]]).all() and theory[16] == pytest.approx(0.92, abs=0.01)
    far = [size for size in wide.index if not 0.7 < size / 49 < 1.4]
    np.testing.assert_allclose(wide["LeastSquares"][far], theory[far], rtol=0.25)


def test_peaks_are_counted_where_the_training_rows_are_no_longer_fitted_exactly(page):
    own = page.table("peaks").query("learner == 'LeastSquares'")
    tall = own["at"] > 1.1 * own[["before", "after"]].max(axis=1)
    assert (own["peak"] <= 2 * own["threshold"]).all()
    assert page.numbers.loc["LeastSquares_peaks", "value"] == tall.sum()
    there = (tall & own["ratio"].between(1 / 1.2, 1.2)).sum()
    assert page.numbers.loc["LeastSquares_there", "value"] == there > len(own) / 2


def test_other_choices_are_other_sentences(tmp_path, page):
    strict = run("regression", tmp_path, every=16, draws=1, higher=1000)
    assert "Least squares may: on 0 of the" in strict.said and "may" not in page.said[:100]
