"""What the published preparation of LCDB 1.0 does to its anchors."""

import numpy as np
import pandas as pd
import xarray as xr

from analysis.closeup.causes import incomplete_batch
from analysis.shapes.densify import LOOKED_UP
from collection.anchors import FIRST


def anchor_losses(valid: xr.DataArray) -> pd.DataFrame:
    """Count, per curve of LCDB 1.0, the anchors that the published look-up finds.

    Parameters
    ----------
    valid : DataArray, dims (dataset, learner, outer, inner, anchor)
        Error rates; curves without any are left out.

    Returns
    -------
    DataFrame
        ``dataset, learner, recorded, kept`` (anchors), ``first_kept`` (rows; NaN where none is),
        ``moved``: whether the curve, which is then written from 16 rows on, starts later.
    """
    there = valid.notnull().any(["outer", "inner"])
    found = there & there["anchor"].isin(LOOKED_UP)
    table = pd.DataFrame({
        "recorded": there.sum("anchor").to_series(), "kept": found.sum("anchor").to_series(),
        "first_kept": found["anchor"].where(found).min("anchor").to_series()})
    table["moved"] = (table["first_kept"] > FIRST) & (table["kept"] > 1)
    return table[table["recorded"] > 0].reset_index()


def most_moved(losses: pd.DataFrame) -> tuple[int, str]:
    """Return dataset and learner of the longest curve among those that are moved furthest."""
    moved = losses[losses["moved"]]
    furthest = moved[moved["first_kept"] == moved["first_kept"].max()]
    row = furthest.sort_values(["recorded", "dataset", "learner"]).iloc[-1]
    return int(row["dataset"]), str(row["learner"])


def smallest_batch(anchors: np.ndarray, batch: int) -> int:
    """Return the fewest rows that an incomplete last batch has at any anchor beyond one batch."""
    rest = incomplete_batch(anchors, batch)
    return int(rest[rest > 0].min())


def small_last_batches(valid: xr.DataArray, batch: int, below: int) -> pd.DataFrame:
    """Return the curves whose last training size leaves few rows in its last batch.

    Parameters
    ----------
    valid : DataArray, dims (dataset, outer, inner, anchor)
        Error rates of one learner.
    batch : int
        Rows of a full batch; sizes up to that make no incomplete one.
    below : int
        Fewer rows than that are few.

    Returns
    -------
    DataFrame
        ``dataset, last, last_batch``: the last size, and its rows in the last batch.
    """
    there = valid.notnull().any(["outer", "inner"])
    last = there["anchor"].where(there).max("anchor").to_series().dropna().astype(int)
    table = pd.DataFrame({"last": last, "last_batch": last % batch}).query("last > @batch")
    return table.query("0 < last_batch < @below").reset_index()
