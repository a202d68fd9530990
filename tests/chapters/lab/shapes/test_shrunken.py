import numpy as np
import pytest
import xarray as xr

from analysis.shapes import detect_shapes
from chapters.lab.shapes.shrunken import cross_fitted_sizes
from chapters.lab.shapes.simulation import simulate_curves


def by_hand(values, anchors, kind):
    """One curve (outer, inner, anchor), by loops over the definitions."""
    found = []
    n = len(anchors)
    for o in range(len(values)):
        seen, held = np.delete(values, o, axis=0).mean(axis=(0, 1)), values[o].mean(axis=0)
        if kind == "mono":
            places = [(seen[j] - seen[i], held[j] - held[i])
                      for i in range(n) for j in range(i + 1, n)]
        elif kind == "dip":
            places = [(seen[-1] - seen[i], held[-1] - held[i]) for i in range(n - 1)]
        else:
            def line(y, h, i, j):
                share = (anchors[i] - anchors[h]) / (anchors[j] - anchors[h])
                return y[i] - (1 - share) * y[h] - share * y[j]
            places = [(line(seen, h, i, j), line(held, h, i, j)) for i in range(1, n - 1)
                      for h in range(i) for j in range(i + 1, n)]
        best, size = max(places)
        found.append(size if best > 1e-12 else 0.0)
    return np.mean(found)


@pytest.mark.parametrize("kind", ["mono", "conv", "dip"])
def test_sizes_are_those_of_the_definition(kind):
    valid = simulate_curves("peak", 6, 0, rows=500, anchors=8)
    found = cross_fitted_sizes(valid)[f"size_{kind}"].values
    for k, curve in enumerate(valid.values):
        assert found[k] == pytest.approx(by_hand(curve, valid["anchor"].values, kind), abs=1e-12)


def test_nothing_is_found_on_average_where_nothing_is():
    """The largest rise of a constant curve is always above 0; measured anew it is not."""
    valid = simulate_curves("flat", 300, 0, rows=500, anchors=10)
    largest, anew = detect_shapes(valid)["violation_mono"], cross_fitted_sizes(valid)["size_mono"]
    assert float(largest.mean()) > 0.005
    assert abs(float(anew.mean())) < 3 * float(anew.std()) / np.sqrt(300) + 0.0005


def test_a_clear_peak_keeps_its_size():
    valid = simulate_curves("peak", 60, 0, rows=5000, anchors=14, true_size=0.1)
    sizes = cross_fitted_sizes(valid)
    assert float(sizes["size_peak"].mean()) == pytest.approx(0.1, abs=0.01)
    assert float(sizes["size_mono"].mean()) == pytest.approx(float(valid["true_mono"].mean()),
                                                             abs=0.01)


def test_missing_is_nan_and_one_seed_is_refused():
    valid = simulate_curves("peak", 3, 0, rows=500, anchors=8)
    gone = valid.copy()
    gone[0] = np.nan
    gone[1, 2, :, 4] = np.nan
    sizes = cross_fitted_sizes(gone)
    assert sizes["size_mono"].isnull().values.tolist() == [True, True, False]
    with pytest.raises(ValueError, match="two at least"):
        cross_fitted_sizes(valid.isel(outer=[0]))
    assert isinstance(sizes, xr.Dataset)
