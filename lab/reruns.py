"""By how much reruns of one method differ, and whether `order MINE=` finds what is broken.

``python -m lab.reruns`` writes ``data/results/reruns.csv`` from the stored studies, in seconds;
*How sure is a leaderboard?* reads what is kept (`KEPT`).
"""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd

from analysis.leaderboards import cells_in_words
from analysis.leaderboards.cells import Cells
from analysis.leaderboards.reruns import (
    LEAST,
    RUN,
    STORED,
    Reruns,
    as_far,
    compare_runs,
    differences,
    verdicts,
)
from analysis.statistics.shares import exact_share
from lab.studies import cells_of

GAPS, TASKS, DRAWS = (-0.5, -0.2, 0.2, 0.5), (10, 20, 40, 200), 200
SEVERAL = ((5, 20), (5, 40), (20, 40))  # methods and tasks
SHUFFLED, SHUFFLES = (20, 5), 50  # tasks and methods of a broken rerun; how many are made
STUDIES = ("talent", "talent_regression", "tabr", "own", "fev_bench", "tsml_univariate",
           "mteb_english_v2")
COLUMNS = ["one", "other", "method", "task", "unit", "points", "deviations"]
GROUP = ("rtdl_2021", "num_embeddings", "tabr", "tabm", "tabred")  # one group's, runs their own


def stored_reruns() -> pd.DataFrame:
    """Return how runs of the same methods on the same tasks differ in two studies of one group.

    Returns
    -------
    pandas.DataFrame
        ``one, other`` (studies), and of `analysis.leaderboards.reruns.differences` ``method, task,
        unit, points, deviations``.
    """
    tables = []
    for one, other in combinations(GROUP, 2):
        first, second = (cells_in_words(study) for study in (one, other))
        if set(first.methods) & set(second.methods) and set(first.tasks) & set(second.tasks):
            tables.append(differences(first, second).assign(one=one, other=other)[COLUMNS])
    return pd.concat(tables, ignore_index=True)


def whole_runs(stored: Reruns, rng: np.random.Generator, methods: int, tasks: int,
               gap: float = 0.0) -> tuple[pd.DataFrame, list[int]]:
    """Return a rerun of methods, each as one stored run, and which runs these are.

    Its tasks are drawn anew with replacement, its sign by chance; the first has a gap besides.
    """
    runs = [run for _, run in stored.table.groupby(RUN) if len(run) >= LEAST - 1]
    which = rng.integers(len(runs), size=methods).tolist()
    tables = []
    for k, run in enumerate(which):
        own = runs[run].iloc[rng.integers(len(runs[run]), size=tasks)]
        sizes = own[["points", "deviations"]] * rng.choice((-1, 1))
        sizes["points"] += gap * (k == 0)
        tables.append(own.assign(method=str(k), family=np.arange(tasks), **sizes))
    return pd.concat(tables, ignore_index=True), which


def alarm(tasks: pd.DataFrame, stored: Reruns) -> bool:
    """Tell whether any method of a rerun is said to differ."""
    return verdicts(tasks.assign(as_far=as_far(tasks, stored.table)), stored)["differs"].any()


def shuffled(cells: Cells, number: int, stored: Reruns) -> bool:
    """Tell whether a method is said to differ whose results were shuffled over tasks."""
    rng = np.random.default_rng(number)
    methods = np.sort(rng.permutation(len(cells.methods))[:SHUFFLED[1]])
    whole = np.flatnonzero(~np.isnan(cells.value[:, methods]).any(axis=1))
    tasks = np.sort(rng.permutation(whole)[:SHUFFLED[0]])
    published = cells.keep(tasks).keep(methods=methods)
    value = published.value.copy()
    value[:, 0] = value[rng.permutation(len(value)), 0]
    found = compare_runs(published, replace(published, value=value), stored)[0]
    return bool(found.set_index("method").loc[published.methods[0], "differs"])


def judge_reruns() -> pd.DataFrame:
    """Return how often a rerun is said to differ, as stored ones do and where it is broken.

    Returns
    -------
    pandas.DataFrame
        ``reruns``: "whole runs" drawn from stored ones, with either sign; "whole runs, left out",
        their own one not among those they are held against; or a study, of whose methods one is
        shuffled over tasks. ``gap`` (points, planted in the first method on every task), ``tasks,
        methods, n``, and the share in which any (of a study: that one) ``differs`` with its exact
        interval, ``low, high``.
    """
    stored, rng, rows = Reruns(stored_reruns()), np.random.default_rng(0), []
    for methods, tasks, gap in (*((m, t, 0.0) for m, t in (*((1, t) for t in TASKS), *SEVERAL)),
                                *((1, t, g) for t in TASKS[:3] for g in GAPS)):
        rows.append(("whole runs", gap, tasks, methods,
                     [alarm(whole_runs(stored, rng, methods, tasks, gap)[0], stored)
                      for _ in range(DRAWS)]))
    keys = [key for key, run in stored.table.groupby(RUN) if len(run) >= LEAST - 1]
    others = [Reruns(stored.table[(stored.table[RUN] != key).any(axis=1)]) for key in keys]
    for tasks in TASKS:
        told = []
        for _ in range(DRAWS):
            drawn, (own,) = whole_runs(stored, rng, 1, tasks)
            told.append(alarm(drawn, others[own]))
        rows.append(("whole runs, left out", 0.0, tasks, 1, told))
    for study in STUDIES:
        cells = cells_of(study)
        rows.append((study, np.nan, *SHUFFLED,
                     [shuffled(cells, k, stored) for k in range(SHUFFLES)]))
    return pd.DataFrame([(*about, len(told), *np.array(exact_share(sum(told), len(told))) / 100)
                         for *about, told in rows],
                        columns=["reruns", "gap", "tasks", "methods", "n", "differs", "low",
                                 "high"])


KEPT = {"order_reruns": judge_reruns}


if __name__ == "__main__":
    stored_reruns().to_csv(STORED, index=False, float_format="%.6g")
