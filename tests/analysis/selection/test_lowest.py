"""Who performs best: lowest points, optimism, paired comparisons, naive Bayes."""

import numpy as np
import pytest
import xarray as xr
from curve_examples import labelled
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from analysis.selection import lowest as performance

DIMS = ("dataset", "learner", "scaling", "anchor", "split")
WHOLE = "dataset learner scaling leakage outer inner anchor split"


def make_mean(values, learners=None, anchors=None):
    told = {"learner": learners, "anchor": anchors}
    return labelled(values, " ".join(DIMS), split=["valid", "test"],
                    scaling=["none", "minmax", "standard"][:values.shape[2]],
                    **{dim: labels for dim, labels in told.items() if labels}).rename("error_rate")


@pytest.fixture(scope="module")
def noisy():
    """Forty datasets whose curves are level: every lowest point is luck."""
    rng = np.random.default_rng(5)
    level = rng.uniform(0.2, 0.5, (40, 1, 1, 1, 1))
    harder = np.stack([0.02 * rng.standard_normal((40, 1, 1, 1)), np.zeros((40, 1, 1, 1))], -1)
    noise = 0.02 * rng.standard_normal((40, 5, 1, 12, 2))
    return make_mean(level + harder + noise)


@settings(max_examples=40, deadline=None)
@given(arrays(float, (2, 2, 1, 4, 2), elements=st.one_of(
    st.integers(0, 10).map(lambda k: k / 10), st.just(float("nan")))))
def test_lowest_points_against_a_loop(values):
    mean = make_mean(values)
    rows = performance.best_errors(mean, "mine").set_index(["dataset", "learner"])
    for d, k in np.ndindex(2, 2):
        curve = values[d, k, 0]
        known = np.flatnonzero(~np.isnan(curve).any(axis=1))
        if not known.size:
            assert (d, f"L{k}") not in rows.index
            continue
        row = rows.loc[(d, f"L{k}")]
        for prefix, at in (("", known[np.argmin(curve[known, 0])]), ("last_", known[-1])):
            assert row[[f"{prefix}anchor", f"{prefix}valid", f"{prefix}test"]].tolist() == [
                16 * 2**at, *curve[at]]


def test_rounding_does_not_decide_between_equal_means():
    values = np.full((1, 1, 1, 3, 2), 0.5)
    values[0, 0, 0, :, 0] = 0.1 + 0.2, 0.3, 0.3 + 1e-9  # the first two differ in the last bit
    assert values[0, 0, 0, 0, 0] > values[0, 0, 0, 1, 0]
    assert performance.best_errors(make_mean(values), "mine")["anchor"].tolist() == [16]


def test_means_leave_failed_repeats_out_and_take_no_leakage():
    values = np.full((1, 1, 1, 2, 5, 5, 1, 3), 0.5)
    values[:, :, :, 0, 0, 0] = np.nan
    values[:, :, :, 0, 1:] = 0.25
    curves = xr.Dataset({"error_rate": labelled(
        values, WHOLE, leakage=["no", "yes"], split=["train", "valid", "test"])})
    mean = performance.mean_errors(curves)
    assert mean.dims == DIMS and list(mean["split"]) == ["valid", "test"]
    assert mean.values.ravel() == pytest.approx((20 * 0.25 + 4 * 0.5) / 24)
    assert performance.mean_errors(curves.sel(leakage=["yes"])).values.ravel() == pytest.approx(0.5)
    no_repeats = curves.isel(outer=2, inner=2, drop=True)
    assert performance.mean_errors(no_repeats).values.ravel() == pytest.approx(0.25)


@pytest.mark.parametrize("database, left_out", [("lcdb11-cc18", True), ("lcdb11", True),
                                                ("mini", False)])
def test_values_past_a_dataset_s_end_are_left_out_of_lcdb11(database, left_out):
    values = labelled(np.full((1, 1, 1, 1, 1, 1, 3, 2), 0.5), WHOLE, dataset=[61], leakage=["no"],
                      anchor=[16, 118, 128], split=["valid", "test"])
    curves = xr.Dataset({"error_rate": values}, attrs={"database": database})
    kept = performance.mean_errors(curves).sel(split="valid").squeeze().notnull()
    assert kept.values.tolist() == [True, True, not left_out]  # iris ends at 121 rows


def test_picking_the_lowest_of_noise_is_optimistic(noisy):
    table = performance.picking_optimism(performance.best_errors(noisy, "mine")).set_index("pick")
    assert table.loc["nothing", "optimism"] == 0
    anchor, curve = table.loc["anchor"], table.loc["curve"]
    assert 2 < anchor["optimism"] < 5  # 1.6 standard deviations of 2 points
    assert 0 < anchor["low"] < anchor["optimism"] < anchor["high"]
    assert curve["optimism"] > anchor["optimism"]
    assert curve["valid"] < anchor["valid"] < table.loc["nothing", "valid"]


@pytest.fixture
def uneven():
    """Three learners: A everywhere, B better by 0.1 but missing half, C only on one dataset."""
    values = np.full((10, 3, 1, 2, 2), 0.4)
    values += np.linspace(0, 0.3, 10)[:, None, None, None, None]
    values[:, 1] -= 0.1
    values[5:, 1] = values[1:, 2] = np.nan
    values[0, :, :, 1] = np.nan
    return make_mean(values, list("ABC"), [16, 20_000])


def test_pairs_have_the_same_datasets(uneven):
    assert performance.reference_learner(performance.best_errors(uneven, "mine")) == "A"
    paired = performance.paired_with(uneven, "mine", "A").set_index("learner")
    shifted = uneven + xr.DataArray(np.arange(10) % 3 / 100, dims="dataset") * (
        uneven["learner"] == "B")
    moved = performance.paired_with(shifted, "mine", "A").set_index("learner").loc["B"]
    assert moved["low"] < moved["difference"] < moved["high"]
    assert paired.loc["B", "difference"] == pytest.approx(-0.1)
    assert paired.loc["B", "n_datasets"] == 5
    assert paired.loc["A", ["n_datasets", "difference"]].tolist() == [10, 0]
    assert paired.loc["C", "n_datasets"] == 1


def test_pairs_have_the_same_sizes(uneven):
    falls = uneven - 0.2 * (uneven["anchor"] > 16)
    early = falls.where((falls["learner"] == "A") | (falls["anchor"] == 16))
    assert performance.paired_with(early, "mine", "A").set_index("learner").loc[
        "B", "difference"] == pytest.approx(-0.1)


def test_sizes_go_by_the_longest_curve_of_a_dataset(uneven):
    paired = performance.paired_by_size(uneven, "mine").set_index(["size", "learner"])
    assert paired.loc[("small", "A"), "n_datasets"] == 1
    assert paired.loc[("large", "A"), "n_datasets"] == 9
    assert ("large", "C") not in paired.index and set(paired["reference"]) == {"A"}
