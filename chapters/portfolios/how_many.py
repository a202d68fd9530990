"""How many datasets it takes: to learn a portfolio, and to tell whether it is any good."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from analysis.leaderboards.measures import normalized_errors, ranks
from analysis.portfolios.matrix import ErrorMatrix, random_by_size
from analysis.statistics.bootstrap import ratio_of_sums_interval
from analysis.statistics.sign_flips import each_p
from analysis.statistics.summary import summarise
from lab.learned_on import DRAWS, NUMBERS, SIZE, pick_many

ALPHA = 0.05
DEFAULT = "LightGBM_c1"
RIVALS = {"default": "the default config alone", "average": "the ten best on average",
          "random": "ten random configs"}


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
