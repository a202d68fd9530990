"""Evaluations that are a whole matrix of errors: no predictions, no validation rows.

``"tabrepo-lightgbm"``: test errors and seconds of 104 configs of LightGBM on 93 tasks of OpenML, as
TabRepo's authors first published them (``data/results/sources.csv`` says where).
"""

import json

import pandas as pd
import xarray as xr

from analysis.statistics.families import families
from collection.containers.evaluations import label_evaluations
from collection.containers.metrics import TASK_METRICS
from collection.project.paths import DATA, shipped

MATRICES = {"tabrepo-lightgbm": "lightgbm_configs"}  # name → study in ``data/results/``
FOLDER = DATA / "results"


def open_matrix(name: str) -> xr.Dataset:
    """Open a matrix of errors as evaluations.

    Parameters
    ----------
    name : str
        A name in `MATRICES`.

    Returns
    -------
    xarray.Dataset
        As `analysis.load_evaluations` returns it, one repeat and one fold; of the splits only test
        is known. Along ``task``: ``dataset`` (OpenML's id), ``title``, ``rows``, ``features``, and
        ``relatives``, the family of near-duplicates. ``predict_time`` is per row.
    """
    study = MATRICES[name]
    runs = pd.read_csv(shipped(FOLDER / f"{study}.csv.gz"), dtype={"task": str})
    tasks = _tasks(runs, study)
    configs = pd.DataFrame({"name": runs["method"].unique()})
    configs = configs.assign(family=configs["name"].str.split("_").str[0], kind="config",
                             hyperparameters=json.dumps({}))
    container = label_evaluations(_long(runs), tasks, configs, database=name, folder=str(FOLDER))
    wide = runs.pivot(index="task", columns="method", values="value")
    exact = wide.loc[container["task"].values, container["learner"].values].to_numpy()
    container["error"].loc[{"repeat": 0, "fold": 0, "split": "test"}] = exact  # not 1 − (1 − error)
    return container


def _long(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per evaluation with the columns that the container is made of."""
    table = pd.DataFrame({
        "task": runs["task"], "learner": runs["method"], "repeat": 0, "fold": 0, "status": "ok",
        "message": "", "chosen": "", "train_time": runs["train_time"],
        "predict_time_test": runs["predict_time"]})
    for metric in runs["metric"].unique():
        error = runs["value"].where(runs["metric"] == metric)
        table[f"{metric}_test"] = error if TASK_METRICS[metric].is_error else 1 - error
    return table


def _tasks(runs: pd.DataFrame, study: str) -> pd.DataFrame:
    """Return a row per task: facts, and the family by either list of near-duplicates."""
    first = runs.drop_duplicates("task").set_index("task")[["problem", "metric"]]
    tasks = pd.read_csv(shipped(FOLDER / f"{study}_tasks.csv"), dtype={"task": str}).rename(
        columns={"name": "title", "task": "name"})
    tasks = tasks.set_index("name").loc[first.index].join(first)
    listed = pd.read_csv(shipped(FOLDER / "families.csv"), dtype=str).query("study == @study")
    listed = listed.set_index("task")["family"]
    registered = pd.Series(families(tasks["dataset"]), tasks.index)
    return tasks.assign(relatives=listed.reindex(tasks.index).fillna(registered)).rename_axis(
        "name").reset_index()
