"""Least squares peaks where training rows are no longer fitted exactly."""

from notebook_runs import run

GIVEN = {"every": 16, "draws": 1}


def test_peaks_are_counted_where_the_training_rows_are_no_longer_fitted_exactly(page):
    own = page.table("peaks").query("learner == 'LeastSquares'")
    tall = own["at"] > 1.1 * own[["before", "after"]].max(axis=1)
    assert (own["peak"] <= 2 * own["threshold"]).all()
    assert page.numbers.loc["LeastSquares_peaks", "value"] == tall.sum()
    there = (tall & own["ratio"].between(1 / 1.2, 1.2)).sum()
    assert page.numbers.loc["LeastSquares_there", "value"] == there > len(own) / 2


def test_other_choices_are_other_sentences(tmp_path, page):
    strict = run("regression", tmp_path, every=16, draws=1, higher=1000)
    assert "Hardly those of plain least squares" in strict.said and "on 0 of" in strict.said
    assert "Yes, those of plain least squares" in page.said
