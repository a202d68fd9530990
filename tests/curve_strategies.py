"""Curves for property tests: coarse values, so that ties are common; holes; unequal spacing."""

import numpy as np
import xarray as xr
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp


@st.composite
def curves(draw, max_anchors=9, holes=True, resolution=20):
    """Draw (repeats (n_repeats, n_anchors), anchors)."""
    n_anchors = draw(st.integers(1, max_anchors))
    n_repeats = draw(st.integers(2, 6))
    steps = draw(st.lists(st.integers(1, 200), min_size=n_anchors, max_size=n_anchors))
    errors = draw(hnp.arrays(int, (n_repeats, n_anchors), elements=st.integers(0, resolution)))
    repeats = 1 - (resolution - errors) / resolution  # rounded as 1 − accuracy is
    if draw(st.booleans()):  # the same repeat over again, or nearly
        repeats = repeats[:1] + np.zeros((n_repeats, 1))
    if holes and draw(st.booleans()):
        there = draw(hnp.arrays(bool, repeats.shape, elements=st.sampled_from([True, True, False])))
        repeats = np.where(there, repeats, np.nan)
    return repeats, np.cumsum(steps)


def as_array(repeats, anchors):
    """Name the dims of one curve, its repeats being inner ones."""
    return xr.DataArray(repeats[None], dims=("outer", "inner", "anchor"),
                        coords={"anchor": anchors})
