"""How a task's rows are split for training and testing: cross-validation, hold-out, as given.

Whatever the procedure, the result is the same: a `Fold` for every repeat and fold, checked.
"""

import hashlib
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from collection.tasks.split_files import TaskError, read_split_file

MOST = 10**6  # folds of all repeats


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows of one fold, as positions in the dataset.

    Attributes
    ----------
    repeat, fold : int
        From 0.
    train, test : ndarray of int
    """

    repeat: int
    fold: int
    train: np.ndarray
    test: np.ndarray


@dataclass(frozen=True)
class CrossValidation:
    """k-fold cross-validation, stratified by class, repeated.

    Attributes
    ----------
    folds, repeats : int
    seed : int
        Repeat r shuffles with seed + r.
    stratified : bool
        Has no meaning for regression, which is never stratified.
    shuffle : bool
        Without it every repeat is the same, and one is all there is.
    keep_duplicates_together : bool
        Whether rows with the same values in all features come into the same fold.
    """

    folds: int = 10
    repeats: int = 1
    seed: int = 0
    stratified: bool = True
    shuffle: bool = True
    keep_duplicates_together: bool = False

    kind = "cross-validation"
    overlaps = False

    def __post_init__(self):
        if self.folds < 2 or self.repeats < 1 or self.folds * self.repeats > MOST:
            raise TaskError(f"Cross-validation needs 2 folds and 1 repeat at least, and {MOST:,d} "
                            f"folds in all at most, not {self.folds:.3g} and {self.repeats:.3g}.")
        if self.repeats > 1 and not self.shuffle:
            raise TaskError(f"Without shuffling all {self.repeats} repeats of a cross-validation "
                            "are the same; ask for one, or for shuffling.")

    @property
    def words(self) -> str:
        """What it is, in words."""
        kind = "stratified " * self.stratified + f"{self.folds}-fold cross-validation"
        together = ", equal rows kept together" if self.keep_duplicates_together else ""
        return f"{kind}, {self.repeats} time{'s' * (self.repeats > 1)}{together}"

    def places(self) -> list[tuple[int, int]]:
        """Return (repeat, fold) of every fold, without the data."""
        return [(r, f) for r in range(self.repeats) for f in range(self.folds)]

    def splits(self, dataset) -> Iterator[Fold]:
        """Yield the folds of a dataset.

        Raises
        ------
        TaskError
            Where a class has fewer rows than there are folds, or the dataset has.
        """
        self._check(dataset)
        groups = _groups(dataset) if self.keep_duplicates_together else None
        rows = np.arange(dataset.n_rows)
        for repeat in range(self.repeats):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # scikit-learn's, of what _check allows
                parts = list(self._splitter(dataset, repeat).split(rows, dataset.target, groups))
            for fold, (train, test) in enumerate(parts):
                yield Fold(repeat, fold, train, test)

    def _splitter(self, dataset, repeat: int):
        from sklearn import model_selection

        stratified = "Stratified" * (self.stratified and not dataset.is_regression)
        group = "Group" * self.keep_duplicates_together
        name = f"{stratified}{group}KFold"
        if name == "GroupKFold":  # which cannot shuffle
            return _ShuffledGroups(self.folds, self.seed + repeat if self.shuffle else None)
        seed = {"random_state": self.seed + repeat} if self.shuffle else {}
        return getattr(model_selection, name)(self.folds, shuffle=self.shuffle, **seed)

    def _check(self, dataset) -> None:
        if dataset.n_rows < self.folds:
            raise TaskError(f"{dataset.source} has {dataset.n_rows} rows, too few for {self.folds} "
                            "folds.")
        if dataset.is_regression or not self.stratified:
            return
        names, counts = np.unique(dataset.target, return_counts=True)
        if counts.min() < self.folds:
            raise TaskError(
                f"{dataset.source}: class {str(names[counts.argmin()])!r} has {counts.min()} "
                f"row(s), fewer than the {self.folds} folds, so that some fold would be without "
                "it. Ask for fewer folds, or leave the dataset out.")


@dataclass(frozen=True)
class HoldOut:
    """A share of the rows held out for testing, stratified by class, repeated.

    Attributes
    ----------
    share : float
        Of the rows, between 0 and 1.
    repeats, seed : int
        Repeat r draws with seed + r.
    stratified : bool
        Has no meaning for regression, which is never stratified.
    """

    share: float = 0.33
    repeats: int = 1
    seed: int = 0
    stratified: bool = True

    kind = "hold-out"
    overlaps = False

    def __post_init__(self):
        if not 0 < self.share < 1 or not 1 <= self.repeats <= MOST:
            raise TaskError(f"A hold-out is a share between 0 and 1 of the rows, 1 to {MOST:,d} "
                            f"times, not {self.share:.3g}, {self.repeats:.3g} times.")

    @property
    def words(self) -> str:
        """What it is, in words."""
        drawn = "stratified " * self.stratified + f"hold-out of {100 * self.share:g} %"
        return f"{drawn}, {self.repeats} time{'s' * (self.repeats > 1)}"

    def places(self) -> list[tuple[int, int]]:
        """Return (repeat, fold) of every fold, without the data."""
        return [(r, 0) for r in range(self.repeats)]

    def splits(self, dataset) -> Iterator[Fold]:
        """Yield a fold a repeat; `TaskError` where a class, or the dataset, has too few rows."""
        from sklearn.model_selection import train_test_split

        by = dataset.target if self.stratified and not dataset.is_regression else None
        for repeat in range(self.repeats):
            try:
                train, test = train_test_split(np.arange(dataset.n_rows), test_size=self.share,
                                               random_state=self.seed + repeat, stratify=by)
            except ValueError as error:
                raise TaskError(f"{dataset.source} cannot be split: {error}") from None
            yield Fold(repeat, 0, np.sort(train), np.sort(test))


@dataclass(frozen=True)
class GivenSplits:
    """Splits that were made elsewhere: those of an OpenML task, or a file of the same form.

    Attributes
    ----------
    source : str
        ``openml:task/ID``, or the path of an ARFF file with the columns type (TRAIN or TEST),
        rowid (from 0), repeat and fold.
    """

    source: str
    kind = "given"
    overlaps = False
    words = "validation by the tasks' own splits"

    def places(self) -> list[tuple[int, int]]:
        """Return (repeat, fold) of every fold, in ascending order."""
        return sorted(_given(self.source))

    def splits(self, dataset) -> Iterator[Fold]:
        """Yield the folds of a dataset.

        Raises
        ------
        TaskError
            Where the splits cannot be read, name rows that the dataset has not, lack some of its
            rows, or have rows in training and test.
        """
        if dataset.unlabelled_rows:
            raise TaskError(f"{dataset.source} has {dataset.unlabelled_rows} rows without a label, "
                            f"which are left out; the splits of {self.source} count them.")
        for (repeat, fold), (train, test) in sorted(_given(self.source).items()):
            yield Fold(repeat, fold, train, test)


@dataclass(frozen=True)
class WholeData:
    """Training and scoring on the same rows, all of them: how well a learner fits what it saw.

    PMLBmini's training AUC (Section 4.1). It says nothing of new rows.
    """

    kind = "whole"
    words = "training and testing on all rows"
    overlaps = True

    def places(self) -> list[tuple[int, int]]:
        """Return the one repeat and fold."""
        return [(0, 0)]

    def splits(self, dataset) -> Iterator[Fold]:
        """Yield the one fold, all rows on both sides."""
        rows = np.arange(dataset.n_rows)
        yield Fold(0, 0, rows, rows)


Procedure = CrossValidation | HoldOut | GivenSplits | WholeData
KINDS = {procedure.kind: procedure
         for procedure in (CrossValidation, HoldOut, GivenSplits, WholeData)}


def check_folds(folds: list[Fold], n_rows: int, what: str, overlaps: bool = False) -> None:
    """Raise `TaskError` where folds are no split of `n_rows` rows: rows lack, overlap, repeat.

    Every row must be in training or test of every fold, and never in both unless `overlaps`. A row
    may be tested in none of the folds (a hold-out split) or in several.
    """
    if not folds:
        raise TaskError(f"{what}: the split has no folds.")
    for fold in folds:
        where = f"{what}: repeat {fold.repeat}, fold {fold.fold}"
        if not len(fold.train) or not len(fold.test):
            raise TaskError(f"{where} has {len(fold.train)} training and {len(fold.test)} test "
                            "rows; both need some.")
        rows = np.concatenate([fold.train, fold.test])
        if len(unknown := rows[(rows < 0) | (rows >= n_rows)]):
            raise TaskError(f"{where} names row {unknown[0]}, while the dataset has rows 0 to "
                            f"{n_rows - 1}.")
        if overlaps:
            rows = np.concatenate([np.unique(fold.train), np.setdiff1d(fold.test, fold.train)])
        times = np.bincount(rows, minlength=n_rows)
        if not overlaps and (both := len(np.intersect1d(fold.train, fold.test))):
            raise TaskError(f"{where} overlaps: {both} row(s) are in training and test.")
        if (times > 1).any():
            raise TaskError(f"{where} names row {times.argmax()} {times.max()} times.")
        if lacking := int((times == 0).sum()):
            raise TaskError(f"{where} lacks {lacking} of {n_rows} rows, such as row "
                            f"{times.argmin()}: neither training nor test has them.")


def folds_fingerprint(folds: Iterable[Fold]) -> str:
    """Return the SHA-256 of which rows train and test in every fold, in order (hexadecimal)."""
    digest = hashlib.sha256()
    for fold in sorted(folds, key=lambda fold: (fold.repeat, fold.fold)):
        for rows in (fold.train, fold.test):
            digest.update(np.sort(rows).astype(np.int64).tobytes())
    return digest.hexdigest()


def _groups(dataset) -> np.ndarray:
    """Return a number per row that rows with the same features share."""
    return dataset.features.groupby(list(dataset.features), dropna=False, observed=True,
                                    sort=False).ngroup().to_numpy()


@dataclass(frozen=True)
class _ShuffledGroups:
    """k-fold by groups in a seeded order, each group to the smallest fold so far."""

    folds: int
    seed: int | None

    def split(self, rows, target, groups) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        sizes = np.bincount(groups)
        order = np.arange(len(sizes))
        if self.seed is not None:
            order = np.random.default_rng(self.seed).permutation(order)
        fold_of, filled = np.empty(len(sizes), int), np.zeros(self.folds, int)
        for group in order:
            fold_of[group] = filled.argmin()
            filled[fold_of[group]] += sizes[group]
        for fold in range(self.folds):
            test = fold_of[groups] == fold
            yield rows[~test], rows[test]


@lru_cache(maxsize=4)
def _given(source: str) -> dict[tuple[int, int], tuple[np.ndarray, np.ndarray]]:
    if source.startswith("openml:"):
        from collection.tasks.openml_files import split_file

        return read_split_file(split_file(source))
    return read_split_file(source)
