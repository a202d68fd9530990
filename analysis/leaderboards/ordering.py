"""What the order of a table of results is worth: ranks with simultaneous intervals.

The target is the rank of a method's population mean rank over families of tasks (or of its mean
value); it depends on the pool of methods. All ordered pairs are tested at once, and a method's
rank lies between one more than the methods significantly better and the number of those not
significantly worse (Mogstad, Romano, Shaikh and Wilhelm 2024, Review of Economic Studies 91).

It assumes that families of tasks are independent draws of the tasks that are meant. No method can
know of failures that no task shows: an order that hangs on one or two tasks is said to.
"""

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real

import numpy as np
import pandas as pd
from scipy.stats import norm, rankdata

from analysis.leaderboards.cells import Cells, DirectionError, ResultsError, ask, to_cells
from analysis.leaderboards.flips import (
    from_one_scale,
    largest_statistics,
    on_one_scale,
    resampled_statistics,
)
from analysis.leaderboards.letters import letters
from analysis.leaderboards.reading import DIRECTIONS, read_frame
from analysis.leaderboards.twins import near_twins, twins_in_words, with_clusters
from analysis.reading.text import in_words
from analysis.retired import warn_renamed
from collection.project.arguments import checked
from collection.project.naming import check_known

POWER = 0.8  # of a significant difference with the tasks needed
INNER = 0.8  # of the interval of the tasks needed: 10 to 90 %
ROUNDING = 1e-9  # of statistics, relative
AHEAD, CLOSE = 16, 1e-9  # methods that are looked at together; relative error of a quick look
TARGETS = ("rank", "value")


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
    """

    level: np.ndarray
    parts: np.ndarray
    residual: np.ndarray
    squares: np.ndarray
    shared: np.ndarray
    common: np.ndarray
    unknown_span: np.ndarray

    def chance(self, least: int, n_resamples: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the largest statistics of all sign flips and of all resamples, each sorted."""
        counted = np.where(self.common >= least, self.shared, 0)  # others never differ
        return (np.sort(largest_statistics(self.parts, counted, n_resamples, seed, self.freedom)),
                np.sort(resampled_statistics(self.residual, counted, n_resamples, seed,
                                             self.freedom)))

    @cached_property
    def freedom(self) -> np.ndarray:
        """Degrees of freedom of each pair where pairs share unlike many families; else infinite."""
        if (self.common == self.common.max()).all():
            return np.full(self.common.shape, np.inf)
        return np.maximum(self.common - 1.0, 1.0)

    def asked(self, critical: float) -> np.ndarray:
        """Return the squared statistic that each pair has to exceed, shape (method, method)."""
        return from_one_scale(critical, self.freedom)

    @cached_property
    def skewness(self) -> float:
        """Skewness of a pair's differences over families, its size in the median pair."""
        found, families = [], len(self.residual)
        for one in range(self.residual.shape[1] - 1):
            apart = self.residual[:, [one]] - self.residual[:, one + 1:]
            spread = self.squares[one, one + 1:] / families
            known = spread > 0
            cubes = (apart * apart * apart).mean(axis=0)[known]
            found.append(np.abs(cubes / spread[known]**1.5))
        found = np.concatenate(found) if found else np.empty(0)
        return float(np.median(found)) if len(found) else np.nan

    def detectable(self, critical: float) -> float:
        """Return the effect that is significant with a chance of 80 %, for the median pair."""
        error = np.sqrt(self.squares[np.triu_indices(len(self.squares), 1)])
        asked = np.sqrt(self.asked(critical)[np.triu_indices(len(self.squares), 1)])
        return float(np.median(error * (asked + norm.ppf(POWER))))

    @cached_property
    def effect(self) -> np.ndarray:
        """By how much the row is ahead of the column."""
        return np.round(self.level[None, :] - self.level[:, None], 12)

    @cached_property
    def statistic(self) -> np.ndarray:
        """Squared studentised effects, less `unknown_span`; infinite where there is no spread."""
        sure = np.maximum(np.abs(self.effect) - self.unknown_span, 0)
        free = np.where(sure == 0, 0.0, np.inf)
        return np.divide(sure**2, self.squares, out=free, where=self.squares > 0)


