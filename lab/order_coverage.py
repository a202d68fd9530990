"""Do the intervals hold what they say? Tables with a known order, made and of real residuals.

Made tables, on which the way was chosen: a method's value on a task is its place on a line plus
chance; whoever stands farther has the better population mean (rank). Of real residuals, which took
no part in choosing: families of a study of the atlas, drawn with replacement; either every method's
ranks centred, so that all are truly equal, or as they are, so that the study's own order is true.

A true rank is a set where methods stand at the same place; covered means that every interval holds
its whole set, all at once. ``python -m lab.order_coverage`` goes on where it
stopped (a day on a core); *How sure is a leaderboard?* reads it.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import norm

from analysis.leaderboards.cells import Cells
from analysis.leaderboards.estimates import BORROWED, Estimate, estimate_ranks, estimate_values
from analysis.leaderboards.tables import describe_studies
from analysis.leaderboards.twins import families_to_paste, near_twins
from analysis.published.computed import NotAtHandError
from analysis.statistics.shares import exact_share
from collection.project.paths import cache_dir
from lab.order_ways import RIVALS, as_cells, by_order, limits, task_ranks
from lab.studies import cells_of

TABLES = 400  # of each kind and size
RIVAL_TABLES = 60  # for other ways
DRAWS = 400
SIZES = ((10, 5), (20, 20), (50, 10))  # families of tasks, methods
FAMILIES, FAMILIES_OF_MANY = (20, 50, 150), (50,)  # drawn of a study; of one with many methods
MANY = 45  # methods
STUDY_TABLES = ((25, 400), (MANY, 200), (10**6, 60))  # methods at most, and tables that are drawn
POWER_TABLES = ((MANY, 40), (10**6, 20))  # with a study's own order
ALIKE = 0.9  # of the families on which two methods stand alike, to be twins: a lead on the others,
#  once centred, is one that a draw without these families shows everywhere
SEEDS, ABSENT, COPIES = 5, 0.2, 5
TWINS, TWIN_SIZES = "near-twins without labels", ((10, 5), (10, 20))  # groups, methods
Table = tuple[np.ndarray, np.ndarray]  # places of methods, values (task, method)


def steps(methods: int) -> np.ndarray:
    """Places at equal steps, over one and a half standard deviations of a cell."""
    return np.linspace(1.5, 0, methods)


def crowd(methods: int) -> np.ndarray:
    """Places of which the better half is one and the same: where claims are easily wrong."""
    return np.minimum(steps(methods), 0.75)


Kind = Callable[[np.random.Generator, int, int], Table]  # of so many tasks and methods


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


def _families(rng: np.random.Generator, tasks: int, methods: int) -> Table:
    """Families of one to five near-duplicates, tasks of one family side by side."""
    place, shared = _crowd(rng, tasks, methods)
    value = np.repeat(shared, family_sizes(tasks), axis=0)
    return place, value + 0.1 * rng.normal(size=value.shape)


def _near_twins(rng: np.random.Generator, tasks: int, methods: int) -> Table:
    """Draw groups of `COPIES` near-duplicates that nobody has named."""
    place, shared = _crowd(rng, tasks, methods)
    value = np.repeat(shared, COPIES, axis=0)
    return place, value + 0.1 * rng.normal(size=value.shape)


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


#: Kinds by the name that the chapter shows.
KINDS: dict[str, Kind] = {
    "all equal": _around(np.zeros), "equal steps": _around(steps), "ties and near ties": _ties,
    "heavy tails": _heavy, "families of near-duplicates": _families,
    "missing at random": _missing_at_random, "missing for hard tasks": _missing_for_hard,
    "several seeds": _seeds,
    "exponential differences": _from_one(lambda rng, size: rng.exponential(size=size) - 1),
    "lognormal differences": _from_one(_lognormal),
    "lognormal, made symmetric": _from_one(
        lambda rng, size: _lognormal(rng, size) * rng.choice((-1, 1), size=size)),
    "one fails on one task": _fails_rarely, "missing in blocks": _missing_in_blocks,
    "missing because bad": _missing_for_bad, TWINS: _near_twins}
#: Kinds in which means, not ranks, are equal: judged by their values.
OF_VALUES = ("exponential differences", "lognormal differences", "lognormal, made symmetric",
             "one fails on one task")
#: Other ways to take a table, each on kinds that show what they do: a missing cell as the worst,
#: tasks of a family as families of their own; and what a hint mends.
MISTAKES = {
    "missing as worst": (("missing for hard tasks", "missing because bad"), lambda v, s: (np.where(
        np.isnan(v), np.nanmin(v, axis=1, keepdims=True) - 1, v), s)),
    "families ignored": (("families of near-duplicates",), lambda v, s: (v, np.ones(len(v), int))),
    "near-twins as hinted": ((TWINS,), lambda v, s: as_hinted(v)),
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


def true_sets(place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first and the last rank that each method truly has."""
    ahead = place[:, None] - place[None, :]
    return 1 + (ahead < 0).sum(axis=1), len(place) - (ahead > 0).sum(axis=1)


