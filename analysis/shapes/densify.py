"""What the published analysis made of LCDB 1.0's curves before it judged them."""

import numpy as np
import xarray as xr

from collection.protocol.anchors import anchor_grid, lcdb10_grid

LOOKED_UP = anchor_grid(per_doubling=2)  # rounded up; LCDB 1.0 itself rounded to the nearest


def on_lcdb10_anchors(anchors: np.ndarray) -> bool:
    """Tell whether training-set sizes are those of LCDB 1.0: all of its grid up to their largest.

    At least up to 45 rows, the first size at which its grid and LCDB 1.1's part.
    """
    grid = lcdb10_grid()
    expected = grid[grid <= anchors.max(initial=0)]
    return 45 in expected and bool(np.isin(expected, anchors).all())


def published_lcdb10_cube(valid: xr.DataArray) -> xr.DataArray:
    """Interpolate LCDB 1.0's curves onto LCDB 1.1's anchors as the published analysis did.

    Training sizes are looked up exactly in ⌈16·2^(k/2)⌉, so those that LCDB 1.0 rounded down (45,
    181, 362, …) and each dataset's last size are dropped. Each repeat is interpolated linearly onto
    those of LCDB 1.1's 137 anchors that lie between its first and last kept size, needing two of
    each. The values are then written from the first anchor on, *whatever the first size was*: a
    curve that starts at 64 rows is moved to 16.

    Parameters
    ----------
    valid : DataArray
        Dim ``anchor`` and any others; NaN where there is no value.

    Returns
    -------
    DataArray
        The same dims, ``anchor`` being the 137 of LCDB 1.1.
    """
    kept = valid.sel(anchor=np.isin(valid["anchor"].values, LOOKED_UP))
    return _interpolated(kept, from_first_anchor=True)


def dense_lcdb10_cube(valid: xr.DataArray) -> xr.DataArray:
    """Interpolate LCDB 1.0's curves onto LCDB 1.1's anchors, dropping and moving none.

    What the published preparation was meant to do: each repeat, with all its sizes, onto those of
    the 137 anchors that lie between its first and last size.

    Parameters and returned value are as in `published_lcdb10_cube`.
    """
    return _interpolated(valid, from_first_anchor=False)


def _interpolated(kept: xr.DataArray, from_first_anchor: bool) -> xr.DataArray:
    dims, kept = kept.dims, kept.transpose(..., "anchor")
    sizes, dense = kept["anchor"].values, anchor_grid()
    repeats = kept.values.reshape(-1, len(sizes))
    out = np.full((len(repeats), len(dense)), np.nan)
    for pattern, rows in _by_pattern(~np.isnan(repeats)):
        x = sizes[pattern]
        within = (dense >= x[0]) & (dense <= x[-1]) if len(x) > 1 else np.zeros(len(dense), bool)
        if within.sum() > 1:
            to = np.arange(within.sum()) if from_first_anchor else np.flatnonzero(within)
            out[np.ix_(rows, to)] = _interpolate(dense[within], x, repeats[np.ix_(rows, pattern)])
    cube = xr.DataArray(out.reshape(*kept.shape[:-1], len(dense)), dims=kept.dims,
                        coords={**kept.drop_vars("anchor").coords, "anchor": dense},
                        name=kept.name, attrs=kept.attrs)
    return cube.transpose(*dims)


def _by_pattern(there: np.ndarray):
    """Yield (positions of the sizes that are there, rows) for each pattern among the rows."""
    packed, group = np.unique(np.packbits(there, axis=1), axis=0, return_inverse=True)
    order = np.argsort(group, kind="stable")
    for rows in np.split(order, np.cumsum(np.bincount(group, minlength=len(packed)))[:-1]):
        yield np.flatnonzero(there[rows[0]]), rows


def _interpolate(new: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Do as `numpy.interp` for every row of `y`, step by step, so that rounding is the same."""
    slope = np.zeros_like(y)
    slope[:, :-1] = np.diff(y, axis=1) / np.diff(x)
    left = np.searchsorted(x, new, side="right") - 1
    return slope[:, left] * (new - x[left]) + y[:, left]
