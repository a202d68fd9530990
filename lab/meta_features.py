"""The meta-features of PMLBmini's datasets, gathered once and kept in the cache.

``python -m lab.meta_features`` takes hours; `lab.meta_feature_search` reads what it made.
"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from analysis.published.computed import NotAtHandError
from collection.project.paths import cache_dir
from collection.running import meta_features
from collection.suites.specs import find_suite
from collection.tasks import Task

SUITE = "pmlbmini"


def meta_features_folder() -> Path:
    """Return where the files are: ``meta_features`` in the cache."""
    return cache_dir() / "meta_features"


def read_table(tasks: Sequence[Task], folder: Path) -> tuple[pd.DataFrame, pd.Series]:
    """Return what was gathered, as `collection.running.meta_features.read_table` does.

    Raises
    ------
    NotAtHandError
        Where a dataset's are not there; the message says how to get them.
    """
    absent = [task.name for task in tasks if not meta_features.file_of(folder, task).exists()]
    if absent:
        raise NotAtHandError(f"The meta-features of {len(absent)} datasets ({', '.join(absent[:3])}"
                             f"{', …' if absent[3:] else ''}) are not in {folder}. Get them with "
                             "`python -m lab.meta_features`.")
    return meta_features.read_table(tasks, folder)


if __name__ == "__main__":
    meta_features.gather(find_suite(SUITE).tasks, meta_features_folder())
