"""Families: the paper's search spaces, seeded configs; their learners, which stop early."""

import json
from dataclasses import replace
from itertools import count

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from analysis import load_evaluations
from collection.learners import find_learner
from collection.learners.families import FAMILIES, Choice, Int, config_learner, draw_configs
from collection.learners.families.linear import Linear
from collection.learners.families.stepwise import LightGBM, batch_size, hold_out
from collection.project.naming import UnknownNameError
from collection.project.parameters import SettingsError
from collection.protocol.designs import Design
from collection.running.evaluate import CLOCKS, Protocol, evaluate
from collection.running.evaluation_settings import check_settings
from collection.tasks import CrossValidation, Task, load_task


def test_configs_are_those_of_the_shipped_evaluations():
    shipped = load_evaluations("evaluations")
    for name, kept in shipped["hyperparameters"].to_series().items():
        known, told = (json.loads(text, parse_float=lambda number: f"{float(number):.12g}")
                       for text in (json.dumps(find_learner(name).hyperparameters), kept))
        assert known == told


@pytest.mark.parametrize("name", FAMILIES)
def test_configs_are_different_within_bounds_and_the_same_for_a_seed(name):
    family = FAMILIES[name]
    configs = draw_configs(name, 50)
    assert list(configs) == [f"{name}_c1", *(f"{name}_r{k}" for k in range(1, 51))]
    drawn = list(configs.values())[1:]
    assert len(set(map(repr, drawn))) == 50
    for config in drawn:
        for key, value in config.items():
            dimension = family.space[key]
            if isinstance(dimension, Choice):
                assert value in dimension.values
            else:
                assert dimension.low <= value <= dimension.high
                assert isinstance(value, int) == isinstance(dimension, Int)
    assert list(draw_configs(name, 10).items()) == list(configs.items())[:11]
    for number in ("c1", "r7"):
        found = config_learner(f"{name}_{number}")
        assert found.hyperparameters == configs[found.name]


def test_a_space_of_choices_ends():
    assert len(draw_configs("KNeighbors", 60)) == 61
    with pytest.raises(ValueError, match="KNeighbors has 60 different configs; 61 were asked"):
        draw_configs("KNeighbors", 61)


def test_unknown_names_list_the_close_ones():
    with pytest.raises(UnknownNameError, match=r"family 'LightGBMs'\. Did you mean 'LightGBM'"):
        draw_configs("LightGBMs", 1)
    for name in ("LightGBM_c2", "LightGBM", "Light_r1"):
        with pytest.raises(UnknownNameError, match="LightGBM_c1"):
            config_learner(name)


LIBRARIES = {"LightGBM": "lightgbm", "XGBoost": "xgboost", "CatBoost": "catboost",
             "NeuralNetTorch": "torch"}
ROWS = 90


@pytest.fixture(scope="module")
def task():
    return load_task(Task("sklearn:iris", procedure=CrossValidation(folds=3)))


def numbers(seed=0, classes=2):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(ROWS, 4))
    raw = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * generator.normal(size=ROWS)
    y = raw if not classes else np.digitize(raw, np.quantile(raw, np.arange(1, classes) / classes))
    return X, y


def estimator(name, classes):
    learner = find_learner(name, regression=not classes)
    X, y = numbers(classes=classes)
    design = Design((X, X[:0], X[:0]), (y, y[:0], y[:0]), classes, X.shape[1], 0)
    if learner.form == "native":
        X = pd.DataFrame(X, columns=["a[", "b<", "c", "d"])  # names that XGBoost forbids
    return learner.make(design), X, y


@pytest.mark.parametrize("classes", [0, 2, 3])
@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_learns_and_repeats_itself(family, classes):
    if family in LIBRARIES:
        pytest.importorskip(LIBRARIES[family])
    said = []
    for _ in range(2):
        model, X, y = estimator(f"{family}_c1", classes)
        if family in LIBRARIES:
            model.patience = 5
        model.fit(X, y)
        said.append(model.predict_proba(X) if classes else model.predict(X))
    np.testing.assert_array_equal(*said)
    if classes:
        assert said[0].shape == (ROWS, classes)
        np.testing.assert_allclose(said[0].sum(axis=1), 1, atol=1e-6)
        assert (model.predict(X) == y).mean() > 1 / classes
    else:
        assert np.mean((said[0] - y) ** 2) < np.var(y)


def test_boosting_keeps_the_round_that_is_best_on_the_rows_held_out():
    pytest.importorskip("lightgbm")
    (X, y), (X_out, y_out) = numbers(0), numbers(1)
    model = LightGBM({"learning_rate": 0.3, "num_leaves": 4}).fit(X, y, (X_out, y_out))
    rounds = range(1, model.model_.num_trees() + 1)
    losses = [log_loss(y_out, model.model_.predict(X_out, num_iteration=k)) for k in rounds]
    assert model.best_step_ == 1 + int(np.argmin(losses))
    assert len(losses) <= model.best_step_ + model.patience
    assert not model.ended_by_time_


