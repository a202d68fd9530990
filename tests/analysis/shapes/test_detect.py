

import numpy as np
import pytest
import xarray as xr
from curve_strategies import as_array

from analysis.shapes import detect_shapes

ANCHORS = np.array([16, 23, 40, 64, 100, 200])


@pytest.fixture
def valid():
    """Dims dataset 2, learner 3, scaling 2; one curve missing, one constant, one short."""
    rng = np.random.default_rng(3)
    means = 0.4 * ANCHORS**-0.5 + 0.1
    error = means + rng.normal(0, 0.01, (2, 3, 2, 5, 5, 6))
    error[0, 0, 0] = np.nan
    error[0, 1, 0] = 0.25
    error[1, 2, 1, ..., 1:] = np.nan
    error[1, 1, 1, 0, 0] = np.nan
    return xr.DataArray(
        error, dims=("dataset", "learner", "scaling", "outer", "inner", "anchor"),
        coords={"dataset": [3, 54], "learner": ["KNN", "LDA", "MLP"], "scaling": ["none", "minmax"],
                "anchor": ANCHORS})


@pytest.mark.parametrize("procedure", ["published", "corrected", "holm"])
def test_each_curve_is_judged_as_if_alone_whatever_the_order_of_dims(valid, procedure):
    shapes = detect_shapes(valid, procedure)
    turned = detect_shapes(valid.transpose("anchor", "scaling", "inner", "learner", "outer",
                                           "dataset"), procedure)
    xr.testing.assert_equal(turned.transpose("dataset", "learner", "scaling"), shapes)
    for at in ({"dataset": 54, "learner": "LDA", "scaling": "minmax"},
               {"dataset": 3, "learner": "MLP", "scaling": "none"}):
        alone = detect_shapes(valid.sel(at), procedure)
        assert not alone.dims
        beside = shapes.sel(at)
        for name in set(shapes.data_vars) - {"flat"}:
            xr.testing.assert_equal(alone[name].drop_vars(list(alone.coords)),
                                    beside[name].drop_vars(list(beside.coords)))


def test_missing_short_and_incomplete_curves(valid):
    shapes = detect_shapes(valid)
    assert shapes["missing"].sum() == 1
    missing = shapes.sel(dataset=3, learner="KNN", scaling="none")
    assert missing["missing"] and missing["n_anchors"] == 0 and missing["n_repeats"] == 0
    assert not (missing["flat"] or missing["ill_behaved"] or missing["dipping"])
    assert np.isnan([missing["violation_mono"], missing["mono_i"], missing["p_mono"]]).all()
    short = shapes.sel(dataset=54, learner="MLP", scaling="minmax")
    assert short["n_anchors"] == 1 and short["violation_conv"] == 0 and np.isnan(short["conv_h"])
    assert shapes.sel(dataset=54, learner="LDA", scaling="minmax")["n_repeats"] == 24


def test_flat_is_relative_to_the_learners_of_the_same_dataset_and_scaling(valid):
    flat = detect_shapes(valid)["flat"]
    assert bool(flat.sel(dataset=3, learner="LDA", scaling="none"))
    assert bool(flat.sel(dataset=54, learner="MLP", scaling="minmax"))
    assert int(flat.sum()) == 2
    means = valid.mean(["outer", "inner"]).sel(dataset=3, learner="MLP", scaling="none")
    range_ = float(means.max() - means.min())
    for times, expected in ((25, True), (15, False)):  # a twentieth lies between
        steep = valid.copy()
        steep.loc[{"dataset": 3, "learner": "LDA", "scaling": "none", "anchor": 16}] += (
            times * range_)
        flat = detect_shapes(steep)["flat"].sel(dataset=3, learner="MLP", scaling="none")
        assert bool(flat) is expected


def test_without_other_learners_only_a_constant_curve_is_flat():
    steps = np.tile([0.3, 0.3 + 1e-16, 0.3], (4, 1))
    assert bool(detect_shapes(as_array(steps, [1, 2, 3]))["flat"])
    steps[:, 2] += 1e-3
    assert not bool(detect_shapes(as_array(steps, [1, 2, 3]))["flat"])


def test_many_blocks_give_what_one_gives(valid, monkeypatch):
    whole = detect_shapes(valid, "published")
    monkeypatch.setattr("analysis.shapes.curves.BLOCK", 300)
    xr.testing.assert_identical(detect_shapes(valid, "published"), whole)


@pytest.mark.parametrize("spoil, error, message", [
    (lambda v: v.values, TypeError, "DataArray"),
    (lambda v: v.astype(str), TypeError, "numbers"),
    (lambda v: v.isel(anchor=0), ValueError, "'anchor'"),
    (lambda v: v.drop_vars("anchor"), ValueError, "'anchor'"),
    (lambda v: v.mean(["outer", "inner"]), ValueError, "repeats"),
    (lambda v: v.expand_dims(split=["valid", "test"]), ValueError, "split"),
    (lambda v: v.isel(anchor=slice(None, None, -1)), ValueError, "increasing"),
    (lambda v: v.assign_coords(anchor=[1, 2, 2, 3, 4, 5]), ValueError, "increasing"),
    (lambda v: v.assign_coords(anchor=[1, 2, np.nan, 3, 4, 5]), ValueError, "increasing"),
    (lambda v: v.assign_coords(anchor=list("123456")), TypeError, "numbers of rows"),
    (lambda v: v.assign_coords(anchor=[0, 1, 2, 3, 4, 5]), ValueError, "positive"),
    (lambda v: v.isel(anchor=slice(0)), ValueError, "no anchors"),
    (lambda v: v.isel(learner=slice(0)), ValueError, "no curve to judge"),
    (lambda v: v.where(v["dataset"] == 3, np.inf), ValueError, "dataset=54, learner=KNN"),
])
def test_what_are_no_curves_is_refused_with_the_reason(valid, spoil, error, message):
    with pytest.raises(error, match=message):
        detect_shapes(spoil(valid))


def test_one_repeat_alone_leaves_the_verdicts_undetermined(valid):
    one = detect_shapes(valid.isel(outer=[0], inner=[0]))
    assert (one["undetermined"] == (one["n_repeats"] == 1)).all() and one["undetermined"].any()
    assert not one["ill_behaved"].where(one["undetermined"], False).any()
    more = detect_shapes(valid.isel(outer=[0, 1]))
    assert not (more["undetermined"] & (more["n_repeats"] > 1)).any()
    missing = one.sel(dataset=3, learner="KNN", scaling="none")
    assert missing["missing"] and not missing["undetermined"]


def test_single_precision_has_coarser_rounding():
    line = np.linspace(0.9, 0.1, 9).astype(np.float32)
    shapes = detect_shapes(as_array(np.tile(line, (25, 1)), np.arange(1, 10)))
    assert not bool(shapes["non_convex"])
