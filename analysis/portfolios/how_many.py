"""How many datasets it takes to learn a portfolio."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from analysis.leaderboards.measures import normalized_errors, ranks
from analysis.portfolios.matrix import ErrorMatrix

AT_ONCE = 2**18  # numbers worked on together, which stay in the cache
NUMBERS = (5, 10, 17, 30, 50)  # datasets to learn from, drawn; and all others
DRAWS = 100
SIZE = 10  # configs of the portfolio
CRITERIA = {"ranks": ranks, "normalised errors": normalized_errors}


def pick_many(values: np.ndarray, learned: np.ndarray, size: int) -> np.ndarray:
    """Pick many portfolios greedily at once, each on tasks of its own.

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
    step = max(1, AT_ONCE // values.size)
    return np.concatenate([_pick(values, learned[k:k + step], size)
                           for k in range(0, len(learned), step)])


def _pick(values: np.ndarray, learned: np.ndarray, size: int) -> np.ndarray:
    every = np.arange(len(learned))
    least = np.where(learned, np.inf, 0.0)  # what is not learned on adds nothing
    mean, free = learned.astype(float) @ values, np.ones((len(learned), values.shape[1]), bool)
    order = np.empty((len(learned), size), int)
    for step in range(size):
        sums = np.minimum(values[None], least[:, :, None]).sum(axis=1)
        lowest = np.where(free, sums, np.inf).min(axis=1, keepdims=True)
        equal = free & (sums <= lowest * (1 + 1e-12))
        picks = np.where(equal, mean, np.inf).argmin(axis=1)
        order[:, step], free[every, picks] = picks, False
        np.minimum(least, values[:, picks].T, out=least)
    return order


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
    normalized, tables = normalized_errors(matrix.errors), []
    tasks, n = np.asarray(matrix.tasks, object), len(matrix.tasks)
    for criterion, values in ((name, how(matrix.errors)) for name, how in CRITERIA.items()):
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
