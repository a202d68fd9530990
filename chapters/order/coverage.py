"""Do the intervals hold what they say? Tables with a known order, of several kinds, drawn anew.

A method's value on a task is its place on a line plus chance; whoever stands farther has the better
population mean rank. A true rank is a set where methods stand at the same place; covered means that
every interval holds its whole set, all at once.

``python -m chapters.order.coverage`` goes on where it stopped.
"""

import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.leaderboards.cells import Cells
from chapters.order.ways import WAYS
from collection.paths import cache_dir

TABLES = 1000  # of each kind and size, for ours
RIVAL_TABLES, SLOW_TABLES = 60, 10  # for other ways, and for those that take long
DRAWS = 512  # of ten families, all flips
SIZES = ((10, 5), (10, 20), (50, 10), (50, 30))  # families of tasks, methods
OURS = "simultaneous"
SLOW = ("signed ranks (baycomp)", "Elo intervals (bencheval)")
LARGEST_SLOW = 5  # methods

SEEDS, ABSENT = 5, 0.2
Table = tuple[np.ndarray, np.ndarray]  # places of methods, values (task, method)


def steps(methods: int) -> np.ndarray:
    """Places at equal steps, over one and a half standard deviations of a cell."""
    return np.linspace(1.5, 0, methods)


def crowd(methods: int) -> np.ndarray:
    """Places of which the better half is one and the same: where claims are easily wrong."""
    return np.minimum(steps(methods), 0.75)


def _equal(rng: np.random.Generator, tasks: int, methods: int) -> Table:
    return np.zeros(methods), rng.normal(size=(tasks, methods))


def _steps(rng: np.random.Generator, tasks: int, methods: int) -> Table:
    place = steps(methods)
    return place, place + rng.normal(size=(tasks, methods))


def _ties(rng: np.random.Generator, tasks: int, methods: int) -> Table:
    """Three methods at each place, the first a hair ahead; values rounded, so that cells tie."""
    place = np.repeat(steps(-(-methods // 3)), 3)[:methods]
    place[::3] += 0.02
    return place, np.round(4 * (place + rng.normal(size=(tasks, methods)))) / 4


def _crowd(rng: np.random.Generator, tasks: int, methods: int) -> Table:
    place = crowd(methods)
    return place, place + rng.normal(size=(tasks, methods))


def _heavy(rng: np.random.Generator, tasks: int, methods: int) -> Table:
    """Student's t with 1.5 degrees of freedom, on a scale that differs from task to task."""
    place, scale = crowd(methods), np.exp(rng.normal(size=(tasks, 1)))
    return place, scale * (place + rng.standard_t(1.5, size=(tasks, methods)))


def _families(rng: np.random.Generator, tasks: int, methods: int) -> Table:
    """Families of one to five near-duplicates, tasks of one family side by side."""
    place, shared = _crowd(rng, tasks, methods)
    value = np.repeat(shared, family_sizes(tasks), axis=0)
    return place, value + 0.1 * rng.normal(size=value.shape)


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


def _seeds(rng: np.random.Generator, tasks: int, methods: int) -> Table:
    """Means of some seeds, whose own spread is that between tasks."""
    place, value = _crowd(rng, tasks, methods)
    return place, value + rng.normal(size=(SEEDS, tasks, methods)).mean(axis=0)


def _seeds_as_rows(rng: np.random.Generator, tasks: int, methods: int) -> Table:
    place, value = _crowd(rng, tasks, methods)
    return place, (value + rng.normal(size=(SEEDS, tasks, methods))).reshape(-1, methods)


#: Kinds by the name that the chapter shows.
KINDS: dict[str, Callable[[np.random.Generator, int, int], Table]] = {
    "all equal": _equal, "equal steps": _steps, "ties and near ties": _ties,
    "heavy tails": _heavy, "families of near-duplicates": _families,
    "missing at random": _missing_at_random, "missing for hard tasks": _missing_for_hard,
    "several seeds": _seeds}
#: Mistakes, each on the kind that shows it: a missing cell as the worst, tasks of a family or
#: seeds as rows of their own.
MISTAKES = {
    "missing as worst": ("missing for hard tasks", lambda v, s: (_worst(v), s)),
    "families ignored": ("families of near-duplicates", lambda v, s: (v, np.ones(len(v), int))),
}


def _worst(value: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(value), np.nanmin(value, axis=1, keepdims=True) - 1, value)


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


def as_cells(value: np.ndarray, sizes: np.ndarray) -> Cells:
    """Return simulated values as cells."""
    tasks, methods = value.shape
    names = [tuple(f"{k:04d}" for k in range(n)) for n in (methods, tasks, len(sizes))]
    return Cells(*names, np.r_[0, np.cumsum(sizes)[:-1]], value, np.full(value.shape, np.nan),
                 np.ones(value.shape, int), np.zeros(tasks, bool))


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
        yield _trial(OURS, place, cells, number)
        slow = number < SLOW_TABLES and methods <= LARGEST_SLOW and find_spec("bencheval")
        for way in WAYS if number < RIVAL_TABLES else ():
            if way != OURS and (slow or way not in SLOW):
                yield _trial(way, place, cells, number)
        for mistake, (where, change) in MISTAKES.items() if number < RIVAL_TABLES else ():
            if where == kind:
                wrong = as_cells(*change(value, sizes))
                yield (mistake, *_trial(OURS, place, wrong, number)[1:])
        if kind == "several seeds" and number < RIVAL_TABLES:
            rng = np.random.default_rng([tasks, methods, number])
            place, value = _seeds_as_rows(rng, tasks, methods)
            rows = as_cells(value, np.ones(len(value), int))
            yield ("seeds as rows", *_trial(OURS, place, rows, number)[1:])


def _trial(way: str, place: np.ndarray, cells: Cells, number: int) -> tuple:
    return (way, *judge(place, *WAYS[way](cells, DRAWS, number)))


def block(kind: str, tasks: int, methods: int) -> pd.DataFrame:
    """Return a row per way: how often it holds for tables of a kind and size."""
    table = pd.DataFrame(_trials(kind, tasks, methods),
                         columns=["way", "held", "wrong", "width", "claims"])
    by_way = table.groupby("way", sort=False)
    summary = by_way.agg(tables=("held", "size"), coverage=("held", "mean"),
                         wrong_way=("wrong", "mean"), median_width=("width", "median"),
                         told_apart=("claims", "mean")).reset_index()
    error = np.sqrt(summary["coverage"] * (1 - summary["coverage"]) / summary["tables"])
    summary.insert(3, "standard_error", error)
    return summary.assign(kind=kind, tasks=tasks, methods=methods)


def coverage(folder: Path | None = None) -> pd.DataFrame:
    """Return the whole simulation, block by block; what `folder` has is not done again."""
    folder = folder or cache_dir() / "order_coverage"
    folder.mkdir(parents=True, exist_ok=True)
    blocks = []
    for tasks, methods in SIZES:
        for k, kind in enumerate(KINDS):
            path = folder / f"{tasks}x{methods}-{k}.csv"
            if not path.exists():
                part = path.with_suffix(".part")
                block(kind, tasks, methods).to_csv(part, index=False)
                part.replace(path)
                print(f"{kind}, {tasks} × {methods}", file=sys.stderr, flush=True)
            blocks.append(pd.read_csv(path))
    table = pd.concat(blocks, ignore_index=True)
    return table[["kind", "tasks", "methods", *table.columns.drop(["kind", "tasks", "methods"])]]


if __name__ == "__main__":
    coverage()
