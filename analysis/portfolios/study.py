"""Portfolios judged by leaving each dataset out in turn (TabRepo, Section 5)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pandas as pd

from analysis.portfolios.anytime import MEMBERS, evaluate_portfolio
from analysis.portfolios.records import TaskRecord, check_records, fold_weights
from analysis.portfolios.select import PROCEDURES, Portfolio, check_errors, pick_configs
from collection.naming import check_known

SIZE = 200  # configs of a portfolio at most (TabRepo, Appendix A)


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
    features : dict of str to ndarray, optional
        Meta-features of each dataset, for ``"similar"``.

    Raises
    ------
    ValueError
        For fewer than two datasets, and as `select_portfolio` does.
    UnknownNameError
        For an unknown procedure.
    """

    def __init__(
        self, records: Sequence[TaskRecord], size: int = SIZE, procedure: str = "published",
        features: dict[str, np.ndarray] | None = None,
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
        self.features = features

    def portfolio(self, dataset: str) -> Portfolio:
        """Return the portfolio learned on the test errors of all other datasets."""
        others = self.names != dataset
        features = query = None
        if self.features is not None:
            features = np.array([self.features[name] for name in self.names[others]])
            query = self.features[dataset]
        return pick_configs(
            self.values[others], self.size, self.way, self.weights[others],
            None if self.times is None else self.times[others], features, query)

    def tasks(self, dataset: str) -> Iterator[TaskRecord]:
        """Yield the tasks of a dataset."""
        return (r for r in self.records if r.dataset == dataset)


def leave_one_out(
    records: Sequence[TaskRecord],
    size: int = SIZE,
    procedure: str = "published",
    budgets: Iterable[float | None] = (None,),
    fallback: int | None = None,
    ensemblers: Iterable[str] = ("single_best", "greedy_published"),
    members: int = MEMBERS,
    features: dict[str, np.ndarray] | None = None,
    seed: int = 0,
    workers: int = 1,
) -> pd.DataFrame:
    """Learn a portfolio for each dataset on all others, and evaluate it on that dataset's tasks.

    Parameters
    ----------
    records : sequence of TaskRecord
        All with the same configs.
    size, procedure, features
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
    job = _Job(LeftOut(records, size, procedure, features),
               dict(budgets=list(budgets), fallback=fallback, ensemblers=list(ensemblers),
                    members=members, seed=seed))
    parts = _spread(job, job.left_out.datasets, workers)
    return pd.DataFrame([row for part in parts for row in part])


class _Job:
    """The evaluation of one dataset."""

    def __init__(self, left_out: LeftOut, settings: dict):
        self.left_out, self.settings = left_out, settings

    def __call__(self, dataset: str) -> list[dict]:
        order = self.left_out.portfolio(dataset).order
        return [row for record in self.left_out.tasks(dataset)
                for row in evaluate_portfolio(order, record, **self.settings)]


def _spread(job: Callable, items: list[str], workers: int) -> Iterator[list[dict]]:
    """Yield the job's result for each item, in order, worked out by some processes."""
    if workers <= 1:
        yield from map(job, items)
        return
    with ProcessPoolExecutor(workers, initializer=_keep, initargs=(job,)) as pool:
        yield from pool.map(_run, items)


def _keep(job: Callable) -> None:
    global _JOB
    _JOB = job


def _run(item: str) -> list[dict]:
    return _JOB(item)