@dataclass(frozen=True)
class Order:
    """An order of methods, and how sure it is.

    Attributes
    ----------
    ranks : pandas.DataFrame
        A row per method, the best first: ``method, rank`` (of the estimate), ``mean_rank``,
        ``low, high`` (simultaneous interval of the rank), ``letters`` (two that share one do
        not differ significantly), ``may_be_first``.
    pairs : pandas.DataFrame
        A row per pair, the better one as ``one``: ``one, other, effect`` (difference of mean
        ranks, or of values), ``low, high`` (simultaneous), ``p_adjusted``, ``tasks_needed``: how
        many families as these it takes for a significant difference with a chance of 80 %, were
        the effect what it seems; infinite where it is nil. With a tie also ``gap`` (difference of
        mean values, above 0 where ``one`` is better), ``gap_low, gap_high`` (simultaneous; NaN
        where one of the two lacks a value) and ``equal``, whether all of that interval is within
        the tie: equal in practice.
    needed : pandas.DataFrame
        ``one, other, tasks_needed, low, high``: the interval from 10 to 90 %; infinite where the
        effect may be nil.
    critical : float
        The least studentised difference that is significant; where pairs share unlike many
        families, of a normal variable, as `analysis.leaderboards.flips.on_one_scale` makes it.
    flips_level : float
        The level at which sign flips alone would ask for as much: the calibrated one.
    skewness : float
        Of a pair's differences over families, its size in the median pair; 0 is symmetric.
    sensitive_to : pandas.DataFrame
        ``tasks`` (families, one or two, joined by " and ") without which ``method`` may be first
        too, as `may_be_first_without` finds them.
    twins : pandas.DataFrame
        Tasks that look like near-duplicates, as `analysis.leaderboards.twins.near_twins` finds
        them; they count one by one nevertheless.
    detectable : float
        The difference of mean ranks (or values) that is significant with a chance of 80 %, were the
        spread that of the median pair: the power at this size.
    n_tasks, n_families, missing : int
    target : str
    level : float
        Of the intervals together.
    notes : tuple of str
        What a reader has to know of the table.
    read : str
        What was read: its size, which direction is better and what says so, who is first and last,
        what was left out.
    """

    ranks: pd.DataFrame
    pairs: pd.DataFrame
    needed: pd.DataFrame
    critical: float
    flips_level: float
    skewness: float
    sensitive_to: pd.DataFrame
    twins: pd.DataFrame
    detectable: float
    n_tasks: int
    n_families: int
    missing: int
    target: str = "rank"
    level: float = 0.95
    notes: tuple[str, ...] = field(default=())
    read: str = ""

    @property
    def hangs_on(self) -> pd.DataFrame:
        """What `sensitive_to` was called before; it gives a DeprecationWarning."""
        warn_renamed("Order.hangs_on", "Order.sensitive_to")
        return self.sensitive_to

    def __str__(self) -> str:
        return "\n".join([self.read, self.ranks.to_string(index=False), *self.notes])


