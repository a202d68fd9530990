"""A leave-one-dataset-out study at TabRepo's size: seconds, memory, and the gain over retraining.

200 datasets × 3 folds × 1,310 configs; errors and binary predictions of 1,000 validation rows (and
as many test rows) are simulated, those of a portfolio's configs when they are asked for.
Portfolios of 200, ensembles of 40 picks for AUC. Under 3 minutes and 8 GB on two idle cores is the
aim. A stored repository would be read instead of simulated; that part's time is given as well.
"""

import resource
from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy.special import expit

from analysis.portfolios.opening import TaskPredictions, TaskRecord
from analysis.portfolios.study import leave_one_out
from benchmarks.timing import Timing, timed

DATASETS, FOLDS, CONFIGS, ROWS, WORKERS = 200, 3, 1310, 1000, 2


def simulated_predictions(
    task: int, signal: np.ndarray, configs: np.ndarray
) -> TaskPredictions:
    """Return predictions of some configs on one task: a config's signal in shared and own noise."""
    rng = np.random.default_rng([7, task])
    labels = rng.integers(0, 2, 2 * ROWS)
    shared = rng.normal(size=2 * ROWS, scale=1.5)
    odds = np.empty((len(configs), 2 * ROWS), np.float32)
    for row, config in zip(odds, configs, strict=True):
        own = np.random.default_rng([8, task, config]).standard_normal(2 * ROWS, np.float32)
        row[:] = signal[config] * (2 * labels - 1) + shared + own
    chance = expit(odds)
    return TaskPredictions(chance[:, :ROWS], labels[:ROWS], chance[:, ROWS:], labels[ROWS:])


def simulated_records(datasets: int, seed: int = 0) -> list[TaskRecord]:
    """Return tasks on which configs differ, alike on the folds of a dataset."""
    rng = np.random.default_rng(seed)
    quality, factors = rng.normal(size=CONFIGS, scale=0.1), rng.normal(size=(6, CONFIGS), scale=0.1)
    times = np.exp(rng.normal(size=CONFIGS) + 3)
    records = []
    for dataset in range(datasets):
        level, taste = rng.uniform(0.3, 1.5), rng.normal(size=6)
        for fold in range(FOLDS):
            signal = level + quality + taste @ factors + rng.normal(size=CONFIGS, scale=0.03)
            error = expit(-2 * signal)
            noise = rng.normal(size=(2, CONFIGS), scale=0.005)
            records.append(TaskRecord(
                f"dataset {dataset:03}", fold, "auc", *np.clip(error + noise, 0, 1),
                times * rng.uniform(0.5, 2), times / 1000,
                partial(simulated_predictions, dataset * FOLDS + fold, signal)))
    return records


def main() -> Iterator[Timing]:
    records = simulated_records(DATASETS)
    with timed() as reading:
        for record in records[:20]:
            record.load(np.arange(200))
    with timed() as study:
        table = leave_one_out(records, ensemblers=["greedy_published"], workers=WORKERS)
    peak = max(resource.getrusage(who).ru_maxrss
               for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 2**20
    simulating = reading.seconds / 20 * len(records) / WORKERS
    yield Timing(f"a portfolio study: {DATASETS} datasets × {FOLDS} folds × {CONFIGS:,} configs on "
                 f"{WORKERS} workers, {peak * (WORKERS + 1):.1f} GB at most, {simulating:.0f} s of "
                 "it simulating what would be read", study.seconds,
                 "training what it evaluates, by the simulated times", table["train_time"].sum())
