"""Portfolios judged on tasks under budgets of training time, each dataset left out in turn.

TabRepo, Section 5 (anytime), from stored errors and predictions: nothing is trained.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from analysis.ensembles import ENSEMBLERS, BudgetError, affordable, combine, fit_ensemble
from analysis.ensembles.metrics import measure_errors
from analysis.portfolios.opening import TaskRecord, check_records, fold_weights
from analysis.portfolios.select import PROCEDURES, Portfolio, check_errors, pick_configs
from collection.project.naming import check_known
from collection.running.workers import spread

SIZE = 200  # configs of a portfolio at most (TabRepo, Appendix A)
MEMBERS = 40  # picks of an ensemble (the same)


def trained_configs(
    order: np.ndarray, record: TaskRecord, budget: float | None = None, fallback: int | None = None
) -> tuple[np.ndarray, bool]:
    """Return which configs of a portfolio are trained, and whether the fallback stands in.

    Configs are trained in order while the running sum of their times is below the budget. If the
    first already is not, the fallback config is evaluated instead, whatever it takes.

    Raises
    ------
    BudgetError
        If the budget does not pay for the first config and there is no fallback.
    """
    if budget is None:
        return order, False
    try:
        return order[:affordable(record.train_time[order], budget)], False
    except BudgetError:
        if fallback is None:
            raise
        return np.array([fallback]), True


def evaluate_portfolio(
    order: np.ndarray,
    record: TaskRecord,
    budgets: Iterable[float | None] = (None,),
    fallback: int | None = None,
    ensemblers: Iterable[str] = ("single_best", "greedy_published"),
    members: int = MEMBERS,
    seed: int = 0,
) -> list[dict]:
    """Evaluate a portfolio on a task without training anything.

    Parameters
    ----------
    order : ndarray of int, shape (pick,)
        Positions of configs, as `select_portfolio` returns them.
    record : TaskRecord
    budgets : iterable of float or None
        Seconds of training; None for no limit.
    fallback : int, optional
        The config that is evaluated where a budget does not pay for the first.
    ensemblers : iterable of str
        Names in `analysis.ensembles.ENSEMBLERS`, fitted on the validation rows.
    members, seed : int
        Picks of an ensemble, and the seed of what is drawn.

    Returns
    -------
    list of dict
        One per budget and ensembler: ``dataset, fold, budget, ensembler, error`` (on the test
        rows), ``valid_error``, ``train_time`` (of all trained configs), ``infer_time`` (of those
        with weight), ``configs`` (trained), ``members`` (with weight), ``fallback`` (whether it
        stood in).
    """
    ensemblers = list(ensemblers)
    check_known("ensembler", ensemblers, ENSEMBLERS)
    order, rows, found = np.asarray(order), [], {}
    for budget in budgets:
        configs, stands_in = trained_configs(order, record, budget, fallback)
        key = configs.tobytes()
        if key not in found:  # several budgets may pay for the same configs
            found[key] = [_evaluate(name, configs, record, members, seed) for name in ensemblers]
        rows += [{"dataset": record.dataset, "fold": record.fold,
                  "budget": np.inf if budget is None else budget, **row, "fallback": stands_in}
                 for row in found[key]]
    return rows


def _evaluate(name: str, configs: np.ndarray, record: TaskRecord, members: int, seed: int) -> dict:
    """Return what one ensembler makes of trained configs."""
    train_time = float(record.train_time[configs].sum())
    if name == "single_best":  # its errors are stored
        best = configs[int(record.valid_error[configs].argmin())]
        return {"ensembler": name, "error": float(record.test_error[best]),
                "valid_error": float(record.valid_error[best]), "train_time": train_time,
                "infer_time": float(record.infer_time[best]), "configs": len(configs),
                "members": 1}
    seen = record.load(configs)
    ensemble = fit_ensemble(name, seen.valid, seen.valid_labels, record.metric, members, seed)
    valid_error, error = (
        float(measure_errors(combine(said, ensemble.weights)[None], true, record.metric)[0])
        for said, true in ((seen.valid, seen.valid_labels), (seen.test, seen.test_labels)))
    used = configs[ensemble.weights > 0]
    return {"ensembler": name, "error": error, "valid_error": valid_error,
            "train_time": train_time,
            "infer_time": float(record.infer_time[used].sum()), "configs": len(configs),
            "members": len(used)}


class LeftOut:
    """Portfolios learned on all datasets but one.

    Parameters
    ----------
    records : sequence of TaskRecord
        All with the same configs.
    size : int
        Configs of a portfolio at most.
    procedure : str
        A name in `analysis.portfolios.PROCEDURES`.

    Raises
    ------
    ValueError
        For fewer than two datasets, and as `select_portfolio` does.
    UnknownNameError
        For an unknown procedure.
    """

    def __init__(
        self, records: Sequence[TaskRecord], size: int = SIZE, procedure: str = "published",
    ):
        check_records(records)
        check_known("procedure", [procedure], PROCEDURES)
        self.records, self.size, self.way = list(records), size, PROCEDURES[procedure]
        self.names = np.array([r.dataset for r in records])
        self.datasets = list(dict.fromkeys(self.names))
        if len(self.datasets) < 2:
            raise ValueError("Leaving one dataset out needs at least two; there is only "
                             f"{self.datasets[0]}.")
        self.values = self.way.criterion(check_errors([r.test_error for r in records], size))
        self.times = np.array([r.train_time for r in records]) if self.way.by_cost else None
        self.weights = fold_weights(records)

    def portfolio(self, dataset: str) -> Portfolio:
        """Return the portfolio learned on the test errors of all other datasets."""
        others = self.names != dataset
        return pick_configs(
            self.values[others], self.size, self.way, self.weights[others],
            None if self.times is None else self.times[others])


def leave_one_out(
    records: Sequence[TaskRecord],
    size: int = SIZE,
    procedure: str = "published",
    budgets: Iterable[float | None] = (None,),
    fallback: int | None = None,
    ensemblers: Iterable[str] = ("single_best", "greedy_published"),
    members: int = MEMBERS,
    seed: int = 0,
    workers: int = 1,
) -> pd.DataFrame:
    """Learn a portfolio for each dataset on all others, and evaluate it on that dataset's tasks.

    Parameters
    ----------
    records : sequence of TaskRecord
        All with the same configs.
    size, procedure
        Of the portfolios: see `LeftOut`.
    budgets, fallback, ensemblers, members, seed
        Of their evaluation: see `evaluate_portfolio`.
    workers : int
        Processes. The result does not depend on it.

    Returns
    -------
    pandas.DataFrame
        The rows of `evaluate_portfolio`, datasets in the order given.

    Raises
    ------
    ValueError, UnknownNameError, BudgetError
        As `LeftOut` and `evaluate_portfolio` do.
    """
    left_out = LeftOut(records, size, procedure)
    job = partial(_evaluate_left_out, left_out=left_out, budgets=list(budgets), fallback=fallback,
                  ensemblers=list(ensemblers), members=members, seed=seed)
    parts = spread(job, left_out.datasets, workers)
    return pd.DataFrame([row for part in parts for row in part])


def _evaluate_left_out(dataset: str, left_out: LeftOut, **settings: Any) -> list[dict]:
    order = left_out.portfolio(dataset).order
    return [row for record in left_out.records if record.dataset == dataset
            for row in evaluate_portfolio(order, record, **settings)]