@checked
def order(results: "pd.DataFrame | Cells", n_resamples: int = 2000, seed: int = 0, *,
          target: str = "rank", level: float = 0.95, tie: float = 0.0,
          lower_is_better: bool | None = None) -> Order:
    """Order methods by their results, with intervals that hold all at once.

    Parameters
    ----------
    results : pandas.DataFrame
        A row per result: ``task, method, value`` and, where there are any, ``family, fold, seed,
        lower_is_better``; see `analysis.leaderboards.cells.to_cells`. Folds and seeds of a task
        are averaged first; a family of tasks counts once. A frame with other columns is read as a
        file with them is (`analysis.load_results`).
        Without families, clusters of tasks that names and results show alike count once each.
    n_resamples, seed : int
        Sign flips of the families, the one that was seen among them (where there are no more than
        that, all are made), and as many resamples of them.
    target : {"rank", "value"}
        Whether methods are ordered by their mean rank, which depends on the pool of methods, or by
        their mean value, for which every task has to have one scale and nothing may be missing.
    level : float
        Of the intervals together.
    tie : float
        Values that differ by no more count as equal, and two methods whose mean values surely
        differ by less are equal in practice (a region of practical equivalence).
    lower_is_better : bool, optional
        By default told by the table, as in `analysis.load_results`.

    Returns
    -------
    Order
        With missing cells, two methods are compared on the tasks that they share, and a mean rank
        is 1 plus the rates at which the others win; where two share none, that rate may be
        anything, and intervals are so much wider. Fewer than six families (of two methods)
        separate nobody.

    Raises
    ------
    ResultsError
        As `to_cells`, so a `DirectionError` where it has to be asked which direction is better;
        with ``target="value"`` for missing values or several metrics; for numbers
        of resamples, levels and widths that are none.
    UnknownNameError
        For an unknown `target`.

    Warns
    -----
    UserWarning
        With missing cells, fewer than six families, or methods that are all equal: one line each.
    """
    if isinstance(results, pd.DataFrame):
        if not {"task", "method"} <= set(results) or not {"value", "error"} & set(results):
            results = read_frame(results)
            if lower_is_better is None and not set(DIRECTIONS) & set(results):
                read = results.attrs["read"]
                raise DirectionError(f"{read['speaks']} {ask([read['told']])} Say lower_is_better="
                                     "True or False.".strip())
        if lower_is_better is not None:
            results = results.drop(columns="higher_is_better", errors="ignore").assign(
                lower_is_better=lower_is_better)
    found = order_cells(with_clusters(to_cells(results)), n_resamples, seed, target, level, tie)
    for note in found.notes:
        warnings.warn(note, stacklevel=3)  # of who calls the checked function
    return found


def order_cells(cells: Cells, n_resamples: int = 2000, seed: int = 0, target: str = "rank",
                level: float = 0.95, tie: float = 0.0, gaps: pd.DataFrame | None = None) -> Order:
    """Order methods as `order` does, from cells; what it warns of stands in `Order.notes`.

    With `gaps` (`mean_gaps` of the same cells) they are not computed again, and neither are hints:
    `Order.sensitive_to` and `Order.twins` are empty.
    """
    check_known("target", [target], TARGETS)
    for name, number, fits, needs in (
            ("n_resamples", n_resamples, lambda x: 1 <= x <= 1e6 and x == int(x),
             "a whole number from 1 to a million"),
            ("seed", seed, lambda x: 0 <= x < 2**32 and x == int(x), "a whole number from 0"),
            ("level", level, lambda x: 0 < x < 1, "a number between 0 and 1"),
            ("tie", tie, lambda x: 0 <= x < np.inf, "a width of 0 or more")):
        if isinstance(number, bool) or not isinstance(number, Real) or not fits(number):
            raise ResultsError(f"{name} has to be {needs}, not {number!r}.")
    estimate = estimate_ranks(cells, tie) if target == "rank" else estimate_values(cells)
    least = least_families(level)
    chance = estimate.chance(least, n_resamples, seed)
    critical = critical_square(chance, 1 - level)
    differ = significant(estimate, critical, least)
    place = np.lexsort([np.arange(len(cells.methods)), np.round(estimate.level, 9)])
    pairs, needed = _pairs(cells, estimate, chance, critical=critical, least=least, place=place,
                           target=target)
    hints = gaps is None
    if tie:
        pairs = _with_gaps(pairs, mean_gaps(cells, n_resamples, seed, level) if hints else gaps,
                           tie)
    mean_rank = estimate.level if target == "rank" else estimate_ranks(cells, tie).level
    hangs = may_be_first_without(cells, estimate, critical, least if hints else np.inf)
    twins = near_twins(cells) if hints else pd.DataFrame()
    return Order(ranks=_ranks(cells, estimate, differ, mean_rank, place), pairs=pairs,
                 needed=needed, critical=float(np.sqrt(critical)),
                 flips_level=float((chance[0] >= critical / (1 + ROUNDING)).mean()),
                 skewness=estimate.skewness, sensitive_to=hangs, twins=twins,
                 detectable=estimate.detectable(critical), n_tasks=len(cells.tasks),
                 n_families=len(cells.families), missing=cells.missing, target=target, level=level,
                 notes=_notes(cells, estimate, least, differ, hangs, twins),
                 read=what_was_read(cells, place))


