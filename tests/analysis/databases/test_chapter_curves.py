"""Which database and which of its curves a chapter uses."""

import numpy as np
import pytest
import xarray as xr

import analysis
from analysis.databases import chapter_curves
from analysis.databases import chapter_curves as chapter_data
from analysis.databases.chapter_curves import comparable_curves, only_comparable
from analysis.published.printed import published_table
from collection.containers.curves import DIMS, FIT_DIMS, METRICS, SPLITS, Status, build_container
from collection.containers.learner_names import CLASSIC, LEARNERS, MIXED, MODERN
from collection.official.lcdb11 import LEARNER_SETS
from collection.protocol.splits import SEEDS


@pytest.fixture(scope="module")
def mini():
    return analysis.load_curves("mini")


@pytest.mark.parametrize("labels, expected", [
    (["no", "yes"], "no"), (["yes", "no"], "no"), (["yes"], "yes"), (["no"], "no")])
def test_no_leakage_is_preferred_wherever_it_stands(labels, expected):
    assert chapter_curves.least_leakage(xr.Dataset(coords={"leakage": labels})) == expected


@pytest.mark.parametrize("turned", [False, True])
def test_the_curves_of_the_analyses_are_those_without_leakage(mini, monkeypatch, turned):
    monkeypatch.setattr(chapter_data, "load_curves", lambda *which, **how: (
        mini.isel(leakage=slice(None, None, -1)) if turned else mini))
    dataset, learner, scaling = "lymphography-normal-fibrosis", "Decision Tree", "none"
    one = {"dataset": dataset, "learner": learner, "scaling": scaling}
    no, yes = (mini["error_rate"].sel(one | {"leakage": label}, drop=True)
               for label in ("no", "yes"))
    assert not no.equals(yes)
    xr.testing.assert_equal(
        chapter_curves.paper_curves("mini")["error_rate"].sel(one, drop=True), no)
    xr.testing.assert_equal(chapter_curves.validation_errors("mini").sel(one, drop=True),
                            no.sel(split="valid", drop=True))
    own = analysis.get_curve(chapter_data.load_curves("mini"), dataset, learner)
    assert own["leakage"].item() == "no"



def test_the_lists_of_the_authors_learners_are_those_of_table_3_and_of_the_files():
    files = {name for names in LEARNER_SETS.values() for name in names}
    assert files == set(LEARNERS) == {*CLASSIC, *MIXED, *MODERN}
    table8 = published_table("table8")["learner"].unique()
    assert set(table8) == set(CLASSIC) and LEARNER_SETS["24"] == CLASSIC


def test_unscaled_curves_are_looked_at_first():
    scaled = xr.DataArray([1, 2], dims="scaling", coords={"scaling": ["minmax", "none"]})
    assert chapter_curves.main_scaling(scaled) == "none"
    assert chapter_curves.main_scaling(scaled[:1]) == "minmax"


@pytest.mark.parametrize(("database", "procedure", "kept"), [
    ("lcdb11", "corrected", False), ("lcdb11", "published", True), ("mini", "corrected", True)])
def test_stray_values_of_lcdb11_are_seen_by_the_published_procedure_alone(
        monkeypatch, database, procedure, kept):
    values = np.full((1, 1, 1, 1, 2, 1), 0.5)
    dims = ("dataset", "learner", "scaling", "leakage", "anchor", "split")
    coords = {"dataset": [1088], "learner": ["KNN"], "scaling": ["none"], "leakage": ["no"],
              "anchor": [16, 10**6], "split": ["valid"]}
    curves = xr.Dataset({"error_rate": xr.DataArray(values, dims=dims, coords=coords)})
    monkeypatch.setattr(chapter_data, "load_curves", lambda *_, **__: curves)
    errors = chapter_data.validation_errors(database, procedure).squeeze()
    assert errors.notnull().values.tolist() == [True, kept]


COORDS = {"dataset": ["a", "b"], "learner": ["KNN", "LDA", "QDA"],
          "scaling": ["none", "minmax"], "leakage": ["no", "yes"], "outer": SEEDS,
          "inner": SEEDS, "anchor": [16, 18, 20], "split": SPLITS}


@pytest.fixture
def curves():
    """Everything gathered without leakage; with it, nothing but KNN on a."""
    shape = tuple(len(COORDS[d]) for d in DIMS)
    status = np.full(shape[:-1], Status.ok, np.int8)
    container = build_container(COORDS, {"error_rate": np.full(shape, 0.5)}, status)
    assert container["status"].dims == FIT_DIMS and METRICS["error_rate"].dims == DIMS
    absent = container["leakage"] == "yes"
    absent = absent & ~((container["learner"] == "KNN") & (container["dataset"] == "a"))
    return _without(container, absent)


def _without(container, where, status=Status.not_run):
    return container.assign(error_rate=container["error_rate"].where(~where),
                            status=container["status"].where(~where, status))


def test_all_labels_must_be_there(curves):
    both = comparable_curves(curves, "leakage")
    assert both.sel(dataset="a", learner="KNN").all()
    assert int(both.sum()) == 2  # under two scalings
    plain = curves.sel(leakage=["no"])
    assert comparable_curves(plain, "scaling").all()
    assert not comparable_curves(plain, "leakage").any()


def test_a_curve_with_some_of_its_repeats_was_not_gathered(curves):
    here = ((curves["dataset"] == "b") & (curves["learner"] == "LDA")
            & (curves["scaling"] == "minmax") & (curves["outer"] == 4))
    plain = _without(curves, here).sel(leakage=["no"])
    found = comparable_curves(plain, "scaling").squeeze("leakage")
    assert not found.sel(dataset="b", learner="LDA")
    assert int((~found).sum()) == 1


def test_a_curve_that_failed_everywhere_was_gathered(curves):
    here = (curves["learner"] == "QDA") & (curves["scaling"] == "minmax")
    failed = _without(curves, here, Status.error).sel(leakage=["no"])
    assert comparable_curves(failed, "scaling").all()


def test_a_curve_was_tried_if_it_has_a_value_or_a_status(curves):
    learner, b = curves["learner"], curves["dataset"] == "b"
    failed = _without(curves, b & (learner == "QDA"), Status.timeout)
    partly = _without(failed, b & (learner == "LDA") & (curves["anchor"] > 16))
    plain = _without(partly, b & (learner == "KNN")).sel(leakage="no", drop=True)
    tried = chapter_curves.attempted(plain, plain["error_rate"].sel(split="valid", drop=True))
    assert tried.dims == ("dataset", "learner", "scaling")
    assert not tried.sel(dataset="b", learner="KNN").any() and int((~tried).sum()) == 2


def test_a_database_may_tell_what_was_tried(curves):
    plain = _without(curves, curves["learner"] == "KNN").sel(leakage="no", drop=True)
    told = xr.DataArray([[True, False]] * 3, dims=("learner", "scaling"))
    plain = plain.assign_coords(tried=told)
    tried = chapter_curves.attempted(plain, plain["error_rate"].sel(split="valid", drop=True))
    assert tried.sel(learner="KNN", scaling="none").all() and "tried" not in tried.coords
    assert not tried.sel(learner="KNN", scaling="minmax").any() and int((~tried).sum()) == 2


def test_what_cannot_be_compared_is_left_out(curves):
    errors = curves["error_rate"].sel(split="valid")
    kept = only_comparable(errors, comparable_curves(curves, "leakage"))
    assert list(kept["dataset"]) == ["a"] and list(kept["learner"]) == ["KNN"]
    assert kept.notnull().all()
    nothing = only_comparable(errors, comparable_curves(curves, "leakage") & False)
    assert nothing.size == 0
