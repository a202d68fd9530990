import numpy as np
import pytest
import xarray as xr
from curve_strategies import as_array, curves
from hypothesis import example, given, settings
from hypothesis import strategies as st

from analysis.shapes import PROCEDURES, detect_shapes
from benchmarks import shape_loops as loops

VIOLATIONS = ("non_monotone", "non_convex", "peaking", "dipping")


def verdicts(shapes):
    return {name: bool(shapes[name]) for name in VIOLATIONS}


def moving(means, spread, n_repeats=25, seed=0):
    """Repeats around a mean curve, each shifted as a whole and each point a little."""
    rng = np.random.default_rng(seed)
    shift = rng.normal(0, spread, (n_repeats, 1))
    return np.asarray(means) + shift + rng.normal(0, spread / 4, (n_repeats, len(means)))


@given(curves())
@settings(max_examples=100, deadline=None)
def test_published_verdicts_are_those_of_the_loops(curve):
    found = detect_shapes(as_array(*curve), "published")
    assert verdicts(found) == {name: judge(*curve) for name, judge in loops.VERDICTS.items()}


@pytest.mark.parametrize("procedure", ["published", "corrected"])
@given(curves(resolution=997, max_anchors=6))
@example((np.array([[0, 0.001, 0.001], [0.001, 0.001, 0.001]]), np.array([1, 2, 3])))
@settings(max_examples=50, deadline=None)
def test_p_values_are_those_of_the_loops(procedure, curve):
    check_p_values(detect_shapes(as_array(*curve), procedure), curve)


def check_p_values(found, curve):
    """Compare with the loops, but for violations and spreads that are rounding."""
    for name, p_of in loops.P_VALUES.items():
        kind = name.removeprefix("p_").replace("peak", "conv")
        if float(found[f"violation_{kind}"]) > 1e-9 and curve[0].std(axis=0).max() > 1e-9:
            if name == "p_peak" and level_top(curve):  # as published, no test counts as found
                assert not (np.isnan(found[name]) and bool(found["peaking"]))
                continue
            assert float(found[name]) == pytest.approx(p_of(*curve), nan_ok=True, abs=1e-9), name


def level_top(curve):
    """Tell whether a top is no higher than the points around it, but for rounding: no test."""
    repeats, means, anchors = loops.kept(*curve)
    _, where = loops.largest_bulge(means, anchors)
    return any(abs(d.mean()) < 1e-9 for d in loops.peak_differences(repeats, anchors, where))


@given(curves(max_anchors=7))
@settings(max_examples=100, deadline=None)
def test_holm_rejects_what_stepping_down_over_all_rejects(curve):
    found = detect_shapes(as_array(*curve), "holm")
    least = 1e-13
    pairs = loops.holm_rejections(loops.pair_p_values(*curve, least))
    triples = loops.holm_rejections(loops.triple_p_values(*curve, least))
    assert (int(found["rejected_mono"]), int(found["rejected_conv"])) == (pairs, triples)
    assert (bool(found["non_monotone"]), bool(found["non_convex"])) == (pairs > 0, triples > 0)


@given(curves(max_anchors=7))
@settings(max_examples=60, deadline=None)
def test_published_holm_lacks_the_running_maximum(curve):
    found = detect_shapes(as_array(*curve), "holm_published")
    pairs = loops.published_holm_rejections(loops.pair_p_values(*curve, identical=1.0))
    triples = loops.published_holm_rejections(loops.triple_p_values(*curve, identical=1.0))
    assert (int(found["rejected_mono"]), int(found["rejected_conv"])) == (pairs, triples)


@pytest.mark.parametrize("seed", range(4))
def test_holm_on_realistic_curves_with_and_without_missing_repeats(seed):
    rng = np.random.default_rng(seed)
    anchors = np.cumsum(rng.integers(1, 40, 14))
    means = 0.4 * anchors**-0.4 + 0.03 * np.sin(np.arange(14))
    repeats = moving(means, 0.02, seed=seed)
    repeats[:, -3:] = means[-3:] + 1e-6 * rng.normal(size=(25, 3))  # variances 1e8 times smaller
    if seed % 2:
        repeats[rng.random(repeats.shape) < 0.1] = np.nan
    found = detect_shapes(as_array(repeats, anchors), "holm")
    for kind, p_values in (("mono", loops.pair_p_values), ("conv", loops.triple_p_values)):
        p = p_values(repeats, anchors)
        assert int(found[f"rejected_{kind}"]) == loops.holm_rejections(p) > 0
        assert float(found[f"p_{kind}"]) == pytest.approx(min(1, len(p) * min(p)), rel=1e-5)


