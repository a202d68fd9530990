"""Only curves that were gathered under every setting are compared."""

import numpy as np
import pytest
import xarray as xr

from analysis.databases.chosen import (
    comparable_curves,
    gathered_curves,
    only_comparable,
    tried_curves,
)
from collection.containers.curves import DIMS, FIT_DIMS, METRICS, SPLITS, Status, build_container
from collection.protocol.splits import SEEDS

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
    assert gathered_curves(failed).all()


def test_a_curve_was_tried_if_it_has_a_value_or_a_status(curves):
    learner, b = curves["learner"], curves["dataset"] == "b"
    failed = _without(curves, b & (learner == "QDA"), Status.timeout)
    partly = _without(failed, b & (learner == "LDA") & (curves["anchor"] > 16))
    plain = _without(partly, b & (learner == "KNN")).sel(leakage="no", drop=True)
    tried = tried_curves(plain, plain["error_rate"].sel(split="valid", drop=True))
    assert tried.dims == ("dataset", "learner", "scaling")
    assert not tried.sel(dataset="b", learner="KNN").any() and int((~tried).sum()) == 2


def test_a_database_may_tell_what_was_tried(curves):
    plain = _without(curves, curves["learner"] == "KNN").sel(leakage="no", drop=True)
    told = xr.DataArray([[True, False]] * 3, dims=("learner", "scaling"))
    plain = plain.assign_coords(tried=told)
    tried = tried_curves(plain, plain["error_rate"].sel(split="valid", drop=True))
    assert tried.sel(learner="KNN", scaling="none").all() and "tried" not in tried.coords
    assert not tried.sel(learner="KNN", scaling="minmax").any() and int((~tried).sum()) == 2


def test_values_without_a_status_count(curves):
    silent = curves.assign(status=curves["status"] * 0 + Status.not_run)
    assert gathered_curves(silent).equals(gathered_curves(curves))


def test_what_cannot_be_compared_is_left_out(curves):
    errors = curves["error_rate"].sel(split="valid")
    kept = only_comparable(errors, comparable_curves(curves, "leakage"))
    assert list(kept["dataset"]) == ["a"] and list(kept["learner"]) == ["KNN"]
    assert kept.notnull().all()
    nothing = only_comparable(errors, comparable_curves(curves, "leakage") & False)
    assert nothing.size == 0
