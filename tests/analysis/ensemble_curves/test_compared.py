"""What the chapter says of ensembles, against straightforward reckoning and known answers."""

import numpy as np
import pytest
import xarray as xr

import analysis
from analysis import ensemble_curves
from analysis.ensemble_curves import advantages
from analysis.ensemble_curves.compared import HINDSIGHT

ANCHORS = np.array([16, 18, 20, 21, 32, 64, 128, 256])
DATASETS = list("uvwxyz")


def simulate(curve_of, anchors=ANCHORS, noise=0.004, seed=0):
    """Return curves of members a, b, c and two ensembles, `curve_of` giving the true ones."""
    learners = ["a", "b", "c", "Caruana", "Single best"]
    true = np.array([[curve_of(name, k, anchors.astype(float)) for name in learners]
                     for k in range(len(DATASETS))])
    values = true[:, :, None, None] + np.random.default_rng(seed).normal(
        0, noise, (len(DATASETS), len(learners), 5, 5, len(anchors)))
    return xr.DataArray(values, dims=("dataset", "learner", "outer", "inner", "anchor"), coords={
        "dataset": DATASETS, "learner": learners, "outer": range(5), "inner": range(5),
        "anchor": anchors})


def test_hindsight_is_the_best_member_at_each_anchor():
    errors = simulate(lambda name, k, n: 0.3 - 0.001 * n if name == "b" else 0.2 + 0 * n)
    errors.loc[{"learner": "c", "dataset": "u", "outer": 0, "inner": 0}] = np.nan
    errors.loc[{"dataset": "z", "anchor": 256}] = np.nan
    mean = ensemble_curves.common_means(errors)
    assert mean["anchor"].values.tolist() == ANCHORS[:-1].tolist()
    members = errors.sel(learner=["a", "b", "c"], anchor=ANCHORS[:-1]).mean(["outer", "inner"])
    found = mean.sel(learner=HINDSIGHT)
    np.testing.assert_allclose(found[1:], members[1:].min("learner"))
    others = members.sel(dataset="u", learner=["a", "b"])
    np.testing.assert_allclose(found[0], others.min("learner"))


def ahead(name, k, n):
    better = {"Caruana": 0.05 * (n >= 32), "Single best": 0}.get(name, -0.1)
    return 0.3 - better + 0.001 * k + 0 * n


def test_from_how_many_rows():
    errors = simulate(ahead, noise=0.001)
    means = ensemble_curves.common_means(errors).isel(anchor=[0, 4])
    table = advantages(means, ["Caruana"], ["Single best", HINDSIGHT])
    assert table["anchor"].tolist() == [16, 32] * 2 and (table["datasets"] == 6).all()
    single = table[table["baseline"] == "Single best"].set_index("anchor")
    assert single.loc[32, "difference"] == pytest.approx(-5, abs=0.2)
    assert single.loc[32, "better"] == 6 and single.loc[32, "p"] == pytest.approx(2 / 64)
    assert ((table["low"] <= table["difference"]) & (table["difference"] <= table["high"])).all()
    whole = advantages(means.mean("anchor"), ["Caruana"], ["Single best"])
    assert whole["difference"][0] == pytest.approx(single["difference"].mean())


def test_the_pick_is_trained_again_on_the_validation_rows():
    """With 16 rows of 80, of which 8 test and 8 validate, a has what it has with 24."""
    test = simulate(lambda name, k, n: {"a": 0, "b": 0.2}.get(name, 0.3) + 1 / n, noise=0)
    valid = test.where(test["learner"] != "b", test - 0.2)  # a and b are equal: half each
    both = xr.concat([valid, test], "split").assign_coords(split=["valid", "test"])
    curves = xr.Dataset({"error_rate": both.expand_dims(scaling=["none"], leakage=["no"])})
    curves = curves.assign_coords(rows=("dataset", [80] * 6))
    found = ensemble_curves.refitted_pick(curves)
    share = np.log(24 / 21) / np.log(32 / 21)  # of the way between the anchors beside it
    expected = 0.1 + (1 - share) / 21 + share / 32
    np.testing.assert_allclose(found.sel(anchor=16), expected)
    np.testing.assert_allclose(found.sel(anchor=256), 0.1 + 1 / 256)  # no curve beyond


def test_several_scalings_are_refused(made):
    curves = analysis.load_curves(made.ensembles)
    twice = curves[["error_rate"]].reindex(scaling=["standard", "none"])
    with pytest.raises(ValueError, match="one scaling"):
        ensemble_curves.judged_errors(twice)


def test_ensembles_of_older_stores_are_no_members():
    names = ["KNN", "Caruana", "Caruana on 10", "Single best on ninth"]
    assert ensemble_curves.member_names(names) == ["KNN"]
