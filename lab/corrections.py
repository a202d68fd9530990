"""How many of LCDB 1.0's curves are ill-behaved by each correction for many comparisons.

Within a curve, and over all curves. Makes ``da1_by_correction``, in minutes, for *How many curves
are ill-behaved?*
"""

import pandas as pd
import xarray as xr

from analysis.databases.chapter_curves import counted_curves
from analysis.shapes import detect_shapes, share_of
from analysis.statistics.summary import REPEATS

CORRECTED = ("corrected_independent", "holm", "max_t", "bh", "by", "e_bh")


def by_correction(valid: xr.DataArray) -> pd.DataFrame:
    """Return the share of ill-behaved curves by how many comparisons are corrected for.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        Error rates.

    Returns
    -------
    pandas.DataFrame
        ``procedure``, of `CORRECTED`; ``ill_behaved``, ``low``, ``high`` (percent of the curves
        that exist, 95 % interval over families of datasets), ``curves``.
    """
    there = valid.notnull().any([*REPEATS, "anchor"])
    shares = {name: share_of(detect_shapes(valid, name)["ill_behaved"], there)
              for name in CORRECTED}
    return pd.DataFrame([{"procedure": name, "ill_behaved": share.value, "low": share.low,
                          "high": share.high, "curves": share.n}
                         for name, share in shares.items()])


#: What is kept, as it takes minutes.
KEPT = {"da1_by_correction": lambda: by_correction(counted_curves("lcdb10", "none")[0])}
