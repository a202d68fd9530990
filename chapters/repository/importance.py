"""How much of the variance of errors each hyperparameter explains alone: functional ANOVA.

Hutter et al. (2014): a random forest is fitted to errors by hyperparameters; in each tree the mean
over all other hyperparameters is exact, as leaves are boxes. Hyperparameters are taken as
independent, each distributed as among the configs at hand, so that no search space need be known
and scales do not matter.
"""

import json
from collections.abc import Mapping, Sequence
from itertools import product
from numbers import Real

import numpy as np
import pandas as pd
import xarray as xr
from sklearn.ensemble import RandomForestRegressor
from sklearn.tree import _tree

TREES = 64
FEATURES = 0.7  # share of the hyperparameters that a split may use, rounded up
LEAST = 8  # configs that a forest is fitted to
ABSENT = -1e300  # below every number: what a config does not set
UNTOLD = ("ag_args",)  # bookkeeping of TabRepo's configs, no hyperparameters


def importance(hyperparameters: pd.DataFrame, error: np.ndarray, trees: int = TREES) -> pd.Series:
    """Return the share of the errors' variance that each hyperparameter explains alone.

    Parameters
    ----------
    hyperparameters : pandas.DataFrame
        A row per config; numbers, NaN where not set (see `as_numbers`). A column at least.
    error : ndarray, shape (config,)
        Finite.
    trees : int
        Of the forest.

    Returns
    -------
    pandas.Series
        By hyperparameter, mean over trees; the rest to 1 is due to interactions. NaN throughout
        where all errors are equal.
    """
    values = hyperparameters.to_numpy(float)
    values = np.where(np.isnan(values), ABSENT, values)
    levels = [np.unique(column, return_inverse=True, return_counts=True) for column in values.T]
    coded = np.column_stack([code for _, code, _ in levels])
    looked_at = int(np.ceil(FEATURES * coded.shape[1]))
    forest = RandomForestRegressor(trees, min_samples_leaf=2, max_features=looked_at,
                                   random_state=0)
    forest.fit(coded, error)
    weights = [counts / counts.sum() for *_, counts in levels]  # of configs with each value
    shares = [_tree_importance(tree.tree_, weights) for tree in forest.estimators_]
    known = np.array([s for s in shares if s is not None])
    mean = known.mean(axis=0) if len(known) else np.full(values.shape[1], np.nan)
    return pd.Series(mean, hyperparameters.columns, name="importance")



def _tree_importance(tree: _tree.Tree, weights: list[np.ndarray]) -> np.ndarray | None:
    """Return each hyperparameter's share of a tree's variance; None where that is zero."""
    low, high, value = _leaves(tree, [len(w) for w in weights])
    edges = [np.append(0, np.cumsum(w)) for w in weights]
    sides = np.array([edge[h] - edge[lo] for edge, lo, h in zip(edges, low.T, high.T, strict=True)])
    volume = sides.prod(axis=0)
    mean = volume @ value
    total = volume @ (value - mean) ** 2
    if np.ptp(value) <= 1e-12 * np.abs(value).max():  # one leaf, or rounding
        return None
    shares = np.empty(len(weights))
    for k, weight in enumerate(weights):
        inside = (low[:, k, None] <= np.arange(len(weight))) & (
            np.arange(len(weight)) < high[:, k, None])
        marginal = (volume / sides[k] * value) @ inside
        shares[k] = weight @ (marginal - mean) ** 2 / total
    return shares


