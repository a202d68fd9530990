"""Least squares peaks where theory says, on a table made up."""

import numpy as np
import pytest
import xarray as xr

from analysis.databases.paper_curves import log_errors
from chapters.regression import peaks
from collection.running.curve import gather


@pytest.fixture(scope="module")
def made():
    return peaks.synthetic()


def test_least_squares_peaks_where_theory_says_and_ridge_does_not(made):
    wide = made.pivot(index="anchor", columns="learner", values="value")
    assert peaks.FEATURES - 1 <= wide["LeastSquares"].idxmax() <= peaks.FEATURES + 3
    assert wide["LeastSquares"].max() > 2 * wide["LeastSquares"].iloc[0]
    assert wide["Ridge"].max() < 1
    far = [a for a in wide.index if not 0.7 < a / (peaks.FEATURES + 1) < 1.4]
    np.testing.assert_allclose(wide["LeastSquares"][far], peaks.in_theory(np.array(far)), rtol=0.25)


def test_the_theory_has_its_limits():
    many = peaks.in_theory(np.array([10**7]))
    assert many == pytest.approx(peaks.NOISE / np.sqrt(1 + peaks.NOISE**2), rel=1e-4)
    assert np.isinf(peaks.in_theory(peaks.FEATURES + np.arange(3))).all()
    assert peaks.in_theory(np.array([2])) == pytest.approx(1, abs=0.05)
    three_more = peaks.in_theory(np.array([peaks.FEATURES + 4])) ** 2  # rows than features
    noise = peaks.NOISE**2
    assert three_more * (1 + noise) == pytest.approx(noise * (1 + peaks.FEATURES / 2))


def test_the_threshold_is_where_rows_equal_columns():
    dataset = peaks.made_up(1)
    curves = gather(dataset, peaks.LINEAR, outer=(0, 1), inner=(0,), anchors=range(16, 120))
    found = peaks.thresholds(curves.sel(scaling="none", leakage="no", drop=True))
    assert found["threshold"].tolist() == [peaks.FEATURES + 1] * 2
    peak = found.set_index("learner")["ratio"]
    assert 0.9 < peak["LeastSquares"] < 1.15
    late = curves.sel(scaling="none", leakage="no", anchor=slice(60, None), drop=True)
    assert peaks.thresholds(late).empty


def test_an_error_of_zero_has_no_logarithm():
    errors = xr.DataArray([[0.0, 0.5, 4.0]], dims=("split", "anchor"), coords={"split": ["valid"]})
    np.testing.assert_array_equal(log_errors(errors), [np.nan, -1, 2])
