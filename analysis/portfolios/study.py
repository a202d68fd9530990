"""Portfolios judged on tasks under budgets of training time, each dataset left out in turn.

TabRepo, Section 5 (anytime), from stored errors and predictions: nothing is trained.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.databases.evaluations import Repository, open_repository
from analysis.ensembles import ENSEMBLERS, BudgetError, affordable, combine, fit_ensemble
from analysis.ensembles.metrics import measure_errors
from analysis.leaderboards import normalize_among, place_among
from analysis.portfolios import opening
from analysis.portfolios.opening import TaskRecord
from analysis.portfolios.select import PROCEDURES, Portfolio, check_errors, pick_configs
from analysis.statistics.bootstrap import mean_interval
from collection.project.naming import check_known
from collection.running.workers import spread

SIZE = 200  # configs of a portfolio at most (TabRepo, Appendix A)
MEMBERS = 40  # picks of an ensemble (the same)
DRAWS = 5  # random orders on a task


def trained_configs(order: np.ndarray, record: TaskRecord, budget: float | None = None,
                    fallback: int | None = None) -> tuple[np.ndarray, bool]:
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


def evaluate_portfolio(order: np.ndarray, record: TaskRecord,
                       budgets: Iterable[float | None] = (None,), fallback: int | None = None,
                       ensemblers: Iterable[str] = ("single_best", "greedy_published"),
                       members: int = MEMBERS, seed: int = 0) -> list[dict]:
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
            found[key] = [_evaluate(name, configs, record, members, seed)[0]
                          for name in ensemblers]
        rows += [{"dataset": record.dataset, "fold": record.fold,
                  "budget": np.inf if budget is None else budget, **row, "fallback": stands_in}
                 for row in found[key]]
    return rows


def _evaluate(name: str, configs: np.ndarray, record: TaskRecord, members: int,
              seed: int) -> tuple[dict, np.ndarray]:
    """Return what an ensembler makes of trained configs, and its weights over them."""
    if name == "single_best":  # its errors are stored
        best = int(record.valid_error[configs].argmin())
        weights = np.eye(len(configs))[best]
        errors = [float(own[configs[best]]) for own in (record.valid_error, record.test_error)]
    else:
        seen = record.load(configs)
        weights = fit_ensemble(name, seen.valid, seen.valid_labels, record.metric, members,
                               seed).weights
        errors = [float(measure_errors(combine(said, weights)[None], true, record.metric)[0])
                  for said, true in ((seen.valid, seen.valid_labels),
                                     (seen.test, seen.test_labels))]
    used = configs[weights > 0]
    return {"ensembler": name, "error": errors[1], "valid_error": errors[0],
            "train_time": float(record.train_time[configs].sum()),
            "infer_time": float(record.infer_time[used].sum()), "configs": len(configs),
            "members": len(used)}, weights


def evaluate_ensembles(where: str | Path | Repository, tasks: Sequence[str] | None = None,
                       configs: Sequence[str] | None = None, size: int = MEMBERS,
                       seconds: float | None = None) -> pd.DataFrame:
    """Evaluate ensembles of chosen configs on chosen tasks (TabRepo's ``evaluate_ensembles``).

    Parameters
    ----------
    where : str, Path or Repository
        As for `open_records`.
    tasks, configs : sequence of str, optional
        By default all. Configs are trained in the order given, without those that have no
        result on a task.
    size : int
        Picks of an ensemble.
    seconds : float, optional
        Of training, as `trained_configs` counts them; the repository's fallback stands in.

    Returns
    -------
    pandas.DataFrame
        Index ``dataset, fold``; ``error, valid_error, train_time`` (of all trained),
        ``infer_time`` (of those with weight), ``configs, members, fallback``; then a column of
        weights per config, NaN where it was not trained.

    Raises
    ------
    ValueError, UnknownNameError, BudgetError
        As `open_records`, `trained_configs` and `analysis.ensembles.fit_ensemble` do.
    """
    for name, chosen in (("tasks", tasks), ("configs", configs)):
        if chosen is not None and not len(chosen):
            raise ValueError(f"`{name}` is empty: name some, or leave it out for all.")
    repository = where if isinstance(where, Repository) else open_repository(where)
    records, names = opening.open_records(repository.subset(tasks, configs), whole=False)
    fallback = None if repository.fallback is None else names.index(repository.fallback)
    rows, weights = [], np.full((len(records), len(names)), np.nan)
    for record, own in zip(records, weights, strict=True):
        ran = np.flatnonzero(np.isfinite(record.test_error))
        trained, stands_in = trained_configs(ran, record, seconds, fallback)
        row, own[trained] = _evaluate("greedy_published", trained, record, size, 0)
        rows.append({"dataset": record.dataset, "fold": record.fold, **row, "fallback": stands_in})
    table = pd.DataFrame(rows).drop(columns="ensembler").set_index(["dataset", "fold"])
    return table.join(pd.DataFrame(weights, table.index, names))


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

    def __init__(self, records: Sequence[TaskRecord], size: int = SIZE,
                 procedure: str = "published"):
        opening.check_records(records)
        check_known("procedure", [procedure], PROCEDURES)
        self.records, self.size, self.way = list(records), size, PROCEDURES[procedure]
        self.names = np.array([r.dataset for r in records])
        folds = Counter(self.names)
        self.datasets = list(folds)
        if len(self.datasets) < 2:
            raise ValueError("Leaving one dataset out needs at least two; there is only "
                             f"{self.datasets[0]}.")
        self.values = self.way.criterion(check_errors([r.test_error for r in records], size))
        self.times = np.array([r.train_time for r in records]) if self.way.by_cost else None
        self.weights = np.array([1 / folds[name] for name in self.names])

    def portfolio(self, dataset: str) -> Portfolio:
        """Return the portfolio learned on the test errors of all other datasets."""
        others = self.names != dataset
        return pick_configs(
            self.values[others], self.size, self.way, self.weights[others],
            None if self.times is None else self.times[others])


def leave_one_out(records: Sequence[TaskRecord], size: int = SIZE, procedure: str = "published",
                  budgets: Iterable[float | None] = (None,), fallback: int | None = None,
                  ensemblers: Iterable[str] = ("single_best", "greedy_published"),
                  members: int = MEMBERS, seed: int = 0, workers: int = 1) -> pd.DataFrame:
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


def search_randomly(records: Sequence[TaskRecord], budgets: Iterable[float | None],
                    among: Sequence[int] | None = None, draws: int = DRAWS, seed: int = 0,
                    **settings: Any) -> pd.DataFrame:
    """Simulate a random search: on each task, configs are trained in an order drawn for it.

    Parameters
    ----------
    records : sequence of TaskRecord
    budgets : iterable of float or None
        Seconds of training.
    among : sequence of int, optional
        Positions of the configs that are searched, such as those of a family; by default all.
    draws, seed : int
        Orders on each task, and what they are drawn with.
    **settings
        Of `evaluate_portfolio`: ``fallback, ensemblers, members``.

    Returns
    -------
    pandas.DataFrame
        The rows of `evaluate_portfolio`, and ``draw``.
    """
    budgets, rows = list(budgets), []
    among = np.arange(len(records[0].test_error)) if among is None else np.asarray(among)
    for place, record in enumerate(records):
        record, = opening.in_memory([record])
        for draw in range(draws):
            order = np.random.default_rng([seed, place, draw]).permutation(among)
            rows += [row | {"draw": draw} for row in
                     evaluate_portfolio(order, record, budgets, seed=seed, **settings)]
    return pd.DataFrame(rows)


def with_places(results: pd.DataFrame, records: Sequence[TaskRecord]) -> pd.DataFrame:
    """Add where each error stands among all configs on its task.

    Returns
    -------
    pandas.DataFrame
        With the columns ``normalized_error`` (0 is the best config of the task by test error, 1
        the median; cut to [0, 1]) and ``rank`` (1: better than all configs).
    """
    errors = {(r.dataset, r.fold): r.test_error for r in records}
    among = [(np.array([row.error]), errors[row.dataset, row.fold]) for row in results.itertuples()]
    return results.assign(
        normalized_error=[normalize_among(*pair)[0] for pair in among],
        rank=[1 + place_among(*pair, partial=False)[0] for pair in among])


def summarise(results: pd.DataFrame, by: Sequence[str] = ("method",)) -> pd.DataFrame:
    """Average results over tasks, with 95 % intervals from resampling datasets.

    Parameters
    ----------
    results : pandas.DataFrame
        From `with_places`.
    by : sequence of str
        Columns of which each combination is a row.

    Returns
    -------
    pandas.DataFrame
        Those of `by`, ``normalized_error, low, high, rank, rank_low, rank_high, train_time,
        infer_time`` (s), ``configs, members``, ``datasets`` (how many).
    """
    rows = []
    for key, part in results.groupby(list(by), sort=False):
        row = dict(zip(by, key, strict=True))
        for name, own in (("normalized_error", ""), ("rank", "rank_")):
            low, high = mean_interval(part[name], part["dataset"])
            row |= {name: part[name].mean(), f"{own}low": low, f"{own}high": high}
        rows.append(row | part[["train_time", "infer_time", "configs", "members"]].mean().to_dict()
                    | {"datasets": part["dataset"].nunique()})
    return pd.DataFrame(rows)
