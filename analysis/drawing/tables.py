"""Tables of results, written unrounded as CSV files; the names that their labels stand for."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from analysis.databases.naming import database_name, dataset_title, learner_title
from collection.project.paths import RESULTS, written_whole

#: Columns whose labels are shown as names.
NAMED = {"dataset": dataset_title, "database": database_name, "learner": learner_title}


def write_result(frame: pd.DataFrame, chapter: str, name: str,
                 writing: Callable = written_whole) -> Path:
    """Write a tidy table to ``results/<chapter>/<name>.csv``, unrounded, and return the path.

    The file appears whole or not at all. The index is not written. NaN is an empty field. A
    command writes by `collection.project.results_folder.written_as_own`.
    """
    path = RESULTS / chapter / f"{name}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with writing(path) as part:
        frame.to_csv(part, index=False)
    return path