def test_holm_reports_the_largest_violation_rejected():
    repeats = moving([0.3, 0.31, 0.2, 0.35, 0.3, 0.1], 0.002)
    found = detect_shapes(as_array(repeats, [16, 32, 64, 128, 256, 512]), "holm")
    assert (float(found["mono_i"]), float(found["mono_j"])) == (64, 128)
    assert float(found["violation_mono"]) == pytest.approx(repeats[:, 3].mean()
                                                           - repeats[:, 2].mean())


# ---- what the corrections are about

def test_rounding_is_no_violation():
    on_a_line = 1 - np.linspace(0.1, 0.9, 9)  # straight, up to rounding, and every repeat the same
    curve = as_array(np.tile(on_a_line, (25, 1)), np.arange(16, 25))
    assert bool(detect_shapes(curve, "published")["non_convex"])
    corrected = detect_shapes(curve, "corrected")
    assert not bool(corrected["non_convex"])
    assert float(corrected["violation_conv"]) == 0


def test_identical_real_increases_are_significant_but_for_the_published_holm():
    curve = as_array(np.tile([0.5, 0.25, 0.375], (25, 1)), [16, 32, 64])
    assert bool(detect_shapes(curve, "corrected")["non_monotone"])
    assert float(detect_shapes(curve, "corrected")["p_mono"]) == 0
    assert bool(detect_shapes(curve, "holm")["non_monotone"])
    assert not bool(detect_shapes(curve, "holm_published")["non_monotone"])


def test_an_undefined_p_is_no_evidence():
    repeats = np.full((25, 2), 0.25)
    repeats[0] = [0.125, np.nan]  # the means differ, the repeats that have both do not
    curve = as_array(repeats, [16, 32])
    for name, expected in (("published", True), ("corrected", False), ("holm", False)):
        found = detect_shapes(curve, name)
        assert bool(found["non_monotone"]) is expected
        assert np.isnan(found["p_mono"])


@given(curves(), st.randoms(use_true_random=False), st.floats(-100, 100))
@settings(max_examples=60, deadline=None)
@pytest.mark.parametrize("procedure", ["corrected", "holm"])
def test_verdicts_survive_reordered_repeats_and_an_added_constant(procedure, curve, random,
                                                                  constant):
    repeats, anchors = curve
    order = random.sample(range(len(repeats)), len(repeats))
    before = detect_shapes(as_array(repeats, anchors), procedure)
    after = detect_shapes(as_array(repeats[order] + constant, anchors), procedure)
    assert verdicts(after) == verdicts(before)
    for place in ("mono_i", "mono_j", "conv_h", "conv_i", "conv_j", "dip_i"):
        xr.testing.assert_equal(after[place], before[place])


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_every_procedure_agrees_on_clear_cases(procedure):
    falling = 0.5 * np.arange(1, 13.0) ** -0.7
    cases = {
        (): falling,
        ("non_monotone", "non_convex", "peaking"): falling + 0.3 * (np.arange(12) == 6),
        ("non_monotone", "dipping"): np.where(np.arange(12) < 4, 0.5 - 0.1 * np.arange(12),
                                              0.2 + 0.01 * (np.arange(12) - 4.0) ** 2),
        ("non_convex",): np.where(np.arange(12) < 6, 0.6, 0.15) - 0.004 * np.arange(12),
    }
    for expected, means in cases.items():
        repeats = moving(means, 0.004).reshape(5, 5, -1)
        found = detect_shapes(xr.DataArray(repeats, dims=("outer", "inner", "anchor"),
                                           coords={"anchor": 16 * np.arange(1, 13)}), procedure)
        assert {name for name, holds in verdicts(found).items() if holds} == set(expected)
        assert bool(found["ill_behaved"]) == bool(expected)


@pytest.mark.parametrize("procedure", ["corrected", "published", "holm", "max_t"])
def test_the_level_decides_and_leaves_p_as_it_is(procedure):
    rises = [as_array(moving([0.3, 0.25, 0.25 + rise, 0.2, 0.2], 0.02), 2 ** np.arange(4, 9))
             for rise in (0, .004, .08)]
    curves = xr.concat(rises, "dataset")
    usual, strict, all_ = (detect_shapes(curves, procedure, alpha) for alpha in (None, .002, .999))
    for kind, verdict in (("mono", "non_monotone"), ("conv", "non_convex")):
        p = usual[f"p_{kind}"]
        for found, alpha in ((usual, .05), (strict, .002)):
            assert (found[f"p_{kind}"] == p).where(p.notnull(), True).all()
            assert (found[verdict] == (p <= alpha)).all()
        assert strict[verdict].sum() <= usual[verdict].sum() <= all_[verdict].sum()
    assert strict["non_monotone"].sum() < all_["non_monotone"].sum()
    with pytest.raises(ValueError, match="between 0 and 1, and 5 does not"):
        detect_shapes(curves, procedure, alpha=5)
