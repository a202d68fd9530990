"""Ordering methods: 1,000 tasks × 100 methods × 10 seeds, against a loop over draws in pandas."""

import resource
import time

import numpy as np
import pandas as pd

from analysis.leaderboards import order

TASKS, METHODS, SEEDS, DRAWS = 1000, 100, 10, 10_000
PANDAS_DRAWS = 2


def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    value = rng.normal(size=(TASKS, METHODS, SEEDS)) + 0.01 * np.arange(METHODS)[:, None]
    task, method, seed = (x.ravel() for x in np.indices(value.shape))
    return pd.DataFrame({"task": [f"t{k}" for k in task], "method": [f"m{k}" for k in method],
                         "seed": seed, "value": value.ravel()})


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


def timed(run, *arguments) -> float:
    start = time.perf_counter()
    run(*arguments)
    return time.perf_counter() - start


def main() -> None:
    results = table()
    ours = timed(order, results, DRAWS)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    head = timed(with_pandas, results, 0)
    loop = head + DRAWS * (timed(with_pandas, results, PANDAS_DRAWS) - head) / PANDAS_DRAWS
    print(f"{TASKS:,} tasks × {METHODS} methods × {SEEDS} seeds, {DRAWS:,} draws: {ours:.1f} s, "
          f"{peak:.2f} GB at most; a loop in pandas (from {PANDAS_DRAWS} draws): {loop:,.0f} s, "
          f"{loop / ours:,.0f} times as long")


if __name__ == "__main__":
    main()
