"""The page on large tables, with other sizes: what it says is of these, by a second path."""

import pytest

from analysis import load_curves

GIVEN = {"seen": 8192, "common": 16384}


@pytest.fixture(scope="module")
def numbers():
    """Mean errors on the tables of numbers."""
    curves = load_curves("large_numbers")["relative_rmse"]
    return curves.sel(scaling="standard", leakage="no", drop=True).mean(["outer", "inner"]).load()


def test_falls_are_those_of_the_curves(page, numbers):
    valid = numbers.sel(split="valid", learner="XGBoost")
    fall = 100 * (1 - valid.sel(anchor=16384, drop=True) / valid.sel(anchor=8192, drop=True))
    own = page.table("curves").query("role == 'XGBoost'").pivot(
        index="dataset", columns="anchor", values="value")
    falls = 100 * (1 - own[16384] / own[8192])
    assert falls[fall["dataset"].values].tolist() == pytest.approx(fall.values.tolist())
    assert page.numbers.loc["xgboost", "value"] == pytest.approx(falls.mean())
    assert page.table("slopes")["anchor"].max() == 8192
    assert "from 8,192 rows to twice as many" in page.said and "leads at 8,192 rows" in page.said


def test_the_early_leader_is_held_against_who_leads_later(page, numbers):
    ranks = page.table("ranks").set_index("dataset")
    for dataset in numbers["dataset"].values:
        own = numbers.sel(dataset=dataset).drop_sel(learner="Dummy")
        first = own.sel(split="valid", anchor=8192).argmin("learner")
        then = own.sel(split="test", anchor=16384)
        lost = 100 * (then.isel(learner=first) / then.min() - 1)
        assert ranks.loc[dataset, "regret"] == pytest.approx(float(lost))


def test_forecasts_are_of_later_sizes_and_scored_by_what_came(page, numbers):
    cases = page.table("forecasts")
    assert set(cases["times"]) == {2, 4, 8, 16, 32}
    stays = cases.query("method == 'stays as it is' and role == 'tree'").set_index(
        ["dataset", "times"])
    tree = numbers.sel(learner="Decision Tree", dataset="diamonds", split="test", anchor=16384)
    assert stays.loc[("diamonds", 2), "truth"] == pytest.approx(float(tree))
    assert stays["inside"].isna().all()
    mean = cases.groupby("method")["off"].mean()
    assert mean["the report"] < mean["stays as it is"]
