import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.shapes import detect_shapes
from analysis.shapes.detect import KAPPA, adjust_among_curves
from analysis.shapes.simulation import simulate_curves

P = st.lists(st.floats(0.0001, 1), min_size=1, max_size=40).map(np.array)


@given(P)
def test_bh_and_by_are_scipys(p):
    for method in ("bh", "by"):
        np.testing.assert_allclose(adjust_among_curves(p, method),
                                   stats.false_discovery_control(p, method=method))


@given(P)
def test_e_bh_rejects_the_k_largest_e_values_that_reach_m_over_k_alpha(p):
    e = np.sort(np.maximum(1, KAPPA * p ** (KAPPA - 1)))[::-1]
    enough = np.flatnonzero(e * np.arange(1, len(p) + 1) >= len(p) / 0.05)
    expected = 0 if not enough.size else enough[-1] + 1
    assert (adjust_among_curves(p, "e_bh") <= 0.05).sum() == pytest.approx(expected, abs=1e-9)


def test_the_calibrated_e_value_is_the_one_stated():
    assert adjust_among_curves(np.array([0.01]), "e_bh") == pytest.approx(10 * 0.01**0.9)


def test_a_curve_with_nothing_to_test_counts_as_one_more():
    p = np.array([0.02, np.nan, np.nan])
    assert adjust_among_curves(p, "bh")[0] == pytest.approx(0.06)
    assert np.isnan(adjust_among_curves(p, "bh")[1:]).all()


def test_verdicts_over_curves_are_fewer_and_missing_curves_do_not_count():
    valid = simulate_curves("peak", 30, 0, rows=1500, anchors=12, true_size=0.08)
    alone, among = (detect_shapes(valid, name) for name in ("max_t", "bh"))
    with_missing = detect_shapes(valid.where(np.arange(30)[:, None, None, None] < 15), "bh")
    assert int(among["non_monotone"].sum()) <= int(alone["non_monotone"].sum())
    halved = detect_shapes(valid.isel(curve=slice(15)), "bh")
    np.testing.assert_array_equal(with_missing["p_mono"].values[:15], halved["p_mono"].values)
    assert not with_missing["non_monotone"].values[15:].any()
    assert float(among["p_mono"].min()) < 1e-3  # a clear case among curves is not cut off there
