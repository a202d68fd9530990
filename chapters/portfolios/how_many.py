"""How many datasets it takes: to learn a portfolio, and to tell whether it is any good."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from analysis.leaderboards.measures import normalized_errors, ranks
from analysis.portfolios.matrix import (
    ErrorMatrix,
    open_matrix,
    pick_many,
    random_by_size,
)
from analysis.statistics.bootstrap import ratio_of_sums_interval
from analysis.statistics.sign_flips import each_p
from analysis.statistics.summary import summarise

NUMBERS = (5, 10, 17, 30, 50)  # datasets to learn from, drawn; and all others
DRAWS = 100
SIZE = 10  # configs of the portfolio
ALPHA = 0.05
DEFAULT = "LightGBM_c1"
RIVALS = {"default": "the default config alone", "average": "the ten best on average",
          "random": "ten random configs"}
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
            learned = _draw(n, number, draws, seed)
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


def _draw(tasks: int, number: int, draws: int, seed: int) -> np.ndarray:
    """Return which tasks are drawn, shape (draw, task)."""
    generator = np.random.default_rng([seed, number])
    drawn = np.zeros((draws, tasks), bool)
    for row in drawn:
        row[generator.permutation(tasks)[:number]] = True
    return drawn


def by_number(table: pd.DataFrame) -> pd.DataFrame:
    """Summarise what portfolios are worth by how many datasets they were learned on.

    Parameters
    ----------
    table : pandas.DataFrame
        From `learned_on`.

    Returns
    -------
    pandas.DataFrame
        Columns ``criterion, number, normalized_error`` (mean over draws of means over tasks),
        ``low, high`` (of nine draws in ten; NaN of a single one), ``draws``.
    """
    by = ["criterion", "number"]
    means = table.groupby([*by, "draw"])["normalized_error"].mean().groupby(by)
    several = means.size() > 1
    return pd.DataFrame({
        "normalized_error": means.mean(), "low": means.quantile(0.05).where(several),
        "high": means.quantile(0.95).where(several), "draws": means.size()}).reset_index()


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


def rival_differences(matrix: ErrorMatrix, kept: np.ndarray | None = None,
                      size: int = SIZE) -> np.ndarray:
    """Return how far portfolios of ten are from their rivals, on each of some datasets.

    Everything is learned with each dataset and its relatives left out, on the other kept ones.

    Parameters
    ----------
    matrix : ErrorMatrix
    kept : ndarray of int, optional
        Positions of the tasks; by default all.
    size : int

    Returns
    -------
    ndarray, shape (task, rival)
        Differences in normalised error, in the order of `RIVALS`; below 0 the portfolio, picked
        by ranks as published, is better.
    """
    kept = np.arange(len(matrix.tasks)) if kept is None else kept
    errors, relatives = matrix.errors[kept], matrix.relatives[kept]
    normalized, by_rank = normalized_errors(errors), ranks(errors)
    learned = relatives[:, None] != relatives[None]
    own = np.take_along_axis(normalized, pick_many(by_rank, learned, size), axis=1).min(axis=1)
    means = learned.astype(float) @ by_rank / learned.sum(axis=1, keepdims=True)
    average = np.take_along_axis(normalized, np.argsort(means, axis=1, kind="stable")[:, :size],
                                 axis=1).min(axis=1)
    return np.column_stack([own - normalized[:, list(matrix.configs).index(DEFAULT)],
                            own - average, own - random_by_size(normalized)[:, size - 1]])


def decided(matrix: ErrorMatrix, numbers: Iterable[int] = NUMBERS, draws: int = DRAWS,
            seed: int = 0) -> pd.DataFrame:
    """Return how often a study of so many datasets tells a portfolio from its rivals.

    A study tells them apart where the 95 % interval over families leaves 0 out and the exact test
    by sign flips is below 5 %.

    Returns
    -------
    pandas.DataFrame
        Columns ``rival`` (key of `RIVALS`), ``number`` (datasets), ``studies``, ``right`` and
        ``wrong`` (shares that tell them apart in the direction of all datasets, or the other),
        ``difference, low, high`` (on all datasets), ``n`` (families there).
    """
    whole = rival_differences(matrix)
    effects = [summarise(column, matrix.relatives) for column in whole.T]
    rows = []
    for number in (*numbers, len(matrix.tasks)):
        signs = _signs(matrix, number, draws if number < len(matrix.tasks) else 1, seed)
        for k, (rival, effect) in enumerate(zip(RIVALS, effects, strict=True)):
            told = signs[:, k] * np.sign(effect.value)
            rows.append({"rival": rival, "number": number, "studies": len(signs),
                         "right": (told > 0).mean(), "wrong": (told < 0).mean(),
                         "difference": effect.value, "low": effect.low, "high": effect.high,
                         "n": effect.n})
    return pd.DataFrame(rows)


def _signs(matrix: ErrorMatrix, number: int, draws: int, seed: int) -> np.ndarray:
    """Return what studies of so many datasets say, shape (study, rival): −1, 1, or 0 for open."""
    generator = np.random.default_rng([seed, number])
    said = []
    for _ in range(draws):
        kept = generator.permutation(len(matrix.tasks))[:number]
        said.append(tell(rival_differences(matrix, kept), matrix.relatives[kept]))
    return np.array(said)


def tell(differences: np.ndarray, relatives: Sequence[object]) -> np.ndarray:
    """Return the signs of mean differences that are clear, shape (comparison,); 0 if not."""
    means = pd.DataFrame(differences).groupby(np.asarray(relatives, object)).mean().to_numpy()
    low, high = ratio_of_sums_interval(means, np.ones(len(means)), None)
    sure = each_p(means) < ALPHA
    return np.where(sure & (high < 0), -1, np.where(sure & (low > 0), 1, 0))
