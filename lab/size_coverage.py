"""Do ranks hold at all sizes at once, and are methods that cross found? Orders that are known.

Made tables, in which all are equal, nobody crosses, or one method falls behind three; and the
families of LCDB 1.0 drawn with replacement: as they are, so that its own boards are true, and with
each family's sizes dealt at random, so that the true board is one. Five minutes on a core.
"""

from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd
from scipy.stats import norm, rankdata

from analysis.databases.load import load_curves
from analysis.leaderboards import by_size
from lab.order_coverage import block
from lab.order_coverage import judge as hold_all

SIZES = [64, 256, 1024]
FAMILIES = (20, 50, 150)
TABLES, DRAWS = 300, 500
LASTING = 0.5  # deviation of what a family does to a method at every size; of all it does, 1
#: What is claimed of a table, of one whose boards are truly alike, and of pairs that cross.
HOLD, NONE_FALSE = "all ranks at all sizes hold", "no false crossing"
ALIKE = "the boards of the ends do not differ"
FOUND, SIZED = "a crossing is found", "its size holds"
DEALT, DRAWN = "LCDB 1.0, sizes dealt at random", "LCDB 1.0, families drawn anew"
GAPS = {"made, all equal": np.zeros((3, 5)),
        "made, nobody crosses": np.tile([0, 0, 0.3, 0.3, 1.0], (3, 1)),
        "made, one method crosses three": np.array(
            [[-0.8, 0, 0, 0.6, 1.2], [-0.25, 0, 0, 0.6, 1.2], [1.0, 0, 0, 0.6, 1.2]])}


def draw(kind: str, families: int, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Return true mean ranks (size, method), and a table's errors (family, size, method)."""
    rng = np.random.default_rng([families, number])
    if kind in GAPS:
        gaps = GAPS[kind]
        lasting = rng.normal(0, LASTING, (families, 1, gaps.shape[1]))
        noise = rng.normal(0, np.sqrt(1 - LASTING**2), (families, *gaps.shape))
        beaten = norm.cdf((gaps[:, :, None] - gaps[:, None]) / np.sqrt(2))
        return 0.5 + beaten.sum(axis=2), gaps + lasting + noise
    errors = errors_of_families()
    level = rankdata(errors, axis=2).mean(axis=0)
    drawn = errors[rng.integers(len(errors), size=families)]
    if kind == DEALT:
        level[:] = level.mean(axis=0)
        dealt = rng.permuted(np.tile(np.arange(len(SIZES)), (families, 1)), axis=1)
        drawn = np.take_along_axis(drawn, dealt[..., None], axis=1)
    return level, drawn


@cache
def errors_of_families() -> np.ndarray:
    """Return the errors of LCDB 1.0, a family's mean, shape (family, size, method)."""
    table = by_size.results_of_curves(load_curves("lcdb10", selection="paper"))
    return -np.stack([np.add.reduceat(cells.value, cells.starts) / cells.sizes[:, None]
                      for cells in by_size.same_cells(table, SIZES)[0].values()], axis=1)


def as_table(errors: np.ndarray) -> pd.DataFrame:
    """Return errors as a table of results, methods named so that they sort as they stand."""
    names = [range(len(errors)), SIZES, [f"{k:02d}" for k in range(errors.shape[2])]]
    index = pd.MultiIndex.from_product(names, names=["task", "size", "method"])
    return pd.DataFrame({"value": errors.ravel(), "lower_is_better": True}, index).reset_index()


def judge(found: by_size.OrderBySize, level: np.ndarray) -> Iterator[tuple[str, bool, float]]:
    """Yield what is claimed, whether it holds, and NaN: of a table, then of each pair that crosses.

    A crossing is true where the one is truly ahead and behind at the two sizes that are named.
    """
    level = np.round(level, 9)
    ranks = found.ranks.sort_values(["size", "method"])
    low, high = (ranks[end].to_numpy().reshape(level.shape) for end in ("low", "high"))
    effect = level[:, None] - level[:, :, None]
    said = {(int(row.one), int(row.other)): row for row in found.crossings.itertuples()}
    true = {pair for pair, row in said.items()
            if effect[SIZES.index(row.until)][pair] > 0 > effect[SIZES.index(row.since)][pair]}
    held = [hold_all(-own, *ends, 0)[0] for own, *ends in zip(level, low, high, strict=True)]
    yield HOLD, all(held), np.nan
    yield NONE_FALSE, len(true) == len(said), np.nan
    if (level == level[0]).all():
        yield ALIKE, found.agreement["p"][len(level) - 2] > 0.05, np.nan
    crosses = np.any([(effect[a] > 0) & (effect[b] < 0) for a, b in zip(
        *np.triu_indices(len(level), 1), strict=True)], axis=0)
    for pair in zip(*np.nonzero(crosses), strict=True):
        yield FOUND, pair in true, np.nan
        if pair in true:
            at = by_size.crossing_size(effect[:, *pair], SIZES)
            yield SIZED, said[pair].low <= at <= said[pair].high, np.nan


def trials(kind: str, families: int) -> Iterator[tuple[str, bool, float]]:
    """Yield what `judge` says of every table of a kind."""
    for number in range(TABLES):
        level, errors = draw(kind, families, number)
        yield from judge(by_size.order_by_size(as_table(errors), SIZES, DRAWS, number), level)


def simulate() -> pd.DataFrame:
    """Return how often what is claimed holds.

    Returns
    -------
    DataFrame
        ``kind, families, way`` (what is claimed), ``coverage`` (how often it holds), ``low, high``
        (exact, as if pairs of one table were independent), ``n`` (tables, or pairs that cross).
    """
    every = [block({"kind": kind, "families": n, "table": "", "methods": 0}, trials(kind, n))
             for kind in (*GAPS, DEALT, DRAWN) for n in FAMILIES]
    return pd.concat(every, ignore_index=True).rename(columns={"tables": "n"})[
        ["kind", "families", "way", "coverage", "low", "high", "n"]]


KEPT = {"size_coverage": simulate}
