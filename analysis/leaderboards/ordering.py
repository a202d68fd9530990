"""What the order of a table of results is worth: ranks with simultaneous intervals.

The target is the rank of a method's population mean rank over families of tasks (or of its mean
value); it depends on the pool of methods. All ordered pairs are tested at once, and a method's
rank lies between one more than the methods significantly better and the number of those not
significantly worse (Mogstad, Romano, Shaikh and Wilhelm 2024, Review of Economic Studies 91).

It assumes that families of tasks are independent draws of the tasks that are meant. No method can
know of failures that no task shows: an order that hangs on one or two tasks is said to.

Which methods are equal in practice hangs on crashes that are rare, too: a method that crashed on
none of n tasks may crash on up to 1 − .05^(1/n) of those that are meant (about 3/n, the rule of
three; Hanley and Lippman-Hand 1983, JAMA 249). No interval from the tasks themselves knows of that.
"""

import string
import warnings
from dataclasses import dataclass, field
from numbers import Real

import numpy as np
import pandas as pd

from analysis.leaderboards import stepdown
from analysis.leaderboards.cells import Cells, ResultsError, to_cells
from analysis.leaderboards.estimates import (
    Estimate,
    estimate_ranks,
    estimate_values,
    on_one_scale_of_values,
)
from analysis.leaderboards.tables import load_results
from analysis.leaderboards.twins import effective_tasks, near_twins, twins_in_words, with_clusters
from collection.project.arguments import checked
from collection.reading.text import in_words

CRASH = 30  # points, of the example that is given in words


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
        the effect what it seems, and ``needed_from, needed_to``, its interval from 10 to 90 %;
        infinite where the effect is, or may be, nil. ``p_adjusted`` is that of a step-down, which
        tells more pairs apart than have 0 outside their interval.
        With a tie also ``gap`` (difference of mean values, above 0 where ``one`` is better),
        ``gap_low, gap_high`` (simultaneous; NaN where one of the two lacks a value), ``alike``:
        whether all of that interval is within the tie, ``crashes``: the share of tasks on which a
        method may crash though none shows it (the rule of three), and ``equal``: equal in practice,
        whether the interval is within the tie even were that so.
    critical : float
        The least studentised difference that is significant, of the last step; where pairs share
        unlike many families, of a normal variable, as `analysis.leaderboards.flips.on_one_scale`
        makes it.
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
    notes : tuple of str
        What a reader has to know of the table.
    read : str
        What was read: its size, which direction is better and what says so, who is first and last,
        what was left out.
    """

    ranks: pd.DataFrame
    pairs: pd.DataFrame
    critical: float
    sensitive_to: pd.DataFrame
    twins: pd.DataFrame
    detectable: float
    n_tasks: int
    n_families: int
    missing: int
    notes: tuple[str, ...] = field(default=())
    read: str = ""

    def __str__(self) -> str:
        return "\n".join([self.read, self.ranks.to_string(index=False), *self.notes])


@checked
def order(results: "pd.DataFrame | Cells", n_resamples: int = 2000, seed: int = 0, *,
          tie: float = 0.0, lower_is_better: bool | None = None) -> Order:
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
    tie : float
        Values that differ by no more count as equal, and two methods whose mean values
        differ by less, by their interval, are alike (a region of practical equivalence).
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
        for numbers of resamples and widths that are none.

    Warns
    -----
    UserWarning
        With missing cells, fewer than six families, or methods that are all equal: one line each.
    """
    if isinstance(results, pd.DataFrame):
        if not {"task", "method"} <= set(results) or not {"value", "error"} & set(results):
            results = load_results(results, lower_is_better=lower_is_better)
        elif lower_is_better is not None:
            results = results.drop(columns="higher_is_better", errors="ignore").assign(
                lower_is_better=lower_is_better)
    found = order_cells(with_clusters(to_cells(results)), n_resamples, seed, tie)
    for note in found.notes:
        warnings.warn(note, stacklevel=3)  # of who calls the checked function
    return found


