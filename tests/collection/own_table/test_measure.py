"""Fits equal scikit-learn's; what a learner raises is a status; the code to copy is the model."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

from collection.containers.curves import Status
from collection.own_table import learners, measure
from collection.own_table.measure import as_measurable, baseline, curve_fits, fit_model
from collection.own_table.read import read_own_table, source_of
from collection.project.naming import UnknownNameError

N = 150


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    label = rng.choice(["a", "b", "c"], N)
    return pd.DataFrame({
        "x": rng.normal(size=N) + (label == "a"), "gaps": np.where(rng.uniform(size=N) < 0.2,
                                                                    np.nan, rng.normal(size=N)),
        "colour": rng.choice(["red", "blue", None], N), "label": label,
        "y": 3 * rng.normal(size=N)})


@pytest.mark.parametrize(("target", "regression"), [("label", False), ("y", True)])
def test_every_learner_takes_gaps_and_categories(frame, target, regression):
    table = as_measurable(frame, target, regression)
    split = table.rows.split(0, 0)
    for learner in learners.default_learners(regression):
        said = fit_model(table, learner, split.train, split.test)
        assert np.isfinite(said).all() and len(said) == len(split.test)
        if not regression:
            np.testing.assert_allclose(said.sum(1), 1, atol=1e-5)


def test_a_fit_equals_scikit_learns(frame):
    table = as_measurable(frame[["x", "label"]], "label", False)
    split = table.rows.split(0, 0)
    scale = StandardScaler().fit(frame[["x"]].iloc[split.train])
    model = GridSearchCV(LogisticRegression(max_iter=500), {"C": [0.01, 0.1, 1.0, 10.0]}, cv=3)
    model.fit(scale.transform(frame[["x"]].iloc[split.train]), table.rows.target[split.train])
    expected = model.predict_proba(scale.transform(frame[["x"]].iloc[split.test]))
    np.testing.assert_allclose(fit_model(table, "LogisticRegression", split.train, split.test),
                               expected, atol=1e-6)


def test_the_baseline_says_the_shares_or_the_mean_and_one_class_alone_is_said_always(frame):
    table = as_measurable(frame, "label", False)
    said = baseline(table, np.arange(N), 3)
    np.testing.assert_allclose(said[0], frame["label"].value_counts(normalize=True).sort_index(),
                               atol=1e-6)
    only = np.flatnonzero(table.rows.target == 1)  # of one class: that is said by any learner
    assert (fit_model(table, "KNN", only, np.arange(4)) == [0, 1, 0]).all()
    numbers = as_measurable(frame.drop(columns="label"), "y", True)
    assert baseline(numbers, np.arange(N), 3) == pytest.approx(
        np.full(3, frame["y"].mean()), abs=1e-5)


@pytest.mark.parametrize("learner", ["Ridge", "KNN"])
def test_a_value_beyond_what_was_trained_on_counts_as_the_farthest_there(learner):
    x = np.r_[np.linspace(-1, 2, 60), 1e6, -1e6, 2, -1]
    table = as_measurable(pd.DataFrame({"x": x, "y": x.clip(-1, 2)}), "y", True)
    said = fit_model(table, learner, np.arange(60), np.arange(60, 64))
    assert said[:2] == pytest.approx(said[2:]) and abs(said[0] - 2) < 0.2


def test_what_a_learner_raises_is_a_status_and_the_others_go_on(frame, monkeypatch):
    def broken(table, learner, train, test):
        if len(train) == 60:
            raise ValueError("no such luck")
        return np.zeros(len(test))
    monkeypatch.setattr(measure, "fit_model", broken)
    table = as_measurable(frame.drop(columns="label"), "y", True)
    fits = list(curve_fits(table, "KNN", 0, 0, (30, 60, 120)))
    assert [fit.status for fit in fits] == [Status.ok, Status.error, Status.ok]
    assert "no such luck" in fits[1].message and fits[1].predictions is None
    assert fits[1].words == measure.WORDS[Status.error]


@pytest.fixture
def fits_within(frame, monkeypatch):
    """Return a function: what is fitted within so many seconds of a clock that fits alone move."""
    def statuses(sizes, seconds, takes):
        now = 0.0

        def slow(table, learner, train, test):
            nonlocal now
            now += takes(len(train))
            return np.zeros(len(test))
        monkeypatch.setattr(measure, "fit_model", slow)
        monkeypatch.setattr(measure, "time", SimpleNamespace(perf_counter=lambda: now))
        table = as_measurable(frame.drop(columns="label"), "y", True)
        return [fit.status for fit in curve_fits(table, "KNN", 0, 0, sizes, seconds)]
    return statuses


@pytest.mark.parametrize(("seconds", "last"), [
    (0, Status.timeout), (3 + 4 / 0.9, Status.timeout), (3 + 4 / 0.7, Status.ok)])
def test_nothing_begins_that_would_take_much_of_the_time_left(fits_within, seconds, last):
    assert fits_within((30, 60, 120), seconds, lambda rows: rows / 30) == [
        Status.ok, Status.ok, last]


def test_sizes_between_give_way_to_the_largest(fits_within, monkeypatch):
    monkeypatch.setattr(measure, "SHORT", 2.0)  # so that every fit is expected to take a second
    found = fits_within((15, 30, 60, 85, 120), 2 + 2 * measure.GROWTH + 0.1, lambda rows: 1.0)
    assert [status == Status.ok for status in found] == [True, True, False, True, True]


@pytest.mark.parametrize(("target", "regression"), [("label", False), ("y", True)])
def test_the_code_to_copy_is_the_model(frame, target, regression, tmp_path):
    used = frame.round(3).drop(columns="y" if target == "label" else "label")
    used.to_csv(tmp_path / "my.csv", index=False)
    table = as_measurable(used, target, regression)
    for learner in learners.default_learners(regression):
        model = learners.make_model(learner, table.features, regression)
        names = {}
        exec(learners.code_of(model, target, f"pd.read_csv({str(tmp_path / 'my.csv')!r})"), names)
        said = names["model"].predict(names["table"].drop(columns=target))
        expected = model.fit(table.features, used[target]).predict(table.features)
        if regression:
            np.testing.assert_allclose(said, expected)
        else:
            assert (said == expected).all()


def test_many_columns_are_named_as_all_others(tmp_path):
    rng, path = np.random.default_rng(0), tmp_path / "my.csv"
    used = pd.DataFrame(rng.normal(size=(60, 150)), columns=[f"x{k}" for k in range(150)])
    used.insert(2, "colour", rng.choice(["red", "blue"], 60))
    used["label"] = np.where(used["x0"] > 0, "yes", "no")
    used.assign(constant=1).to_csv(path, index=False)
    own = read_own_table(path, "label")
    table = own.measurable()
    model = learners.make_model("KNN", table.features, False)
    code = learners.code_of(model, "label", source_of(path, "label", own.frame))
    names = {}
    exec(code, names)
    assert "x77" not in code and len(names["numbers"]) == 150 and names["categories"] == ["colour"]
    said = names["model"].predict(pd.read_csv(path))
    assert (said == model.fit(table.features, used["label"]).predict(table.features)).all()
    assert "x77" in learners.code_of(model, "label", "table")


def test_learners_are_named_or_refused():
    assert learners.check_learners((), False) == ("LogisticRegression", "KNN", "ens.RandomForest",
                                                  "HistGradientBoosting")
    assert learners.check_learners(("KNN", "KNN"), True) == ("KNN",)
    with pytest.raises(UnknownNameError, match="KNN"):
        learners.check_learners(("KNNN",), False)
    with pytest.raises(UnknownNameError):
        learners.check_learners(("Ridge",), False)
    assert all(one.classify or one.regress for one in learners.LEARNERS.values())


@pytest.mark.parametrize(("seconds", "expected"), [(0.5, 0.5), (1.0, 4.0), (2.0, 8.0)])
def test_a_longer_fit_is_expected_to_take_as_much_longer_as_it_has_more_rows(seconds, expected):
    last = measure.OwnFit(100, Status.ok, "", None, seconds)
    assert measure.expected_seconds(last, 400) == expected  # up to a second, hardly the rows' time
