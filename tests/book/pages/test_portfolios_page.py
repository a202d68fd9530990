"""The page on portfolios: rivals at equal seconds, datasets drawn, and what others' runs lack."""

import numpy as np
import pytest
from notebook_runs import run

from analysis.portfolios import left_out_orders, open_matrix, quickest_first

GIVEN = {"draws": 3}


def test_rivals_are_given_the_same_seconds_on_each_dataset(page):
    matrix = open_matrix("tabrepo-lightgbm")
    values = matrix.measures["normalized_error"]
    rivals = page.table("rivals").query("configs == 10").set_index("rival")
    for rival, orders in (("published", left_out_orders(matrix, "published")),
                          ("quickest first", quickest_first(matrix))):
        best = []
        for own, times, order in zip(values, matrix.train_times, orders, strict=True):
            left, trained = 10 * times.mean(), []
            for config in order:
                left -= times[config]
                if left < 0 and trained:
                    break
                trained.append(own[config])
            best.append(min(trained))
        assert rivals.loc[rival, "normalized_error"] == pytest.approx(np.mean(best))
    assert rivals.loc["random configs", "difference"] == 0
    quick = rivals.loc["quickest first"]
    assert quick["quick"] == 0
    assert rivals.loc["random configs", "quick"] == pytest.approx(-quick["difference"])


def test_portfolios_are_learned_as_often_as_was_asked_for(page):
    learned = page.table("how_many").set_index(["criterion", "number"])
    assert learned.loc[("ranks", 92), "draws"] == 1
    assert np.isnan(learned.loc[("ranks", 92), "low"])


def test_few_datasets_lack_something(tmp_path):
    page = run("portfolios", tmp_path, repository="evaluations")
    assert "on more than 50 datasets; evaluations has" in page.said and page.numbers.empty