def order_cells(cells: Cells, n_resamples: int = 2000, seed: int = 0, tie: float = 0.0,
                hinted: bool = True) -> Order:
    """Order methods as `order` does, from cells; what it warns of stands in `Order.notes`.

    Near-duplicates among the tasks are looked for only where hints are wanted.
    """
    for name, number, fits, needs in (
            ("n_resamples", n_resamples, lambda x: 1 <= x <= 1e6 and x == int(x),
             "a whole number from 1 to a million"),
            ("seed", seed, lambda x: 0 <= x < 2**32 and x == int(x), "a whole number from 0"),
            ("tie", tie, lambda x: 0 <= x < np.inf, "a width of 0 or more")):
        if isinstance(number, bool) or not isinstance(number, Real) or not fits(number):
            raise ResultsError(f"{name} has to be {needs}, not {number!r}.")
    estimate = estimate_ranks(cells, tie)
    told = stepdown.step_down(estimate, n_resamples, seed)
    critical = told.critical
    differ = stepdown.significant(estimate, critical)
    pairs = _pairs(cells, estimate, told)
    if tie:
        pairs = with_gaps(pairs, cells, tie, n_resamples, seed)
    hangs = stepdown.may_be_first_without(cells, estimate, critical)
    twins = near_twins(cells) if hinted else pd.DataFrame(columns=["task", "family", "by"])
    return Order(ranks=rank_table(cells, estimate, differ), pairs=pairs,
                 critical=float(np.sqrt(critical)),
                 sensitive_to=hangs, twins=twins,
                 detectable=estimate.detectable(critical), n_tasks=len(cells.tasks),
                 n_families=len(cells.families), missing=cells.missing,
                 notes=_notes(cells, estimate, differ, hangs, twins, tie),
                 read=what_was_read(cells, places(estimate)))


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
    few, worth = len(cells.families), effective_tasks(cells)
    alike = f" Its tasks are {few} families, worth {worth:.0f} independent tasks." if (
        few < len(cells.tasks)) else ""
    out = f" Left out: {', '.join(read['out'])}." if read.get("out") else ""
    return (f"{len(cells.tasks)} tasks × {len(cells.methods)} methods"
            + (f", {read['layout']}" if read.get("layout") else "")
            + f"; {better}{told}: {ends[0]} … {ends[1]}.{alike}{out}")


def as_digits(value: float) -> str:
    """Return a number with three digits, or whole from 1000 on."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{float(f'{value:.3g}') + 0:g}"


def rank_table(cells: Cells, estimate: Estimate, differ: np.ndarray) -> pd.DataFrame:
    """Return `Order.ranks`, of which pairs differ and the positions of the methods in order."""
    low, high = stepdown.rank_limits(estimate, differ)
    place = places(estimate)
    table = pd.DataFrame({
        "method": cells.methods, "rank": 1 + (estimate.effect > 0).sum(axis=0),
        "mean_rank": estimate.level, "low": low, "high": high}).iloc[place].reset_index(drop=True)
    return table.assign(letters=letters(differ[np.ix_(place, place)]),
                        may_be_first=table["low"] == 1)


def _pairs(cells: Cells, estimate: Estimate, told: stepdown.Told) -> pd.DataFrame:
    """Return the table of pairs."""
    place = places(estimate)
    one, other = (place[x] for x in np.triu_indices(len(place), 1))
    effect, enough = estimate.effect[one, other], estimate.common[one, other] >= stepdown.LEAST
    own, farthest = estimate.reach(told.first)[one, other], len(place) - 1
    reach = np.where(enough, own + estimate.unknown_span[one, other], np.inf)
    # Of methods that tie wherever both were run:
    reach[(own == 0) & (effect == 0) & enough] = farthest * open_to_crashes(cells)
    names = np.array(cells.methods, object)
    needed, needed_from, needed_to = stepdown.tasks_needed(
        estimate, one, other, told.critical)
    return pd.DataFrame({
        "one": names[one], "other": names[other], "effect": effect,
        "low": np.maximum(effect - reach, -farthest), "high": np.minimum(effect + reach, farthest),
        "p_adjusted": told.p_adjusted[one, other], "tasks_needed": needed,
        "needed_from": needed_from, "needed_to": needed_to})


def places(estimate: Estimate) -> np.ndarray:
    """Return the positions of the methods in their order."""
    return np.lexsort([np.arange(len(estimate.level)), np.round(estimate.level, 9)])


def mean_gaps(cells: Cells, n_resamples: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return by how much mean values differ, and the half of that interval, (method, method).

    NaN where one of the two lacks a value, or values have no one scale.
    """
    gap, reach = np.full((2, len(cells.methods), len(cells.methods)), np.nan)
    whole = ~np.isnan(cells.value).any(axis=0)
    if whole.sum() > 1 and on_one_scale_of_values(cells):
        estimate, at = estimate_values(cells.keep(methods=whole)), np.ix_(whole, whole)
        told = stepdown.step_down(estimate, n_resamples, seed)
        gap[at], reach[at] = estimate.effect, estimate.reach(told.first)
        reach[at] += np.where(estimate.common >= stepdown.LEAST, 0, np.inf)
    return gap, reach


