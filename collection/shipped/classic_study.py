"""The study that the book shows: a dozen classic learners on the shipped suite ``classic``.

``python -m collection.shipped.classic_study`` gathers what is lacking in
``data/suites/classic_study.csv``.
"""

import csv
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from collection.containers.curves import Status
from collection.containers.evaluations import Evaluation
from collection.learners.registry import find_learner
from collection.project.paths import DATA
from collection.running.evaluate import Protocol, evaluate
from collection.suites.specs import find_suite
from collection.tasks import Fold, load_task
from collection.tasks.task import LoadedTask

SUITE = "classic"
FILE = DATA / "suites" / "classic_study.csv"
LEARNERS = ("LogisticRegression", "LDA", "QDA", "GaussianNB", "KNN", "Decision Tree", "SVM_Linear",
            "SVM_RBF", "MLP", "ens.RandomForest", "ens.ExtraTrees", "ens.GradientBoosting")
PROTOCOL = Protocol(scaling="standard")
# s of processor time for a fit; who exceeds it is not tried on the task's other folds.
TIME_LIMIT = 20
MEASURES = ("error_rate", "auc", "log_loss")
COLUMNS = ("task", "learner", "fold", "status", *MEASURES, "train_time")


def gather(file: Path = FILE, learners: tuple[str, ...] = LEARNERS) -> int:
    """Evaluate what the file lacks, a row per fold, small tasks first; return how many were made.

    Measures are on test rows; ``train_time`` in seconds, the only column that another run changes.
    """
    done, made = _done(file), 0
    tasks = sorted(map(load_task, find_suite(SUITE).tasks), key=lambda t: t.dataset.n_rows)
    with file.open("a", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        if not done and stream.tell() == 0:
            writer.writerow(COLUMNS)
        for task in tasks:
            for learner in learners:
                for row in _rows(task, learner, done):
                    writer.writerow(row)
                    made += 1
                stream.flush()
            print(f"{task.name}: {made} evaluations so far", file=sys.stderr, flush=True)
    return made


def _rows(task: LoadedTask, learner: str, done: set) -> Iterator[tuple]:
    unknown = ("nan",) * len(MEASURES)
    slow = any((task.task.spec, learner, str(f.fold), "timeout") in done for f in task.folds)
    for fold in task.folds:
        key = (task.task.spec, learner, str(fold.fold))
        if any((*key, status) in done for status in ("ok", "error", "timeout")):
            continue
        found = None if slow else _evaluated(task, learner, fold)
        if slow := found is None:
            yield (*key, "timeout", *unknown, "nan")
            continue
        measures = [found.measures.get(name, (float("nan"),) * 3)[2] for name in MEASURES]
        yield (*key, Status(found.status).name, *(f"{value:.6g}" for value in measures),
               f"{found.train_time:.3g}")


def _evaluated(task: LoadedTask, learner: str, fold: Fold) -> Evaluation | None:
    """Evaluate one fold; None where it takes too long."""
    with _alarm(TIME_LIMIT) as rung:
        found = list(evaluate(task, find_learner(learner), fold.repeat, fold.fold, PROTOCOL))[-1]
    return None if rung else found


@contextmanager
def _alarm(seconds: float) -> Iterator[list]:
    """Interrupt what runs after so many seconds of the processor; the list then has an entry."""
    rung = []

    def ring(number, frame):
        rung.append(number)
        raise TimeoutError(f"more than {seconds:g} s")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield rung
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _done(file: Path) -> set[tuple[str, str, str, str]]:
    if not file.exists():
        return set()
    with file.open(newline="", encoding="utf-8") as stream:
        return {(row["task"], row["learner"], row["fold"], row["status"])
                for row in csv.DictReader(stream)}


if __name__ == "__main__":
    print(f"{gather()} evaluations made; they are in {FILE}.")
