"""Made tables with a known order, by kind: what results in the field do to intervals of ranks.

Values lie around a method's place by chance, skewed or heavy-tailed, with ties, missing for a
reason, in families that are named or not; crashes are rarer than the tasks show.
"""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from scipy.stats import norm

from analysis.leaderboards.ordering import order_cells
from analysis.leaderboards.twins import families_to_paste, near_twins
from lab.order_ways import as_cells

SEEDS, ABSENT, COPIES = 5, 0.2, 5
HIDDEN, NEAR = {20: 6, 40: 8, 60: 15}, 0.9  # tasks of a family without a name, and how alike
LARGE = norm.isf(0.25)  # size from which on a task is too large for some
TWINS, HIDDEN_ONE = "near-twins without labels", "one family without a label"
LOOSE, CLOSER = "domains of 5 tasks, alike by 0.3", "domains of 5 tasks, alike by 0.6"
TOO_LARGE, NAMED = "missing because large", "domains named"
LEVEL = 0.95  # of intervals together
TIE, BESIDE, LOST = 0.005, 0.001, 0.4  # of values; how far methods lie apart; by a crash
#: Tasks, methods, and the share of tasks on which the first crashes.
CRASHES = ((20, 5, 0.02), (20, 5, 0.05), (50, 10, 0.02), (12, 4, 0.02), (200, 5, 0.01))
#: Families, methods, the step between neighbours, and the families with which the two in the middle
#: differ with a chance of 80 %: found by halving; in how many of `CHECKED` ladders of so many
#: families they do is kept beside what is said.
CHECKED = 400
LADDERS = ((8, 8, 0.5, 95), (20, 6, 0.3, 255), (12, 12, 0.3, 275))
Table = tuple[np.ndarray, np.ndarray]  # places of methods, values (task, method)


def steps(methods: int) -> np.ndarray:
    """Places at equal steps, over one and a half standard deviations of a cell."""
    return np.linspace(1.5, 0, methods)


def crowd(methods: int) -> np.ndarray:
    """Places of which the better half is one and the same: where claims are easily wrong."""
    return np.minimum(steps(methods), 0.75)


Kind = Callable[[np.random.Generator, int, int], Table]  # of so many families and methods


def _around(places: Callable[[int], np.ndarray]) -> Kind:
    """Return the kind whose values lie around places by chance."""
    def draw(rng: np.random.Generator, tasks: int, methods: int) -> Table:
        place = places(methods)
        return place, place + rng.normal(size=(tasks, methods))
    return draw


_crowd = _around(crowd)


def _from_one(chance: Callable[..., np.ndarray]) -> Kind:
    """Return the kind whose first method is always the same; others differ from it by chance."""
    def draw(rng: np.random.Generator, tasks: int, methods: int) -> Table:
        value = chance(rng, size=(tasks, methods))
        value[:, 0] = 0
        return np.zeros(methods), value
    return draw


