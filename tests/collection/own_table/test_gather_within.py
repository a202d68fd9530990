"""Gathering within a budget: every learner once, then repeats, and nothing after the time is up."""

import time

import numpy as np
import pandas as pd
import pytest

from collection.datasets import load_dataset
from collection.own_table.gather import BudgetError, gather_within
from collection.running.local import LocalWorkers

QUICK = ("KNN", "LDA")


@pytest.fixture
def dataset(tmp_path):
    rng = np.random.default_rng(1)
    label = rng.choice(["a", "b"], 150)
    frame = pd.DataFrame({"x": rng.normal(size=150) + (label == "a"), "y": rng.normal(size=150),
                          "label": label})
    frame.to_csv(tmp_path / "my.csv", index=False)
    return load_dataset(f"csv:{tmp_path / 'my.csv'}?target=label")


def test_every_learner_is_gathered_and_repeats_are_shared_out(dataset):
    with LocalWorkers(1) as workers:
        found = gather_within(dataset, 6, workers, QUICK)
    repeats = found.fits.drop_duplicates(["learner", "outer", "inner"]).groupby("learner").size()
    assert set(repeats.index) == set(QUICK) and repeats.max() - repeats.min() <= 2
    assert (found.fits.query("split == 'valid'")["error_rate"].between(0, 1)).all()
    assert found.fits["anchor"].min() == 16 and found.fits["anchor"].max() == 121


def test_all_repeats_are_the_end_of_it(dataset):
    began = time.monotonic()
    with LocalWorkers(2) as workers:
        found = gather_within(dataset, 600, workers, ("KNN",))
    assert len(found.fits.drop_duplicates(["outer", "inner"])) == 25
    assert time.monotonic() - began < 300


def test_a_learner_that_fails_is_told_and_the_others_go_on(dataset):
    with LocalWorkers(1) as workers:
        found = gather_within(dataset, 5, workers, ("sklearn.nothing.Here", "KNN"))
    assert set(found.fits.query("status == 'ok'")["learner"]) == {"KNN"}
    assert "sklearn.nothing.Here" in {**found.lost, **dict.fromkeys(
        found.fits.query("status != 'ok'")["learner"], "")}


def test_a_budget_too_small_says_what_to_give(dataset):
    with LocalWorkers(1) as workers, pytest.raises(BudgetError, match="BUDGET"):
        gather_within(dataset, -1, workers, QUICK)
