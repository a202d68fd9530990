"""The shipped curves of regression, and those of large tables: whole, small, true."""

from collections import Counter

import pandas as pd
import pytest

import analysis
from analysis.databases.naming import learner_title
from analysis.statistics.families import count_families
from collection.containers.curves import Status
from collection.project.paths import DATA
from lab.shipped.recipes import LACKING, LARGE, REGRESSION

RECIPES = pytest.mark.parametrize("recipe", [REGRESSION, *LARGE], ids=lambda r: r.name)


def curves():
    return analysis.load_curves("regression")


@RECIPES
def test_it_holds_all_of_its_recipe(recipe):
    assert pd.read_csv(DATA / recipe.name / LACKING).empty
    there = analysis.load_curves(recipe.name)
    tried = (there["status"] != Status.not_run).any("anchor").stack(
        curve=["dataset", "learner", "scaling", "leakage", "outer", "inner"])
    found = Counter(tried["curve"].values[tried.values])
    names = dict(zip(there["source"].values, there["dataset"].values, strict=True))
    assert set(found) == {(names[spec], *rest) for spec, *rest in recipe.wanted()}


def test_it_is_of_many_tables_and_learners_and_small():
    there = curves()
    assert count_families(there["dataset"].values) >= 20 and there.sizes["learner"] >= 14
    assert sum(file.stat().st_size for recipe in (REGRESSION, *LARGE)
               for file in (DATA / recipe.name).iterdir()) <= 12e6
    assert (there["classes"] == 0).all() and "error_rate" not in there
    assert there["rows"].min() >= 200
    assert all(learner_title(name) for name in there["learner"].values)
