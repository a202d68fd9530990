"""Evaluations: what sharing saves, and what a whole study costs beside its fits.

Ten-fold cross-validation of the 24 classic learners on one worker, with splits and preprocessing
made once per fold for all of them; against the seconds that `fit` and `predict` took by
themselves, as recorded with every evaluation, and against the same loops written with a pipeline
per learner.
"""

import random
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import f1_score, log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from benchmarks.bench_curve import plain_pipeline
from benchmarks.timing import Timing, timed
from collection.containers.curves import CurveKey
from collection.datasets import Dataset, load_dataset
from collection.learners.registry import SEED
from collection.running.curve_settings import CLASSIC
from collection.running.engine import collect
from collection.running.evaluation_plan import EvaluationPlan, make_plan
from collection.running.evaluation_settings import EvaluationSettings, check_settings
from collection.running.workers import LocalWorkers
from collection.store.evaluation_reader import read_evaluations
from collection.store.evaluations import EvaluationWriter

DATASETS = ("keel:vehicle", "keel:german")
FOLDS = 10


def study(settings: EvaluationSettings, plan: EvaluationPlan) -> tuple[float, pd.DataFrame]:
    """Run a study on one worker that is at hand; return its seconds and evaluations."""
    first = next(iter(plan.jobs))
    with (LocalWorkers(1) as workers,
          EvaluationWriter(settings.out, settings.of_store, {}) as store):
        plan.register(store)
        workers.submit(plan.jobs[first]).result()  # starts the process, loads libraries and data
        with timed() as clock:
            collect(plan, store, workers)
    return clock.seconds, read_evaluations(settings.out)


def plain_study(dataset: Dataset) -> None:
    """Do the same, written with a pipeline per learner and fold."""
    X, y = dataset.features, dataset.target
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y):
        for learner in CLASSIC:
            model = plain_pipeline(dataset, CurveKey(dataset.source, learner, "none", "no", 0, 0))
            random.seed(SEED)
            np.random.seed(SEED)  # noqa: NPY002
            model.fit(X.iloc[train], y[train])
            for rows in (train, test):
                measure(model, X.iloc[rows], y[rows])


def measure(model, X, y) -> None:
    labels = model.predict(X)
    np.mean(labels != y), f1_score(y, labels, average="weighted")
    score = getattr(model, "predict_proba", getattr(model, "decision_function", None))
    if score is None:
        return
    scores = score(X)
    two = scores if scores.ndim == 1 or scores.shape[1] > 2 else scores[:, 1]
    if hasattr(model, "predict_proba"):
        roc_auc_score(y, two, multi_class="ovr", average="weighted")
        log_loss(y, scores)


def main() -> Iterator[Timing]:
    warnings.simplefilter("ignore")
    for spec in DATASETS:
        with tempfile.TemporaryDirectory() as folder:
            settings = check_settings({"TASKS": spec, "FOLDS": FOLDS, "OUT": Path(folder),
                                       "WORKERS": 1})
            seconds, table = study(settings, make_plan(settings))
        columns = ["train_time", *(f"predict_time_{split}" for split in ("train", "test"))]
        what = f"{FOLDS} folds of {len(CLASSIC)} learners on {spec}, one worker"
        with timed() as plain:
            plain_study(load_dataset(spec))
        yield Timing(what, seconds, "a pipeline a learner and fold", plain.seconds)
        yield Timing(what, seconds, "the fits and predictions alone",
                     float(np.nansum(table[columns])))
