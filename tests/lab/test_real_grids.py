"""Violations of known size on a database's own curves, and who calls them."""

import numpy as np
import pandas as pd
import pytest
from curve_examples import labelled

from lab import real_grids

ANCHORS = np.array([16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512, 724])


@pytest.mark.parametrize("seed", range(3))
def test_violations_have_sizes_of_their_class(seed):
    rng = np.random.default_rng(seed)
    truth = 0.1 + rng.uniform(0.5, 2, (60, 1)) / ANCHORS
    true = np.arange(60) % len(real_grids.TRUE_ENDS)
    made, reached = real_grids._with_violations(truth, ANCHORS.astype(float), true, rng)
    size = real_grids._size(made, ANCHORS.astype(float))
    np.testing.assert_allclose(made[true == 0], truth[true == 0])
    lower = np.array([0, *real_grids.TRUE_ENDS[:-1]])
    upper = np.array([*real_grids.TRUE_ENDS[:-1], np.inf])  # the ceiling may bend a curve further
    inside = (size >= lower[reached] - 1e-5) & (size <= upper[reached] + 1e-5)
    assert inside.all()
    assert (reached == true).mean() > 0.85  # bumps at an end, or at the ceiling, stay smaller


def real():
    rng = np.random.default_rng(0)
    values = 0.2 + 1 / ANCHORS + rng.normal(0, 0.02, (2, 4, 5, 5, len(ANCHORS)))
    return labelled(values, "dataset learner outer inner anchor", dataset=[3, 6], anchor=ANCHORS)


@pytest.mark.parametrize("base", real_grids.BASES)
def test_a_pool_has_a_row_per_curve_and_a_seed_makes_the_same(base):
    one = real().isel(dataset=0)
    first, again = (real_grids.pool_of(one, 3, base) for _ in range(2))
    assert list(first["learner"]) == [f"L{k}" for k in range(4)] and first.equals(again)
    assert first["true"].between(0, len(real_grids.TRUE_ENDS) - 1).all()


def test_calls_are_counted_by_true_size():
    table = pd.DataFrame({"true": [0, 0, 0, 2], "max_t": [1, 0, 0, 1], "corrected": [0, 0, 0, 1],
                          "corrected_independent": [0, 0, 0, 1]})
    found = real_grids.called_by_size(table).set_index(["procedure", "size"])
    assert found.loc[("max_t", 0.0), "rate"] == pytest.approx(100 / 3)
    assert found.loc[("corrected", real_grids.TRUE_ENDS[1]), ["rate", "n"]].tolist() == [100, 1]
    assert len(found) == 6 and real_grids.seen_curves(real())["true"].size == 8