def what_was_read(cells: Cells, place: np.ndarray) -> str:
    """Return a sentence on what was read, the best method first.

    Parameters
    ----------
    cells : Cells
    place : ndarray of int
        Positions of the methods in their order.
    """
    read, n = cells.read, int(cells.turned.sum())
    better = ("lower is better" if n == len(cells.tasks) else "higher is better" if n == 0 else
              f"lower is better on {n}, higher on {len(cells.tasks) - n}")
    told = f" ({read['told']})" if read.get("told") else ""
    ends = [cells.methods[k] for k in (place[0], place[-1])]
    if n in (0, len(cells.tasks)) and len(cells.metrics) < 2:
        means = np.nanmean(cells.value, axis=0) * (-1 if n else 1)
        ends = [f"{name} {as_digits(means[k])}" for name, k in
                zip(ends, (place[0], place[-1]), strict=True)]
    out = f" Left out: {', '.join(read['out'])}." if read.get("out") else ""
    return (f"{len(cells.tasks)} tasks × {len(cells.methods)} methods"
            + (f", {read['layout']}" if read.get("layout") else "")
            + f"; {better}{told}: {ends[0]} … {ends[1]}.{out}")


def as_digits(value: float) -> str:
    """Return a number with three digits, or whole from 1000 on."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{float(f'{value:.3g}'):g}"


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
        return _estimate(1 + rate, (beaten - (methods - 1) / 2) / n, residual,
                         np.full((methods, methods), n), None)
    level, residual = np.ones(methods), np.zeros((families, methods))
    parts = np.zeros((families, methods))
    common = np.zeros((methods, methods), int)
    for k in range(methods):
        won, known = wins_over(cells, k, tie)
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
    return _estimate(level, parts, residual, common, np.diagonal(common))


def beaten_by(cells: Cells, tie: float = 0.0) -> np.ndarray:
    """Return how many others beat each method in each family, half for a tie; none missing."""
    if tie:
        twice = np.zeros(cells.value.shape, np.int32)
        for k in range(len(cells.methods)):
            ahead = cells.value[:, [k]] - cells.value
            twice += ahead > tie
            twice += ahead >= -tie
        beaten = (twice - 1) / 2  # less the method itself
    else:
        beaten = rankdata(-cells.value, axis=1) - 1
    return np.add.reduceat(beaten, cells.starts) / cells.sizes[:, None]


def wins_over(cells: Cells, k: int, tie: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Return how often method k beats each other in each family, and where that is known."""
    ahead = cells.value[:, [k]] - cells.value
    won = np.where(np.abs(ahead) <= tie, 0.5, ahead > 0)
    known = ~np.isnan(ahead)
    if len(cells.tasks) == len(cells.families):
        return won, known
    count = np.add.reduceat(known.astype(float), cells.starts)
    wins = np.add.reduceat(np.where(known, won, 0), cells.starts)
    return np.divide(wins, count, out=np.zeros(wins.shape), where=count > 0), count > 0


def _estimate(level: np.ndarray, parts: np.ndarray, residual: np.ndarray, common: np.ndarray,
              having: np.ndarray | None) -> Estimate:
    """Return the estimate with squares of pairs, directly: exactly 0 for equal methods."""
    families, methods = residual.shape
    squares = np.array([np.square(residual - residual[:, [k]]).sum(axis=0) for k in range(methods)])
    squares[squares < 1e-24] = 0  # rounding
    shared = np.full((methods, methods), families)
    if having is not None:  # families that have either of the two
        shared = np.maximum(having[:, None] + having - common, 2)
    never = (common == 0).sum(axis=0) / 2
    return Estimate(level=level, parts=parts, residual=residual, squares=squares, shared=shared,
                    common=common, unknown_span=never[:, None] + never)


