"""The study that the book shows: a dozen classic learners on the shipped suite ``classic``.

``python -m lab.shipped.classic_study`` gathers what is lacking in its store, and writes
``data/suites/classic_study.csv``.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from collection.project.paths import DATA, cache_dir
from collection.running.evaluation_plan import make_plan
from collection.running.evaluation_settings import check_settings
from collection.running.work import run
from collection.store.evaluation_reader import open_evaluations, read_evaluations

FILE = DATA / "suites" / "classic_study.csv"
LEARNERS = ("LogisticRegression", "LDA", "QDA", "GaussianNB", "KNN", "Decision Tree", "SVM_Linear",
            "SVM_RBF", "MLP", "ens.RandomForest", "ens.ExtraTrees", "ens.GradientBoosting")
SETTINGS = {"SUITE": "classic", "SCALING": "standard", "TIME_LIMIT": "20s"}
MEASURES = {f"{name}_test": name for name in ("error_rate", "auc", "log_loss")}
COLUMNS = ("task", "learner", "fold", "status", *MEASURES.values(), "train_time")


def gather(store: Path, file: Path = FILE, learners: Sequence[str] = LEARNERS) -> int:
    """Evaluate what the store lacks, then write all it holds; return how many evaluations.

    A row per fold, small tasks first: measures on test rows, ``train_time`` in seconds, the only
    column that another run changes where no fit comes near the limit.
    """
    settings = check_settings(SETTINGS | {"LEARNERS": learners, "OUT": store})
    run(settings, make_plan(settings))
    tasks = open_evaluations(store)[["spec", "rows"]].to_dataframe()
    table = read_evaluations(store).rename(columns=MEASURES).join(tasks, on="task")
    table = table[table["learner"].isin(learners)]
    table = table.assign(place=table["learner"].map(list(learners).index)).sort_values(
        ["rows", "spec", "place", "fold"])
    for name, digits in {**dict.fromkeys(MEASURES.values(), 6), "train_time": 3}.items():
        table[name] = [f"{value:.{digits}g}" for value in table[name]]
    table.assign(task=table["spec"])[list(COLUMNS)].to_csv(file, index=False)
    return len(table)


if __name__ == "__main__":
    print(f"{gather(cache_dir() / 'classic_study')} evaluations are in {FILE}.", file=sys.stderr)
