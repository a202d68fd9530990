"""A collection as a whole: resumed, extended, killed, on one worker or two."""

import sqlite3
from concurrent.futures import Future
from contextlib import closing

import pandas as pd
import pytest
from killed import killed_again_and_again, rows_in

from collection.containers.curves import METRICS
from collection.datasets import DatasetError
from collection.project.naming import UnknownNameError
from collection.running.curve_plan import make_plan
from collection.running.curve_settings import SettingsError, check_settings
from collection.running.engine import JobError, collect
from collection.running.work import run
from collection.running.workers import LocalWorkers
from collection.store import StoreWriter, open_store, read_fits
from collection.store.curves import FILE

TIMES = [*METRICS["train_time"].columns, *METRICS["predict_time"].columns]
WHAT = {"DATASETS": "keel:iris keel:wine", "LEARNERS": "KNN GaussianNB DT", "OUTER": "0 1 2",
        "INNER": "0 1 2 3 4", "ANCHORS": "16 32 64 120", "PREDICTIONS": "yes", "WORKERS": "1"}


def gather(folder, **changes):
    settings = check_settings({**WHAT, "OUT": str(folder), **changes})
    return run(settings, make_plan(settings))


def numbers(folder):
    """All that a store holds but for times."""
    return read_fits(folder).drop(columns=TIMES)


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """A store that one worker made in one go."""
    folder = tmp_path_factory.mktemp("reference")
    outcome = gather(folder)
    assert (outcome.stored, outcome.found, dict(outcome.lost)) == (90, 0, {})
    return folder


def test_a_curve_has_a_fit_at_every_anchor_that_suits_its_dataset(reference):
    fits = read_fits(reference)
    assert fits["status"].eq("ok").all()
    assert fits.groupby("dataset")["anchor"].unique().map(list).to_dict() == {
        "iris": [16, 32, 64, 120], "wine": [16, 32, 64, 120]}
    assert not fits.drop(columns="message").isna().any(axis=None)
    curves = open_store(reference)
    assert curves.sizes == {"dataset": 2, "learner": 3, "scaling": 1, "leakage": 1, "outer": 3,
                            "inner": 5, "anchor": 4, "split": 3, "message_id": 1}
    assert curves["inner_seed"].sel(outer=2).values.tolist() == [10, 11, 12, 13, 14]
    assert set(fits["inner"]) == set(range(15))
    last = curves["error_rate"].sel(dataset="iris", learner="KNN", anchor=120, split="test")
    assert last.mean() < 0.1


def test_two_workers_a_piece_at_a_time_and_another_order_give_the_same_numbers(
        reference, tmp_path):
    assert gather(tmp_path, LEARNERS="DT", INNER="4 2", DATASETS="keel:wine").stored == 6
    outcome = gather(tmp_path, WORKERS="2", LEARNERS="GaussianNB DT KNN", OUTER="2 0 1",
                     DATASETS="keel:wine keel:iris")
    assert (outcome.stored, outcome.found) == (84, 6)
    pd.testing.assert_frame_equal(numbers(tmp_path), numbers(reference))


def test_killed_at_random_moments_and_resumed_it_ends_as_one_run_would(reference, tmp_path):
    kept = killed_again_and_again(lambda: gather(tmp_path),
                                  lambda: rows_in(tmp_path / FILE, "curves"),
                                  seed=7, times=3, more=(1, 25), pause=0.05)
    assert 0 < kept < 90, "the kills were to come in the middle"
    outcome = gather(tmp_path)
    assert (outcome.found, outcome.stored) == (kept, 90 - kept)
    pd.testing.assert_frame_equal(numbers(tmp_path), numbers(reference))
    for table in ("curves", "fits", "predictions", "datasets", "learners", "messages"):
        assert count(tmp_path, table) == count(reference, table)


def count(folder, table):
    with closing(sqlite3.connect(folder / FILE)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


class BrokenWorkers:
    """Workers of which every second curve is lost."""

    failures = (ConnectionError,)
    count = 2

    def __init__(self, inner):
        self.inner, self.sent = inner, 0

    def submit(self, job):
        self.sent += 1
        future = Future()
        if self.sent % 2:
            lost = JobError("no such file") if self.sent % 3 else ConnectionError("gone")
            future.set_exception(lost)
            return future
        return self.inner.submit(job)


def test_what_cannot_be_gathered_is_counted_and_tried_again_next_time(tmp_path):
    settings = check_settings({**WHAT, "OUT": str(tmp_path), "OUTER": "0", "DATASETS": "keel:iris"})
    plan = make_plan(settings)
    with StoreWriter(tmp_path, {}, {}) as store, LocalWorkers(1) as workers:
        outcome = collect(plan, store, BrokenWorkers(workers))
        assert (outcome.stored, outcome.lost) == (7, {"no such file": 5, "gone": 3})
        outcome = collect(plan, store, workers)
        assert (outcome.found, outcome.stored, dict(outcome.lost)) == (7, 8, {})


def plan(**changes):
    return make_plan(check_settings({**WHAT, **changes}))


@pytest.mark.parametrize(("changes", "error", "message"), [
    ({"LEARNERS": "KNM"}, UnknownNameError, "'KNN'"),
    ({"ANCHORS": "4096"}, SettingsError, "none of them suits keel:iris, whose training set has 12"),
])
def test_what_does_not_exist_is_said_before_any_work(changes, error, message):
    with pytest.raises(error, match=message):
        plan(**changes)


def test_a_dataset_that_cannot_be_split_is_refused(tmp_path):
    path = tmp_path / "own data.csv"
    pd.DataFrame({"x": range(40), "the class": ["a"] * 39 + ["b"]}).to_csv(path, index=False)
    with pytest.raises(DatasetError, match=r"own data\.csv.*Class 'b' has 1 row"):
        plan(DATASETS=f"'csv:{path}?target=the class'")


def test_two_datasets_of_one_name_are_refused(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        pd.DataFrame({"x": range(60), "y": ["p", "q"] * 30}).to_csv(tmp_path / folder / "mine.csv")
    specs = [f"csv:{tmp_path / folder / 'mine.csv'}?target=y" for folder in ("a", "b")]
    with pytest.raises(SettingsError, match="both called 'mine'"):
        plan(DATASETS=specs)
