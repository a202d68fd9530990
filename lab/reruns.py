"""By how much reruns of one method differ, and whether `order MINE=` finds a planted gap.

``python -m lab.reruns`` writes ``data/results/reruns.csv`` from the stored studies, in seconds;
*How sure is a leaderboard?* reads what is kept (`KEPT`).
"""

from itertools import combinations

import numpy as np
import pandas as pd

from analysis.leaderboards import cells_in_words
from analysis.leaderboards.reruns import ALPHA, STORED, differences, shift
from analysis.statistics.shares import exact_share

GAPS, TASKS, DRAWS = (0.0, 0.2, 0.5), (10, 20, 40), 1000
COLUMNS = ["one", "other", "method", "task", "points", "deviations"]
GROUP = ("rtdl_2021", "num_embeddings", "tabr", "tabm", "tabred")  # one group's, runs their own


def stored_reruns() -> pd.DataFrame:
    """Return how runs of the same methods on the same tasks differ in two studies of one group.

    Returns
    -------
    pandas.DataFrame
        ``one, other`` (studies), and of `analysis.leaderboards.reruns.differences` ``method, task,
        points, deviations``.
    """
    tables = []
    for one, other in combinations(GROUP, 2):
        first, second = (cells_in_words(study) for study in (one, other))
        if set(first.methods) & set(second.methods) and set(first.tasks) & set(second.tasks):
            tables.append(differences(first, second).assign(one=one, other=other)[COLUMNS])
    return pd.concat(tables, ignore_index=True)


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


KEPT = {"order_reruns": judge_reruns}


if __name__ == "__main__":
    stored_reruns().to_csv(STORED, index=False, float_format="%.6g")
