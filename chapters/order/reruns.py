"""By how much reruns of one method differ, and whether `order MINE=` finds a planted gap.

``python -m chapters.order.reruns`` writes ``data/results/reruns.csv`` from the stored studies.
"""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd

from analysis.leaderboards.cells import Cells
from analysis.leaderboards.reruns import ALPHA, STORED, differences, shift
from analysis.statistics.shares import exact_share
from chapters.order import atlas
from chapters.order.replications import RERUN, SAME, named

GAPS, TASKS, DRAWS = (0.0, 0.2, 0.5), (10, 20, 40), 1000
KEPT = ["one", "other", "method", "task", "points", "deviations"]


def stored_reruns() -> pd.DataFrame:
    """Return how runs of the same methods on the same tasks differ in two studies of one group.

    Returns
    -------
    pandas.DataFrame
        ``one, other`` (studies), and of `analysis.leaderboards.reruns.differences` ``method, task,
        points, deviations``.
    """
    tables = []
    for one, other in combinations(RERUN, 2):
        words = [w for w, names in atlas.METHODS.items() if one in names and other in names]
        first, second = (_plain(named(study, words)) for study in (one, other))
        if words and set(first.tasks) & set(second.tasks):
            found = differences(first, second)
            found = found[found["method"].isin(words)]
            tables.append(found.assign(one=one, other=other)[KEPT])
    return pd.concat(tables, ignore_index=True)


def _plain(cells: Cells) -> Cells:
    return replace(cells, tasks=tuple(SAME.get(t, t) for t in map(atlas.plain, cells.tasks)))


def judge_reruns() -> pd.DataFrame:
    """Return how often a rerun is said to differ, by planted gap and number of tasks.

    Returns
    -------
    pandas.DataFrame
        ``reruns``: "as stored" (a method in two studies, six tasks or more) or "drawn" from all
        stored differences; ``gap`` (points, planted on every task), ``tasks`` (0: as many as there
        are), ``n``, and the share that ``differs`` with its exact interval, ``low, high``.
    """
    stored, rng = stored_reruns(), np.random.default_rng(0)
    rows = []
    runs = [g["points"].to_numpy() for _, g in stored.groupby(["one", "other", "method"])]
    for gap in GAPS:
        rows.append(("as stored", gap, 0, [shift(run + gap) for run in runs if len(run) > 5]))
        for tasks in TASKS:
            drawn = rng.choice(stored["points"].to_numpy(), (DRAWS, tasks)) + gap
            rows.append(("drawn", gap, tasks, [shift(run) for run in drawn]))
    return pd.DataFrame([(*about, len(p), *np.array(exact_share(int((np.array(p) <= ALPHA).sum()),
                                                                len(p))) / 100)
                         for *about, p in rows],
                        columns=["reruns", "gap", "tasks", "n", "differs", "low", "high"])


if __name__ == "__main__":
    stored_reruns().to_csv(STORED, index=False, float_format="%.6g")
