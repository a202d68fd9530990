"""Evaluations that are a whole matrix of errors: no predictions, no validation rows.

``"tabrepo-lightgbm"``: test errors and seconds of 104 configs of LightGBM on 93 tasks of OpenML, as
TabRepo's authors first published them (``data/results/sources.csv`` says where).
"""

import json

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.tabrepo.container import label_results
from analysis.statistics.families import families
from collection.project.paths import DATA, shipped

MATRICES = {"tabrepo-lightgbm": "lightgbm_configs"}  # name → study in ``data/results/``
FOLDER = DATA / "results"
COLUMNS = {"task": "dataset", "method": "framework", "value": "metric_error",
           "train_time": "time_train_s", "predict_time": "time_infer_s"}  # ours → TabRepo's


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
    results = runs.rename(columns=COLUMNS).assign(fold=0, metric_error_val=np.nan)
    return label_results(results, tasks, configs, database=name, folder=str(FOLDER))


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
