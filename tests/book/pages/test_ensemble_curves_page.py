"""The page on ensembles: what it keeps, by a second path, and what other curves lack."""

import numpy as np
import pytest
from notebook_runs import run

from analysis import load_curves
from analysis.ensemble_curves import common_means, judged_errors, load_few_rows, member_names


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return run("ensemble_curves", tmp_path_factory.mktemp("page"), alpha=0.1)


def test_costs_are_of_all_that_could_be_chosen(page):
    curves = load_curves("ensemble_curves").isel(scaling=0, leakage=0)
    last = common_means(judged_errors(load_curves("ensemble_curves")))["anchor"][-1]
    seconds = curves["train_time"].sel(anchor=last).mean(["outer", "inner"])
    own = seconds.sel(learner=member_names(curves["learner"].values)).load()
    times = own.sum("learner") / own.median("learner")
    expected = float(np.exp(np.log(times).mean()))
    found = page.numbers.loc["times_all", "value"]
    assert found == pytest.approx(expected, rel=0.01)  # some fits failed


def test_choosing_on_few_rows_is_held_against_all(page):
    few = load_few_rows().query("way == 'Caruana' and anchor == 16").pivot(
        index="dataset", columns="rows", values="error_rate")
    cost = 100 * (few["ninth"] - few["all"]).mean()
    assert page.numbers.loc["few_caruana_ninth", "value"] == pytest.approx(cost)


def test_what_is_significant_hangs_on_the_level(page):
    """Stacking's p is .055: clear at a tenth, open at a twentieth."""
    p = page.numbers.loc["stack_single_p", "value"]
    assert 0.05 < p < 0.1 and "Perhaps" not in page.said
    assert "datasets significantly" in page.said


def test_curves_without_ensembles_lack_them(tmp_path):
    lacks = run("ensemble_curves", tmp_path, database="mini")
    assert "mini has none" in lacks.said and lacks.numbers.empty
