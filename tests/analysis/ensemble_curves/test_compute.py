"""From a collection with predictions to the curves of ensembles, and back through load_curves."""

from dataclasses import replace

import numpy as np
import pytest
from small_collection import gather

import analysis
from analysis.databases.shipped import open_shipped
from analysis.ensemble_curves import member_names
from analysis.ensemble_curves.compute import compute_ensembles, compute_unit, plan_units
from analysis.ensemble_curves.members import NoMembersError, read_labels
from analysis.ensemble_curves.registry import ENSEMBLE_CURVES
from collection import store as stores
from collection.containers.curves import CurveKey, Status, metrics_of
from collection.datasets import load_dataset
from collection.project.naming import UnknownNameError
from collection.running.curve import curve_fits
from commands import COMMANDS

main = COMMANDS["ensemble-curves"].run

MEMBERS = ["GaussianNB", "KNN", "LDA", "MultinomialNB", "RidgeClassifier"]
REPEAT = {"dataset": "wine", "scaling": "standard", "leakage": "no", "outer": 1, "inner": 0}


def test_the_members_own_curves_are_theirs(made):
    ours, theirs = analysis.load_curves(made.ensembles), analysis.load_curves(made.members)
    assert sorted(member_names(ours["learner"].values)) == MEMBERS
    for learner in ("KNN", "LDA", "GaussianNB"):
        one, other = (c.sel(learner=learner, split=["valid", "test"]) for c in (ours, theirs))
        np.testing.assert_array_equal(one["error_rate"], other["error_rate"])
        np.testing.assert_array_equal(one["train_time"], other["train_time"])
        np.testing.assert_allclose(one["log_loss"], other["log_loss"], rtol=1e-3)


def test_members_without_probabilities_are_none_and_say_why(made):
    curves = analysis.load_curves(made.ensembles).sel(dataset="iris", outer=0, inner=0, anchor=16)
    texts = curves["message_text"].values
    for learner, reason in (("RidgeClassifier", "no class probabilities"),
                            ("MultinomialNB", "Negative values")):
        own = curves.sel(learner=learner)
        assert own["status"] == Status.error and reason in texts[int(own["message"].squeeze())]
        assert own["error_rate"].isnull().all()


def test_equal_weights_are_the_mean_of_probabilities(made):
    dataset = load_dataset("sklearn:wine")
    said = [next(curve_fits(dataset, CurveKey("sklearn:wine", name, "standard", "no", 1, 0), [32],
                            predictions=True)).predictions["test_probability"]
            for name in ("KNN", "LDA", "GaussianNB")]
    unit = next(u for u in plan_units(made.members) if u.repeat.setting == REPEAT)
    wrong = (np.mean(said, axis=0).argmax(axis=1) != read_labels(unit.repeat)["test"]).mean()
    curves = analysis.load_curves(made.ensembles).sel(
        REPEAT | {"learner": "Equal weights", "anchor": 32})
    assert float(curves["error_rate"].sel(split="test")) == pytest.approx(wrong)
    trained = analysis.load_curves(made.members).sel(
        REPEAT | {"learner": ["KNN", "LDA", "GaussianNB"], "anchor": 32})["train_time"]
    assert float(curves["train_time"]) == pytest.approx(float(trained.sum()))


def test_weights_are_kept_and_add_up_to_one(made):
    own = stores.read_curve_predictions(made.ensembles, learner="Caruana", **REPEAT)
    assert list(own) == [16, 18, 20, 21, 23, 27, 32, 91]
    for said in own.values():
        assert said["weight"].sum() == pytest.approx(1) and (said["weight"] >= 0).all()
        assert sorted(said["member"]) == ["GaussianNB", "KNN", "LDA"]


def test_the_same_on_two_workers_and_nothing_twice(made, tmp_path):
    compute_ensembles(made.members, tmp_path / "two", workers=2)
    ours, theirs = (stores.open_store(folder) for folder in (tmp_path / "two", made.ensembles))
    for name in ("error_rate", "log_loss", "train_time", "status"):
        np.testing.assert_array_equal(ours[name], theirs[name])
    before = stores.read_curves(tmp_path / "two")
    said = []
    compute_ensembles(made.members, tmp_path / "two", say=said.append)
    assert not said and before.equals(stores.read_curves(tmp_path / "two"))


def test_it_goes_on_where_it_stopped(made, tmp_path, monkeypatch):
    calls = []

    def failing(unit):
        if len(calls) == 2:
            raise KeyboardInterrupt
        calls.append(unit)
        return compute_unit(unit)

    monkeypatch.setattr("analysis.ensemble_curves.compute.compute_unit", failing)
    with pytest.raises(KeyboardInterrupt):
        compute_ensembles(made.members, tmp_path)
    stopped = len(stores.read_curves(tmp_path))
    monkeypatch.undo()
    said = []
    compute_ensembles(made.members, tmp_path, say=said.append)
    assert 0 < stopped < len(stores.read_curves(tmp_path))
    assert said == ["3/4 repeats", "4/4 repeats"]
    np.testing.assert_array_equal(stores.open_store(tmp_path)["error_rate"],
                                  stores.open_store(made.ensembles)["error_rate"])


