"""What an error is worth: metrics as scikit-learn has them, a rare class, splits both ways."""

import re
from html import unescape

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score, log_loss, mean_absolute_error, roc_auc_score

from analysis.report import report
from analysis.report.metrics import METRICS
from analysis.report.report import answer_table, beside, both_ways
from collection.own_table.measure import as_measurable
from collection.own_table.read import use_table

rng = np.random.default_rng(0)


def said_of(target, sure, classes):
    said = rng.dirichlet(np.ones(classes), len(target))
    said[np.arange(len(target)), target] += sure
    return said / said.sum(1, keepdims=True)


@pytest.mark.parametrize("classes", [2, 4])
def test_metrics_are_those_of_scikit_learn_as_errors(classes):
    target = rng.integers(0, classes, 200)
    said = said_of(target, 0.5, classes)
    error = {name: metric.error(target, said) for name, metric in METRICS.items()
             if not metric.regression}
    assert error["error_rate"] == (said.argmax(1) != target).mean()
    assert error["log_loss"] == pytest.approx(log_loss(target, said))
    assert error["f1"] == pytest.approx(1 - f1_score(target, said.argmax(1), average="macro"))
    expected = (roc_auc_score(target, said[:, 1]) if classes == 2 else
                roc_auc_score(target, said, multi_class="ovr"))
    assert error["auc"] == pytest.approx(1 - expected)
    tied, weight = np.round(said[:, -1], 1), rng.standard_exponential(200)
    tied = np.column_stack([1 - tied, tied])
    assert METRICS["auc"].whole(target == classes - 1, tied, weight) == pytest.approx(
        1 - roc_auc_score(target == classes - 1, tied[:, 1], sample_weight=weight))


def test_numbers_have_errors_in_their_unit():
    target, said = rng.normal(10, 5, 100), rng.normal(10, 5, 100)
    assert METRICS["mae"].error(target, said) == pytest.approx(mean_absolute_error(target, said))
    root = np.sqrt(((target - said) ** 2).mean())
    assert METRICS["rmse"].error(target, said) == pytest.approx(root)
    assert METRICS["rmse"].worst(target) == pytest.approx(target.std())


def table_of(frame, target="label", regression=False):
    return as_measurable(frame, target, regression)


def test_the_rare_class_is_counted_by_hand():
    frame = pd.DataFrame({"x": np.arange(10.0), "label": list("aaaaaaaabb")})
    said = np.tile([0.9, 0.1], (10, 1))
    said[[0, 8]] = [0.1, 0.9]
    more = beside(table_of(frame), said).set_index("name")["value"]
    assert more["recall"] == 0.5 and more["precision"] == 0.5
    even = pd.DataFrame({"x": np.arange(10.0), "label": list("aaaaabbbbb")})
    assert beside(table_of(even), said).empty
    rare = pd.DataFrame({"x": np.arange(40.0), "label": list("a" * 25 + "b" * 8 + "c" * 7)})
    assert beside(table_of(rare), np.tile([0.6, 0.2, 0.2], (40, 1))).empty, "two are as rare"


def test_what_is_left_of_the_spread():
    frame = pd.DataFrame({"x": np.arange(100.0), "y": rng.normal(size=100)})
    said = frame["y"].to_numpy() * 0.5 + 0.5 * frame["y"].mean()
    found = beside(table_of(frame, "y", True), said).set_index("name")["value"]
    assert found["r2"] == pytest.approx(0.75) and found["spread_left"] == pytest.approx(0.5)


def test_the_error_without_a_column_that_tells_the_target_stands_beside_it(monkeypatch):
    monkeypatch.setattr(report, "WHOLE", 100)  # however busy the machine is
    rng = np.random.default_rng(0)
    y = np.where(rng.random(300) < 0.5, "paid", "open")
    frame = pd.DataFrame({"sum": rng.normal(0, 1, 300) + (y == "paid"), "label": y,
                          "closed": np.where(y == "paid", "yes", "no")})
    answers = answer_table(frame, "label", "5s", learners=["KNN"], workers=1)
    (way,) = answers.ways.itertuples()
    assert (way.kind, way.column) == ("without", "'closed'")
    assert way.random < 0.02 and 0.2 < way.split < 0.45  # normal, one apart: 31 % at best
    page = unescape(re.sub(r"<[^>]*>|\s+", " ", answers.page()))
    assert "Without 'closed' the error rate is" in page
    monkeypatch.setattr(report, "WHOLE", 0)
    (way,) = answer_table(frame, "label", "5s", learners=["KNN"], workers=1).ways.itertuples()
    assert way.quick and way.random < 0.02 and 0.2 < way.split < 0.5
    alone = use_table(frame[["closed", "label"]], "label")  # nothing is left to learn from
    assert both_ways(alone, "KNN", METRICS["error_rate"], pd.Series({200: 0.01}), 60).empty


def test_a_drifting_table_says_so_when_split_forward():
    n, rng = 600, np.random.default_rng(0)
    level = np.linspace(0, 4, n)
    y = rng.integers(0, 2, n)
    frame = pd.DataFrame({"reading": level + y + rng.normal(0, 0.2, n), "label": np.where(
        y, "on", "off"), "day": pd.date_range("2020-01-01", periods=n).astype(str),
        "other": level + rng.normal(0, 0.05, n)})
    table = use_table(frame, "label")
    found = both_ways(table, "KNN", METRICS["error_rate"], pd.Series({n: 0.01}), 60)
    assert found["column"].tolist() == ["day"]
    assert found["split"].iloc[0] > 2 * found["random"].iloc[0]
    (way,) = both_ways(table, "KNN", METRICS["error_rate"], pd.Series({n: 100.0}), 60).itertuples()
    assert way.quick and way.far and way.split > 2 * way.random


def test_that_later_rows_differ_is_said_beyond_noise_alone():
    """Without drift one in fifty may be; by a tenth of the error they differ in many."""
    def ways(seed, turned):
        own = np.random.default_rng(seed)
        x, t = own.normal(size=(400, 3)), np.arange(400)
        y = x[:, 0] * np.where(turned & (t > 270), -1, 1) + 0.7 * own.normal(size=400) > 0
        frame = pd.DataFrame(x, columns=list("abc")).assign(
            day=pd.date_range("2021-03-01", periods=400), y=np.where(y, "yes", "no"))
        return both_ways(use_table(frame, "y"), "KNN", METRICS["error_rate"],
                         pd.Series({200: 0.001}), 60).iloc[0]
    still = [ways(seed, False) for seed in range(12)]
    assert sum(way["split"] > 1.1 * way["random"] for way in still) >= 3
    assert not any(way["far"] for way in still) and not any(way["quick"] for way in still)
    assert all(ways(seed, True)["far"] for seed in range(4))
