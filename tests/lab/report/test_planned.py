"""Rows named before any data are judged on families that took no part in choosing their level."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from analysis.published.computed import recall
from commands.report.assurance import ALL, CURVES, FEWEST, JUDGED, look_alikes
from commands.report.settings import PLANNED
from lab.report.planned import LEVELS, ask, judge_planned, level_of


def made(last, n=60):
    """Return curves of alike datasets: guessing until 64 rows, then as good as `last` says."""
    rng = np.random.default_rng(0)
    guess = rng.uniform(0.3, 0.7, n)
    return pd.DataFrame({"metric": "error_rate", "dataset": [f"made{k}" for k in range(n)],
                         "features": rng.integers(5, 50, n), "classes": rng.integers(2, 6, n),
                         "guess": guess, "learner": "KNN", "16": guess, "64": last * guess,
                         "256": last * guess})


def test_rows_that_suffice_everywhere_are_named_and_hold():
    found = judge_planned(made(0.001)).set_index("learner").loc[ALL]
    assert found["share"] == 1 and found["answered"] > 0.8 and found["n"] > 45
    never = judge_planned(made(0.9)).set_index("learner").loc[ALL]
    assert never["answered"] == 0 and never["n"] == 0


def test_what_a_level_promises_comes_true_of_curves_that_part_by_chance():
    reach = np.random.default_rng(1).uniform(size=200) < 0.8
    asked = ask(look_alikes(made(np.where(reach, 0.001, 0.9), 200)))
    at = asked[np.isclose(asked["level"], 0.7) ]
    assert at["answered"].mean() > 0.95 and at["held"].mean() == pytest.approx(0.8, abs=0.05)


def test_the_least_level_that_suffices_is_chosen():
    held = pd.DataFrame([[0.7, 0.9, 1.0]] * 20, columns=LEVELS[[0, 5, 9]])
    assert level_of(held) == LEVELS[5]
    assert level_of(held.iloc[:2]) == LEVELS[-1]  # one more may fail


def test_what_is_kept_belongs_together():
    curves, judged = recall(CURVES), recall(JUDGED).set_index(["metric", "learner"])
    assert {*judged.index} == {*product(PLANNED[:2], (ALL, *curves["learner"]))}
    assert (judged.xs(ALL, level="learner")["n"] > 5 * FEWEST).all()
    assert curves["dataset"].nunique() == 196 and curves["guess"].between(0, 1).all()
    assert (curves.loc[curves["metric"] == "auc", "classes"] == 2).all()
    assert judged["low"].le(judged["share"]).all() and judged["share"].le(judged["high"]).all()
