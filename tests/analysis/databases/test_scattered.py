"""What is asked of a scattered array is what the dense one holds there."""

import numpy as np
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from analysis.databases.shipped import scattered

SHAPE, PLANES = (4, 3, 5), 2


@given(st.sets(st.integers(0, 59)), st.data())
def test_every_choice_is_the_dense_array_s(filled, data):
    at = np.array(sorted(filled), np.int32)
    dense = np.full((PLANES, 60), np.nan)
    dense[:, at] = np.arange(PLANES * len(at)).reshape(PLANES, -1)
    array = xr.Variable(tuple("abck"), scattered(SHAPE, lambda: at, lambda k: dense[k, at],
                                          np.float64("nan"), PLANES))
    whole = xr.Variable(tuple("abck"), np.moveaxis(dense.reshape(PLANES, *SHAPE), 0, -1))
    key = {dim: data.draw(st.one_of(
        st.integers(0, n - 1), st.lists(st.integers(0, n - 1), max_size=6),
        st.slices(n).filter(lambda own: (own.step or 1) > 0)), dim)
        for dim, n in whole.sizes.items()}
    xr.testing.assert_identical(array.isel(key).load(), whole.isel(key))
