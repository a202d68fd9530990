"""Gathering within a budget: every learner once, then repeats, and nothing after the time is up.

How the budget is shared out is seen on pretended workers with a clock of their own; real workers
get more time than any machine needs, and end because there is nothing left to do.
"""

from concurrent.futures import Future

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collection.container import Status
from collection.curve import Fit
from collection.datasets import load_dataset
from collection.own_table import gather
from collection.own_table.gather import REPEATS, SAFETY, BudgetError, gather_within
from collection.running.job import JobError
from collection.running.local import LocalWorkers

QUICK = ("KNN", "LDA")
AMPLE = 36_000  # seconds: what is gathered ends long before, on any machine


class Pretended:
    """One worker whose jobs take a declared time of a clock that nothing else moves."""

    failures = ()
    count = 1

    def __init__(self, seconds, broken=()):
        self.seconds, self.broken = seconds, broken
        self.time, self.started = 0.0, []

    def now(self):
        return self.time

    def submit(self, job):
        name, future = job.task.learner, Future()
        self.started.append((name, self.time, job.limits.time))
        self.time += self.seconds[name]
        if name in self.broken:
            future.set_exception(JobError(f"{name} is broken"))
            return future
        three = np.full(3, 0.25)
        fits = [Fit(a, Status.ok, "", three, three, three, three, 0.1) for a in job.anchors]
        future.set_result(job.result(fits, self.seconds[name], "here"))
        return future


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder, rng = tmp_path_factory.mktemp("own"), np.random.default_rng(1)
    label = rng.choice(["a", "b"], 150)
    frame = pd.DataFrame({"x": rng.normal(size=150) + (label == "a"), "y": rng.normal(size=150),
                          "label": label})
    frame.to_csv(folder / "my.csv", index=False)
    return load_dataset(f"csv:{folder / 'my.csv'}?target=label")


@pytest.fixture
def two_repeats(monkeypatch):
    monkeypatch.setattr(gather, "REPEATS", REPEATS[:2])


def repeats_of(found):
    return found.fits.drop_duplicates(["learner", "outer", "inner"]).groupby("learner").size()


def test_repeats_are_shared_out_until_the_time_is_up(dataset):
    workers = Pretended({"KNN": 1.0, "LDA": 2.0, "SVM_RBF": 5.0})
    found = gather_within(dataset, 30, workers, tuple(workers.seconds), now=workers.now)
    assert repeats_of(found).to_dict() == {"KNN": 6, "LDA": 4, "SVM_RBF": 3}
    assert found.seconds == 29 and not found.lost


@given(seconds=st.lists(st.floats(0.1, 50), min_size=1, max_size=5), budget=st.floats(1, 500))
def test_whatever_curves_take_the_fewest_repeats_come_first(dataset, seconds, budget):
    workers = Pretended({f"learner {k}": took for k, took in enumerate(seconds)})
    gather_within(dataset, budget, workers, tuple(workers.seconds), now=workers.now)
    done = dict.fromkeys(workers.seconds, 0)
    for name, began, limit in workers.started:
        left = budget - began
        affordable = [n for n, k in done.items() if k < len(REPEATS)
                      and (k == 0 or SAFETY * workers.seconds[n] <= left)]
        assert left > 0 and name in affordable and limit <= max(left, 1)
        assert done[name] == min(done[n] for n in affordable)
        done[name] += 1
    left = budget - workers.time
    assert left <= 0 or all(k == len(REPEATS) or (k and SAFETY * workers.seconds[n] > left)
                            for n, k in done.items())


def test_a_learner_that_cannot_be_run_is_not_tried_again(dataset):
    workers = Pretended({"KNN": 1.0, "LDA": 1.0}, broken={"LDA"})
    found = gather_within(dataset, 100, workers, QUICK, now=workers.now)
    assert found.lost == {"LDA": "LDA is broken"}
    assert [name for name, *_ in workers.started].count("LDA") == 1
    assert repeats_of(found).to_dict() == {"KNN": 25}


def test_real_workers_gather_every_learner_and_end_when_all_is_done(dataset, two_repeats):
    with LocalWorkers(2) as workers:
        found = gather_within(dataset, AMPLE, workers, QUICK)
    assert repeats_of(found).to_dict() == dict.fromkeys(QUICK, 2)
    assert (found.fits.query("split == 'valid'")["error_rate"].between(0, 1)).all()
    assert found.fits["anchor"].min() == 16 and found.fits["anchor"].max() == 121


def test_outer_seeds_come_before_inner_ones(dataset):
    workers = Pretended({"KNN": 1.0})
    found = gather_within(dataset, AMPLE, workers, ("KNN",), now=workers.now)
    order = found.fits.drop_duplicates(["outer", "inner"])
    assert order["outer"].tolist() == list(range(5)) * 5
    assert order["inner"].tolist() == np.repeat(range(5), 5).tolist()


def test_a_learner_that_fails_is_told_and_the_others_go_on(dataset, two_repeats):
    with LocalWorkers(1) as workers:
        found = gather_within(dataset, AMPLE, workers, ("sklearn.nothing.Here", "KNN"))
    assert set(found.fits.query("status == 'ok'")["learner"]) == {"KNN"}
    assert "sklearn.nothing.Here" in {**found.lost, **dict.fromkeys(
        found.fits.query("status != 'ok'")["learner"], "")}


def test_a_budget_too_small_says_what_to_give(dataset):
    workers = Pretended({"KNN": 1.0})
    with pytest.raises(BudgetError, match="BUDGET"):
        gather_within(dataset, -1, workers, ("KNN",), now=workers.now)
    assert not workers.started
