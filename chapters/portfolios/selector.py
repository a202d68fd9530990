"""Auto-sklearn 2.0 on 208 datasets: always the best strategy, a learned choice, a portfolio.

Its selector asks, for each pair of strategies, a forest that knows two numbers of a dataset, its
rows and its features, which of the two is better; the strategy with most votes is run. With its
published settings (no bootstrap, all features at each split) the trees of a forest are one tree.
"""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from analysis.leaderboards.measures import ranks
from analysis.leaderboards.tables import FOLDER, load_results
from analysis.portfolios.matrix import pick_many, random_by_size
from analysis.statistics.sign_flips import each_p
from analysis.statistics.summary import summarise
from collection.paths import shipped

TREE = {"max_depth": 6, "min_samples_leaf": 9, "min_samples_split": 19, "random_state": 0}
FOLDS = 10
ALWAYS = "always the strategy best on the others"


def strategies() -> tuple[np.ndarray, list[str], pd.DataFrame]:
    """Return the errors of the strategies, their names, and what is known of the tasks.

    Returns
    -------
    errors : ndarray, shape (task, strategy)
        Balanced error, as published: lower is better.
    names : list of str
    tasks : pandas.DataFrame
        Columns ``task, rows, features``, and ``relatives``: tasks with as many rows and features
        count as near-duplicates of one another.
    """
    table = load_results("askl2")
    wide = table.assign(task=table["task"].astype(str)).pivot(
        index="task", columns="method", values="value")
    tasks = pd.read_csv(shipped(FOLDER / "askl2_tasks.csv"), dtype={"task": str}).set_index("task")
    tasks = tasks.loc[wide.index].reset_index()
    shape = tasks["rows"].astype(str) + " x " + tasks["features"].astype(str)
    return wide.to_numpy(), list(wide.columns), tasks.assign(relatives=shape)


def left_out_choices(errors: np.ndarray, tasks: pd.DataFrame,
                     learn: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray],
                     folds: int = FOLDS, seed: int = 0) -> np.ndarray:
    """Return the strategy chosen for each task by what was learned without its near-duplicates.

    Parameters
    ----------
    errors : ndarray, shape (task, strategy)
    tasks : pandas.DataFrame
        From `strategies`.
    learn : callable
        From errors and features to learn from, and features of others, to positions of strategies.
    folds, seed : int
        Of the split by near-duplicates.

    Returns
    -------
    ndarray of int, shape (task,)
    """
    groups, names = pd.factorize(tasks["relatives"])
    fold = np.random.default_rng(seed).permutation(len(names))[groups] % folds
    features = np.log(tasks[["rows", "features"]].to_numpy(float))
    chosen = np.empty(len(errors), int)
    for k in range(folds):
        out = fold == k
        chosen[out] = learn(errors[~out], features[~out], features[out])
    return chosen


def best_on_average(errors: np.ndarray, features: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Choose the strategy with the lowest mean error for all."""
    return np.full(len(others), errors.mean(axis=0).argmin())


def vote(errors: np.ndarray, features: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Choose by a tree for each pair of strategies, weighed by how far the two are apart."""
    votes = np.zeros((len(others), errors.shape[1]))
    for one, other in combinations(range(errors.shape[1]), 2):
        apart = errors[:, one] - errors[:, other]
        tree = DecisionTreeClassifier(**TREE).fit(features, apart < 0, np.abs(apart) + 1e-12)
        better = tree.predict(others)
        votes[:, one] += better
        votes[:, other] += ~better
    return votes.argmax(axis=1)


def compare_strategies() -> pd.DataFrame:
    """Compare ways to run the strategies on a new dataset.

    Returns
    -------
    pandas.DataFrame
        Columns ``way, runs`` (of a strategy, each with the whole budget), ``error, low, high``
        (balanced error in percent, mean over tasks, 95 % interval over families),
        ``difference, difference_low, difference_high, p`` (to always running the strategy that is
        best on the others; sign flips of families), ``n`` (families).
    """
    errors, _, tasks = strategies()
    relatives, every = tasks["relatives"].to_numpy(object), np.arange(len(errors))
    others = relatives[:, None] != relatives[None]
    orders = pick_many(ranks(errors), others, 3)
    best_of = {k: np.take_along_axis(errors, orders[:, :k], axis=1).min(axis=1) for k in (2, 3)}
    always = errors[every, left_out_choices(errors, tasks, best_on_average)]
    ways = {ALWAYS: (1, always), "one at random": (1, errors.mean(axis=1)),
            "the learned choice": (1, errors[every, left_out_choices(errors, tasks, vote)]),
            **{f"a portfolio of {k}, the better in hindsight": (k, v) for k, v in best_of.items()},
            **{f"{k} at random, the better in hindsight": (k, random_by_size(errors)[:, k - 1])
               for k in (2, 3)},
            "the best of all in hindsight": (errors.shape[1], errors.min(axis=1))}
    return pd.DataFrame([{"way": way, "runs": runs, **_compared(values, always, relatives)}
                         for way, (runs, values) in ways.items()])


def _compared(values: np.ndarray, always: np.ndarray, relatives: np.ndarray) -> dict[str, float]:
    own, apart = summarise(100 * values, relatives), summarise(100 * (values - always), relatives)
    means = pd.Series(values - always).groupby(relatives).mean().to_numpy()
    return {"error": own.value, "low": own.low, "high": own.high, "difference": apart.value,
            "difference_low": apart.low, "difference_high": apart.high,
            "p": float(each_p(means[:, None])[0]), "n": own.n}
