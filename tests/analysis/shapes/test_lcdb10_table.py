"""Table 4's column of LCDB 1.0, and what of it is rounding (findings 4 and 5)."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.databases.load import load_curves
from analysis.shapes import PROCEDURES, detect_shapes, published_lcdb10_cube


@pytest.fixture(scope="module")
def valid():
    return load_curves("lcdb10", "paper")["error_rate"].sel(split="valid")


@pytest.fixture(scope="module")
def published(valid):
    return detect_shapes(valid, "published").squeeze(["scaling", "leakage"])


def percent(verdict):
    return 100 * float(verdict.mean())


def test_many_published_violations_are_rounding(published):
    rounding = {name: int((published[verdict] & (published[name] < 1e-12)).sum())
                for name, verdict in (("violation_mono", "non_monotone"),
                                      ("violation_conv", "non_convex"),
                                      ("violation_dip", "dipping"))}
    assert rounding == {"violation_mono": 7, "violation_conv": 59, "violation_dip": 9}
    assert int((published["peaking"] & (published["violation_conv"] < 1e-12)).sum()) == 49


def test_nothing_lies_between_rounding_and_real_violations(valid, published):
    cube = published_lcdb10_cube(valid)
    corrected = detect_shapes(cube, "corrected_independent").squeeze(["scaling", "leakage"])
    for kind in ("mono", "conv", "dip"):
        size = published[f"violation_{kind}"].values
        beyond = corrected[f"violation_{kind}"].values
        np.testing.assert_array_equal(np.nan_to_num(beyond),
                                      np.where(np.nan_to_num(size) > 1e-12, size, 0))
    assert percent(corrected["non_convex"]) == pytest.approx(4.1, abs=0.06)


def test_on_the_anchors_as_recorded_more_is_ill_behaved(valid, published):
    """Dropping anchors and interpolating hides violations, whatever becomes of rounding."""
    as_recorded = replace(PROCEDURES["published"], interpolate_lcdb10=False)
    for procedure in (as_recorded, "corrected_independent"):
        shapes = detect_shapes(valid, procedure)
        for name in ("non_monotone", "ill_behaved"):
            assert percent(shapes[name]) > percent(published[name]) + 2
