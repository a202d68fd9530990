"""Do the intervals hold what they say, and what do they tell? Tables with a known order.

Made tables, on which the way was chosen: kinds of `lab.order_kinds`. Of real residuals, which took
no part in choosing: every stored study is a population of tasks, whose families are drawn with
replacement. In one world every method's ranks are centred, so that all are truly equal; in one
they are as they are, so that the study's own order is true; in one all are equal and tasks come in
domains, loosely alike, which only a column can tell. The ways in use see the same tables.

A true rank is a set where methods stand at the same place; covered means that every interval holds
its whole set, all at once. A quarter of an hour on a core; kept for *How sure is a leaderboard?*
"""

from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np
import pandas as pd

from analysis.leaderboards.estimates import estimate_ranks, estimate_values
from analysis.leaderboards.flips import RESAMPLES_OF_MANY
from analysis.leaderboards.influence import missing_hangs_on
from analysis.leaderboards.tables import describe_studies
from analysis.published.computed import NotAtHandError
from analysis.statistics.summary import exact_share
from lab import order_kinds
from lab.order_ways import OURS, RIVALS, as_cells, by_order, estimate_scores, family_ranks, limits
from lab.studies import cells_of

TABLES = 60  # of each kind and size
LADDER_TABLES = 300  # whose median is off by 15 %, one standard error
RIVAL_TABLES = 20  # for other ways
DRAWS = 200
SIZES = ((10, 5), (20, 20), (50, 10))  # families of tasks, methods
FAMILIES, FAMILIES_OF_MANY = (10, 20, 50), (50,)  # drawn of a study; of one with many methods
MANY = 45  # methods
#: Methods at most, tables that are drawn, on how many of them other ways are tried; and draws of
#: each: as many as an order resamples, where methods are many.
STUDY_TABLES = ((MANY, 40, 40, DRAWS), (10**6, 200, 10, RESAMPLES_OF_MANY))
CENTRED, AS_THEY_ARE = "its residuals, all methods equal", "its order, drawn anew"
DOMAINS, LOOSELY = "its residuals, in domains of 5 tasks", 0.3


