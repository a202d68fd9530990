"""Gather learning curves of a handful of learners within a time budget."""

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from itertools import product
from statistics import median

import numpy as np
import pandas as pd
from tqdm import tqdm

from collection.anchors import anchor_grid
from collection.container import SEEDS, SPLITS, Status
from collection.curve_key import CurveKey
from collection.datasets import Dataset
from collection.protocol import training_size
from collection.running.curve_job import CurveJob, CurveResult
from collection.running.job import JobError, Workers
from collection.running.limits import Limits

#: From quick to slow; all are in LCDB 1.0, from whose curves the extrapolation learnt.
HANDFUL = ("KNN", "LDA", "Decision Tree", "LogisticRegression", "ens.RandomForest", "SVM_RBF",
           "ens.GradientBoosting")
SCALING = "standard"  # nearest neighbours, support vectors and logistic regression want it
MEMORY = 6e9  # bytes of one process
FIRST_SHARE = 0.5  # of the budget, for the first curve of every learner
SAFETY = 1.5  # times what a learner's curves took so far must be left for another
#: Outer seeds change first: they bring new test rows.
REPEATS = [(outer, inner) for inner, outer in product(SEEDS, SEEDS)]


class BudgetError(ValueError):
    """The budget was too small for any curve; the message says what to give."""


@dataclass
class Gathered:
    """Curves gathered within a budget.

    Attributes
    ----------
    fits : pandas.DataFrame
        A row per fit and split: ``learner, outer, inner, anchor, split, status, message``, the
        metrics and ``train_time``; NaN where there is no value.
    seconds : float
        Wall time.
    lost : dict of str to str
        Learners without any curve, and why.
    """

    fits: pd.DataFrame
    seconds: float
    lost: dict[str, str] = field(default_factory=dict)


def gather_within(dataset: Dataset, budget: float, workers: Workers,
                  learners: Sequence[str] = HANDFUL,
                  now: Callable[[], float] = time.monotonic) -> Gathered:
    """Gather curves until the budget is spent: each learner once, then repeats where they are due.

    The next curve is of the learner with the fewest repeats, the quicker one of several, among
    those whose curves take no longer than the time left.

    Parameters
    ----------
    dataset : Dataset
        Loaded by a spec that a worker can load again.
    budget : float
        Seconds.
    workers : Workers
        Entered.
    learners : sequence of str
        Names of Table 3.
    now : callable
        The clock, in seconds, that the budget is measured by.

    Raises
    ------
    BudgetError
        Where not one curve of two anchors came out.
    """
    clock = _Clock(budget, now)
    largest = training_size(dataset.n_rows)
    anchors = tuple(sorted({*anchor_grid(largest, per_doubling=2).tolist(), largest}))
    first = max(1.0, FIRST_SHARE * budget * workers.count / len(learners) / 3)
    rows, lost, took = [], {}, defaultdict(list)
    started, running = dict.fromkeys(learners, 0), {}
    with tqdm(total=round(budget), unit="s", desc="gathering", file=sys.stderr, leave=False,
              bar_format="{desc} {percentage:3.0f}% of {total} s {postfix}") as bar:
        while True:
            while len(running) < workers.count and (
                    learner := _next(started, took, lost, clock.left(), running.values())):
                outer, inner = REPEATS[started[learner]]
                started[learner] += 1
                limit = min(max(clock.left(), 1.0), first if not took[learner] else budget)
                job = CurveJob(CurveKey(dataset.source, learner, SCALING, "no", outer, inner),
                               dataset.fingerprint, anchors, Limits(limit, MEMORY))
                running[workers.submit(job)] = learner
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                _take(future, running.pop(future), rows, lost, took, workers)
            bar.n = min(round(clock.gone()), bar.total)
            bar.set_postfix_str(f"{sum(map(len, took.values()))} curves, "
                                f"{max(clock.left(), 0):.0f} s left")
    return _gathered(rows, lost, clock, largest)


class _Clock:
    """Time gone and left."""

    def __init__(self, budget: float, now: Callable[[], float]):
        self._now, self._began, self._budget = now, now(), budget

    def gone(self) -> float:
        return self._now() - self._began

    def left(self) -> float:
        return self._budget - self.gone()


def _next(started: dict, took: dict, lost: dict, left: float, running: Sequence) -> str | None:
    """Return the learner whose curve is gathered next, None where none fits into what is left."""
    if left <= 0:
        return None
    affordable = [learner for learner, n in started.items()
                  if n < len(REPEATS) and learner not in lost
                  and (n == 0 or (took[learner] and SAFETY * median(took[learner]) <= left))
                  and not (n == 1 and not took[learner] and learner in running)]
    order = list(started)
    return min(affordable, default=None,
               key=lambda name: (started[name], order.index(name)))


def _take(future: Future, learner: str, rows: list, lost: dict, took: dict,
          workers: Workers) -> None:
    """Keep what a job brought, or why it brought nothing."""
    try:
        result: CurveResult = future.result()
    except (JobError, *workers.failures) as error:
        lost[learner] = str(error)
        return
    took[learner].append(result.seconds)
    for fit in result.fits:
        for k, split in enumerate(SPLITS):
            rows.append({"learner": learner, "outer": result.task.outer, "inner": result.task.inner,
                         "anchor": fit.anchor, "split": split, "status": Status(fit.status).name,
                         "message": fit.message, "error_rate": fit.error_rate[k],
                         "f1": fit.f1[k], "auc": fit.auc[k], "log_loss": fit.log_loss[k],
                         "train_time": fit.train_time})


def _gathered(rows: list, lost: dict, clock: _Clock, largest: int) -> Gathered:
    fits = pd.DataFrame(rows)
    there = fits[np.isfinite(fits["error_rate"])] if rows else fits
    if not rows or there.groupby("learner")["anchor"].nunique().max() < 2 or there.empty:
        reasons = "; ".join(sorted(set(lost.values()) | set(fits.get("message", [])) - {""}))
        raise BudgetError(
            f"Not one learning curve came out within the budget ({clock.gone():.0f} s): "
            f"{reasons or 'no fit was finished'}. Give more time, such as BUDGET=10min; the "
            f"largest training set has {largest:,} rows.")
    return Gathered(fits, clock.gone(), lost)
