"""Which database and which of its curves a chapter uses."""

import numpy as np
import pytest
import xarray as xr

import analysis
from analysis.databases import chosen
from analysis.databases.chosen import (
    beside_in_paper,
    chapter_database,
    least_leakage,
    main_curves,
    main_scaling,
    validation_errors,
)
from analysis.databases.counted import CLASSIC, MIXED, MODERN
from analysis.databases.lcdb11.files import LEARNER_SETS
from analysis.published.printed import published_table
from collection.containers.learner_names import LEARNERS


@pytest.fixture(scope="module")
def mini():
    return analysis.load_curves("mini")


@pytest.mark.parametrize("labels, expected", [
    (["no", "yes"], "no"), (["yes", "no"], "no"), (["yes"], "yes"), (["no"], "no")])
def test_no_leakage_is_preferred_wherever_it_stands(labels, expected):
    assert least_leakage(xr.Dataset(coords={"leakage": labels})) == expected


@pytest.mark.parametrize("turned", [False, True])
def test_the_curves_of_the_analyses_are_those_without_leakage(mini, monkeypatch, turned):
    monkeypatch.setattr(chosen, "load_curves", lambda *which, **how: (
        mini.isel(leakage=slice(None, None, -1)) if turned else mini))
    dataset, learner, scaling = "lymphography-normal-fibrosis", "Decision Tree", "none"
    one = {"dataset": dataset, "learner": learner, "scaling": scaling}
    no, yes = (mini["error_rate"].sel(one | {"leakage": label}, drop=True)
               for label in ("no", "yes"))
    assert not no.equals(yes)
    xr.testing.assert_equal(main_curves("mini")["error_rate"].sel(one, drop=True), no)
    xr.testing.assert_equal(validation_errors("mini").sel(one, drop=True),
                            no.sel(split="valid", drop=True))
    own = analysis.get_curve(chosen.load_curves("mini"), dataset, learner)
    assert own["leakage"].item() == "no"


def test_the_reader_s_database_goes_before_the_chapter_s(monkeypatch):
    monkeypatch.delenv("DATABASE", raising=False)
    assert chapter_database("mini") == "mini"
    monkeypatch.setenv("DATABASE", "lcdb11")
    assert chapter_database("mini") == "lcdb11"
    assert beside_in_paper("lcdb11") == "LCDB 1.1 FULL" and beside_in_paper("mini") == "LCDB 1.0"


def test_the_lists_of_the_authors_learners_are_those_of_table_3_and_of_the_files():
    of_group = {group: tuple(n.name for n in LEARNERS.values() if n.group == group)
                for group in ("classic", "mixed", "modern")}
    assert tuple(of_group.values()) == (CLASSIC, MIXED, MODERN)
    table8 = published_table("table8")["learner"].unique()
    assert set(table8) == set(CLASSIC) and LEARNER_SETS["24"] == CLASSIC


def test_unscaled_curves_are_looked_at_first():
    scaled = xr.DataArray([1, 2], dims="scaling", coords={"scaling": ["minmax", "none"]})
    assert main_scaling(scaled) == "none" and main_scaling(scaled[:1]) == "minmax"


@pytest.mark.parametrize(("database", "procedure", "kept"), [
    ("lcdb11", "corrected", False), ("lcdb11", "published", True), ("mini", "corrected", True)])
def test_stray_values_of_lcdb11_are_seen_by_the_published_procedure_alone(
        monkeypatch, database, procedure, kept):
    values = np.full((1, 1, 1, 1, 2, 1), 0.5)
    dims = ("dataset", "learner", "scaling", "leakage", "anchor", "split")
    coords = {"dataset": [1088], "learner": ["KNN"], "scaling": ["none"], "leakage": ["no"],
              "anchor": [16, 10**6], "split": ["valid"]}
    curves = xr.Dataset({"error_rate": xr.DataArray(values, dims=dims, coords=coords)})
    monkeypatch.setattr(chosen, "load_curves", lambda *_, **__: curves)
    errors = chosen.validation_errors(database, procedure).squeeze()
    assert errors.notnull().values.tolist() == [True, kept]
