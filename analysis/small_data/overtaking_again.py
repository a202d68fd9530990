"""Who is behind again later, and what the order of two learners at a small size says of the end."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from analysis.intervals.ties import TIE
from analysis.small_data.overtaking import CLEAR, SIZES, overtaking_places
from analysis.small_data.overtaking_shares import SHARE, problem_shares


def behind_again(mean: xr.DataArray, family: pd.Series, database: str,
                 margin: float = CLEAR) -> pd.DataFrame:
    """Return where a learner was clearly ahead of logistic regression, and clearly behind later.

    Parameters
    ----------
    mean : xarray.DataArray, dims (dataset, learner, anchor)
        From `analysis.small_data.overtaking.mean_difference`.
    family : pandas.Series
        Family of each dataset, in its order; one counts once.
    database : str
        Its name, for the table.
    margin : float
        What is clear, in error rate: so that noise alone makes few of these.

    Returns
    -------
    pandas.DataFrame
        Columns ``database, learner, share, low, high, n_datasets``: of the problems on which the
        learner is clearly ahead at some anchor, the share on which it is clearly behind at a later
        one, with its 95 % interval; NaN for too few.
    """
    values = mean.transpose("dataset", "learner", "anchor").values
    ahead, behind = values < -(margin + TIE), values > margin + TIE
    again = (np.logical_or.accumulate(ahead, axis=-1) & behind).any(axis=-1)
    found = dict(zip(SHARE, problem_shares(again, ahead.any(axis=-1), family), strict=True))
    return pd.DataFrame({"database": database, "learner": mean["learner"].values, **found})


def order_holds(mean: xr.DataArray, family: pd.Series, database: str,
                sizes: Sequence[int] = SIZES, longer: float = 4) -> pd.DataFrame:
    """Return how often the learner that is ahead at a size is ahead at the end of the curves too.

    Parameters
    ----------
    mean, family, database
        As in `behind_again`.
    sizes : sequence of int
        Rows; the largest common anchor up to it is looked at.
    longer : float
        The curves have to go on to so many times the size.

    Returns
    -------
    pandas.DataFrame
        Columns ``database, learner, rows, now, share, low, high, n_datasets``: of the problems on
        which logistic regression is behind at the size (``now`` is "ahead") or is not ("not
        ahead"), the share on which the learner is ahead at the last common anchor. NaN for too few.
    """
    values = mean.transpose("dataset", "learner", "anchor").values
    anchors = mean["anchor"].values
    last = overtaking_places(values)[1]
    at_end = _ahead(values, last)
    tables = []
    for size in sizes:
        here = overtaking_places(values[..., anchors <= size])[1]
        counts = (here >= 0) & (anchors[last] >= longer * size)
        then = _ahead(values, here)
        for now, is_so in (("ahead", then), ("not ahead", ~then)):
            found = dict(zip(SHARE, problem_shares(at_end, counts & is_so, family), strict=True))
            tables.append(pd.DataFrame({"database": database, "learner": mean["learner"].values,
                                        "rows": size, "now": now, **found}))
    return pd.concat(tables, ignore_index=True)


def _ahead(values: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return whether the learner is ahead at a position on the last axis; -1 stands for none."""
    there = np.take_along_axis(values, np.maximum(at, 0)[..., None], axis=-1)[..., 0]
    return (there < -TIE) & (at >= 0)
