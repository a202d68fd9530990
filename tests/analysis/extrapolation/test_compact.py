"""The forecaster of the page: ranges, what it ignores and refuses."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.extrapolation.compact import (
    LEVELS,
    chance_of_fall,
    predict_compact,
    shipped,
    widened,
    with_sampling,
)

SIZES = [64, 128, 256, 512, 1024]


def curve(errors, sizes=SIZES, **coords):
    return xr.DataArray(errors, dims="anchor", coords={"anchor": sizes, **coords})


@settings(max_examples=30)
@given(st.lists(st.floats(0, 1), min_size=5, max_size=5), st.sampled_from([np.inf, 20, 1000]))
def test_quantiles_ascend_between_0_and_1(errors, tested):
    found = predict_compact(curve(errors), [1100, 4096, 65_536], tested)
    assert found.dims == ("size", "quantile") and found.notnull().all()
    assert found.min() >= 0 and found.max() <= 1
    assert (found.diff("quantile") >= 0).all()


def test_it_knows_neither_learner_nor_dataset():
    errors = [0.4, 0.35, 0.3, 0.28, 0.27]
    plain = predict_compact(curve(errors), [4096])
    named = predict_compact(curve(errors, learner="LDA", dataset="40983"), [4096])
    np.testing.assert_array_equal(plain.values, named.values)


def test_a_curve_that_falls_is_expected_to_fall_and_a_flat_one_to_stay():
    falls = predict_compact(curve([0.4, 0.3, 0.22, 0.16, 0.12]), [4096]).sel(quantile=0.5).item()
    flat = predict_compact(curve([0.3] * 5), [4096]).sel(quantile=0.5).item()
    assert falls < 0.11 and abs(flat - 0.3) < 0.02


@pytest.mark.parametrize(("power", "floor"), [
    (0.5, 0), (1, 0), (1.5, 0), (1, 0.02), (1.5, 0.02), (1, 0.05), (1.5, 0.05)])
@pytest.mark.parametrize("sizes", [100 * 2 ** np.arange(4), 70.0 * 2 ** np.arange(0, 4.1, 0.5)])
def test_steep_falls_without_noise_go_on(power, floor, sizes):
    def errors(n):
        return floor + 0.3 * (np.asarray(n) / sizes[0]) ** -power

    ahead = sizes[-1] * np.array([1.5, 2, 4, 10])
    found = predict_compact(curve(errors(sizes), sizes), ahead).values
    now = errors(sizes[-1])
    assert (found[:, 3] <= errors(ahead) * 1.001).all()
    assert (found[:, 3] > errors(ahead) * 0.75).all() and (np.diff(found[:, 3]) < 0).all()
    if power >= 1 and floor == 0:
        assert (chance_of_fall(found, now, np.inf, now / 10) > [0.6, 0.7, 0.85, 0.9]).all()


def test_steep_falls_that_were_rounded_or_are_noisy_go_on_halfway_and_bends_do_not():
    for errors, most in (([0.31, 0.155, 0.078, 0.04, 0.02], [0.016, 0.008]),
                         ([0.3, 0.21, 0.13, 0.095, 0.06], [0.045, 0.025])):
        found = predict_compact(curve(errors), [2048, 10_240], 2000)
        bends = predict_compact(curve([*errors[:-1], 0.9 * errors[-2]]), [2048, 10_240], 2000)
        assert (found.sel(quantile=0.5).values < most).all()
        assert (bends.sel(quantile=0.5).values > 0.6 * errors[-2]).all()


@given(st.lists(st.floats(0.5, 3), min_size=2, max_size=5), st.sampled_from([np.inf, 300]))
@settings(max_examples=30)
def test_where_errors_fall_steeply_no_more_are_expected_than_now(slopes, tested):
    errors = 0.4 * np.exp2(-np.cumsum([0, *slopes]))
    sizes = 64 * 2 ** np.arange(len(errors))
    found = predict_compact(curve(errors, sizes), [1.2 * sizes[-1], 1.5 * sizes[-1]], tested)
    assert (found.sel(quantile=0.5) <= errors[-1] + 1e-12).all()
    assert (found.diff("quantile") >= 0).all()


def test_fewer_rows_tested_make_wider_ranges_and_none_has_no_width():
    widths = [float(np.ptp(predict_compact(curve([0.3, 0.2, 0.1, 0.05, 0.0]), [2048], n).values))
              for n in (np.inf, 1000, 100, 10)]
    assert sorted(widths) == widths and widths[1] > 0


def test_where_no_row_was_tested_on_any_error_may_be():
    wide = with_sampling(np.full((1, 1, len(LEVELS)), 0.25), np.array([0.25]), 0.0)[0, 0]
    assert np.isfinite(wide).all() and np.ptp(wide) > 0.9 and (np.diff(wide) >= 0).all()


def test_sampling_alone_is_about_the_binomials():
    """Where the forecast is sure, the 90 % range is Jeffreys' interval, to a point."""
    from scipy.stats import beta

    sure = np.full((1, 1, len(LEVELS)), 0.2)
    found = with_sampling(sure, np.array([0.2]), 200)[0, 0]
    expected = beta.ppf(LEVELS, 40.5, 160.5)
    np.testing.assert_allclose(found, expected, atol=0.01)


@pytest.mark.parametrize("sizes, tested, part", [
    ([512], np.inf, "larger than the curves' last"), ([], np.inf, "larger than"),
    ([np.nan], np.inf, "larger than"), ([4096], 0, "at least one row"),
    ([4096], np.nan, "at least one row")])
def test_bad_input(sizes, tested, part):
    with pytest.raises(ValueError, match=part):
        predict_compact(curve([0.5, 0.4, 0.3, 0.2, 0.1]), sizes, tested)


def test_widened_quantiles_keep_their_middle():
    outputs = np.array([[3, 1, 2, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6, 7.0]])
    found = widened(outputs, np.array([0.5, 1.5]), [0.5, 2.5], [1.0, 3.0])
    np.testing.assert_allclose(found, [[1, 2, 3, 4, 5, 6, 7], [-2, 0, 2, 4, 6, 8, 10]])


def test_ranges_are_widened_at_every_horizon_that_is_shipped():
    assert len(shipped()["widen"]) == len(shipped()["horizons"]) and min(shipped()["widen"]) >= 1
