"""Learners compared on a suite, from the evaluations that `make evaluate` stored.

``python -m analysis.suites.compare RUNS`` prints the leaderboard and writes it beside the runs.
"""

import sys
from pathlib import Path

import pandas as pd
import xarray as xr

from analysis.databases.evaluations import load_evaluations
from analysis.leaderboards import leaderboard

FILE = "leaderboard.csv"
USAGE = ("Compare learners on the tasks of a study: make compare RUNS=my_runs, where RUNS is a "
         "folder that make evaluate wrote.")


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


def main(arguments: list[str] | None = None) -> int:
    """Compare the learners of a study; return the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if len(arguments) != 1 or not arguments[0]:
        print(USAGE, file=sys.stderr)
        return 1
    try:
        scores = evaluation_scores(load_evaluations(arguments[0]))
        board = leaderboard(scores, missing="worst").rename_axis("learner").reset_index()
    except (ValueError, OSError) as error:
        print(f"compare: {error}", file=sys.stderr)
        return 1
    path = Path(arguments[0]) / FILE
    board.to_csv(path, index=False)
    print(board.round(3).to_string(index=False))
    missing = int(scores["error"].isna().sum())
    print(f"{scores['task'].nunique()} tasks, each counting the same; errors of the task's own "
          f"metric on test rows. {missing} missing results count as the worst. The same in {path}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
