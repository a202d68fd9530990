"""How much of a family's spread of errors goes with each hyperparameter (TabRepo, Figure 3)."""

import json

import numpy as np
import pandas as pd
import xarray as xr
from sklearn.ensemble import ExtraTreesRegressor

from analysis.statistics.bootstrap import holm
from analysis.statistics.summary import summarise

LEAST = 5  # configs of a family, for it to be looked at
POINTS, TREES = 500, 100  # that the space is covered by; of a forest
COLUMNS = ["family", "hyperparameter", "configs", "tasks", "share", "low", "high", "chance", "p",
           "p_holm"]


def hyperparameter_importance(evaluations: xr.Dataset, seed: int = 0,
                              n_resamples: int = 2000) -> pd.DataFrame:
    """Split each family's variance of errors over its space, by functional ANOVA.

    As the paper has it (Hutter, Hoos and Leyton-Brown, 2014): a forest of errors by hyperparameters
    for each task, and the share of its variance that is due to one of them alone. Its trees are cut
    at random, so that forests of all tasks and permutations are one.

    Parameters
    ----------
    evaluations : xarray.Dataset
        As of `load_evaluations`; errors are means over folds and repeats.
    seed, n_resamples : int
        Of points, trees and permutations.

    Returns
    -------
    pandas.DataFrame
        A row per family and hyperparameter, the largest share of a family first: ``configs`` that
        state all of the family's hyperparameters (5 or more, else there is no row), ``tasks`` on
        which all have an error, ``share, low, high`` (percent of a task's variance, mean with 95 %
        interval over families of datasets), ``chance`` (the median of that mean with the configs'
        hyperparameters permuted), ``p`` (how often it is as large then), ``p_holm`` (of all rows).
    """
    errors = evaluations["error"].sel(split="test").mean(["repeat", "fold"]).transpose(
        "learner", "task").to_pandas()
    stated = evaluations["hyperparameters"].to_series().map(
        lambda text: json.loads(text or "{}"))
    rows = []
    for family, own in stated.groupby(evaluations["family"].to_series(), sort=False):
        settings = [config for config in own if len(config) == max(map(len, own))]
        table = pd.DataFrame(settings, own.index[own.map(len) == max(map(len, own))])
        table = table.apply(_codes).loc[:, lambda t: t.nunique() > 1]
        y = errors.loc[table.index].dropna(axis="columns")
        y = y.loc[:, y.nunique() > 1]
        if len(table) < LEAST or table.empty or y.empty:
            continue
        generator = np.random.default_rng(seed)
        x, n = table.to_numpy(float), len(table)
        points = np.column_stack([generator.choice(column, POINTS) for column in x.T])
        forest = ExtraTreesRegressor(TREES, max_features=1, random_state=seed).fit(x, np.eye(n))
        orders = [np.arange(n), *(generator.permutation(n) for _ in range(n_resamples))]
        shuffled = y.to_numpy()[np.array(orders)].swapaxes(0, 1)  # config, permutation, task
        total = _variance(forest.predict(points), shuffled)
        for k, name in enumerate(table):
            alone = np.array([_at(points, k, value, forest) for value in x[:, k]])
            share = 100 * np.divide(_variance(alone, shuffled), total, where=total > 0,
                                    out=np.zeros(total.shape))
            means, of_task = share.mean(axis=1), summarise(share[0], y.columns)
            rows.append({"family": family, "hyperparameter": name, "configs": n,
                         "tasks": y.shape[1], "share": of_task.value, "low": of_task.low,
                         "high": of_task.high, "chance": np.median(means[1:]),
                         "p": (means >= means[0] - 1e-9).mean()})
    found = pd.DataFrame(rows, columns=COLUMNS[:-1])
    return found.assign(p_holm=holm(found["p"])).sort_values(
        ["family", "share"], ascending=[True, False], ignore_index=True)


def _codes(values: pd.Series) -> pd.Series:
    """Return numbers by their rank, anything else by the alphabet: trees are cut between."""
    if not pd.api.types.is_numeric_dtype(values) or values.isna().any():
        values = values.astype(str)
    return values.rank(method="dense")


def _at(points: np.ndarray, column: int, value: float, forest: object) -> np.ndarray:
    """Return the weights of the configs' errors in the mean where a column has a value."""
    fixed = points.copy()
    fixed[:, column] = value
    return forest.predict(fixed).mean(axis=0)


def _variance(weights: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Return the variance of weighted errors over the weights' rows."""
    covariance = np.cov(weights, rowvar=False, bias=True)
    return np.einsum("ipt,ij,jpt->pt", errors, covariance, errors, optimize=True)
