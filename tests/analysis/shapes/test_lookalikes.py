"""Curves made from real ones: their truth is well-behaved, their residuals are the real ones'."""

import numpy as np
import pytest
import xarray as xr

from analysis.shapes.lookalikes import scattered, well_behaved

ANCHORS = np.array([16, 23, 32, 45, 64, 91, 128, 181])


def made(seed=0, n=4):
    rng = np.random.default_rng(seed)
    values = rng.random((n, 5, 5, len(ANCHORS)))
    return xr.DataArray(values, dims=("learner", "outer", "inner", "anchor"),
                        coords={"anchor": ANCHORS, "learner": list("abcd")[:n]})


@pytest.mark.parametrize("seed", range(20))
def test_the_truth_never_rises_is_convex_and_lies_below(seed):
    means = made(seed).mean(["outer", "inner"])
    means[1, 3] = np.nan
    truth = well_behaved(means)
    assert (truth.isnull() == means.isnull()).all()
    assert ((truth <= means + 1e-12) | means.isnull()).all()
    for curve in truth:
        x, y = ANCHORS[curve.notnull()], curve.values[curve.notnull()]
        slope = np.diff(y) / np.diff(x)
        assert (slope <= 1e-12).all() and (np.diff(slope) >= -1e-12).all()


@pytest.mark.parametrize("residuals", ["redrawn", "normal"])
def test_repeats_scatter_around_the_truth_with_the_variance_of_real_ones(residuals):
    valid = made().isel(learner=[0] * 400) * 0.02 + 0.3
    truth = xr.full_like(valid.mean(["outer", "inner"]), 0.2)
    many = scattered(truth, valid, 0, residuals)
    assert abs(float(many.mean() - 0.2)) < 0.003
    rows = round(181 / 9)
    spread = many.std(["outer", "inner"], ddof=1) ** 2
    real = valid.std(["outer", "inner"], ddof=1) ** 2
    counted = 0.25 / rows**2  # rounding to whole rows adds at most that
    assert float(spread.mean()) < float(real.mean()) + counted
    numbers = scattered(truth, valid, 0, residuals, counts=False)
    numbers = numbers.std(["outer", "inner"], ddof=1) ** 2
    assert float(numbers.mean()) == pytest.approx(float(real.mean()), rel=0.02)


@pytest.mark.parametrize("residuals", ["redrawn by inner seed", "normal by inner seed"])
def test_what_repeats_of_an_inner_seed_have_in_common_stays(residuals):
    same = made().isel(outer=[0] * 5, learner=[0] * 300).assign_coords(outer=range(5))
    drawn = scattered(same.mean(["outer", "inner"]), same, 0, residuals, counts=False)
    assert float(drawn.std("outer").max()) < 1e-12
    spread, real = (float((c.mean("outer").var("inner", ddof=1)).mean()) for c in (drawn, same))
    assert spread == pytest.approx(real, rel=0.1)


def test_rates_are_counts_of_validation_rows():
    valid = made()
    rates = scattered(well_behaved(valid.mean(["outer", "inner"])), valid, 1)
    counts = rates * round(181 / 9)
    np.testing.assert_allclose(counts, counts.round(), atol=1e-9)


def test_a_seed_gives_the_same_curves_and_missing_repeats_stay_missing():
    valid = made()
    valid[2] = np.nan
    truth = well_behaved(valid.mean(["outer", "inner"]))
    first, again = scattered(truth, valid, 5), scattered(truth, valid, 5)
    xr.testing.assert_equal(first, again)
    assert first[2].isnull().all() and first[0].notnull().all()