def _leaves(tree: _tree.Tree, levels: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the boxes of a tree's leaves, from level `low` up to before `high`, and their values.

    Features are level numbers: a split at 2.5 parts the levels up to 2 from those from 3 on.
    """
    boxes = []
    stack = [(0, np.zeros(len(levels), int), np.array(levels))]
    while stack:
        node, low, high = stack.pop()
        if tree.children_left[node] == _tree.TREE_LEAF:
            boxes.append((low, high, tree.value[node].item()))
            continue
        feature, cut = tree.feature[node], int(np.floor(tree.threshold[node])) + 1
        left, right = high.copy(), low.copy()
        left[feature], right[feature] = cut, cut
        stack += [(tree.children_left[node], low, left), (tree.children_right[node], right, high)]
    low, high, value = zip(*boxes, strict=True)
    return np.array(low), np.array(high), np.array(value)


def task_importances(evaluations: xr.Dataset, trees: int = TREES) -> pd.DataFrame:
    """Return the importance of each family's hyperparameters on each task and fold.

    Parameters
    ----------
    evaluations : xarray.Dataset
        As `analysis.load_evaluations` returns it, with the coordinates ``family`` and
        ``hyperparameters`` (JSON) along ``learner``. Configs without an error on a task are left
        out there; learners without hyperparameters count as configs that set none.
    trees : int
        Of a forest.

    Returns
    -------
    pandas.DataFrame
        Columns ``family, dataset, fold, hyperparameter, importance, configs`` (how many the forest
        was fitted to); NaN where all errors are equal. Families with fewer than eight configs on a
        task, or whose configs there differ in nothing, have no row.
    """
    errors = evaluations["error"].sel(split="test").isel(repeat=0)
    errors = errors.transpose("learner", "task", "fold")
    tasks, folds = (errors[dim].values.tolist() for dim in ("task", "fold"))
    settings = [json.loads(text) for text in evaluations["hyperparameters"].values]
    rows = []
    for family in dict.fromkeys(evaluations["family"].values.tolist()):
        of_family = np.flatnonzero(evaluations["family"].values == family)
        for (t, task), (f, fold) in product(enumerate(tasks), enumerate(folds)):
            values = errors.values[of_family, t, f]
            there = np.isfinite(values)
            numbers = as_numbers([settings[k] for k in of_family[there]])
            if there.sum() < LEAST or numbers.shape[1] == 0:
                continue
            found = importance(numbers, values[there], trees)
            rows += [(family, task, fold, name, share, int(there.sum()))
                     for name, share in found.items()]
    return pd.DataFrame(rows, columns=["family", "dataset", "fold", "hyperparameter", "importance",
                                       "configs"])



def as_numbers(configs: Sequence[Mapping[str, object]]) -> pd.DataFrame:
    """Return hyperparameters as numbers, a row per config, a column per hyperparameter that varies.

    Numbers stay as they are. Everything else (names, switches, lists, None) becomes a code: its
    place among the values that occur, sorted by their text; if a hyperparameter has both, all its
    values become codes. What a config does not set is a value of its own, NaN among numbers.
    Nested settings are named with dots.
    """
    flat = pd.DataFrame([_flat(config) for config in configs], dtype=object)
    table = {name: _codes(column) for name, column in flat.items()}
    varying = {name: values for name, values in table.items()
               if len(np.unique(values[~np.isnan(values)])) + np.isnan(values).any() > 1}
    return pd.DataFrame(varying, index=range(len(configs)))


def _flat(config: Mapping[str, object], prefix: str = "") -> dict[str, object]:
    """Return settings by dotted name; lists as their text."""
    found: dict[str, object] = {}
    for name, value in config.items():
        if name in UNTOLD:
            continue
        if isinstance(value, Mapping):
            found |= _flat(value, f"{prefix}{name}.")
        else:
            found[prefix + name] = value
    return found


def _codes(column: pd.Series) -> np.ndarray:
    absent = column.map(lambda value: isinstance(value, float) and np.isnan(value))
    given = column[~absent]
    if given.map(lambda value: isinstance(value, Real) and not isinstance(value, bool)).all():
        return np.where(absent, np.nan, column.where(~absent, 0).astype(float))
    names = sorted({str(value) for value in given})
    codes = column.map(lambda value: names.index(str(value)) if str(value) in names else len(names))
    return codes.where(~absent, len(names)).to_numpy(float)
