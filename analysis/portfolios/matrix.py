"""Portfolios judged by a matrix of errors alone, at every size.

Without predictions there is no ensemble, and without validation rows nothing to choose a config by:
a portfolio's error on a task is the lowest of its configs', chosen in hindsight. What is compared
with it is given the same hindsight: as many random configs, as many of the best on average. And
how many datasets it takes to learn a portfolio.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import hypergeom

from analysis.databases.evaluations import load_evaluations
from analysis.leaderboards.measures import normalized_errors, ranks
from analysis.portfolios.select import PROCEDURES, cover, pick_configs
from analysis.statistics.bootstrap import ratio_of_sums_interval
from analysis.statistics.families import families
from analysis.statistics.summary import summarise
from collection.project.naming import check_known

#: What a config is worth on a task, relative to all configs there; lower is better.
MEASURES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "normalized_error": normalized_errors, "rank": ranks}


RANDOM, AVERAGE, QUICK = "random configs", "best on average", "quickest first"


@dataclass(frozen=True)
class ErrorMatrix:
    """Errors and seconds of all configs on all tasks.

    Attributes
    ----------
    errors, train_times : ndarray, shape (task, config)
    tasks, configs : sequence of str
    relatives : ndarray of object, shape (task,)
        The family of near-duplicates of each task's dataset.
    facts : xarray.Dataset
        What is known of the tasks: coordinates along ``task``.
    """

    errors: np.ndarray
    train_times: np.ndarray
    tasks: Sequence[str]
    configs: Sequence[str]
    relatives: np.ndarray
    facts: xr.Dataset

    @cached_property
    def measures(self) -> dict[str, np.ndarray]:
        """Each of `MEASURES`, shape (task, config)."""
        return {name: measure(self.errors) for name, measure in MEASURES.items()}

    def others(self, task: int) -> np.ndarray:
        """Return which tasks are no relatives of one, shape (task,)."""
        return self.relatives != self.relatives[task]


def open_matrix(where: str | Path) -> ErrorMatrix:
    """Open the errors of a repository as a matrix, means over repeats and folds.

    Parameters
    ----------
    where : str or Path
        As for `analysis.load_evaluations`.

    Raises
    ------
    ValueError
        Where an evaluation has no test error.
    """
    found = load_evaluations(where)
    error = found["error"].sel(split="test").mean(["repeat", "fold"]).transpose("task", "learner")
    seconds = found["train_time"].mean(["repeat", "fold"]).transpose("task", "learner")
    if error.isnull().any():
        lacks = int(error.isnull().sum())
        raise ValueError(f"{lacks} of {error.size} evaluations of {where} have no test error: a "
                         "matrix has to be whole. Take a subset of the configs or tasks.")
    relatives = (found["relatives"].values if "relatives" in found.coords else
                 families(found["task"].values.tolist()))
    return ErrorMatrix(error.values, seconds.values, error["task"].values.tolist(),
                       error["learner"].values.tolist(), relatives,
                       found[["task"]].reset_coords())


def left_out_orders(matrix: ErrorMatrix, procedure: str = "published",
                    size: int | None = None) -> list[np.ndarray]:
    """Return the portfolio for each task, learned on all others but its near-duplicates.

    Parameters
    ----------
    matrix : ErrorMatrix
    procedure : str
        A name in `analysis.portfolios.PROCEDURES`.
    size : int, optional
        Configs at most; by default all.

    Returns
    -------
    list of ndarray of int
        Positions of configs, none twice; may be fewer than `size`.
    """
    check_known("procedure", [procedure], PROCEDURES)
    way, size = PROCEDURES[procedure], size or len(matrix.configs)
    values = way.criterion(matrix.errors)
    return [pick_configs(values[others], size, way, None, matrix.train_times[others]).order
            for others in map(matrix.others, range(len(values)))]


def best_on_average(matrix: ErrorMatrix) -> list[np.ndarray]:
    """Return, for each task, all configs by their mean rank on the others, the best first."""
    values = ranks(matrix.errors)
    return [np.argsort(values[matrix.others(task)].mean(axis=0), kind="stable")
            for task in range(len(values))]


def quickest_first(matrix: ErrorMatrix) -> list[np.ndarray]:
    """Return, for each task, all configs by their mean seconds of training on the others."""
    return [np.argsort(matrix.train_times[matrix.others(task)].mean(axis=0), kind="stable")
            for task in range(len(matrix.train_times))]


def lowest_by_size(values: np.ndarray, orders: Sequence[np.ndarray]) -> np.ndarray:
    """Return the lowest value among each portfolio's first so many configs.

    Parameters
    ----------
    values : ndarray, shape (task, config)
        A measure that is lower where the error is.
    orders : sequence of ndarray of int
        A portfolio per task.

    Returns
    -------
    ndarray, shape (task, size)
        Sizes from 1 to all configs; a shorter portfolio stays as it is.
    """
    return total_by_size(np.minimum.accumulate, values, orders)


def total_by_size(total: Callable[[np.ndarray], np.ndarray], values: np.ndarray,
                  orders: Sequence[np.ndarray]) -> np.ndarray:
    """Return a running total along each portfolio, shape (task, size)."""
    found = np.empty(values.shape)
    for row, own, order in zip(found, values, orders, strict=True):
        row[:len(order)] = total(own[order])
        row[len(order):] = row[len(order) - 1]
    return found


def random_by_size(values: np.ndarray) -> np.ndarray:
    """Return the mean lowest value of random configs, drawn without repetition, exactly.

    Parameters
    ----------
    values : ndarray, shape (task, config)

    Returns
    -------
    ndarray, shape (task, size)
        That the i-th lowest is the lowest of k has the chance that none of the i − 1 below is
        drawn, less that none of the i lowest is.
    """
    n = values.shape[1]
    none_of = hypergeom.pmf(0, n, np.arange(1, n + 1), np.arange(n + 1)[:, None])
    return np.sort(values, axis=1) @ -np.diff(none_of, axis=0)


def compare_sizes(matrix: ErrorMatrix, procedures: Sequence[str] = ("published",)) -> pd.DataFrame:
    """Return what portfolios of every size, and their rivals, are worth and cost.

    Parameters
    ----------
    matrix : ErrorMatrix
    procedures : sequence of str
        Names in `analysis.portfolios.PROCEDURES`.

    Returns
    -------
    pandas.DataFrame
        Columns ``method`` (a procedure, "best on average", "quickest first", "random configs"),
        ``size``, each of `MEASURES` with ``_low`` and ``_high`` (means over tasks, 95 % intervals
        from resampling families), ``seconds`` (of training, mean).
    """
    orders = {name: left_out_orders(matrix, name) for name in procedures}
    orders |= {AVERAGE: best_on_average(matrix), QUICK: quickest_first(matrix)}
    worth = {name: ({m: lowest_by_size(v, own) for m, v in matrix.measures.items()},
                    total_by_size(np.cumsum, matrix.train_times, own))
             for name, own in orders.items()}
    mean = matrix.train_times.mean(axis=1, keepdims=True)
    worth[RANDOM] = ({m: random_by_size(v) for m, v in matrix.measures.items()},
                     mean * np.arange(1, len(matrix.configs) + 1))
    return pd.concat([_by_size(matrix, name, *own) for name, own in worth.items()],
                     ignore_index=True)


def compare_in_time(matrix: ErrorMatrix, sizes: Sequence[int], draws: int = 100,
                    procedures: Sequence[str] = ("published", "normalized", "cost_aware")
                    ) -> pd.DataFrame:
    """Return what orders of configs are worth where each dataset gives all the same seconds.

    Parameters
    ----------
    matrix : ErrorMatrix
    sizes : sequence of int
        The seconds given are those of so many of a dataset's configs, of average length. The first
        config of an order is trained to its end all the same.
    draws : int
        Random orders, whose mean is taken.
    procedures : sequence of str
        Names in `analysis.portfolios.PROCEDURES`.

    Returns
    -------
    pandas.DataFrame
        Columns ``rival`` (a procedure, `QUICK` or `RANDOM`), ``configs`` (of `sizes`),
        ``normalized_error, low, high``, by how much that of random orders is above it
        (``difference, difference_low, difference_high``), ``n`` (families), and likewise that of
        the quickest first (``quick, quick_low, quick_high``): means with 95 % intervals.
    """
    values, seconds = matrix.measures["normalized_error"], matrix.train_times
    given = seconds.mean(axis=1)[:, None] * np.asarray(sizes)

    def in_time(order: Sequence[np.ndarray]) -> np.ndarray:
        spent = total_by_size(np.cumsum, seconds, order)
        ended = (spent[:, None] <= given[:, :, None]).sum(axis=2).clip(1)
        return np.take_along_axis(lowest_by_size(values, order), ended - 1, axis=1)

    found = {name: in_time(left_out_orders(matrix, name)) for name in procedures}
    found[QUICK] = in_time(quickest_first(matrix))
    generator = np.random.default_rng(0)
    found[RANDOM] = np.mean([in_time([generator.permutation(len(matrix.configs)) for _ in values])
                             for _ in range(draws)], axis=0)
    rows = []
    for name, place in product(found, range(len(sizes))):
        own, random, quick = (found[of][:, place] for of in (name, RANDOM, QUICK))
        mean, ahead, beside = (summarise(value, matrix.relatives)
                               for value in (own, random - own, quick - own))
        rows.append((name, sizes[place], mean.value, mean.low, mean.high, ahead.value, ahead.low,
                     ahead.high, mean.n, beside.value, beside.low, beside.high))
    return pd.DataFrame(rows, columns=[
        "rival", "configs", "normalized_error", "low", "high", "difference", "difference_low",
        "difference_high", "n", "quick", "quick_low", "quick_high"])


def _by_size(matrix: ErrorMatrix, method: str, values: dict[str, np.ndarray],
             seconds: np.ndarray) -> pd.DataFrame:
    """Summarise values and seconds, shape (task, size), over tasks."""
    columns = {"method": method, "size": np.arange(1, seconds.shape[1] + 1)}
    for name, found in values.items():
        low, high = ratio_of_sums_interval(found, np.ones(len(found)), matrix.relatives)
        columns |= {name: found.mean(axis=0), f"{name}_low": low, f"{name}_high": high}
    return pd.DataFrame(columns | {"seconds": seconds.mean(axis=0)})


NUMBERS = (5, 10, 17, 30, 50)  # datasets to learn from, drawn; and all others
DRAWS = 100
SIZE = 10  # configs of the portfolio
CRITERIA = {"ranks": "rank", "normalised errors": "normalized_error"}  # of `MEASURES`


def pick_many(values: np.ndarray, learned: np.ndarray, size: int) -> np.ndarray:
    """Pick many portfolios greedily, each on tasks of its own.

    Parameters
    ----------
    values : ndarray, shape (task, config)
        What is to be low, such as ranks within each task; 0 or more.
    learned : ndarray of bool, shape (portfolio, task)
        Which tasks each is learned on.
    size : int

    Returns
    -------
    ndarray of int, shape (portfolio, size)
        As `select_portfolio` picks, but of equal ones the best on average: where no config makes
        anything better, it goes on with these, so that all portfolios have the same size.
    """
    orders = []
    for own in (values[rows] for rows in learned):
        best = own.mean(axis=0).argsort(kind="stable")
        order, _ = cover(own[:, best], size, stop_unchanged=False)
        orders.append(best[order])
    return np.array(orders)


def learned_on(matrix: ErrorMatrix, numbers: Iterable[int] = NUMBERS, draws: int = DRAWS,
               size: int = SIZE) -> pd.DataFrame:
    """Learn portfolios on random datasets, so many, and judge them on all that are no relatives.

    Parameters
    ----------
    matrix : ErrorMatrix
    numbers : iterable of int
        Datasets to learn from.
    draws, size : int
        Draws of each number; configs of a portfolio.

    Returns
    -------
    pandas.DataFrame
        Columns ``criterion`` (key of `CRITERIA`), ``number, draw, task, normalized_error`` (of the
        best of the portfolio, chosen in hindsight). All other datasets: each task's portfolio is
        learned on all but its relatives.
    """
    normalized, tables = matrix.measures["normalized_error"], []
    tasks, n = np.asarray(matrix.tasks, object), len(matrix.tasks)
    for criterion, measure in CRITERIA.items():
        values = matrix.measures[measure]
        for number in numbers:
            learned = draw_tasks(n, number, draws)
            for draw, order in enumerate(pick_many(values, learned, size)):
                other = ~np.isin(matrix.relatives, matrix.relatives[learned[draw]])
                tables.append(pd.DataFrame({
                    "criterion": criterion, "number": number, "draw": draw, "task": tasks[other],
                    "normalized_error": normalized[other][:, order].min(axis=1)}))
        others = matrix.relatives[:, None] != matrix.relatives[None]
        orders = pick_many(values, others, size)
        tables.append(pd.DataFrame({
            "criterion": criterion, "number": n - 1, "draw": 0, "task": tasks,
            "normalized_error": np.take_along_axis(normalized, orders, axis=1).min(axis=1)}))
    return pd.concat(tables, ignore_index=True)


def draw_tasks(tasks: int, number: int, draws: int) -> np.ndarray:
    """Return which of some tasks each draw has: bool, shape (draw, task)."""
    generator = np.random.default_rng([0, number])
    drawn = np.zeros((draws, tasks), bool)
    for row in drawn:
        row[generator.permutation(tasks)[:number]] = True
    return drawn
