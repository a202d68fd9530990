"""How far apart methods are: mean ranks or values, and the spread of each pair's difference."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.stats import norm, rankdata

from analysis.leaderboards import flips
from analysis.leaderboards.cells import Cells

POWER = 0.8  # of a significant difference with the tasks needed
BORROWED = 10  # families at most that the mean spread of all pairs counts as, beside a pair's own


@dataclass(frozen=True)
class Estimate:
    """Estimated differences of all pairs.

    Attributes
    ----------
    level : ndarray, shape (method,)
        Mean rank (or minus the mean value): lower is better.
    parts : ndarray, shape (family, method)
        What each family adds to `level`; they sum to it.
    residual : ndarray, shape (family, method)
        The same less its mean, so that its squared differences sum to `squares`.
    squares : ndarray, shape (method, method)
        Squared standard errors of the differences of two levels.
    shared : ndarray of int, shape (method, method)
        Families that bear on a pair.
    common : ndarray of int, shape (method, method)
        Families on which both have a value.
    unknown_span : ndarray, shape (method, method)
        By how much an effect may be off because methods share no task: half a place for each
        method that one of the two never met.
    borrowed : int
        Families that the mean spread of all pairs counts as, beside a pair's own: no more than
        there are other pairs; 0 of values, whose pairs are unlike each other.
    """

    level: np.ndarray
    parts: np.ndarray
    residual: np.ndarray
    squares: np.ndarray
    shared: np.ndarray
    common: np.ndarray
    unknown_span: np.ndarray
    borrowed: int

    def chance(self, counted: np.ndarray, n_resamples: int, seed: int,
               before: tuple[flips.Largest, ...] = (None, None)) -> tuple[flips.Largest, ...]:
        """Return the largest statistics of all sign flips and of all resamples.

        Of the pairs `counted`, bool of shape (method, method). Of those of `before`, when more
        pairs counted, what still holds is not computed again.
        """
        shared = np.where(counted, self.shared, 0)  # others never differ
        ways = flips.largest_statistics, flips.resampled_statistics
        return tuple(way(parts, shared, n_resamples, seed, self.freedom, self.lent, known)
                     for way, parts, known in zip(ways, (self.parts, self.residual), before,
                                                  strict=True))

    @cached_property
    def freedom(self) -> np.ndarray:
        """Degrees of freedom of each pair where pairs share unlike many families; else infinite."""
        if (self.common == self.common.max()).all():
            return np.full(self.common.shape, np.inf)
        return np.maximum(self.common - 1.0, 1.0) + self.borrowed

    @cached_property
    def lent(self) -> flips.Lent:
        """What the mean spread of all pairs lends to each pair's, and how draws find it anew."""
        weight = self.borrowed / (self.borrowed + np.maximum(self.common - 1.0, 1.0))
        pair = (self.common > 1) & ~np.eye(len(self.common), dtype=bool)
        pool = (self.squares * self.shared)[pair].mean() if pair.any() else 0.0
        pooled = np.where(pair, self.shared, 0) / (max(pair.sum() / 2, 1) * (pool or 1))
        return flips.Lent(weight, weight * pool / self.shared, pooled, self.shared)

    def moderated(self, squares: np.ndarray, at: tuple = ()) -> np.ndarray:
        """Return squared standard errors, some of all pairs' mean spread lent to each.

        Of few families, a pair's own spread is small by chance now and then, which sets what is
        asked of all; as Smyth (2004, Statistical Applications in Genetics 3) lends it.
        """
        return (1 - self.lent.weight[at]) * squares + self.lent.error[at]

    def asked(self, critical: float) -> np.ndarray:
        """Return the squared statistic that each pair has to exceed, shape (method, method)."""
        return flips.from_one_scale(critical, self.freedom)

    def reach(self, critical: float) -> np.ndarray:
        """Return the least effect of each pair that is significant, shape (method, method)."""
        return np.sqrt(self.asked(critical) * self.moderated(self.squares))

    def detectable(self, critical: float) -> float:
        """Return the effect that is significant with a chance of 80 %, for the median pair."""
        pair = np.triu_indices(len(self.squares), 1)
        reach = self.reach(critical)[pair]
        return float(np.median(reach + norm.ppf(POWER) * np.sqrt(self.squares[pair])))

    @cached_property
    def effect(self) -> np.ndarray:
        """By how much the row is ahead of the column."""
        return np.round(self.level[None, :] - self.level[:, None], 12)

    @cached_property
    def statistic(self) -> np.ndarray:
        """Squared studentised effects, less `unknown_span`; infinite where there is no spread."""
        sure = np.maximum(np.abs(self.effect) - self.unknown_span, 0)
        free = np.where(sure == 0, 0.0, np.inf)
        squares = self.moderated(self.squares)
        return np.divide(sure**2, squares, out=free, where=squares > 0)


