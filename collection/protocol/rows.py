"""Which rows train and which are held out: at random, by group, or forward in time.

Every row is held out once in each round of `FOLDS` folds, unless time forbids it: what is known of
the error is then known from all the rows there are.
"""

from dataclasses import dataclass

import numpy as np

FOLDS = 5
ROUNDS = 5
LEAST = 16  # rows trained on, at least
MOST_TESTED = 4000  # held-out rows of a fold that are predicted
LATER = 1 / 3  # of the rows in time, on which is tested
SPELLS = 20  # stretches of time that count as one observation each


@dataclass(frozen=True, eq=False)
class OwnSplit:
    """Rows of one fold.

    Attributes
    ----------
    train : ndarray of int
        Positions, in the order whose prefixes are the training sets.
    test : ndarray of int
    """

    train: np.ndarray
    test: np.ndarray


@dataclass(frozen=True, eq=False)
class Rows:
    """What of a table decides its splits.

    Attributes
    ----------
    target : ndarray, shape (n_rows,)
        Class codes, or numbers to predict.
    regression : bool
    groups : ndarray of int, shape (n_rows,), optional
        Rows of the same number stay on one side; in time, of the tested ones none is trained on.
    times : ndarray of float, shape (n_rows,), optional
        What is tested on comes later than what is trained on.
    """

    target: np.ndarray
    regression: bool
    groups: np.ndarray | None = None
    times: np.ndarray | None = None

    @property
    def apart(self) -> str:
        """How tested rows differ from those trained on: later in "time", by "group", or not ""."""
        return "time" if self.times is not None else "" if self.groups is None else "group"

    def split(self, outer: int, inner: int) -> OwnSplit:
        """Return fold `outer` of round `inner`."""
        if self.times is not None:
            return self._forward(outer, inner)
        rng = np.random.default_rng([inner, 0])
        fold = self._folds(rng)
        order = self._order(np.random.default_rng([inner, 1, outer]), fold != outer)
        held = np.flatnonzero(fold == outer)
        if len(held) > MOST_TESTED:
            held = np.sort(rng.choice(held, MOST_TESTED, replace=False))
        return OwnSplit(order, held)

    def largest(self) -> int:
        """Return the most rows that every fold can train on."""
        rounds = 1 if self.times is not None or self.groups is None else ROUNDS
        return min(len(self.split(outer, inner).train)
                   for inner in range(rounds) for outer in range(FOLDS))

    def units(self) -> np.ndarray:
        """Return what the table is a sample of: a number for each row's group, spell or self."""
        n = len(self.target)
        if self.times is not None:
            rank = np.argsort(np.argsort(self.times, kind="stable"), kind="stable")
            spells = max(SPELLS, round(SPELLS / LATER))
            return rank * spells // n
        return np.arange(n) if self.groups is None else self.groups

    def _folds(self, rng: np.random.Generator) -> np.ndarray:
        """Return each row's fold: classes in proportion, numbers in equal shares, groups whole."""
        n = len(self.target)
        if self.groups is not None:
            return _dealt(self.groups, rng)[self.groups]
        shuffled = rng.permutation(n)
        order = shuffled[np.argsort(self.target[shuffled], kind="stable")]
        fold = np.empty(n, int)
        if self.regression:  # neighbours in the order of the target go to different folds
            blocks = -(-n // FOLDS)
            fold[order] = np.concatenate([rng.permutation(FOLDS) for _ in range(blocks)])[:n]
        else:
            fold[order] = np.arange(n) % FOLDS
        return fold

    def _order(self, rng: np.random.Generator, kept: np.ndarray) -> np.ndarray:
        """Return the training rows so that each prefix is a sample: classes in proportion."""
        rows = rng.permutation(np.flatnonzero(kept))
        if self.groups is not None:
            place = rng.permutation(self.groups.max() + 1)
            return rows[np.argsort(place[self.groups[rows]], kind="stable")]
        if self.regression:
            return rows
        _, codes, counts = np.unique(self.target[rows], return_inverse=True, return_counts=True)
        by_class = np.argsort(codes, kind="stable")
        rank = np.empty(len(rows))
        rank[by_class] = np.concatenate([np.arange(c) for c in counts])
        return rows[np.argsort((rank + rng.uniform(size=len(rows))) / counts[codes])]

    def _forward(self, outer: int, inner: int) -> OwnSplit:
        """Test on one of the last stretches of time; train on what came before, the latest first.

        Rows of the same moment as the first one tested are not trained on.
        """
        n = len(self.times)
        order = np.lexsort((np.random.default_rng([inner, 2]).permutation(n), self.times))
        ends = np.linspace(n - round(n * LATER), n, FOLDS + 1).astype(int)
        test = order[ends[outer]:ends[outer + 1]]
        before = order[:ends[outer]]
        earlier = before[self.times[before] < self.times[test[0]]][::-1]
        if self.groups is not None:
            earlier = earlier[~np.isin(self.groups[earlier], self.groups[test])]
        if len(test) > MOST_TESTED:
            test = np.random.default_rng([inner, 3, outer]).choice(test, MOST_TESTED, False)
        return OwnSplit(earlier, np.sort(test))


def _dealt(groups: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Deal groups to folds: each to the fold with the fewest rows, the large ones first."""
    sizes = np.bincount(groups)
    fold, filled = np.empty(len(sizes), int), np.zeros(FOLDS)
    for group in sorted(rng.permutation(len(sizes)), key=lambda g: -sizes[g]):
        fold[group] = filled.argmin()
        filled[fold[group]] += sizes[group]
    return fold


def sizes_up_to(largest: int) -> tuple[int, ...]:
    """Return the training-set sizes that are measured: halves of the largest, and its 0.71."""
    halves = [round(largest / 2**k) for k in range(64) if largest / 2**k >= LEAST]
    return tuple(sorted({largest, *halves, *([round(largest / 2**0.5)] if largest >= 23 else [])}))


def rounds() -> list[tuple[int, int]]:
    """Return ``(outer, inner)`` in the order in which they are measured: round by round."""
    return [(outer, inner) for inner in range(ROUNDS) for outer in range(FOLDS)]
