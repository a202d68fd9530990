"""The pool made of real curves: its true sizes are those asked for."""

import numpy as np
import pytest
import xarray as xr

from chapters.trust import prevalence
from chapters.trust.prevalence import TRUE_ENDS, _size, _with_violations, pool_of, seen_curves

ANCHORS = np.array([16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512, 724])


@pytest.mark.parametrize("seed", range(3))
def test_violations_have_sizes_of_their_class(seed):
    rng = np.random.default_rng(seed)
    truth = 0.1 + rng.uniform(0.5, 2, (60, 1)) / ANCHORS
    true = np.arange(60) % len(TRUE_ENDS)
    made, reached = _with_violations(truth, ANCHORS.astype(float), true, rng)
    size = _size(made, ANCHORS.astype(float))
    np.testing.assert_allclose(made[true == 0], truth[true == 0])
    lower = np.array([0, *TRUE_ENDS[:-1]])
    upper = np.array([*TRUE_ENDS[:-1], np.inf])  # the ceiling may bend a curve further
    inside = (size >= lower[reached] - 1e-5) & (size <= upper[reached] + 1e-5)
    assert inside.all()
    assert (reached == true).mean() > 0.85  # bumps at an end, or at the ceiling, stay smaller


def real(n_datasets=2, n_learners=4):
    rng = np.random.default_rng(0)
    shape = (n_datasets, n_learners, 5, 5, len(ANCHORS))
    values = 0.2 + 1 / ANCHORS + rng.normal(0, 0.02, shape)
    return xr.DataArray(values, dims=("dataset", "learner", "outer", "inner", "anchor"),
                        coords={"dataset": [3, 6][:n_datasets], "anchor": ANCHORS,
                                "learner": [f"L{k}" for k in range(n_learners)]})


@pytest.mark.parametrize(("base", "residuals"), list(prevalence.POOLS))
def test_a_pool_has_a_row_per_curve_and_a_seed_makes_the_same(base, residuals):
    one = real().isel(dataset=0)
    first, again = (pool_of(one, 3, base, residuals) for _ in range(2))
    assert list(first["learner"]) == [f"L{k}" for k in range(4)] and first.equals(again)
    assert first["true"].between(0, len(TRUE_ENDS) - 1).all()


def test_a_run_that_was_stopped_goes_on(tmp_path):
    valid = real()
    whole = seen_curves(valid)
    seen_curves(valid.isel(dataset=[0]), tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["3.csv"]
    parts = seen_curves(valid, tmp_path)
    assert parts.equals(whole[parts.columns])
    assert (parts["pool"] == "real").sum() == 8 and (parts["last"] == 724).all()
