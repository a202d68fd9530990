"""The shipped curves of regression, and those of large tables: whole, small, described, true."""

import hashlib
import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest

import analysis
from analysis.databases.naming import learner_title
from analysis.statistics.families import count_families
from collection.containers.curves import Status
from collection.project.paths import DATA
from lab.shipped.croissant import CROISSANT
from lab.shipped.recipe import LACKING
from lab.shipped.recipes import LARGE, REGRESSION

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


def test_large_tables_go_on_beyond_a_hundred_thousand_rows():
    both = [analysis.load_curves(recipe.name) for recipe in LARGE]
    assert sum(there.sizes["dataset"] for there in both) >= 6
    for there in both:
        assert there["rows"].min() >= 50_000 and there.sizes["learner"] >= 6
        far = there["status"].sel(anchor=slice(100_000, None)) == Status.ok
        assert (far.any(["outer", "inner", "anchor"]).squeeze().sum("learner") >= 5).sum() >= 2


@RECIPES
def test_files_are_those_described(recipe):
    folder = DATA / recipe.name
    described = json.loads((folder / CROISSANT).read_text())
    kind = "classifiers" if recipe.name == "large_classes" else "regressors"
    assert kind in described["description"]
    for file in described["distribution"]:
        content = (folder / file["contentUrl"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == file["sha256"]


def test_the_error_of_the_mean_is_about_one_and_metrics_agree():
    own = curves().sel(split="valid", learner="Dummy").squeeze(drop=True)
    last = own["relative_rmse"].sel(anchor=slice(90, None)).mean(["outer", "inner", "anchor"])
    assert (np.abs(last - 1) < 0.15).all()
    assert (own["r2"].median() <= 0) and float(own["r2"].median()) > -0.2
    some = curves().sel(split="test", learner="Ridge", dataset="concrete").squeeze(drop=True)
    spread = some["relative_rmse"] ** 2 / (1 - some["r2"])  # of the target, test over all rows
    assert float(spread.std("anchor").max()) < 0.02 * float(spread.mean())


def test_least_squares_peaks_where_it_ceases_to_fit_exactly():
    own = curves().sel(scaling="standard", leakage="no", drop=True)
    for name, rows in (("meats", 101), ("Chicago", 49)):
        one = own["relative_rmse"].sel(dataset=name, learner="LeastSquares").median(
            ["outer", "inner"])
        exact = one["anchor"].values[(one.sel(split="train") < 1e-4).values].max()
        valid = one.sel(split="valid").dropna("anchor")
        peak = int(valid["anchor"].values[valid.argmax("anchor")])
        assert exact <= rows and 0.9 < peak / exact < 1.2
