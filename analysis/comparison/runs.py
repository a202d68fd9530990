"""Learners compared on a suite, from the evaluations that `make evaluate` stored."""

from pathlib import Path

import pandas as pd
import xarray as xr

from analysis.databases.evaluations import load_evaluations
from analysis.leaderboards import leaderboard

FILE = "leaderboard.csv"


def evaluation_scores(evaluations: xr.Dataset) -> pd.DataFrame:
    """Return the test errors of evaluations as a long table, as `leaderboard` takes it.

    Parameters
    ----------
    evaluations : xarray.Dataset, dims (task, learner, repeat, fold, split)
        From `analysis.load_evaluations`; its ``error`` is each task's own metric as an error.

    Returns
    -------
    pandas.DataFrame
        Columns ``task, method, fold, error``; repeats count as further folds. NaN: failed or not
        run. Folds that no learner has, because a task has fewer, are left out.
    """
    errors = evaluations["error"].sel(split="test", drop=True).rename(learner="method")
    table = errors.to_series().rename("error").reset_index()
    table["fold"] += table.pop("repeat") * (int(table["fold"].max()) + 1)
    made = table["error"].notna().groupby([table["task"], table["fold"]]).transform("any")
    return table[made][["task", "method", "fold", "error"]].reset_index(drop=True)


def compare_runs(folder: str | Path) -> str:
    """Compare the learners of a study, and write the leaderboard beside its runs.

    Parameters
    ----------
    folder : str or Path
        That ``make evaluate`` wrote.

    Returns
    -------
    str
        The leaderboard and what it rests on, to be printed.

    Raises
    ------
    ValueError, OSError
        Where the folder holds no study, or nothing to compare.
    """
    scores = evaluation_scores(load_evaluations(folder))
    board = leaderboard(scores, missing="worst").rename_axis("learner").reset_index()
    path = Path(folder) / FILE
    board.to_csv(path, index=False)
    missing = int(scores["error"].isna().sum())
    return (f"{board.round(3).to_string(index=False)}\n{scores['task'].nunique()} tasks, each "
            "counting the same; errors of the task's own metric on test rows. "
            f"{missing} missing results count as the worst. The same in {path}.")
