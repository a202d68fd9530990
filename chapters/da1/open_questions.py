"""What the paper's Section 6 leaves open: other measures and corrections, whether a dip lasts."""

import pandas as pd
import xarray as xr

from analysis.databases.paper_curves import main_curves, main_scaling
from analysis.shapes import detect_shapes
from analysis.statistics.summary import REPEATS
from chapters.da1.definitions import share_of
from collection.containers.curves import METRICS
from collection.containers.learner_names import NOT_COUNTED

#: Measures of a classifier that every fit has.
MEASURES = ("error_rate", "f1", "auc", "log_loss")
#: Corrections for many comparisons: within a curve, and over all curves.
CORRECTED = ("corrected", "holm", "max_t", "bh", "by", "e_bh")


def measured_curves(database: str) -> xr.Dataset:
    """Return the validation curves of the learners that Table 4 counts, by every measure there.

    Returns
    -------
    xarray.Dataset, dims (dataset, learner, outer, inner, anchor)
        Those of `MEASURES` that the database has, under its main scaling.
    """
    curves = main_curves(database)
    counted = [name for name in curves["learner"].values if name not in NOT_COUNTED]
    return curves[[name for name in MEASURES if name in curves]].sel(
        split="valid", scaling=main_scaling(curves), learner=counted).drop_vars(
            ["split", "scaling"]).load()



def by_measure(valid: xr.Dataset) -> pd.DataFrame:
    """Return the share of ill-behaved curves by each measure, of curves that have all of them.

    Parameters
    ----------
    valid : xarray.Dataset, dims (dataset, learner, outer, inner, anchor)
        From `measured_curves`. What is better high is taken from 1.

    Returns
    -------
    pandas.DataFrame
        ``measure``, of `MEASURES`; ``ill_behaved``, ``low``, ``high`` (percent of the curves,
        95 % interval over families of datasets), ``curves``.
    """
    losses = {name: valid[name] if METRICS[name].lower_is_better else 1 - valid[name]
              for name in valid}
    there = xr.concat([loss.notnull().any([*REPEATS, "anchor"]) for loss in losses.values()],
                      "measure").all("measure")
    rows = [(name, *share_of(detect_shapes(loss.where(there), "corrected")["ill_behaved"], there),
             int(there.sum())) for name, loss in losses.items()]
    return pd.DataFrame(rows, columns=["measure", "ill_behaved", "low", "high", "curves"])


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
    rows = [(name, *share_of(detect_shapes(valid, name)["ill_behaved"], there), int(there.sum()))
            for name in CORRECTED]
    return pd.DataFrame(rows, columns=["procedure", "ill_behaved", "low", "high", "curves"])


def dips_that_last(valid: xr.DataArray) -> pd.DataFrame:
    """Say what becomes of curves that dip when half of their sizes are known.

    A dip is judged at the last size, so that a curve which turns once more is none. Curves are
    judged on the first half of their sizes, and on all.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        Error rates.

    Returns
    -------
    pandas.DataFrame
        One row: ``curves`` with four sizes or more; ``half`` of them that dip at half of the sizes,
        ``last`` of those that dip at the end too (percent, 95 % interval ``low`` to ``high`` over
        families of datasets), ``new``, those that dip at the end alone, and ``well``, the percent
        of the curves without a dip at half that have one at the end: what chance and later dips
        give.
    """
    sizes = valid.notnull().any(REPEATS)
    rank = sizes.cumsum("anchor").where(sizes)
    early = valid.where(rank <= sizes.sum("anchor") // 2)
    counted = sizes.sum("anchor") >= 4
    half, end = (detect_shapes(part, "corrected")["dipping"] & counted for part in (early, valid))
    last = share_of(end, half)
    return pd.DataFrame([{
        "curves": int(counted.sum()), "half": int(half.sum()),
        **dict(zip(("last", "low", "high"), last, strict=True)),
        "new": int((end & ~half).sum()),
        "well": float(100 * (end & ~half).sum() / max(int((counted & ~half).sum()), 1))}])
