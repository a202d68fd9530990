"""The protocol's splits: which rows train, validate and test in each of the 25 repeats.

Section 3 and Appendix A of the paper: an outer split sets the test rows aside, an inner split the
validation rows, both stratified; the rest, in the order the shuffle left it, is the training set,
whose prefixes are the anchors' training sets. Where numbers are to be predicted the strata are
quantile bins of them; nothing else differs. `LearningCurveSplit` is all this in scikit-learn's
form.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from collection.protocol.anchors import FIRST, sizes_to

SEEDS = (0, 1, 2, 3, 4)  # outer and inner alike: 25 repeats
WAYS = ("distinct", "paper")  # of seeding these
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


@dataclass(frozen=True)
class LearningCurveSplit:
    """Nested training sets in repeated splits, as scikit-learn's ``cv=`` takes them.

    For `sklearn.model_selection.cross_validate` and whatever else takes a splitter; with `anchors`
    of None also for its ``learning_curve``, whose ``train_sizes`` are then prefixes as here.

    Parameters
    ----------
    anchors : sequence of int, "all" or None
        Training-set sizes, those from 16 that the rows allow; "all": the grid ⌈16·2^(k/8)⌉; None:
        the whole training set alone.
    outer, inner : sequence of int
        Seeds of what is set aside for testing, and of what then is for validation.
    on : {"valid", "test"}
        Which rows are scored.

    Notes
    -----
    Section 3 of the paper. Floats are numbers to predict, stratified by their quantiles; anything
    else are classes, ordered as text.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> import analysis
    >>> X, y = load_wine(return_X_y=True)
    >>> cv = analysis.LearningCurveSplit(anchors=[16, 64], outer=[0], inner=[0, 1])
    >>> scores = cross_validate(GaussianNB(), X, y, cv=cv)["test_score"]
    >>> [(repeat, float(score.round(2))) for repeat, score in zip(cv.repeats(X, y), scores)]
    [((0, 0, 16), 0.88), ((0, 0, 64), 0.94), ((0, 1, 16), 0.75), ((0, 1, 64), 0.94)]
    """

    anchors: Sequence[int] | str | None = None
    outer: Sequence[int] = SEEDS
    inner: Sequence[int] = SEEDS
    on: str = "valid"

    def split(self, X, y=None, groups=None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the rows trained on and those scored, by repeat, then anchor.

        Raises
        ------
        ProtocolError
            Where the rows cannot be split so, or no anchor applies.
        """
        sizes = self._sizes(y, groups)
        check_splittable(_text(y))
        labels = _labels(y)
        for outer, inner in product(self.outer, self.inner):
            split = split_rows(labels, outer, inner)
            for size in sizes:
                yield split.train[:size], getattr(split, self.on)

    def get_n_splits(self, X=None, y=None, groups=None) -> int:
        """Return how many splits there are; without rows, where anchors need none to be counted."""
        sizes = [None] if self.anchors is None else self._sizes(y, groups)
        return len(self.outer) * len(self.inner) * len(sizes)

    def repeats(self, X, y) -> pd.MultiIndex:
        """Return what each split is of, in their order: ``outer``, ``inner``, ``anchor``.

        Without `anchors` the last is what the whole training set has.
        """
        sizes = [training_size(len(y))] if self.anchors is None else self._sizes(y, None)
        return pd.MultiIndex.from_product([self.outer, self.inner, sizes],
                                          names=["outer", "inner", "anchor"])

    def _sizes(self, y, groups) -> Sequence[int | None]:
        if groups is not None:
            raise ProtocolError("Rows are not kept together by group here: make report GROUP=… "
                                "keeps them. Give no groups.")
        if self.on not in ("valid", "test"):
            raise ProtocolError(f"on is 'valid' or 'test', not {self.on!r}.")
        if y is None:
            raise ProtocolError("The splits are stratified: give y.")
        if np.shape(y)[1:] not in ((), (1,)):
            raise ProtocolError(f"y has the shape {np.shape(y)}: the splits are stratified by one "
                                "target. Give one column.")
        if self.anchors is None:
            return [None]
        most = training_size(len(y))
        kept = sizes_to(most, None if isinstance(self.anchors, str) else self.anchors)
        if not kept:
            raise ProtocolError(f"anchors: none of them is from {FIRST} to {most}, what training "
                                f"sets have of these {len(y)} rows.")
        return kept


def places(outer: Sequence[int], inner: Sequence[int], seeds: str) -> list[tuple[int, int]]:
    """Return the repeats (outer seed, inner seed) for seeds: every pair of them.

    With an inner seed scikit-learn deals the same sequence of classes whatever the outer seed: the
    paper's 25 repeats have five. With `seeds` of "distinct" none shares its inner seed with
    another: outer o has 5 o + i for each i of `inner`.

    Raises
    ------
    ProtocolError
        Where an inner seed is too large to be distinct.
    """
    if seeds == "paper":
        return list(product(outer, inner))
    if max(inner) >= len(SEEDS):
        raise ProtocolError(f"with SEEDS=distinct the inner seeds of outer seed o are 5 o + i, "
                            f"and INNER is of i, 0 to {len(SEEDS) - 1}; {max(inner)} is not.")
    return [(o, len(SEEDS) * o + i) for o, i in product(outer, inner)]


def _labels(y) -> np.ndarray:
    """Return numbers to predict as they are, classes as codes in the order of their text."""
    y = _text(y)
    return y if y.dtype.kind == "f" else np.unique(y, return_inverse=True)[1]


def _text(y) -> np.ndarray:
    y = np.asarray(y)
    return y if y.dtype.kind == "f" else y.astype(str)


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
