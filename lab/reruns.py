"""By how much reruns of one method differ.

``python -m lab.reruns`` writes ``data/results/reruns.csv`` from the stored studies, in seconds.
"""

from itertools import combinations

import pandas as pd

from analysis.leaderboards import cells_in_words
from analysis.leaderboards.reruns import STORED, differences

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


if __name__ == "__main__":
    stored_reruns().to_csv(STORED, index=False, float_format="%.6g")
