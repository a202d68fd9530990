"""The page on portfolios: rivals at equal seconds, studies drawn, and what others' runs lack."""

import numpy as np
import pytest
from notebook_runs import run

from analysis.portfolios import left_out_orders, open_matrix


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return run("portfolios", tmp_path_factory.mktemp("page"), draws=3)


def test_rivals_are_given_the_seconds_of_the_published_list(page):
    matrix = open_matrix("tabrepo-lightgbm")
    values, orders = matrix.measures["normalized_error"], left_out_orders(matrix, "published", 10)
    rivals = page.table("rivals").query("configs == 10").set_index("rival")
    picked = [own[order].min() for own, order in zip(values, orders, strict=True)]
    assert rivals.loc["published", "normalized_error"] == pytest.approx(np.mean(picked))
    spent = np.mean([own[order].sum() for own, order in zip(matrix.train_times, orders,
                                                            strict=True)])
    assert page.numbers.loc["seconds", "value"] == pytest.approx(spent)
    sizes = page.table("sizes").query("method == 'random configs'")
    at = np.interp(spent, sizes["seconds"], sizes["normalized_error"])
    assert rivals.loc["random configs", "normalized_error"] == pytest.approx(at)
    assert rivals.loc["random configs", "difference"] == 0
    quick = rivals.loc["quickest first"]
    assert quick["quick"] == 0 and rivals.loc["random configs", "quick"] == -quick["difference"]
    first = np.argsort(matrix.train_times[matrix.others(0)].mean(axis=0))[:20]
    assert quick["normalized_error"] < values[:, first].min(axis=1).mean()  # more of them fit


def test_studies_are_as_many_as_were_asked_for(page):
    told = page.table("decided").set_index(["number", "rival"])
    assert (told.loc[5, "studies"] == 3).all() and (told.loc[93, "studies"] == 1).all()
    assert (told["right"] + told["wrong"] <= 1).all() and (told.loc[5, "right"] == 0).all()
    learned = page.table("how_many").set_index(["criterion", "number"])
    assert learned.loc[("ranks", 92), "draws"] == 1
    assert np.isnan(learned.loc[("ranks", 92), "low"])


def test_few_datasets_lack_something(tmp_path):
    page = run("portfolios", tmp_path, repository="evaluations", default="KNN")
    assert "on more than 50 datasets; evaluations has" in page.said and page.numbers.empty