def estimate_values(cells: Cells) -> Estimate:
    """Estimate mean values over families; all on one scale and none missing."""
    if cells.missing:
        raise ResultsError(f"{cells.missing} of {cells.value.size} values are missing: mean values "
                           "need all. Leave methods or tasks out, or order by ranks.")
    if not _on_one_scale(cells):
        raise ResultsError(f"Mean values need one scale; there are {len(cells.metrics) or 2} "
                           "metrics. Order by ranks.")
    families = np.add.reduceat(cells.value, cells.starts) / cells.sizes[:, None]
    n, mean = len(families), families.mean(axis=0)
    residual = (mean - families) / np.sqrt(n * max(n - 1, 1))
    common = np.full((families.shape[1],) * 2, n)
    return _estimate(-mean, -families / n, residual, common, None)


def _on_one_scale(cells: Cells) -> bool:
    return len(cells.metrics) < 2 and bool((cells.turned == cells.turned[0]).all())


def least_families(level: float) -> int:
    """Return the families that it takes for any significant difference: six for intervals of 95 %.

    Were the signs of all their differences chance, they would all be the same, either way, in
    2^(1 − n) of tables.
    """
    return 1 + int(np.ceil(np.log2(1 / (1 - level)) - 1e-9))


def critical_square(chance: tuple[np.ndarray, ...], alpha: float) -> float:
    """Return the squared critical value, the larger of both: a pair above it has p ≤ alpha."""
    ends = [largest[-int(np.floor(alpha * len(largest) + 1e-9)) - 1] for largest in chance]
    return float(max(ends)) * (1 + ROUNDING)


def may_be_first_without(cells: Cells, estimate: Estimate, critical: float,
                         least: int) -> pd.DataFrame:
    """Return which one or two families, left out, let a method be first that now may not be.

    The critical value stays. Two families are looked for where no single one will do: the two that
    speak most for those ahead.

    Returns
    -------
    pandas.DataFrame
        ``tasks, method``; the fewest families first.
    """
    ahead = significant(estimate, critical, least) & (estimate.effect > 0)
    rows, families = [], np.array(cells.families, object)
    for method in np.flatnonzero(ahead.any(axis=0)):
        better = np.flatnonzero(ahead[:, method])
        some = _that_may_do(estimate, critical, method, better) if len(better) > 1 else None
        if some is not None and not some.any():
            continue
        gap = estimate.parts[:, [method]] - estimate.parts[:, better]
        most = np.round(gap / np.abs(gap).max(), 12)  # of equal ones, the first
        if some is None:
            order_ = np.argsort(-most, axis=0, kind="stable")
            tried = [order_[:1, 0], order_[:2, 0]]
        else:
            tried = [np.array([k]) for k in dict.fromkeys(most.argmax(axis=0)) if some[k]]
        for out in tried:
            left = np.delete(gap, out, axis=0)
            n = np.maximum(estimate.shared[method, better] - len(out), 2)
            spread = np.square(left).sum(axis=0) - left.sum(axis=0)**2 / len(left)
            reached = np.divide(left.sum(axis=0)**2 * (1 - 1 / n), spread,
                                out=np.full(len(better), np.inf), where=spread > 1e-24)
            if not (reached > estimate.asked(critical)[method, better]).any():
                rows.append((len(out), " and ".join(sorted(families[out])), cells.methods[method]))
                break
    rows = sorted(set(rows))
    return pd.DataFrame([row[1:] for row in rows], columns=["tasks", "method"])