@pytest.mark.parametrize("family", LIBRARIES)
def test_a_limit_of_time_keeps_the_best_step_so_far(family):
    pytest.importorskip(LIBRARIES[family])
    model, X, y = estimator(f"{family}_c1", 2)
    ticks = count()
    model.clock, model.time_limit = lambda: next(ticks), 3.5  # a pretended clock: four steps
    model.fit(X, y)
    assert model.ended_by_time_ and 1 <= model.best_step_ <= 4
    assert np.isfinite(model.predict_proba(X)).all()


def test_the_network_does_not_look_at_the_rows_held_out():
    pytest.importorskip("torch")
    said = []
    for seed in (1, 2):
        model, X, y = estimator("NeuralNetTorch_c1", 2)
        model.patience = 3
        said.append(model.fit(X, y, numbers(seed)).predict_proba(X))
    np.testing.assert_array_equal(*said)


def test_the_message_of_an_evaluation_says_that_fits_were_cut_short(task, monkeypatch):
    pytest.importorskip("lightgbm")
    ticks = count()
    monkeypatch.setitem(CLOCKS, "processor", lambda: next(ticks))
    protocol = Protocol(bags=4, config_limit=40, clock="processor")
    *_, made = evaluate(task, find_learner("LightGBM_c1"), 0, 0, protocol, predictions=True)
    assert made.status.name == "ok"
    assert made.message == "4 of 4 fits ended at the limit of 40 s and kept their best step"
    assert made.train_time <= 40 + 4 * 4
    *_, freely = evaluate(task, find_learner("LightGBM_c1"), 0, 0, replace(protocol,
                          config_limit=None))
    assert freely.message == ""


def test_leaves_that_rows_cannot_fill_are_no_limit():
    model, _, _ = estimator("RandomForest_r1", 2)
    assert model.max_leaf_nodes is None
    learner = find_learner("RandomForest_r1")
    assert learner.hyperparameters["max_leaf_nodes"] >= 5000


def test_the_linear_model_is_scikit_learns_where_nothing_is_skewed():
    X, y = numbers(classes=3)
    reference = make_pipeline(StandardScaler(), LogisticRegression(C=2.0, max_iter=1000)).fit(X, y)
    ours = Linear(C=2.0, skew_threshold=None).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), reference.predict_proba(X), atol=1e-8)
    skewed = X.copy()
    skewed[:, 0] = np.exp(5 * X[:, 0])
    bent = np.sign(X[:, 0]) * np.abs(X[:, 0])**3  # in the same order: the quantiles are the same
    one, two = (Linear().fit(x, y).predict_proba(x) for x in (
        skewed, np.column_stack([np.exp(bent), skewed[:, 1:]])))
    np.testing.assert_allclose(one, two, atol=1e-3)


@pytest.mark.parametrize("by_class", [True, False])
def test_one_row_in_eight_is_watched_and_none_is_both(by_class):
    X = np.arange(80)[:, None]
    y = np.repeat([0, 1], [60, 20])
    (kept, _), (watched, of) = hold_out(X, y, by_class)
    assert len(watched) == 10 and len(kept) == 70
    assert set(kept.ravel()) | set(watched.ravel()) == set(range(80))
    if by_class:
        assert np.bincount(of).tolist() in ([7, 3], [8, 2])


def test_batches_follow_the_published_rule():
    assert [batch_size(n) for n in (5, 50, 500, 5000)] == [5, 16, 32, 64]


def test_families_and_their_numbers_of_configs_are_asked_for_by_name():
    asked = check_settings({"TASKS": "sklearn:iris", "FAMILIES": "LightGBM KNeighbors",
                            "CONFIGS": "1 KNeighbors=2"})
    assert asked.every_learner == ("LightGBM_c1", "LightGBM_r1", "KNeighbors_c1", "KNeighbors_r1",
                                   "KNeighbors_r2")
    both = check_settings({"TASKS": "sklearn:iris", "FAMILIES": "KNeighbors", "CONFIGS": "0",
                           "LEARNERS": "LDA"})
    assert both.every_learner == ("LDA", "KNeighbors_c1")


@pytest.mark.parametrize(("given", "error", "message"), [
    ({"FAMILIES": "LightGMB"}, UnknownNameError, "LightGBM"),
    ({"FAMILIES": "all", "CONFIGS": "LightGMB=3"}, UnknownNameError, "LightGBM"),
    ({"FAMILIES": "all", "CONFIGS": "some"}, SettingsError, "CONFIGS"),
    ({"CONFIG_LIMIT": "soon"}, SettingsError, "CONFIG_LIMIT"),
    ({"CLOCK": "sundial"}, UnknownNameError, "processor"),
    ({"PRECISION": "half"}, UnknownNameError, "single"),
])
def test_what_cannot_be_asked_for_is_said(given, error, message):
    with pytest.raises(error, match=message):
        check_settings({"TASKS": "sklearn:iris", **given})
