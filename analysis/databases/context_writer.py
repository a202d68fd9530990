"""Evaluations and their predictions, written as TabRepo's `to_dir` lays a repository out."""

import json
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.evaluations import Repository, load_predictions, open_repository
from analysis.databases.tabrepo.container import FACTS, OUR_NAMES
from analysis.databases.tabrepo.container import SPLITS as ERRORS
from analysis.databases.tabrepo.layout import BASELINES, CONFIGS, CONTEXT, METADATA, PREDICTIONS
from analysis.databases.tabrepo.repository import SPLITS
from collection.containers.curves import Status
from collection.store.evaluation_reader import NoPredictionsError

HYPERPARAMETERS = "configs_hyperparameters.json"
THEIR_NAMES = {ours: theirs for theirs, ours in OUR_NAMES.items() if ours != "rmse"}
COLUMNS = {"task": "dataset", "fold": "fold", "learner": "framework", **ERRORS, "metric": "metric",
           "problem": "problem_type", "train_time": "time_train_s", "predict_time": "time_infer_s"}


def write_context(where: str | Path | Repository, folder: str | Path) -> Path:
    """Write a repository for TabRepo's ``EvaluationRepository.from_dir``, whole or not at all.

    Parameters
    ----------
    where : str, Path or Repository
        As for `analysis.load_evaluations`, or an open repository; repeats are counted on as folds.
        Predictions are written where both those of the test rows and out of fold are stored.
    folder : str or Path
        Must be absent or empty.

    Returns
    -------
    Path
        The folder. Errors, times and predictions stand in it as stored; inference times are of all
        test rows.

    Raises
    ------
    ValueError
        For a folder that holds something, and a task whose name cannot name a folder.
    """
    repository = where if isinstance(where, Repository) else open_repository(where)
    known, folder = repository.evaluations, Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{folder} is not empty: name a folder that is not there yet.")
    if wrong := [name for name in known["task"].values if "/" in name or name.startswith(".")]:
        raise ValueError(f"The task {wrong[0]} cannot name a folder, as TabRepo has it.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".context-") as part:
        _write(repository, known, Path(part) / "whole")
        if folder.exists():
            folder.rmdir()  # refuses where something has come into it meanwhile
        (Path(part) / "whole").rename(folder)
    return folder


def _write(repository: Repository, known: xr.Dataset, folder: Path) -> None:
    folder.mkdir()
    results = _results(known)
    configs = results[results.pop("kind") == "config"]
    configs.to_parquet(folder / CONFIGS, index=False)
    results.drop(configs.index).to_parquet(folder / BASELINES, index=False)
    _facts(known).to_parquet(folder / METADATA[0], index=False)
    learners = known.sel(learner=sorted(set(configs["framework"])))
    entries = zip(*(learners[name].values.tolist() for name in (
        "learner", "hyperparameters", "family")), strict=True)
    _write_json(folder / HYPERPARAMETERS, {
        name: {"hyperparameters": json.loads(settings or "{}"), "model_type": family}
        for name, settings, family in entries})
    for (task, fold), own in configs.groupby(["dataset", "fold"]):
        _write_predictions(repository, folder / PREDICTIONS / task / str(fold), task, fold,
                           set(own["framework"]))
    found = [path.relative_to(folder).as_posix() for path in sorted(folder.glob("*/*/*/*"))]
    labels = [name for name in found if name.endswith(".zip")]
    _write_json(folder / CONTEXT, {
        "name": None, "date": None, "description": None,
        "folds": sorted(set(results["fold"].tolist())), "s3_download_map": None,
        "config_fallback": repository.fallback, "benchmark_paths": {
            "configs": CONFIGS, "baselines": BASELINES, "task_metadata": METADATA[0],
            "metadata_join_column": "dataset", "path_pred_proba": f"{PREDICTIONS}/",
            "datasets": sorted(set(results["dataset"])),
            "zs_pp": [name for name in found if name not in labels], "zs_gt": labels,
            "configs_hyperparameters": [HYPERPARAMETERS], "relative_path": None}})


def _write_json(path: Path, content: dict) -> None:
    path.write_text(json.dumps(content, indent=2), encoding="utf-8")


def _results(known: xr.Dataset) -> pd.DataFrame:
    """Return a row per evaluation in TabRepo's columns, and its ``kind``."""
    values = {split: known["error"].sel(split=split, drop=True) for split in ERRORS}
    values |= {"train_time": known["train_time"],
               "predict_time": known["predict_time"].sel(split="test", drop=True)}
    ran = xr.Dataset(values).where(known["status"] == Status.ok)
    table = ran.to_dataframe().reset_index().dropna(subset="test")
    table["fold"] += table["repeat"] * _folds(known)
    table["metric"] = table["metric"].replace(THEIR_NAMES)
    kind = table.get("kind", "config")
    if _has_ids(known):
        table["tid"] = table["openml_id"].astype(int)
    kept = [name for name in (*COLUMNS, "tid") if name in table]
    return table[kept].rename(columns=COLUMNS).assign(kind=kind).reset_index(drop=True)


def _folds(known: xr.Dataset) -> int:
    """Return by how much a repeat counts the folds on."""
    return int(known["fold"].max()) + 1


def _has_ids(known: xr.Dataset) -> bool:
    """Tell whether each task has an id of OpenML's, and none has another's."""
    ids = known["openml_id"].values if "openml_id" in known.coords else np.array([np.nan])
    return not pd.isna(ids).any() and len(set(ids.tolist())) == len(ids)


def _facts(known: xr.Dataset) -> pd.DataFrame:
    """Return what is known of tasks under OpenML's names; features count the target there."""
    facts = pd.DataFrame({"dataset": known["task"].values})
    if _has_ids(known):
        facts["tid"] = known["openml_id"].values.astype(int)
    for theirs, ours in FACTS.items():
        if ours in known.coords:
            facts[theirs] = known[ours].values.astype(float) + (ours == "features")
    return facts


def _write_predictions(repository: Repository, folder: Path, task: str, fold: int,
                       configs: set[str]) -> None:
    """Write predictions and labels of one task's fold, where both splits' are stored."""
    repeat, place = divmod(int(fold), _folds(repository.evaluations))
    try:
        test = load_predictions(repository.where, task, place, "test", repeat=repeat)
        models = [name for name in test["learner"].values.tolist() if name in configs]
        seen = {split: load_predictions(repository.where, task, place, split, models, repeat)
                for split in SPLITS}
        labels = {split: repository.labels(task, place, split, repeat) for split in SPLITS}
    except NoPredictionsError:
        return
    folder.mkdir(parents=True)
    said = {"models": models, "dataset": task, "fold": int(fold), "dtype": str(seen["test"].dtype)}
    for split, theirs in SPLITS.items():
        values = np.ascontiguousarray(seen[split].values, seen[split].dtype.newbyteorder("<"))
        (folder / f"pred-{theirs}.dat").write_bytes(values.tobytes())
        said[f"pred_{theirs}_shape"] = values.shape
        rows = pd.Series(labels[split].values, labels[split]["row"].values, name="label")
        rows.to_csv(folder / f"label-{theirs}.csv.zip", compression={
            "method": "zip", "archive_name": f"label-{theirs}.csv"})
    (folder / "metadata.json").write_text(json.dumps(said), encoding="utf-8")