def true_sets(place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first and the last rank that each method truly has."""
    ahead = place[:, None] - place[None, :]
    return 1 + (ahead < 0).sum(axis=1), len(place) - (ahead > 0).sum(axis=1)


def judge(place: np.ndarray, low: np.ndarray, high: np.ndarray, told: float) -> tuple[bool, float]:
    """Return whether all sets are held, and `told`."""
    first, last = true_sets(place)
    return bool(((low <= first) & (high >= last)).all()), told


def _trials(kind: str, tasks: int, methods: int) -> Iterator[tuple]:
    """Yield what each way made of each table."""
    for number in range(TABLES):
        place, value, sizes = order_kinds.draw(kind, tasks, methods, number)
        cells = as_cells(value, sizes)
        found = (estimate_values if kind in order_kinds.OF_VALUES else estimate_ranks)(cells)
        yield OURS, *judge(place, *limits(found, DRAWS, number))
        if kind == order_kinds.TOO_LARGE:
            yield "said to hang on the task", bool(missing_hangs_on(cells)), np.nan
        for mistake, (where, change) in order_kinds.MISTAKES.items():
            if kind in where:
                mistaken = by_order(as_cells(*change(value, sizes)), DRAWS, number)
                yield (mistake, *judge(place, *mistaken))
        if number < RIVAL_TABLES and kind not in order_kinds.OF_VALUES:
            yield from _rivals(place, family_ranks(cells), number)


def _rivals(place: np.ndarray, ranks: np.ndarray, number: int) -> Iterator[tuple]:
    for way, rival in RIVALS.items():
        yield way, *judge(place, *rival(ranks, DRAWS, number))


@cache
def scores_of(study: str) -> np.ndarray:
    """Return mean ranks of a study's methods on each family, shape (family, method).

    Of the tasks that all of its methods have, methods on half of the tasks or fewer left out.
    """
    cells = cells_of(study)
    known = ~np.isnan(cells.value)
    methods = known.mean(axis=0) > 0.5
    return family_ranks(cells.keep(known[:, methods].all(axis=1), methods))


def _study_trials(study: str, families: int, kind: str) -> Iterator[tuple]:
    scores = scores_of(study)
    level = scores.mean(axis=0)
    place = np.round(-level, 9) * (kind == AS_THEY_ARE)
    tables, rivals, draws = next(counts for most, *counts in STUDY_TABLES if len(level) <= most)
    for number in range(tables):
        rng = np.random.default_rng([families, number, kind != AS_THEY_ARE])
        drawn = scores[rng.integers(len(scores), size=families)]
        if kind != AS_THEY_ARE:
            drawn = drawn - level
        if kind == DOMAINS:
            shared = scores[rng.integers(len(scores), size=families // order_kinds.COPIES)] - level
            shared = np.repeat(shared, order_kinds.COPIES, axis=0)
            drawn = LOOSELY**0.5 * shared + (1 - LOOSELY)**0.5 * drawn
            named = estimate_scores(drawn.reshape(-1, order_kinds.COPIES, len(level)).mean(axis=1))
            yield order_kinds.NAMED, *judge(place, *limits(named, draws, number))
        yield OURS, *judge(place, *limits(estimate_scores(drawn), draws, number))
        if number < rivals:
            yield from _rivals(place, drawn, number)


def blocks() -> Iterator[tuple[dict, Callable[[], Iterator[tuple]]]]:
    """Yield what a block is of, and its trials: small studies before large, then made tables."""
    sizes = {}
    for study in describe_studies().index:
        try:
            sizes[study] = scores_of(study).shape[1]
        except NotAtHandError:
            continue
    for study in sorted(sizes, key=sizes.get):
        for families in FAMILIES if sizes[study] <= MANY else FAMILIES_OF_MANY:
            for kind in (CENTRED, AS_THEY_ARE, *([DOMAINS] if families == max(FAMILIES) else [])):
                yield ({"table": study, "families": families, "kind": kind,
                        "methods": sizes[study]},
                       partial(_study_trials, study, families, kind))
    for kind in order_kinds.KINDS:
        for tasks, methods in order_kinds.OWN_SIZES.get(kind, SIZES):
            yield _made(tasks, methods, kind), partial(_trials, kind, tasks, methods)
    for n, methods, rate in order_kinds.CRASHES:
        yield (_made(n, methods, f"alike, one crashes on {100 * rate:g} %"),
               partial(order_kinds.crashes, n, methods, rate, TABLES, DRAWS))
    for n, methods, step, truly in order_kinds.LADDERS:
        yield (_made(n, methods, f"a ladder, {truly} families needed"),
               partial(order_kinds.needed, n, methods, step, truly, LADDER_TABLES, DRAWS))


def _made(families: int, methods: int, kind: str) -> dict:
    return {"table": f"made, {methods} methods", "families": families, "kind": kind,
            "methods": methods}


def block(about: dict, trials: Iterator[tuple]) -> pd.DataFrame:
    """Return a row per way: how often it holds, with an exact (Clopper-Pearson) interval."""
    table = pd.DataFrame(trials, columns=["way", "held", "claims"])
    centre = "median" if "needed" in about["kind"] else "mean"
    summary = table.groupby("way", sort=False).agg(
        tables=("held", "size"), held=("held", "sum"), apart=("claims", centre)).reset_index()
    shares = [exact_share(*row) for row in zip(summary["held"], summary["tables"], strict=True)]
    summary[["coverage", "low", "high"]] = np.array(shares) / 100
    return summary.assign(**about)[[*COLUMNS, "methods", "tables"]]


COLUMNS = ("table", "families", "kind", "way", "coverage", "low", "high", "apart")


def simulate_coverage() -> pd.DataFrame:
    """Return the whole simulation.

    Returns
    -------
    pandas.DataFrame
        Columns `COLUMNS`, then ``methods, tables``: the share of drawn tables in which all true
        ranks were held at once, and of pairs that differ significantly (of bootstraps: whose rank
        intervals do not overlap). Of crashes: in which no false one is called equal, and of pairs
        that are; of ladders: in which the interval of families needed holds the number, and what
        is said over what is true, the median.
    """
    return pd.concat([block(about, trials()) for about, trials in blocks()], ignore_index=True)


KEPT = {"order_coverage": simulate_coverage}