def _that_may_do(estimate: Estimate, critical: float, method: int,
                 better: np.ndarray) -> np.ndarray:
    """Return the families without which a method is surely not behind those ahead, or may not be.

    Those farthest ahead are looked at first: where no family will do for them, as for most
    methods, none will. What rounding could turn counts as may.
    """
    asked = from_one_scale(critical, estimate.freedom[method, better])
    may = np.ones(len(estimate.parts), bool)
    farthest = np.argsort(-estimate.statistic[method, better] / asked, kind="stable")
    for at in range(0, len(better), AHEAD):
        some = farthest[at:at + AHEAD]
        gap = estimate.parts[may][:, [method]] - estimate.parts[may][:, better[some]]
        whole = estimate.parts[:, [method]] - estimate.parts[:, better[some]]
        total, squares = whole.sum(axis=0), np.square(whole).sum(axis=0)
        n, left = np.maximum(estimate.shared[method, better[some]] - 1, 2), len(whole) - 1
        spread = squares - np.square(gap) - (total - gap)**2 / left + CLOSE * squares
        sure = (total - gap)**2 * (1 - 1 / n) > asked[some] * spread * (1 + CLOSE)
        may[may] = ~(sure & (spread > 2e-24)).any(axis=1)
        if not may.any():
            break
    return may


def significant(estimate: Estimate, critical: float, least: int) -> np.ndarray:
    """Return which pairs differ significantly, shape (method, method), symmetric."""
    return (estimate.statistic > estimate.asked(critical)) & (estimate.common >= least)


