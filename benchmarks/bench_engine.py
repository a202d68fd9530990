"""What running many fits costs beyond the fits, and what a second worker brings.

Overhead: wall time of a collection on one worker (processes, preprocessing, metrics, store) over
the time that random forests themselves took to fit and predict. At most 1.15 is the aim.
Many rows: the same for a decision tree on a made table of `ROWS`, nested prefixes at
`ANCHORS`, five repeats (25 read the table once as well); at most 1.1 is the aim.
Two workers: wall time on one over wall time on two, same curves; at least 1.7 is the aim. That one
needs a machine with two idle cores.
"""

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification

from benchmarks.timing import Timing, timed
from collection.running.curve_plan import make_plan
from collection.running.curve_settings import check_settings
from collection.running.engine import collect
from collection.running.workers import LocalWorkers
from collection.store import StoreWriter, read_fits

ROWS, FEATURES, ANCHORS = 100_000, 20, "16384 32768 65536"
TIMES = ["train_time", "predict_time_train", "predict_time_valid", "predict_time_test"]


def main() -> Iterator[Timing]:
    alone, pure = _timed("ens.RandomForest", workers=1)
    together, _ = _timed("ens.RandomForest", workers=2)
    yield Timing("curves of a random forest on vehicle, one worker", alone,
                 "its fits and predictions alone", pure)
    yield Timing("the same on two workers", together, "on one worker", alone)
    with tempfile.TemporaryDirectory() as folder:
        many, fits = _timed("Decision Tree", 1, DATASETS=_made(Path(folder) / "made.csv"),
                            OUTER="0", INNER="0 1 2 3 4", ANCHORS=ANCHORS)
    yield Timing(f"five curves of a decision tree on {ROWS:,} × {FEATURES} at {ANCHORS} rows", many,
                 "its fits and predictions alone", fits)


def _made(path: Path) -> str:
    """Write a table of two classes; return its spec."""
    features, target = make_classification(ROWS, FEATURES, n_informative=FEATURES // 2,
                                           random_state=0)
    table = pd.DataFrame(features).round(5).add_prefix("x")
    table.assign(target=np.where(target, "b", "a")).to_csv(path, index=False)
    return f"csv:{path}?target=target"


def _timed(learner: str, workers: int, **parameters: str) -> tuple[float, float]:
    """Return seconds of a collection, and those of its fits, once the processes are up."""
    with tempfile.TemporaryDirectory() as folder, LocalWorkers(workers) as pool:
        _collect(["DummyClassifier"], Path(folder) / "warm", pool, parameters)
        with timed() as clock:
            _collect([learner], Path(folder) / "timed", pool, parameters)
        return clock.seconds, float(read_fits(Path(folder) / "timed")[TIMES].to_numpy().sum())


def _collect(learners: list[str], out: Path, pool: LocalWorkers,
             parameters: Mapping[str, str]) -> None:
    settings = check_settings({"DATASETS": "keel:vehicle", "LEARNERS": learners, "OUT": str(out),
                               "OUTER": "0 1", "INNER": "0 1", **parameters})
    plan = make_plan(settings)
    with StoreWriter(out, {}, {}) as store:
        collect(plan, store, pool)
