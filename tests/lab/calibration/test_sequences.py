"""Classifiers that follow the protocol's sequences of classes, and what is kept of them."""

import numpy as np
import pytest

from analysis.published.computed import recall
from analysis.shapes import detect_shapes
from lab.calibration import count


@pytest.mark.parametrize("seeds", ["paper", "distinct"])
def test_who_follows_sequences_has_the_same_errors_over_outer_seeds_by_the_papers_alone(seeds):
    curves = count.follow_sequences(
        "majority of the last five rows", 300, 0.4, seeds, 4, np.random.default_rng(0))
    same = float((curves.std("outer") < 1e-12).mean())
    assert same == 1 if seeds == "paper" else same < 0.2
    assert curves.std("inner").max() > 0


def test_the_constant_classifier_is_called_in_a_twentieth_at_most():
    rng = np.random.default_rng(1)
    curves = count.follow_sequences("constant classifier", 500, 0.45, "paper", 60, rng)
    called = {p: int(detect_shapes(curves, p)["ill_behaved"].sum())
              for p in ("corrected_independent", "corrected")}
    assert called["corrected"] <= 3 < called["corrected_independent"]
    kept = recall("seeds_calibration").set_index(["curves", "seeds", "procedure"]).sort_index()
    assert kept.loc[("constant classifier", "paper", "corrected"), "high"].item() < 5


def test_the_experiments_outcome_is_kept_as_it_is_computed():
    kept = recall("seeds_experiment")
    found = count.experiment()
    assert kept[list(found)].equals(found)
    assert int(found.set_index("learner").loc["all", "distinct"]) < 62
