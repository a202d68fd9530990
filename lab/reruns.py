"""By how much reruns of one method differ.

``python -m lab.reruns`` writes ``data/results/reruns.csv`` from the stored studies, in seconds.
"""

from dataclasses import replace
from itertools import combinations

import pandas as pd

from analysis.leaderboards import load_results, method_words
from analysis.leaderboards.cells import Cells, to_cells
from commands.order.reruns import STORED, differences

SAME = {"californiahousing": "california", "covtype2": "covtype"}  # names of one task
COLUMNS = ["one", "other", "method", "task", "unit", "points", "deviations"]
GROUP = ("rtdl_2021", "num_embeddings", "tabr", "tabm", "tabred")  # one group's, runs their own


def cells_in_words(study: str) -> Cells:
    """Return a shipped study's cells of the methods that have words, tasks by plain names.

    A plain name has no case and no punctuation, so that studies name a task alike.
    """
    cells, words = to_cells(load_results(study)), method_words(study)
    cells = cells.keep(methods=[k for k, m in enumerate(cells.methods) if m in words])
    plain = ["".join(c for c in task.lower() if c.isalnum()) for task in cells.tasks]
    return replace(cells, methods=tuple(words[m] for m in cells.methods),
                   tasks=tuple(SAME.get(task, task) for task in plain))


def stored_reruns() -> pd.DataFrame:
    """Return how runs of the same methods on the same tasks differ in two studies of one group.

    Returns
    -------
    pandas.DataFrame
        ``one, other`` (studies), and of `commands.order.reruns.differences` ``method, task,
        unit, points, deviations``.
    """
    tables = []
    for one, other in combinations(GROUP, 2):
        first, second = (cells_in_words(study) for study in (one, other))
        if set(first.methods) & set(second.methods) and set(first.tasks) & set(second.tasks):
            tables.append(differences(first, second).assign(one=one, other=other)[COLUMNS])
    return pd.concat(tables, ignore_index=True)


if __name__ == "__main__":
    stored_reruns().to_csv(STORED, index=False, float_format="%.6g")
