"""Ordering methods against a loop over draws in pandas: a large table, and tables of many methods.

Processor time counts, which says more than the clock on a machine with company.
What ``make order`` takes with its page is held against what it may take, with its peak of memory
and the seconds to its first line.
"""

import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.leaderboards import order
from benchmarks.timing import Timing, run_command, seconds

TASKS, METHODS, SEEDS, DRAWS = 1000, 100, 10, 10_000
PANDAS_DRAWS = 2
MANY = ((100, 500), (2000, 500))  # tasks, methods
FEW = 60  # methods of the loop that is scaled to all pairs
MAY_TAKE = 60.0  # seconds of processor time, of the command


def table(*size: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    value = rng.normal(size=size) + 0.01 * np.arange(size[1])[:, None]
    task, method, seed = (x.ravel() for x in np.indices(value.shape))
    return pd.DataFrame({"task": [f"t{k}" for k in task], "method": [f"m{k}" for k in method],
                         "seed": seed, "value": value.ravel(), "higher_is_better": True})


def with_pandas(results: pd.DataFrame, draws: int) -> pd.Series:
    """Return the largest studentised difference of each draw, pair by pair."""
    ranks = results.pivot_table(index="task", columns="method", values="value").rank(
        axis=1, ascending=False)
    rng, largest = np.random.default_rng(0), []
    for _ in range(draws):
        flipped = ranks.sub(ranks.mean(axis=1), axis=0).mul(
            rng.choice([-1, 1], len(ranks)), axis=0)
        statistics = [gap.abs().mean() if not gap.std() else abs(gap.mean() / gap.sem())
                      for k, one in enumerate(flipped) for other in flipped.columns[k + 1:]
                      for gap in [flipped[one] - flipped[other]]]
        largest.append(max(statistics))
    return pd.Series(largest)


def main() -> Iterator[Timing]:
    results = table(TASKS, METHODS, SEEDS)
    ours = seconds(lambda: order(results, DRAWS), clock=time.process_time)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    head, some = (seconds(lambda: with_pandas(results, n), clock=time.process_time)  # noqa: B023
                  for n in (0, PANDAS_DRAWS))
    loop = head + DRAWS * (some - head) / PANDAS_DRAWS
    yield Timing(f"an order: {TASKS:,} tasks × {METHODS} methods × {SEEDS} seeds, {DRAWS:,} draws, "
                 f"{peak:.2f} GB at most, processor time", ours,
                 f"a loop in pandas, scaled from {PANDAS_DRAWS} draws", loop)
    for tasks, methods in MANY:
        results, few = table(tasks, methods, 1), table(tasks, FEW, 1)
        ours = seconds(lambda: order(results), clock=time.process_time)  # noqa: B023
        head, some = (seconds(lambda: with_pandas(few, n), clock=time.process_time)  # noqa: B023
                      for n in (0, 1))
        loop = 2000 * (some - head) * (methods * (methods - 1)) / (FEW * (FEW - 1))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        yield Timing(f"an order: {tasks:,} tasks × {methods} methods, 2,000 draws, {peak:.2f} GB "
                     "at most, processor time", ours,
                     f"a loop in pandas, scaled from one draw of {FEW} methods", loop)
        with tempfile.TemporaryDirectory() as folder:
            results.drop(columns="seed").to_csv(f"{folder}/results.csv", index=False)
            ran = run_command(Path(folder), "order", "--csv", "results.csv", "--lower", "no")
        yield Timing(f"make order: {tasks:,} tasks × {methods} methods, {ran.peak:.2f} GB at most, "
                     f"first line after {ran.first:.1f} s, {ran.wall:.0f} s on the clock, "
                     "processor time", ran.own, "what it may take", MAY_TAKE)