def open_to_crashes(cells: Cells) -> float:
    """Return the share of tasks on which what none of so many shows may happen."""
    return 1 - stepdown.ALPHA ** (1 / len(cells.families))


def room_to_fall(cells: Cells) -> np.ndarray:
    """Return by how much each method's value may fall in the mean, were it to crash on every task.

    To the worse end of shares and of percent; of other values, to the worst of each task.
    """
    most = np.nanmax(np.abs(cells.value))
    signs = np.where(cells.turned[:, None], -1, 1) * cells.value
    if most > 100 or np.nanmin(signs) < 0:
        floor = np.nanmin(cells.value, axis=1, keepdims=True)
    else:
        floor = np.where(cells.turned[:, None], -1.0, 0.0) * (1 if most <= 1 else 100)
    return np.nanmean(cells.value - floor, axis=0)


def with_gaps(pairs: pd.DataFrame, cells: Cells, tie: float, n_resamples: int, seed: int
              ) -> pd.DataFrame:
    """Return pairs with the differences of mean values, and which of them are within the tie.

    See `Order.pairs`.
    """
    one, other = (pd.Index(cells.methods).get_indexer(pairs[name]) for name in ("one", "other"))
    gap, reach = (table[one, other] for table in mean_gaps(cells, n_resamples, seed))
    low, high, crashes = gap - reach, gap + reach, open_to_crashes(cells)
    room = crashes * room_to_fall(cells)
    return pairs.assign(
        gap=gap, gap_low=low, gap_high=high, alike=(low >= -tie) & (high <= tie), crashes=crashes,
        equal=(low - room[one] >= -tie) & (high + room[other] <= tie))


def equal_in_words(pairs: pd.DataFrame) -> str:
    """Return a sentence or two on pairs with a tie; nothing of pairs without one."""
    if "alike" not in pairs:
        return ""
    alike, equal = int(pairs["alike"].sum()), int(pairs["equal"].sum())
    crashes = 100 * pairs["crashes"].iloc[0]
    said = (f" {alike} pairs are alike on tasks such as these: their mean values differ by no more "
            f"than TIE, unless one crashes where no task shows it: on up to {crashes:.2g} % of "
            f"tasks, which is open; {CRASH} points lost there are "
            f"{CRASH * crashes / 100:.2g} points of a mean.")
    return said + (f" {equal} of these are equal in practice however far they may fall there."
                   if equal else "") if alike else (
        " No pair is equal in practice: no mean values differ by TIE at most, as far as can be "
        "told.")


