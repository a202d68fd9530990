"""Gathering within a budget: every learner once, then other folds, nothing after the time is up.

How the budget is shared out is seen on pretended workers with a clock of their own.
"""

from concurrent.futures import Future

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collection.containers.curves import Status
from collection.own_table import gather
from collection.own_table.gather import SAFETY, TimeBudgetError, gather_within
from collection.own_table.measure import GROWTH, LEFT_OUT, OwnFit, as_measurable
from collection.protocol.rows import rounds
from collection.running.engine import JobError

QUICK = ("KNN", "LogisticRegression")


class Pretended:
    """One worker whose jobs take a declared time of a clock that nothing else moves."""

    failures = ()
    count = 1

    def __init__(self, seconds, broken=(), most=None):
        self.seconds, self.broken, self.most = seconds, broken, most or {}
        self.time, self.started = 0.0, []

    def now(self):
        return self.time

    def submit(self, job):
        name, future = job.learner, Future()
        self.started.append((name, self.time, job.limits.time))
        self.time += self.seconds[name]
        if name in self.broken:
            future.set_exception(JobError(f"{name} is broken"))
            return future
        fits = [OwnFit(size, Status.ok, "", np.zeros(3), 2.0) if size <= self.most.get(name, size)
                else OwnFit(size, Status.timeout, LEFT_OUT) for size in job.sizes]
        future.set_result(job.result(fits, self.seconds[name], "here"))
        return future


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    label = rng.choice(["a", "b"], 150)
    frame = pd.DataFrame({"x": rng.normal(size=150) + (label == "a"), "y": rng.normal(size=150),
                          "label": label})
    return as_measurable(frame, "label", False)


@pytest.fixture
def two_folds(monkeypatch):
    monkeypatch.setattr(gather, "rounds", lambda: rounds()[:2])


def folds_of(found):
    return pd.Series([curve.learner for curve in found.curves]).value_counts().to_dict()


def test_folds_are_shared_out_until_the_time_is_up(table):
    workers = Pretended({"KNN": 1.0, "LDA": 2.0, "SVM_RBF": 5.0})
    found = gather_within(table, 30, workers, tuple(workers.seconds), now=workers.now, show=False)
    assert folds_of(found) == {"KNN": 6, "LDA": 4, "SVM_RBF": 3}
    assert found.seconds == 29 and not found.lost


@given(seconds=st.lists(st.floats(0.1, 50), min_size=1, max_size=5), budget=st.floats(1, 500))
def test_whatever_folds_take_the_fewest_come_first(table, seconds, budget):
    workers = Pretended({f"learner {k}": took for k, took in enumerate(seconds)})
    gather_within(table, budget, workers, tuple(workers.seconds), now=workers.now, show=False)
    done = dict.fromkeys(workers.seconds, 0)
    for name, began, limit in workers.started:
        left = budget - began
        affordable = [n for n, k in done.items() if k < len(rounds())
                      and (k == 0 or SAFETY * workers.seconds[n] <= left)]
        assert left > 0 and name in affordable and limit <= max(left, gather.LEAST_LIMIT)
        assert done[name] == min(done[n] for n in affordable)
        done[name] += 1
    left = budget - workers.time
    assert left <= 0 or all(k == len(rounds()) or (k and SAFETY * workers.seconds[n] > left)
                            for n, k in done.items())


def test_a_learner_that_cannot_be_run_is_not_tried_again(table):
    workers = Pretended({"KNN": 1.0, "LDA": 1.0}, broken={"LDA"})
    found = gather_within(table, 100, workers, ("KNN", "LDA"), now=workers.now, show=False)
    assert found.lost == {"LDA": "LDA is broken"}
    assert [name for name, *_ in workers.started].count("LDA") == 1
    assert folds_of(found) == {"KNN": 25}


def test_who_is_left_far_behind_is_left_out_and_else_it_is_said_what_would_do(table, monkeypatch):
    workers = Pretended({"KNN": 1.0, "LDA": 1.0}, most={"LDA": 60})
    found = gather_within(table, 9, workers, ("KNN", "LDA"), now=workers.now, show=False)
    assert set(folds_of(found)) == {"KNN", "LDA"} and np.isnan(found.needed)
    monkeypatch.setattr(gather, "BEHIND", 2)
    found = gather_within(table, 9, workers, ("KNN", "LDA"), now=workers.now, show=False)
    assert set(folds_of(found)) == {"KNN"} and "60 of 120 rows" in found.lost["LDA"]
    found = gather_within(table, 9, workers, ("LDA",), now=workers.now, show=False)
    total = GROWTH * sum(2.0 * n / 60 for n in found.sizes)
    assert found.needed == pytest.approx(total / gather.FIRST_SHARE)


def test_what_is_late_is_given_up_once_there_is_a_curve(table, monkeypatch):
    monkeypatch.setattr(gather, "LEAST_LIMIT", 0.1)
    workers = Pretended({"KNN": 3.0, "LDA": 3.0})
    submit = workers.submit
    workers.submit = lambda job: Future() if job.learner == "LDA" else submit(job)
    found = gather_within(table, 3.2, workers, ("KNN", "LDA"), now=workers.now, show=False)
    assert folds_of(found) == {"KNN": 1} and not found.lost


def test_progress_names_what_is_measured(table, two_folds, capsys):
    workers = Pretended(dict.fromkeys(QUICK, 1.0))
    gather_within(table, 20, workers, QUICK, now=workers.now)
    shown = capsys.readouterr().err
    assert "k nearest neighbours on up to 120 rows" in shown and "s left" in shown


def test_a_budget_too_small_says_what_to_give(table):
    workers = Pretended({"KNN": 1.0})
    with pytest.raises(TimeBudgetError, match="BUDGET"):
        gather_within(table, -1, workers, ("KNN",), now=workers.now, show=False)
    assert not workers.started
