"""What a portfolio is worth by how many datasets it was learned on: of a matrix of errors."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from analysis.leaderboards.measures import normalized_errors, ranks
from analysis.portfolios.matrix import ErrorMatrix, open_matrix, pick_many

NUMBERS = (5, 10, 17, 30, 50)  # datasets to learn from, drawn; and all others
DRAWS = 100
SIZE = 10  # configs of the portfolio
CRITERIA = {"ranks": ranks, "normalised errors": normalized_errors}


def learned_on(matrix: ErrorMatrix, numbers: Iterable[int] = NUMBERS, draws: int = DRAWS,
               size: int = SIZE, seed: int = 0) -> pd.DataFrame:
    """Learn portfolios on random datasets, so many, and judge them on all that are no relatives.

    Parameters
    ----------
    matrix : ErrorMatrix
    numbers : iterable of int
        Datasets to learn from.
    draws, size, seed : int
        Draws of each number; configs of a portfolio; of the draws.

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
            learned = draw_tasks(n, number, draws, seed)
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


def draw_tasks(tasks: int, number: int, draws: int, seed: int) -> np.ndarray:
    """Return which of some tasks each draw has: bool, shape (draw, task)."""
    generator = np.random.default_rng([seed, number])
    drawn = np.zeros((draws, tasks), bool)
    for row in drawn:
        row[generator.permutation(tasks)[:number]] = True
    return drawn


def more_training_datasets(least: int = NUMBERS[0]) -> pd.Series:
    """Return what all other datasets change against a few to learn from, by dataset.

    Returns
    -------
    pandas.Series
        Normalised error of portfolios of ten configs, learned on all others, less the mean over
        draws of those learned on `least`; index: OpenML's ids of the datasets.
    """
    matrix = open_matrix("tabrepo-lightgbm")
    table = learned_on(matrix, [least]).query("criterion == 'ranks'")
    mean = table.groupby(["number", "task"])["normalized_error"].mean().unstack("number")
    change = mean[len(matrix.tasks) - 1] - mean[least]
    names = pd.Series(matrix.relatives, matrix.tasks)
    return change.rename(index=names.to_dict())