def estimate_ranks(cells: Cells, tie: float = 0.0) -> Estimate:
    """Estimate mean ranks over families, as 1 plus the rates at which the others win.

    A win rate of two methods is the mean over the families that both have; within a family, over
    its tasks.
    """
    families, methods = len(cells.families), len(cells.methods)
    if not cells.missing:
        beaten = beaten_by(cells, tie)
        rate, n = beaten.mean(axis=0), families
        residual = (beaten - rate) / np.sqrt(n * max(n - 1, 1))
        if n == 1:  # the spread is unknown: as large as that of a win can be
            residual = np.full((1, methods), 0.5) * (methods - 1)
        return combine(1 + rate, (beaten - (methods - 1) / 2) / n, residual,
                         np.full((methods, methods), n))
    level, residual = np.ones(methods), np.zeros((families, methods))
    parts = np.zeros((families, methods))
    common = np.zeros((methods, methods), int)
    for k in range(methods):
        won, known = (own[:, 0] for own in wins_over(cells, [k], tie))
        n = known.sum(axis=0)
        rate = np.where(n > 0, np.where(known, won, 0).sum(axis=0) / np.maximum(n, 1), 0.5)
        # With missing cells every rate has a centre of its own: residuals are stretched as in the
        # jackknife, and by √(n / (n − 1)) more, without which equal methods are held apart in 8 %
        # of tables. Of one family only, the spread is unknown: as large as that of a win can be.
        left = np.maximum(n - 1, 1.0)
        scale = np.where(n > 1, np.sqrt(n / left) / left, 0.0)
        part = np.where(known, (won - rate) * scale + np.where(n > 1, 0, 0.5), 0)
        part[:, k] = 0
        # A family adds to a mean rank only what was seen on it: half a win is nothing.
        parts += np.where(known & (np.arange(methods) != k), won - 0.5, 0) / np.maximum(n, 1)
        level += np.where(np.arange(methods) == k, 0, rate)
        residual += part
        common[k] = n
    return combine(level, parts, residual, common, having=np.diagonal(common))


def beaten_by(cells: Cells, tie: float = 0.0) -> np.ndarray:
    """Return how many others beat each method in each family, half for a tie; none missing."""
    if tie:
        gaps = (row - row[:, None] for row in cells.value)
        beaten = np.array([((gap > tie).sum(axis=1) - (gap < -tie).sum(axis=1)
                            + len(gap) - 1) / 2 for gap in gaps])
    else:
        beaten = rankdata(-cells.value, axis=1) - 1
    return np.add.reduceat(beaten, cells.starts) / cells.sizes[:, None]


def wins_over(cells: Cells, some: Sequence[int], tie: float = 0.0
              ) -> tuple[np.ndarray, np.ndarray]:
    """Return how often some methods beat each other one in each family, and where that is known.

    Both of shape (family, some, method).
    """
    ahead = cells.value[:, some, None] - cells.value[:, None]
    won = np.where(np.abs(ahead) <= tie, 0.5, ahead > 0)
    known = ~np.isnan(ahead)
    if len(cells.tasks) == len(cells.families):
        return won, known
    count = np.add.reduceat(known.astype(float), cells.starts)
    wins = np.add.reduceat(np.where(known, won, 0), cells.starts)
    return np.divide(wins, count, out=np.zeros(wins.shape), where=count > 0), count > 0


def combine(level: np.ndarray, parts: np.ndarray, residual: np.ndarray, common: np.ndarray,
            borrowed: int = BORROWED, having: np.ndarray | None = None) -> Estimate:
    """Return the estimate with squares of pairs, directly: exactly 0 for equal methods."""
    families, methods = residual.shape
    squares = flips.squared_gaps(residual)
    shared = np.full((methods, methods), families)
    if having is not None:  # families that have either of the two
        shared = np.maximum(having[:, None] + having - common, 2)
    never = (common == 0).sum(axis=0) / 2
    others = max(methods * (methods - 1) // 2 - 1, 0)
    return Estimate(level=level, parts=parts, residual=residual, squares=squares, shared=shared,
                    common=common, unknown_span=never[:, None] + never,
                    borrowed=min(borrowed, others))


def estimate_values(cells: Cells) -> Estimate:
    """Estimate mean values over families; all on one scale and none missing."""
    families = np.add.reduceat(cells.value, cells.starts) / cells.sizes[:, None]
    n, mean = len(families), families.mean(axis=0)
    residual = (mean - families) / np.sqrt(n * max(n - 1, 1))
    common = np.full((families.shape[1],) * 2, n)
    return combine(-mean, -families / n, residual, common, borrowed=0)


def on_one_scale_of_values(cells: Cells) -> bool:
    """Tell whether values of all tasks are of one metric, in one direction."""
    return len(cells.metrics) < 2 and bool((cells.turned == cells.turned[0]).all())