def rank_limits(estimate: Estimate, differ: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the ranks' intervals: who differs significantly on either side."""
    better = (differ & (estimate.effect > 0)).sum(axis=0)
    worse = (differ & (estimate.effect < 0)).sum(axis=0)
    return 1 + better, len(differ) - worse


def _ranks(cells: Cells, estimate: Estimate, differ: np.ndarray, mean_rank: np.ndarray,
           place: np.ndarray) -> pd.DataFrame:
    low, high = rank_limits(estimate, differ)
    table = pd.DataFrame({
        "method": cells.methods, "rank": 1 + (estimate.effect > 0).sum(axis=0),
        "mean_rank": mean_rank, "low": low, "high": high}).iloc[place].reset_index(drop=True)
    return table.assign(letters=letters(differ[np.ix_(place, place)]),
                        may_be_first=table["low"] == 1)


def _pairs(cells: Cells, estimate: Estimate, chance: tuple[np.ndarray, ...], critical: float,
           least: int, place: np.ndarray, target: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the tables of pairs and of the tasks needed."""
    one, other = (place[x] for x in np.triu_indices(len(place), 1))
    effect, n = estimate.effect[one, other], estimate.common[one, other]
    error = np.sqrt(estimate.squares[one, other])
    reached = (1 - ROUNDING) * on_one_scale(estimate.statistic[one, other],
                                            estimate.freedom[one, other])
    asked = np.sqrt(estimate.asked(critical)[one, other])
    above = [np.maximum(len(x) - np.searchsorted(x, reached, "left"), 1) / len(x) for x in chance]
    p = np.maximum(np.max(above, axis=0), 2.0 ** (1 - n))
    enough = n >= least
    reach = np.where(enough, asked * error + estimate.unknown_span[one, other], np.inf)
    farthest = len(place) - 1 if target == "rank" else np.inf
    names = np.array(cells.methods, object)
    pairs = pd.DataFrame({
        "one": names[one], "other": names[other], "effect": effect,
        "low": np.maximum(effect - reach, -farthest), "high": np.minimum(effect + reach, farthest),
        "p_adjusted": np.where(enough, np.minimum(p, 1), 1.0)})
    spread = error * np.sqrt(n) * (asked + norm.ppf(POWER))
    inner = norm.ppf((1 + INNER) / 2) * error
    needed = pairs[["one", "other"]].assign(
        tasks_needed=_tasks(spread, effect, least), low=_tasks(spread, effect + inner, least),
        high=_tasks(spread, effect - inner, least))
    return pairs.assign(tasks_needed=needed["tasks_needed"]), needed


def mean_gaps(cells: Cells, n_resamples: int, seed: int, level: float) -> pd.DataFrame:
    """Return the pairs of an order by mean values, of methods that have all; else no rows."""
    whole = ~np.isnan(cells.value).any(axis=0)
    if whole.sum() > 1 and _on_one_scale(cells):
        return order_cells(cells.keep(methods=whole), n_resamples, seed, "value", level).pairs
    return pd.DataFrame(columns=["one", "other", "effect", "low", "high"])


def _with_gaps(pairs: pd.DataFrame, gaps: pd.DataFrame, tie: float) -> pd.DataFrame:
    """Return pairs with the differences of mean values, and which are surely within the tie."""
    gaps = gaps[["one", "other", "effect", "low", "high"]].set_axis(
        ["one", "other", "gap", "gap_low", "gap_high"], axis=1)
    turned = gaps.set_axis(["other", "one", "gap", "gap_high", "gap_low"], axis=1)
    turned[["gap", "gap_low", "gap_high"]] *= -1
    found = pairs.merge(pd.concat([gaps, turned]), "left", ["one", "other"])
    return found.assign(equal=(found["gap_low"] >= -tie) & (found["gap_high"] <= tie))


def _tasks(spread: np.ndarray, effect: np.ndarray, least: int) -> np.ndarray:
    """Return the families needed for an effect; infinite where there is none."""
    found = np.full(len(effect), np.inf)
    ratio = np.divide(spread, effect, out=found, where=effect > 0)
    return np.where(np.isfinite(ratio), np.maximum(np.ceil(ratio**2), least), np.inf)


def _notes(cells: Cells, estimate: Estimate, least: int, differ: np.ndarray,
           hangs: pd.DataFrame, twins: pd.DataFrame) -> tuple[str, ...]:
    """Return what a reader has to know of the table, a line each."""
    notes = [cells.read[key] for key in ("speaks", "clusters") if cells.read.get(key)]
    if len(cells.families) < least:
        notes.append(f"{len(cells.families)} families of tasks separate nobody: {least} are the "
                     "least.")
    elif (estimate.common < least).any():
        few = int((estimate.common < least).sum() / 2)
        notes.append(f"{few} pairs of methods share fewer than {least} families of tasks and "
                     "cannot differ significantly.")
    if not estimate.common.all():
        notes.append(f"{int((estimate.common == 0).sum() / 2)} pairs of methods share no task: "
                     "which is better there is unknown, and intervals allow for either.")
    if not estimate.effect.any() and not estimate.squares.any():
        notes.append("All methods are equal on every task.")
    if cells.missing:
        notes.append(f"{cells.missing} of {cells.value.size} cells are missing "
                     f"({_lacking(cells)}): methods are compared on the tasks they share; where "
                     "results are missing because they were bad, nothing mends that.")
    if len(hangs) and rank_limits(estimate, differ)[0].tolist().count(1) == 1:
        tasks, some = hangs["tasks"][0], hangs.loc[hangs["tasks"] == hangs["tasks"][0], "method"]
        notes.append(f"Without {tasks}, {_and(some)} may be first: what hangs on one or two tasks "
                     "is as sure as these tasks, and no interval mends that.")
    if len(twins):
        notes.append(twins_in_words(twins))
    return tuple(notes)


def _lacking(cells: Cells) -> str:
    """Return who lacks results, who lacks most first, and on which tasks where they are few."""
    lacking = np.isnan(cells.value)
    by_method = np.argsort(-lacking.sum(axis=0), kind="stable")
    some = [k for k in by_method if lacking[:, k].any()]
    said = []
    for k in some[:3]:
        tasks = pd.Series(np.array(cells.tasks, object)[lacking[:, k]])
        said.append(f"{cells.methods[k]} on {_and(tasks)}")
    return "; ".join(said) + (f"; and {len(some) - 3} methods more" if len(some) > 3 else "")


def _and(names: pd.Series) -> str:
    """Return a few names as words."""
    return in_words(list(names[:3]) + ([f"{len(names) - 3} more"] if len(names) > 3 else []))
