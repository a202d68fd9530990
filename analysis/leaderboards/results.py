"""Results in a long table, checked and laid out as one array of errors."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from collection.project.naming import check_known

COLUMNS = ("method", "task", "fold", "error")

#: What to do where a method lacks a result that others have.
MISSING = ("refuse", "common", "worst")


@dataclass(frozen=True)
class Results:
    """Errors of methods on the folds of tasks.

    Attributes
    ----------
    methods, tasks : pandas.Index
        Names, sorted.
    error : ndarray of float, shape (split, method)
        Lower is better. Infinite where a missing result counts as the worst.
    task : ndarray of int, shape (split,)
        Position of each split's task in `tasks`; a split is a task's fold. Ascending.
    weight : ndarray of float, shape (split,)
        One over the number of the task's folds, so that every task counts 1.
    """

    methods: pd.Index
    tasks: pd.Index
    error: np.ndarray
    task: np.ndarray
    weight: np.ndarray

    def over_tasks(self, values: np.ndarray) -> np.ndarray:
        """Return the means over each task's folds, shape (task, ...)."""
        sums = np.zeros((len(self.tasks), *values.shape[1:]))
        np.add.at(sums, self.task, values * self.weight.reshape(-1, *[1] * (values.ndim - 1)))
        return sums


def lay_out(results: pd.DataFrame, missing: str = "refuse", fallback: str | None = None) -> Results:
    """Check a long table of results and lay it out.

    Parameters
    ----------
    results : pandas.DataFrame
        Columns ``method, task, fold, error``, a row each; others are ignored. NaN is a result
        that is missing.
    missing : str
        What is done where a method lacks what others have: ``"refuse"`` raises; ``"common"``
        keeps the folds that all methods have; ``"worst"`` counts it as worse than every result.
    fallback : str, optional
        A method whose results stand in for missing ones, before `missing` is looked at
        (TabRepo, Appendix C and I: the default extra trees).

    Raises
    ------
    ValueError
        For columns that lack, a result given twice, an error that is negative or infinite,
        a fold without any result, nothing left to compare, and missing results if refused.
    UnknownNameError
        For an unknown way with missing results or an unknown fallback.
    """
    check_known("way with missing results", [missing], MISSING)
    wide = _pivot(results)
    if fallback is not None:
        check_known("fallback method", [fallback], wide.columns)
        wide = wide.apply(lambda column: column.fillna(wide[fallback]))
    wide = _settle(wide, missing)
    if wide.shape[1] < 2:
        raise ValueError(f"There is one method only ({', '.join(map(str, wide.columns))}): a "
                         "comparison needs two or more.")
    tasks = wide.index.get_level_values("task")
    known, position = np.unique(tasks.to_numpy(), return_inverse=True)
    weight = 1 / np.bincount(position)[position]
    return Results(wide.columns, pd.Index(known, name="task"), wide.to_numpy(float), position,
                   weight)


def _pivot(results: pd.DataFrame) -> pd.DataFrame:
    """Return errors with a row per task and fold, a column per method."""
    lacking = [c for c in COLUMNS if c not in results]
    if lacking:
        raise ValueError(f"Results need the columns {', '.join(COLUMNS)}; there is no "
                         f"{' and no '.join(lacking)}.")
    twice = results[results.duplicated(["method", "task", "fold"])]
    if len(twice):
        raise ValueError(f"{len(twice)} results are given twice, the first: {_name(twice)}.")
    error = results["error"]
    for what, wrong in (("negative", error < 0), ("infinite", np.isinf(error))):
        if wrong.any():
            raise ValueError(f"{wrong.sum()} errors are {what}, the first: {_name(results[wrong])}."
                             " Errors are 0 or more, lower is better; NaN is a missing one.")
    return results.pivot(index=["task", "fold"], columns="method", values="error").sort_index()


def _settle(wide: pd.DataFrame, missing: str) -> pd.DataFrame:
    """Do with missing results what was asked; refuse what leaves nothing to compare."""
    if wide.empty or wide.notna().sum(axis=1).eq(0).any():
        empty = [f"task {t}, fold {f}" for t, f in wide.index[wide.isna().all(axis=1)]]
        raise ValueError(f"No method has a result{' on ' + empty[0] if empty else ''}.")
    absent = wide.isna()
    if missing == "worst":
        return wide.fillna(np.inf)
    if missing == "refuse" and absent.to_numpy().any():
        worst = absent.sum().sort_values(ascending=False, kind="stable")
        some = ", ".join(f"{m} ({n})" for m, n in worst[worst > 0].head(5).items())
        raise ValueError(f"{absent.to_numpy().sum()} of {wide.size} results are missing: {some}. "
                         "Compare what all have (missing='common'), count them as the worst "
                         "(missing='worst'), or name a fallback method.")
    kept = wide[~absent.any(axis=1)]
    if kept.empty:
        raise ValueError("There is no fold of a task on which all methods have a result.")
    return kept


def _name(rows: pd.DataFrame) -> str:
    first = rows.iloc[0]
    return f"{first['method']} on task {first['task']}, fold {first['fold']}"
