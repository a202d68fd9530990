import numpy as np
import pytest
import xarray as xr

from analysis.shapes import published_lcdb10_cube
from analysis.shapes.detect import on_lcdb10_anchors
from collection.protocol.anchors import anchor_grid, lcdb10_grid


def curves_on(sizes, n=40, seed=0, holes=0.3):
    rng = np.random.default_rng(seed)
    values = rng.random((n, 2, len(sizes)))
    values[rng.random(values.shape) < holes] = np.nan
    return xr.DataArray(values, dims=("dataset", "inner", "anchor"), coords={"anchor": sizes})


def test_each_repeat_is_interpolated_as_numpy_does_to_the_bit():
    sizes = np.sort(np.append(lcdb10_grid()[:16], [300, 1900]))
    valid = curves_on(sizes)
    cube = published_lcdb10_cube(valid)
    dense = anchor_grid()
    known = np.isin(sizes, [16, 23, 32, 64, 91, 128, 256, 512, 1024, 2048])
    for curve, out in zip(valid.values.reshape(-1, len(sizes)), cube.values.reshape(-1, 137),
                          strict=True):
        kept = known & ~np.isnan(curve)
        expected = np.full(137, np.nan)
        if kept.sum() > 1:
            new = dense[(dense >= sizes[kept][0]) & (dense <= sizes[kept][-1])]
            expected[: len(new)] = np.interp(new, sizes[kept], curve[kept])
        np.testing.assert_array_equal(out, expected)


def test_what_starts_later_is_moved_to_the_first_anchor():
    sizes = lcdb10_grid()[:9]
    valid = xr.DataArray([np.where(sizes < 64, np.nan, 1 / sizes)], dims=("inner", "anchor"),
                         coords={"anchor": sizes})
    cube = published_lcdb10_cube(valid)
    assert cube.sel(anchor=16).item() == 1 / 64
    assert cube["anchor"].values.tolist() == anchor_grid().tolist()
    assert int(cube.notnull().sum()) == np.sum((anchor_grid() >= 64) & (anchor_grid() <= 256))


@pytest.mark.parametrize("sizes, expected", [
    (lcdb10_grid(), True),
    (np.sort(np.append(lcdb10_grid()[:12], 700)), True),
    (anchor_grid(), False),
    (anchor_grid(per_doubling=2), False),
    (np.array([16, 23, 32]), False),
    (np.array([10, 20, 30, 45]), False),
    (np.delete(lcdb10_grid(), 4), False),
])
def test_lcdb10s_anchors_are_told_from_others(sizes, expected):
    assert on_lcdb10_anchors(sizes) is expected
