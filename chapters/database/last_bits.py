"""What the last bits of the data decide: nudged data fitted again, and ties that sorting breaks."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import xarray as xr
from sklearn.naive_bayes import BernoulliNB

from analysis.statistics.repeats import REPEATS
from collection.container import SEEDS
from collection.curve import gather
from collection.datasets import Dataset
from collection.protocol import split_rows

NUDGE = 1e-12  # relative: far less than any measurement could tell
#: Ties among the validation rows, from training features and labels and validation features.
Ties = Callable[[np.ndarray, np.ndarray, np.ndarray], int]


def nudged(dataset: Dataset, seed: int = 1, by: float = NUDGE) -> Dataset:
    """Return the dataset with every feature value moved by about `by`, relative to it.

    Parameters
    ----------
    dataset : Dataset
        Its features are numbers.
    seed : int
        Of the standard normal draws that `by` is multiplied with, one per value.
    by : float
        The size of a move.
    """
    noise = by * np.random.default_rng(seed).standard_normal(dataset.features.shape)
    return replace(dataset, features=dataset.features * (1 + noise))


def nudged_refits(dataset: Dataset, learners: Sequence[str], anchors: Sequence[int],
                  inner: Sequence[int] = (0, 1)) -> pd.DataFrame:
    """Gather curves on a dataset and on the same, nudged; return which fits change.

    Parameters
    ----------
    dataset : Dataset
    learners : sequence of str
        Names; one that is there twice is gathered once.
    anchors, inner : sequence of int
        Training-set sizes in rows, and inner seeds.

    Returns
    -------
    pandas.DataFrame
        As `changed_fits`, with ``dataset`` in front.
    """
    once, again = (gather(d, list(dict.fromkeys(learners)), inner=inner, anchors=anchors)
                   for d in (dataset, nudged(dataset)))
    table = changed_fits(once, again)
    table.insert(0, "dataset", dataset.name)
    return table


def count_ties(dataset: Dataset, n_rows: int, ties: Ties) -> tuple[int, int]:
    """Count ties over the validation rows of all outer and inner splits.

    Parameters
    ----------
    dataset : Dataset
        Its features are numbers.
    n_rows : int
        Of the training set: the first ones of each split.
    ties : callable
        `neighbour_ties` or `class_ties`.

    Returns
    -------
    tied, asked : int
        Validation rows that tie, and all of them.
    """
    X, y, tied, asked = dataset.features.to_numpy(), dataset.target, 0, 0
    for outer in SEEDS:
        for inner in SEEDS:
            rows = split_rows(y, outer, inner)
            train = rows.train[:n_rows]
            tied += ties(X[train], y[train], X[rows.valid])
            asked += len(rows.valid)
    return tied, asked


def neighbour_ties(train: np.ndarray, labels: np.ndarray, valid: np.ndarray) -> int:
    """Count the rows whose fifth and sixth nearest neighbours are equally far; labels are unused.

    Returns
    -------
    int
        As `tied_neighbours` with five neighbours, as many as `KNN` asks.
    """
    return tied_neighbours(train, valid, k=5)


def class_ties(train: np.ndarray, labels: np.ndarray, valid: np.ndarray) -> int:
    """Count the rows for which Bernoulli naive Bayes finds two classes equally probable.

    Returns
    -------
    int
        As `tied_classes`.
    """
    return tied_classes(BernoulliNB().fit(train, labels).predict_joint_log_proba(valid))


def tied_neighbours(train: np.ndarray, valid: np.ndarray, k: int) -> int:
    """Count the rows whose k-th and next nearest neighbours are equally far (Euclidean).

    Parameters
    ----------
    train, valid : ndarray, shapes (n_train, n_features) and (n_valid, n_features)
        Whole numbers, so that the squared distances are exact.
    k : int
        Neighbours that vote.
    """
    squared = ((valid[:, None] - train[None]) ** 2).sum(axis=2)
    nearest = np.partition(squared, (k - 1, k), axis=1)
    return int((nearest[:, k - 1] == nearest[:, k]).sum())


def tied_classes(log_probabilities: np.ndarray) -> int:
    """Count the rows whose two most probable classes are equal but for rounding.

    Parameters
    ----------
    log_probabilities : ndarray, shape (n_rows, n_classes)
        Natural logarithms, which need not be normalised.
    """
    second, first = np.partition(log_probabilities, (-2, -1), axis=1)[:, -2:].T
    return int((first - second < 1e-9).sum())


def changed_fits(curves: xr.Dataset, others: xr.Dataset) -> pd.DataFrame:
    """Return, per learner, how many fits have another validation error in `others`.

    Parameters
    ----------
    curves, others : xarray.Dataset
        The same curves, gathered twice; the dataset may go by another name.

    Returns
    -------
    pandas.DataFrame
        Columns ``learner, fits, changed`` (percent), ``largest_shift`` (of a mean over the
        repeats, in error rate).
    """
    others = others.assign_coords(dataset=curves["dataset"].values)
    one, two = (c["error_rate"].sel(split="valid") for c in (curves, others))
    over = [d for d in one.dims if d != "learner"]
    change = two - one
    shift = abs(change.mean(REPEATS))
    return pd.DataFrame({
        "learner": one["learner"].values, "fits": change.count(over).values,
        "changed": 100 * ((change != 0) & change.notnull()).mean(over).values,
        "largest_shift": shift.max([d for d in shift.dims if d != "learner"]).values})
