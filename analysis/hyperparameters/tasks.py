"""Importance of hyperparameters on every task of a repository."""

import json

import numpy as np
import pandas as pd
import xarray as xr

from analysis.hyperparameters.fanova import LEAST, TREES, importance
from analysis.hyperparameters.numbers import as_numbers

COLUMNS = ["family", "dataset", "fold", "hyperparameter", "importance", "configs"]


def task_importances(
    evaluations: xr.Dataset, split: str = "test", seed: int = 0, trees: int = TREES
) -> pd.DataFrame:
    """Return the importance of each family's hyperparameters on each task and fold.

    Parameters
    ----------
    evaluations : xarray.Dataset
        As `analysis.load_evaluations` returns it, with the coordinates ``family`` and
        ``hyperparameters`` (JSON) along ``learner``. Configs without an error on a task are left
        out there; learners without hyperparameters count as configs that set none.
    split : {"valid", "test"}
        Of the errors.
    seed, trees : int
        Of the forests.

    Returns
    -------
    pandas.DataFrame
        Columns ``family, dataset, fold, hyperparameter, importance, configs`` (how many the forest
        was fitted to); NaN where all errors are equal. Families with fewer than eight configs on a
        task, or whose configs there differ in nothing, have no row. `importances` averages them.
    """
    errors = evaluations["error"].sel(split=split).isel(repeat=0)
    errors = errors.transpose("learner", "task", "fold")
    settings = [json.loads(text) for text in evaluations["hyperparameters"].values]
    rows = []
    for family in dict.fromkeys(evaluations["family"].values.tolist()):
        of_family = np.flatnonzero(evaluations["family"].values == family)
        for (task, fold), values in _per_task(errors, of_family):
            there = np.isfinite(values)
            numbers = as_numbers([settings[k] for k in of_family[there]])
            if there.sum() < LEAST or numbers.shape[1] == 0:
                continue
            found = importance(numbers, values[there], seed, trees)
            rows += [(family, task, fold, name, share, int(there.sum()))
                     for name, share in found.items()]
    return pd.DataFrame(rows, columns=COLUMNS)


def _per_task(errors: xr.DataArray, learners: np.ndarray):
    """Yield task and fold, and the errors of some learners there."""
    for t, task in enumerate(errors["task"].values.tolist()):
        for f, fold in enumerate(errors["fold"].values.tolist()):
            yield (task, fold), errors.values[learners, t, f]