def _lognormal(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    return rng.lognormal(size=size) - np.exp(0.5)


def _ties(rng: np.random.Generator, tasks: int, methods: int) -> Table:
    """Three methods at each place, the first a hair ahead; values rounded, so that cells tie."""
    place = np.repeat(steps(-(-methods // 3)), 3)[:methods]
    place[::3] += 0.02
    return place, np.round(4 * (place + rng.normal(size=(tasks, methods)))) / 4


def _heavy(rng: np.random.Generator, tasks: int, methods: int) -> Table:
    """Student's t with 1.5 degrees of freedom, on a scale that differs from task to task."""
    place, scale = crowd(methods), np.exp(rng.normal(size=(tasks, 1)))
    return place, scale * (place + rng.standard_t(1.5, size=(tasks, methods)))


def _repeated(copies: Callable[[int], np.ndarray | int]) -> Kind:
    """Near-duplicates, those of one side by side; `copies` tells how many, of so many tasks."""
    def draw(rng: np.random.Generator, tasks: int, methods: int) -> Table:
        place, shared = _crowd(rng, tasks, methods)
        value = np.repeat(shared, copies(tasks), axis=0)
        return place, value + 0.1 * rng.normal(size=value.shape)
    return draw


def as_hinted(value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return values with the tasks that look like near-duplicates side by side, and how many."""
    cells = as_cells(value, np.ones(len(value), int))
    found = families_to_paste(cells, near_twins(cells))
    group = np.arange(len(value)) if found is None else found["family"].to_numpy()
    sizes = np.unique(group, return_counts=True)[1]
    return value[np.argsort(group, kind="stable")], sizes


def family_sizes(tasks: int) -> np.ndarray:
    """Return how many tasks each family has."""
    return 1 + np.arange(tasks) % 5


def _missing_at_random(rng: np.random.Generator, tasks: int, methods: int) -> Table:
    place, value = _crowd(rng, tasks, methods)
    return place, np.where(rng.random(value.shape) < ABSENT, np.nan, value)


def _missing_for_hard(rng: np.random.Generator, tasks: int, methods: int) -> Table:
    """Every other method fails on three fifths of the harder half of the tasks."""
    place, value = _crowd(rng, tasks, methods)
    hard = rng.normal(size=(tasks, 1))
    fails = (np.arange(methods) % 2 == 0) & (hard > 0) & (rng.random(value.shape) < 0.6)
    return place, np.where(fails, np.nan, value - hard)


def _missing_in_blocks(rng: np.random.Generator, tasks: int, methods: int) -> Table:
    """Two fifths of the methods are far worse, and were only run on half of the tasks."""
    few = 2 * methods // 5
    place = np.r_[steps(methods - few), np.full(few, -3.0)]
    value = place + rng.normal(size=(tasks, methods))
    value[tasks // 2:, methods - few:] = np.nan
    return place, value


def _missing_for_bad(rng: np.random.Generator, tasks: int, methods: int) -> Table:
    """Every other method has no result where it would have been among its worst fifth."""
    place, value = _crowd(rng, tasks, methods)
    fails = (np.arange(methods) % 2 == 0) & (value - place < norm.ppf(ABSENT))
    return place, np.where(fails, np.nan, value)


def _seeds(rng: np.random.Generator, tasks: int, methods: int) -> Table:
    """Means of some seeds, whose own spread is that between tasks."""
    place, value = _crowd(rng, tasks, methods)
    return place, value + rng.normal(size=(SEEDS, tasks, methods)).mean(axis=0)


def _fails_rarely(rng: np.random.Generator, tasks: int, methods: int) -> Table:
    """Let the first fail on one task of as many as there are, and be ahead by as much elsewhere."""
    value = rng.normal(size=(tasks, methods))
    value[:, 0] += 5 / tasks - 5 * (rng.random(tasks) < 1 / tasks)
    return np.zeros(methods), value


def _one_family(rng: np.random.Generator, tasks: int, methods: int) -> Table:
    """Let some tasks be one family that nobody has named: as many as `HIDDEN` says."""
    value = rng.normal(size=(tasks, methods))
    value[:HIDDEN[tasks]] = _resembling(rng, value[:1], HIDDEN[tasks], NEAR)
    return np.zeros(methods), value


def _domains(alike: float) -> Kind:
    """Return the kind whose equal methods meet domains of `COPIES` tasks, loosely alike."""
    def draw(rng: np.random.Generator, domains: int, methods: int) -> Table:
        return np.zeros(methods), _resembling(rng, rng.normal(size=(domains, methods)), COPIES,
                                              alike)
    return draw


def _resembling(rng: np.random.Generator, shared: np.ndarray, copies: int,
                alike: float) -> np.ndarray:
    """Return tasks that are correlated so with those that they are of, side by side."""
    value = np.repeat(shared, copies, axis=0)
    return alike**0.5 * value + (1 - alike)**0.5 * rng.normal(size=value.shape)


def _missing_for_large(rng: np.random.Generator, tasks: int, methods: int) -> Table:
    """Equal methods, of which every other is better on small tasks and fails on the largest."""
    size, value = rng.normal(size=(tasks, 1)), rng.normal(size=(tasks, methods))
    small = np.arange(methods) % 2 == 0
    return np.zeros(methods), np.where(small & (size > LARGE), np.nan, value - size * (1 + small))


#: Kinds by the name that the chapter shows.
KINDS: dict[str, Kind] = {
    "all equal": _around(np.zeros), "equal steps": _around(steps), "ties and near ties": _ties,
    "heavy tails": _heavy, "families of near-duplicates": _repeated(family_sizes),
    "missing at random": _missing_at_random, "missing for hard tasks": _missing_for_hard,
    "several seeds": _seeds,
    "exponential differences": _from_one(lambda rng, size: rng.exponential(size=size) - 1),
    "lognormal differences": _from_one(_lognormal),
    "lognormal, made symmetric": _from_one(
        lambda rng, size: _lognormal(rng, size) * rng.choice((-1, 1), size=size)),
    "one fails on one task": _fails_rarely, "missing in blocks": _missing_in_blocks,
    "missing because bad": _missing_for_bad, TWINS: _repeated(lambda _: COPIES),
    HIDDEN_ONE: _one_family, LOOSE: _domains(0.3), CLOSER: _domains(0.6),
    TOO_LARGE: _missing_for_large}
#: Families of tasks (of the hidden family: tasks) and methods, where they are not `SIZES`.
OWN_SIZES = {TWINS: ((10, 5), (10, 20)), HIDDEN_ONE: ((20, 8), (40, 8), (60, 8)),
             LOOSE: ((8, 5), (10, 20)), CLOSER: ((8, 5),), TOO_LARGE: ((20, 8), (50, 8))}
#: Kinds in which means, not ranks, are equal: judged by their values.
OF_VALUES = ("exponential differences", "lognormal differences", "lognormal, made symmetric",
             "one fails on one task")
#: Other ways to take a table, each on kinds that show what they do: a missing cell as the worst,
#: tasks of a family as families of their own; and what a hint mends.
MISTAKES = {
    "missing as worst": (
        ("missing for hard tasks", "missing because bad", TOO_LARGE), lambda v, s: (
            np.where(np.isnan(v), np.nanmin(v, axis=1, keepdims=True) - 1, v), s)),
    "families ignored": (("families of near-duplicates",), lambda v, s: (v, np.ones(len(v), int))),
    "near-twins as hinted": ((TWINS, HIDDEN_ONE), lambda v, s: as_hinted(v)),
    NAMED: ((LOOSE, CLOSER), lambda v, s: (v, np.full(len(v) // COPIES, COPIES))),
}


def draw(kind: str, tasks: int, methods: int, number: int) -> tuple[np.ndarray, np.ndarray,
                                                                    np.ndarray]:
    """Return one table of a kind: places, values, and the sizes of its families.

    Drawn again where two methods share no task.
    """
    rng = np.random.default_rng([list(KINDS).index(kind), tasks, methods, number])
    while True:
        place, value = KINDS[kind](rng, tasks, methods)
        known = (~np.isnan(value)).astype(float)
        if (known.T @ known > 0).all():
            break
    sizes = family_sizes(tasks) if "families" in kind else np.ones(len(value), int)
    return place, value, sizes


def crashes(tasks: int, methods: int, rate: float, tables: int, draws: int) -> Iterator[tuple]:
    """Yield whether what is called equal, or alike but for crashes, is so; the first may crash."""
    for number in range(tables):
        rng = np.random.default_rng([tasks, methods, int(1000 * rate), number])
        value = 0.85 + BESIDE * rng.normal(size=(tasks, methods))
        value[rng.random(tasks) < rate, 0] -= LOST
        pairs = order_cells(as_cells(value, np.ones(tasks, int)), draws, number, tie=TIE).pairs
        own = pairs[pairs[["one", "other"]].eq("0000").any(axis=1)]
        for word, wrong in (("equal", rate * LOST > TIE), ("alike", rate > own["crashes"].iloc[0])):
            yield f"{word} in practice", not (wrong and own[word].any()), own[word].mean()


def needed(families: int, methods: int, step: float, truly: int, tables: int,
           draws: int) -> Iterator[tuple]:
    """Yield whether the interval of the families needed holds the number that 80 % takes.

    Of the two in the middle of a ladder; the last is what is said over what is true. Then of
    ladders of that number of families, whether these two differ.
    """
    for number in range(tables):
        row = _middle(families, methods, step, number, draws)
        yield ("families needed", row["needed_from"] <= truly <= row["needed_to"],
               row["tasks_needed"] / truly)
    for number in range(CHECKED):
        differ = _middle(truly, methods, step, number, draws)["p_adjusted"] <= 1 - LEVEL
        yield "differ with that many", differ, np.nan


def _middle(families: int, methods: int, step: float, number: int, draws: int) -> pd.Series:
    """Return what an order's table says of the two in the middle of a ladder."""
    rng = np.random.default_rng([families, methods, number])
    value = rng.normal(size=(families, methods)) - step * np.arange(methods)
    found = order_cells(as_cells(value, np.ones(families, int)), draws, number).pairs
    middle = [f"{methods // 2 - k:04d}" for k in (0, 1)]
    return found[found["one"].isin(middle) & found["other"].isin(middle)].iloc[0]
