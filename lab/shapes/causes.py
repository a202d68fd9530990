"""Shapes up close: what causes peaks and drops (Appendix E of the paper)."""

import numpy as np
import pandas as pd
import xarray as xr

from collection.project.paths import DATA, shipped

MLP_BATCH = 200  # rows: scikit-learn's mini-batch is min(200, n)
TABNET_BATCH = 1024  # rows: pytorch-tabnet's default, an incomplete batch is dropped
BATCHES = {"MLP": MLP_BATCH, "TabNet": TABNET_BATCH}
INVERTS = ("LDA", "QDA", "RidgeClassifier")  # learners that invert a covariance of the features
AROUND = 1.5  # as many rows as features, up to this factor
CONSTANT = 0.01  # error rate: a learner this close to the majority class predicts it


def incomplete_batch(anchors: np.ndarray, batch: int | np.ndarray) -> np.ndarray:
    """Return how many rows the last, incomplete mini-batch of an epoch has.

    Parameters
    ----------
    anchors : ndarray of int
        Training-set sizes, in rows.
    batch : int or ndarray of int
        Rows per mini-batch.

    Returns
    -------
    ndarray of int
        0 where none is incomplete, or all rows are one batch.
    """
    return np.where(anchors > batch, anchors % batch, 0)


def local_bumps(mean: xr.DataArray) -> xr.DataArray:
    """Return how far each anchor's error lies above the line between its two neighbours.

    Parameters
    ----------
    mean : xarray.DataArray, dims (..., anchor)
        Mean error rates without gaps in between.

    Returns
    -------
    xarray.DataArray, dims (..., anchor)
        In error rate; NaN at both ends. Interpolated over the logarithm of the training-set size.
    """
    x = np.log(mean["anchor"])
    before, after = mean.shift(anchor=1), mean.shift(anchor=-1)
    weight = (x - x.shift(anchor=1)) / (x.shift(anchor=-1) - x.shift(anchor=1))
    return (mean - (before + weight * (after - before))).rename("bump")


def dataset_facts() -> pd.DataFrame:
    """Return facts by OpenML id, of the datasets of LCDB 1.1.

    Columns ``features``, ``classes`` and ``majority_error``, that of the largest class.
    """
    table = pd.read_csv(shipped(DATA / "lcdb11_datasets.csv"), index_col="openml_id")
    return table[["features", "classes"]].assign(majority_error=1 - table["max_class_ratio"])


def likely_causes(found: pd.DataFrame, valid: xr.DataArray, facts: pd.DataFrame) -> pd.Series:
    """Label each phase transition or peak with its likely cause.

    The first that holds:

    - *constant prediction*: the mean error at every anchor before the drop, and at its start, is
      within 0.01 of always predicting the largest class;
    - *batch size*: the drop spans the learner's batch size (MLP 200, TabNet 1,024 rows);
    - *n ≈ d*: the learner inverts a covariance, and the number of features (QDA, which inverts
      one per class: times that of classes) lies within a factor of 1.5 of the place.

    Parameters
    ----------
    found : pandas.DataFrame
        ``dataset, learner, i, j``: anchors before and after the drop (for a peak, its top and the
        end), in rows.
    valid : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        The curves.
    facts : pandas.DataFrame
        From `dataset_facts`; datasets that are not in it are told by their learner alone.

    Returns
    -------
    pandas.Series of str
        "not told" where nothing fits. A label says what fits, not what was shown.
    """
    mean = valid.mean(["outer", "inner"])
    return pd.Series([_cause(row, mean, facts) for row in found.itertuples()], index=found.index,
                     dtype=object)


def _cause(row, mean: xr.DataArray, facts: pd.DataFrame) -> str:
    known = facts.loc[row.dataset] if row.dataset in facts.index else None
    if known is not None and _predicts_majority(row, mean, known["majority_error"]):
        return "constant prediction"
    if row.learner in BATCHES and row.i < BATCHES[row.learner] <= row.j:
        return "batch size"
    if known is not None and row.learner in INVERTS:
        needed = known["features"] * (known["classes"] if row.learner == "QDA" else 1)
        if row.i / AROUND <= needed <= row.j * AROUND:
            return "n ≈ d"
    return "not told"


def _predicts_majority(row, mean: xr.DataArray, majority_error: float) -> bool:
    curve = mean.sel(dataset=row.dataset, learner=row.learner)
    before = curve.where(curve["anchor"] <= row.i, drop=True).values
    before = before[~np.isnan(before)]
    return bool(before.size and np.abs(before - majority_error).max() <= CONSTANT)