def judge(place: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[bool, bool, float, float]:
    """Return whether all sets are held, whether a pair is put the wrong way, widths, claims."""
    first, last = true_sets(place)
    apart = high[:, None] < low[None, :]
    wrong = bool((apart & (place[:, None] <= place[None, :])).any())
    held = bool(((low <= first) & (high >= last)).all())
    return held, wrong, float(np.median(high - low)), apart.sum() / (len(place) * (
        len(place) - 1) / 2)


def _trials(kind: str, tasks: int, methods: int) -> Iterator[tuple]:
    """Yield what each way made of each table."""
    for number in range(TABLES):
        place, value, sizes = draw(kind, tasks, methods, number)
        cells = as_cells(value, sizes)
        yield from _ours(place, _estimate(kind, cells), number)
        if number >= RIVAL_TABLES or kind in OF_VALUES:
            continue
        for way, rival in RIVALS.items():
            yield (way, *judge(place, *rival(cells, DRAWS, number)))
        for mistake, (where, change) in MISTAKES.items():
            if kind in where:
                mistaken = by_order(as_cells(*change(value, sizes)), DRAWS, number)
                yield (mistake, *judge(place, *mistaken))


def _estimate(kind: str, cells: Cells) -> Estimate:
    return (estimate_values if kind in OF_VALUES else estimate_ranks)(cells)


def _ours(place: np.ndarray, found: Estimate, number: int,
          twins: np.ndarray | None = None) -> Iterator[tuple]:
    for way, (low, high, apart) in limits(found, DRAWS, number, twins).items():
        yield (way, *judge(place, low, high)[:3], apart)


def scores_of(study: str) -> np.ndarray:
    """Return mean ranks of a study's methods on each family, shape (family, method).

    Of the tasks that all of its methods have, methods on half of the tasks or fewer left out.
    """
    cells = cells_of(study)
    known = ~np.isnan(cells.value)
    methods = known.mean(axis=0) > 0.5
    tasks = known[:, methods].all(axis=1)
    ranks = pd.DataFrame(task_ranks(cells.keep(tasks, methods)))
    return ranks.groupby(cells.family_of[tasks]).mean().to_numpy()


def _study_trials(study: str, families: int, kind: str) -> Iterator[tuple]:
    scores = scores_of(study)
    centred = kind == CENTRED
    place = np.round(-scores.mean(axis=0), 9) * (not centred)
    twins = centred & ~np.eye(scores.shape[1], dtype=bool) & np.array([
        (np.abs(scores - one[:, None]) < 1e-9).mean(axis=0) >= ALIKE for one in scores.T])
    for number in range(next(n for most, n in (STUDY_TABLES if centred else POWER_TABLES)
                             if scores.shape[1] <= most)):
        rng = np.random.default_rng([families, number, centred])
        drawn = scores[rng.integers(len(scores), size=families)] - centred * scores.mean(axis=0)
        found = estimate_values(as_cells(-drawn, np.ones(families, int)))
        borrowed = min(BORROWED, len(place) * (len(place) - 1) // 2 - 1)  # of ranks
        yield from _ours(place, replace(found, borrowed=borrowed), number, twins)


CENTRED, AS_THEY_ARE = "its residuals, all methods equal", "its order, drawn anew"


def blocks() -> Iterator[tuple[dict, Callable[[], Iterator[tuple]]]]:
    """Yield what a block is of, and its trials: made tables first, small studies before large."""
    made = [(*size, kind) for size in SIZES for kind in KINDS if kind != TWINS]
    for tasks, methods, kind in (*made, *((*size, TWINS) for size in TWIN_SIZES)):
        yield ({"table": f"made, {methods} methods", "families": tasks, "kind": kind,
                "methods": methods}, lambda k=kind, t=tasks, m=methods: _trials(k, t, m))
    sizes = {}
    for study in describe_studies().index:
        try:
            sizes[study] = scores_of(study).shape[1]
        except NotAtHandError:
            continue
    for study in sorted(sizes, key=sizes.get):
        for families in FAMILIES if sizes[study] <= MANY else FAMILIES_OF_MANY:
            for kind in (CENTRED, AS_THEY_ARE):
                yield ({"table": study, "families": families, "kind": kind,
                        "methods": sizes[study]},
                       lambda s=study, f=families, k=kind: _study_trials(s, f, k))


def block(about: dict, trials: Iterator[tuple]) -> pd.DataFrame:
    """Return a row per way: how often it holds, with an exact (Clopper-Pearson) interval."""
    table = pd.DataFrame(trials, columns=["way", "held", "wrong", "width", "claims"])
    summary = table.groupby("way", sort=False).agg(
        tables=("held", "size"), held=("held", "sum"), apart=("claims", "mean"),
        wrong_way=("wrong", "mean"), median_width=("width", "median")).reset_index()
    shares = [exact_share(*row) for row in zip(summary["held"], summary["tables"], strict=True)]
    summary[["coverage", "low", "high"]] = np.array(shares) / 100
    summary = summary.assign(**about)
    return summary[[*COLUMNS, "methods", "tables", "wrong_way", "median_width"]]


COLUMNS = ("table", "families", "kind", "way", "coverage", "low", "high", "apart")


def simulate_coverage(folder: Path | None = None) -> pd.DataFrame:
    """Return the whole simulation, block by block; what `folder` has is not done again.

    Returns
    -------
    pandas.DataFrame
        Columns `COLUMNS`, then ``methods, tables, wrong_way, median_width``: the share of drawn
        tables in which all true ranks were held at once, and of pairs that differ significantly (of
        rivals: whose rank intervals do not overlap).
    """
    folder = folder or cache_dir() / "order_coverage_5"
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for about, trials in blocks():
        name = f"{about['table']}-{about['families']}-{about['kind']}"
        path = folder / "".join(c if c.isalnum() else "_" for c in name)
        if not path.exists():
            part = path.with_suffix(".part")
            block(about, trials()).to_csv(part, index=False)
            part.replace(path)
            print(name, file=sys.stderr, flush=True)
        found.append(pd.read_csv(path))
    return pd.concat(found, ignore_index=True)


KEPT = {"order_coverage": simulate_coverage}


if __name__ == "__main__":
    simulate_coverage()
