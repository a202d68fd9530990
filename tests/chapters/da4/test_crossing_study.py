"""Examples of crossings, why the rules disagree, who competes, and groups of learners."""

import warnings

import numpy as np
import pytest
from curve_examples import labelled
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import analysis.databases.chosen
from analysis.databases.chosen import contenders
from analysis.selection.crossing import crossings
from chapters.da4 import crossings as chapter
from collection.container import Status, build_container

NAN = np.nan
LEARNERS = ["KNN", "LDA", "MLP", "QDA", "Perceptron", "DummyClassifier", "MixGaussianNB"]
repeated = arrays(
    float, (3, 3, 2, 4), elements=st.sampled_from([0.1, 0.2, 0.2 + 1e-15, 0.3, 0.4, NAN]))


def curves_of(values):
    """Curves from errors of shape (dataset, learner, inner, anchor)."""
    values = np.asarray(values, float)[:, :, None]
    return labelled(values, "dataset learner outer inner anchor",
                    learner=LEARNERS[: values.shape[1]])


@given(repeated)
@settings(max_examples=40, deadline=None)
def test_clearest_crossings_are_those_of_the_corrected_rule_with_their_sizes(values):
    valid = curves_of(values)
    found = chapter.clearest_crossings(valid)
    assert len(found) == int(crossings(valid, "corrected")["crosses"].sum())
    published = crossings(valid, "published")["crosses"]
    for row in found.itertuples():
        a, b = (valid.sel(dataset=row.dataset, learner=n).mean(["outer", "inner"]).values
                for n in (row.learner_a, row.learner_b))
        gap = (b - a)[~np.isnan(b - a)]
        assert row.lead == pytest.approx(gap[0]) and row.lead > 0
        assert row.deficit == pytest.approx(-gap[-1]) and row.deficit > 0
        assert row.published == bool(published.sel(
            dataset=row.dataset, learner_a=row.learner_a, learner_b=row.learner_b))
    clearness = np.minimum(found["lead"], found["deficit"])
    assert (np.diff(clearness) <= 0).all()


@given(repeated)
@settings(max_examples=40, deadline=None)
def test_every_crossing_is_counted_once(values):
    valid = curves_of(values)
    table = chapter.disagreements(valid)
    seen = {rule: crossings(valid, rule)["crosses"].values for rule in ("published", "corrected")}
    totals = table.groupby("seen_by")["crossings"].sum()
    assert totals.get("both", 0) == (seen["published"] & seen["corrected"]).sum()
    assert totals.get("corrected", 0) == (seen["corrected"] & ~seen["published"]).sum()
    assert totals.get("published", 0) == (seen["published"] & ~seen["corrected"]).sum()
    assert (table["reason"] == "").equals(table["seen_by"] == "both")
    assert not len(table) or table["share"].sum() == pytest.approx(100)


def test_reasons_of_disagreement():
    better, worse = [0.1, 0.2, 0.4], [0.3, 0.3, 0.3]
    values = np.array([
        [[better, better], [worse, worse]],  # both rules
        [[[NAN, *better[1:]]] * 2, [worse, worse]],  # no value at the first anchor
        [[better, [NAN, *better[1:]]], [worse, worse]],  # one repeat of two is missing there
        [[[0.2, 0.2, 0.4]] * 2, [[0.2 + 1e-15, 0.3, 0.3]] * 2],  # a tie but for rounding
    ])
    table = chapter.disagreements(curves_of(values)).set_index(["seen_by", "reason"])["crossings"]
    assert table.to_dict() == {("both", ""): 1, ("corrected", chapter.NO_START): 1,
                               ("corrected", chapter.GAPS): 1, ("published", chapter.OTHER_ENDS): 1}


@pytest.fixture
def database(monkeypatch):
    """A database of 8 datasets with two scalings; QDA is on 3 of them, the last has no curves."""
    rng = np.random.default_rng(3)
    error = rng.random((8, len(LEARNERS), 2, 1, 1, 2, 5, 3))
    error[3:, LEARNERS.index("QDA")] = NAN
    error[7] = NAN
    seconds = np.where(np.isnan(error[..., 0]), NAN, 1.0)
    coords = {"dataset": [f"d{k}" for k in range(8)], "learner": LEARNERS,
              "scaling": ["minmax", "none"], "leakage": ["no"], "outer": [0], "inner": [0, 1],
              "anchor": [16, 32, 64, 128, 256], "split": ["train", "valid", "test"]}
    made = build_container(coords, {"error_rate": error, "train_time": seconds},
                           np.where(np.isnan(seconds), Status.error, Status.ok), database="toy")
    monkeypatch.setattr(analysis.databases.chosen, "load_curves", lambda name, selection: made)
    return made


def test_contenders_are_learners_that_learn_with_enough_curves(database):
    chosen = contenders("toy")
    assert chosen["learner"].values.tolist() == ["KNN", "LDA", "MLP", "Perceptron"]
    assert chosen.sizes["dataset"] == 7 and chosen["split"].values.tolist() == ["valid", "test"]
    assert chosen.attrs["scaling"] == "none" and chosen.attrs["database"] == "toy"
    np.testing.assert_array_equal(
        chosen["error_rate"].sel(learner="MLP", split="test"),
        database["error_rate"].sel(learner="MLP", split="test", scaling="none", leakage="no")[:7])


def test_contenders_without_training_times(database, monkeypatch):
    untimed = database.drop_vars("train_time")
    monkeypatch.setattr(analysis.databases.chosen, "load_curves", lambda name, selection: untimed)
    assert list(contenders("toy")) == ["error_rate"]


def test_another_scaling_where_there_is_no_unscaled_one(database, monkeypatch):
    scaled = database.sel(scaling=["minmax"])
    monkeypatch.setattr(analysis.databases.chosen, "load_curves", lambda name, selection: scaled)
    assert contenders("toy").attrs["scaling"] == "minmax"


def test_study_of_a_database(database, monkeypatch):
    names = ["KNN", "LDA", "MLP", "Perceptron", "QDA", "SVM_RBF", "GaussianNB"]
    monkeypatch.setattr(analysis.databases.chosen, "load_curves",
                        lambda name, selection: database.isel(dataset=slice(3)).assign_coords(
                            learner=names))
    study = chapter.study_crossings("toy")
    assert set(study.groups) == {"published", "corrected"}
    for rule, groups in study.groups.items():
        assert {len(g) for g in groups.values()} == {5}
        within = {k: chapter.crossing_within(study.cases[rule], g) for k, g in groups.items()}
        assert within["least"]["probability"] <= within["most"]["probability"]
        matrix = study.probabilities[rule]["crosses"]
        for kind, group in groups.items():
            expected = float(matrix.sel(learner_a=group, learner_b=group).mean())
            assert within[kind]["probability"] == pytest.approx(expected)
            assert within[kind]["low"] <= expected + 1e-12 <= within[kind]["high"] + 2e-12


def test_a_set_that_the_database_has_in_part(database):
    cases = crossings(contenders("toy")["error_rate"].sel(split="valid"))
    assert chapter.crossing_within(cases, ["KNN", "LDA", "CatBoost"])["learners"] == 2
    with warnings.catch_warnings(action="error"):
        nobody = chapter.crossing_within(cases, ["mymodel.Mine()"])
    assert nobody["learners"] == 0 and np.isnan(nobody["probability"])
