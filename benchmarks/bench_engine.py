"""What running many fits costs beyond the fits, and what a second worker brings.

Overhead: wall time of a collection on one worker (processes, preprocessing, metrics, store) over
the time that random forests themselves took to fit and predict. At most 1.15 is the aim.
Two workers: wall time on one over wall time on two, same curves; at least 1.7 is the aim. That one
needs a machine with two idle cores.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.timing import Timing, timed
from collection.running.engine import collect
from collection.running.plan import make_plan
from collection.running.settings import check_settings
from collection.running.workers import LocalWorkers
from collection.store import StoreWriter, read_fits

TIMES = ["train_time", "predict_time_train", "predict_time_valid", "predict_time_test"]


def main() -> Iterator[Timing]:
    alone, pure = _timed("ens.RandomForest", workers=1)
    together, _ = _timed("ens.RandomForest", workers=2)
    yield Timing("curves of a random forest on vehicle, one worker", alone,
                 "its fits and predictions alone", pure)
    yield Timing("the same on two workers", together, "on one worker", alone)


def _timed(learner: str, workers: int) -> tuple[float, float]:
    """Return seconds of a collection, and those of its fits, once the processes are up."""
    with tempfile.TemporaryDirectory() as folder, LocalWorkers(workers) as pool:
        _collect("DummyClassifier", Path(folder) / "warm", pool)
        with timed() as clock:
            _collect(learner, Path(folder) / "timed", pool)
        return clock.seconds, float(read_fits(Path(folder) / "timed")[TIMES].to_numpy().sum())


def _collect(learner: str, out: Path, pool: LocalWorkers) -> None:
    settings = check_settings({"DATASETS": "keel:vehicle", "LEARNERS": learner, "OUT": str(out),
                               "OUTER": "0 1", "INNER": "0 1"})
    plan = make_plan(settings)
    with StoreWriter(out, {}, {}) as store:
        collect(plan, store, pool)