def test_what_is_shipped_is_what_was_computed(made):
    shipped, kept = open_shipped(made.files, "ensemble_curves"), stores.open_store(made.ensembles)
    assert shipped.attrs["database"] == "ensemble_curves"
    kept = kept.sel(learner=shipped["learner"], dataset=shipped["dataset"])
    np.testing.assert_array_equal(shipped["error_rate"], kept["error_rate"])
    np.testing.assert_array_equal(shipped["status"], kept["status"])
    assert set(metrics_of("classes")) <= set(shipped)


def test_the_shipped_curves_are_whole_and_those_of_mini():
    curves, mini = analysis.load_curves("ensemble_curves"), analysis.load_curves("mini")
    members = member_names(curves["learner"].values)
    assert curves.sizes["dataset"] >= 8 and len(members) >= 10
    assert set(curves["learner"].values) == {*members, *ENSEMBLE_CURVES}
    assert curves.sizes["outer"] * curves.sizes["inner"] == 25
    ours = curves["error_rate"].sel(dataset="haberman", scaling="standard", leakage="no")
    ours = ours.sel(split=["valid", "test"]).dropna("anchor", how="all")
    assert ours.sel(learner="Caruana").notnull().all()
    both = dict(learner=["KNN", "LDA", "GaussianNB", "Decision Tree"], anchor=ours["anchor"])
    theirs = mini["error_rate"].sel(dataset="haberman", scaling="standard", leakage="no",
                                    split=["valid", "test"])
    np.testing.assert_array_equal(ours.sel(both), theirs.sel(both))


def test_a_collection_goes_on_and_one_dataset_has_no_portfolio(tmp_path):
    few = {"DATASETS": "sklearn:iris", "LEARNERS": "KNN LDA", "OUTER": "0", "ANCHORS": "16 30"}
    gather(tmp_path / "members", **few)
    compute_ensembles(tmp_path / "members", tmp_path / "two")
    gather(tmp_path / "members", **few | {"LEARNERS": "KNN LDA GaussianNB"})
    assert len(stores.read_curves(tmp_path / "members")) == 3
    compute_ensembles(tmp_path / "members", tmp_path / "again", learners=["KNN", "LDA"])
    compute_ensembles(tmp_path / "members", tmp_path / "three")
    two, again, three = (stores.open_store(tmp_path / name) for name in ("two", "again", "three"))
    np.testing.assert_array_equal(two["error_rate"], again["error_rate"])
    assert set(three["learner"].values) - set(two["learner"].values) == {"GaussianNB"}
    assert not [name for name in three["learner"].values if "Portfolio" in name]
    with pytest.raises(UnknownNameError, match="LDA"):
        compute_ensembles(tmp_path / "members", tmp_path / "no", learners=["LDAA"])


def test_other_members_are_another_store(made, tmp_path):
    with stores.StoreWriter(tmp_path, {"MEMBERS": ["KNN"]}, {}):
        pass
    with pytest.raises(stores.ChangedSettingsError, match="MEMBERS was"):
        compute_ensembles(made.members, tmp_path)


def test_bad_input_is_one_message(made, tmp_path, capsys):
    assert main([f"WHERE={made.members}"]) == 1
    assert "WHERE=my_curves OUT=my_ensembles" in capsys.readouterr().err
    assert main([f"WHERE={tmp_path / 'nowhere'}", f"OUT={tmp_path / 'out'}"]) == 1
    assert capsys.readouterr().err.startswith("ensemble-curves: ")
    assert not (tmp_path / "out").exists()
    (tmp_path / "file").touch()
    assert main([f"WHERE={made.members}", f"OUT={tmp_path / 'file'}"]) == 1
    assert "file is a file: name a folder" in capsys.readouterr().err


def test_other_rows_than_those_gathered_are_refused(made):
    unit = plan_units(made.members)[0]
    with pytest.raises(NoMembersError, match="other rows"):
        read_labels(replace(unit.repeat, fingerprint="another"))


def test_a_collection_without_predictions_is_refused(tmp_path):
    dataset = load_dataset("sklearn:iris")
    fits = list(curve_fits(dataset, CurveKey("sklearn:iris", "KNN", "none", "no", 0, 0), [16]))
    row = {"name": "iris", "spec": "sklearn:iris", "fingerprint": dataset.fingerprint}
    with stores.StoreWriter(tmp_path / "plain", {}, {}) as store:
        store.add_dataset(row)
        store.add_curve(CurveKey("iris", "KNN", "none", "no", 0, 0), fits, 1.0, "here")
    with pytest.raises(NoMembersError, match="PREDICTIONS=yes"):
        compute_ensembles(tmp_path / "plain", tmp_path / "out")