def _notes(cells: Cells, estimate: Estimate, differ: np.ndarray,
           hangs: pd.DataFrame, twins: pd.DataFrame, tie: float) -> tuple[str, ...]:
    """Return what a reader has to know of the table, a line each."""
    notes = [cells.read[key] for key in ("speaks", "clusters") if cells.read.get(key)]
    notes += cells.read.get("notes", [])
    if len(cells.families) < stepdown.LEAST:
        notes.append(f"{len(cells.families)} families of tasks separate nobody: "
                     f"{stepdown.LEAST} are the least.")
    elif (estimate.common < stepdown.LEAST).any():
        few = int((estimate.common < stepdown.LEAST).sum() / 2)
        notes.append(f"{few} pairs of methods share fewer than {stepdown.LEAST} families of "
                     "tasks and cannot differ significantly.")
    if not estimate.common.all():
        notes.append(f"{int((estimate.common == 0).sum() / 2)} pairs of methods share no task: "
                     "which is better there is unknown, and intervals allow for either.")
    if not estimate.effect.any() and not estimate.squares.any():
        notes.append(f"On every task all methods are within TIE ({tie:g}) of each other: these "
                     "tasks tell none apart, and others might." if tie else
                     "All methods have the same value on every task: these tasks tell none apart.")
    if cells.missing:
        notes.append(f"{cells.missing} of {cells.value.size} cells are missing "
                     f"({_lacking(cells)}): methods are compared on the tasks they share; where "
                     "results are missing because they were bad, nothing mends that.")
    if len(hangs) and stepdown.rank_limits(estimate, differ)[0].tolist().count(1) == 1:
        tasks, some = hangs["tasks"][0], hangs.loc[hangs["tasks"] == hangs["tasks"][0], "method"]
        notes.append(f"Without {tasks}, {some_of(some)} may be first: what hangs on one or two "
                     "tasks is as sure as these tasks, and no interval mends that.")
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
        said.append(f"{cells.methods[k]} on {some_of(tasks)}")
    return "; ".join(said) + (f"; and {len(some) - 3} methods more" if len(some) > 3 else "")


def some_of(names: pd.Series | list[str]) -> str:
    """Return a few names as words."""
    return in_words(list(names[:3]) + ([f"{len(names) - 3} more"] if len(names) > 3 else []))


MOST = 500  # sets; there may be as many as 3 to the power of a third of the methods
NAMES = string.ascii_lowercase + string.ascii_uppercase


def letters(differ: np.ndarray) -> list[str]:
    """Return each method's letters: two that share one do not differ significantly.

    'Not significantly different' is not transitive, so letters overlap; they are no partition. Each
    is a largest set of methods of which no two differ (a compact letter display).

    Parameters
    ----------
    differ : ndarray of bool, shape (method, method)
        Symmetric, the best method first: whether two differ significantly.

    Returns
    -------
    list of str
        ``"ab"``; with more than 52 groups, numbers with spaces between.
    """
    groups = largest_groups(differ)
    names = NAMES if len(groups) <= len(NAMES) else [f"{k + 1} " for k in range(len(groups))]
    return ["".join(name for name, group in zip(names, groups, strict=False) if m in group).strip()
            for m in range(len(differ))]


def largest_groups(differ: np.ndarray) -> list[list[int]]:
    """Return the largest sets of methods of which no two differ, that of the best method first.

    Method by method: each set of those before, cut to those that the next one does not differ
    from, takes it in; what then lies within another set goes. Where they are more than `MOST`,
    those of neighbours in the order alone (`runs`): then two that share none may not differ either.
    """
    groups: list[int] = []
    for m, row in enumerate(np.asarray(differ, bool)):
        alike = int.from_bytes(np.packbits(~row[:m], bitorder="little").tobytes(), "little")
        cut, kept = {g & alike for g in groups}, [g for g in groups if g & ~alike]
        largest: list[int] = []
        for g in sorted(cut or {0}, key=int.bit_count, reverse=True):
            if not any(g & k == g for k in largest):
                largest.append(g)
        groups = kept + [g | 1 << m for g in largest]
        if len(groups) > MOST:
            return runs(differ)
    members = [[m for m in range(len(differ)) if g >> m & 1] for g in groups]
    return sorted(members)


def runs(differ: np.ndarray) -> list[list[int]]:
    """Return the longest runs of neighbours of which no two differ."""
    n, found, end = len(differ), [], 0
    for first in range(n):
        if end < (last := next((m for m in range(first + 1, n) if differ[first:m, m].any()), n)):
            found.append(list(range(first, last)))
            end = last
    return found
