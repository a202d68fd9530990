"""The protocol's splits: which rows train, validate and test in each of the 25 repeats.

Section 3 and Appendix A of the paper: an outer split sets the test rows aside, an inner split the
validation rows, both stratified; the rest, in the order the shuffle left it, is the training set,
whose prefixes are the anchors' training sets. Where numbers are to be predicted the strata are
quantile bins of them; nothing else differs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from collection.anchors import FIRST, anchor_grid

HELD_OUT = 0.1  # of the rows at hand, for test and then for validation
MOST_HELD_OUT = 5000  # rows
BINS = 10  # quantile bins of numbers to predict; fewer where less is held out
LEAST_NUMBERS = 20  # different ones that a target needs to be no class


class ProtocolError(ValueError):
    """The protocol cannot be carried out on this dataset; the message says why."""


@dataclass(frozen=True, eq=False)
class Split:
    """Positions of rows in the dataset.

    Attributes
    ----------
    train : ndarray of int
        In the order whose prefixes are the training sets.
    valid, test : ndarray of int
    """

    train: np.ndarray
    valid: np.ndarray
    test: np.ndarray


def split_rows(labels: np.ndarray, outer: int, inner: int) -> Split:
    """Split the rows of a dataset for one repeat.

    Parameters
    ----------
    labels : ndarray, shape (n_rows,)
        Classes, or numbers to predict: both splits are stratified by their `strata`.
    outer, inner : int
        Seeds.

    Raises
    ------
    ProtocolError
        Where the rows cannot be stratified; `check_splittable` asks for more.
    """
    groups = strata(labels)
    learn, test = _hold_out(np.arange(len(labels)), groups, outer)
    train, valid = _hold_out(learn, groups, inner)
    return Split(train, valid, test)


def strata(labels: np.ndarray) -> np.ndarray:
    """Return what the splits are stratified by: classes as they are, numbers by quantile.

    Parameters
    ----------
    labels : ndarray, shape (n_rows,)
        Numbers to predict where they are floats.

    Returns
    -------
    ndarray, shape (n_rows,)
        Of numbers, the bin from 0: at most `BINS` of equal size, one for each row held out for
        validation at most; equal numbers are in the order of the rows.
    """
    if labels.dtype.kind != "f":
        return labels
    n_rows = len(labels)
    bins = max(1, min(BINS, split_sizes(n_rows)[1]))
    groups = np.empty(n_rows, np.int64)
    groups[np.argsort(labels, kind="stable")] = np.arange(n_rows) * bins // max(n_rows, 1)
    return groups


def split_sizes(n_rows: int) -> tuple[int, int, int]:
    """Return how many of `n_rows` rows are for training, validation and testing."""
    test = _held_out_size(n_rows)
    valid = _held_out_size(n_rows - test)
    return n_rows - test - valid, valid, test


def training_size(n_rows: int) -> int:
    """Return how many of `n_rows` rows the largest training set has."""
    return split_sizes(n_rows)[0]


def applicable_anchors(n_rows: int, anchors: Sequence[int] | None = None) -> np.ndarray:
    """Return the anchors for a dataset of `n_rows` rows, ascending.

    Parameters
    ----------
    n_rows : int
        Rows of the whole dataset.
    anchors : sequence of int, optional
        Training-set sizes to choose among; by default the grid ⌈16·2^(k/8)⌉.

    Returns
    -------
    ndarray of int
        Those from 16 up to the training size.
    """
    most = training_size(n_rows)
    chosen = anchor_grid(most) if anchors is None else np.unique(np.asarray(anchors, np.int64))
    return chosen[(chosen >= FIRST) & (chosen <= most)]


def check_splittable(labels: np.ndarray) -> None:
    """Raise `ProtocolError` where the protocol cannot split a dataset with these labels.

    Twice 10 % are held out and stratified: two classes at least, three rows of each (so that two
    remain for the inner split), room for every class in what is held out, 16 training rows. Of
    numbers to predict, 20 different ones.
    """
    values, counts = np.unique(labels, return_counts=True)
    if labels.dtype.kind != "f":
        check_classes(values, counts)
        return
    _check_sizes(len(labels), 1, "")
    if len(values) < LEAST_NUMBERS:
        raise ProtocolError(
            f"The target has {len(values)} different numbers in {len(labels)} rows: is it a "
            f"class? For classes write ?target=COLUMN; numbers need {LEAST_NUMBERS} or more.")


def check_classes(names: np.ndarray, counts: np.ndarray) -> None:
    """Do the same as `check_splittable`, given the classes and their numbers of rows."""
    if len(names) < 2:
        raise ProtocolError(f"The target has one class, {names[0]!r}; at least two are needed.")
    if counts.min() < 3:
        small = names[counts.argmin()]
        raise ProtocolError(
            f"Class {str(small)!r} has {counts.min()} row(s), too few to stratify two nested "
            "splits; leave it out or merge it with another (3 rows are the least).")
    _check_sizes(int(counts.sum()), len(names), f" as classes ({len(names)})")


def _check_sizes(n_rows: int, least: int, why: str) -> None:
    size, held_out, _ = split_sizes(n_rows)
    if size < FIRST or held_out < least:
        many = f"as many validation rows{why}" if why else "a validation row"
        raise ProtocolError(
            f"{n_rows} rows leave {size} for training and {held_out} for validation; at least "
            f"{FIRST} training rows and {many} are needed.")


def _held_out_size(n_rows: int) -> int:
    # As the predecessor: rounded up when it is a tenth, and that only up to 5,000.
    if int(n_rows * HELD_OUT) > MOST_HELD_OUT:
        return MOST_HELD_OUT
    return n_rows - int(n_rows * (1 - HELD_OUT))


def _hold_out(rows: np.ndarray, labels: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    from sklearn.model_selection import train_test_split

    held_out = _held_out_size(len(rows))
    try:
        kept, held = train_test_split(
            rows, train_size=len(rows) - held_out, test_size=held_out, random_state=seed,
            stratify=labels[rows])
    except ValueError as error:
        check_splittable(labels)
        raise ProtocolError(f"Cannot stratify {len(rows)} rows: {error}") from error
    return kept, held
