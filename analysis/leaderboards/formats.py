"""Layouts in which results are published or stored, each read into the columns of the schema."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.evaluations import is_repository, load_evaluations
from analysis.leaderboards.cells import ResultsError
from collection.containers.evaluations import MEASURES, METRICS
from collection.project.opening import open_file, read_bytes

COMPARED = "fits.csv"  # what ``make compare`` writes, with these columns and one of a metric
FITS = {"dataset", "method", "fold", "split", "status"}


def read_folder(path: Path) -> pd.DataFrame:
    """Return the results in a folder: evaluations, a context of TabRepo, or a comparison.

    Raises
    ------
    ResultsError
        For a folder with none of these.
    """
    if (path / COMPARED).is_file():
        with open_file(path / COMPARED, ResultsError) as file:
            return from_comparison(pd.read_csv(file))
    if is_repository(path):
        return from_evaluations(load_evaluations(path))
    if reports := sorted(path.glob("*/results/results.json")):
        return from_resolved({file.parent.parent.name: file for file in reports})
    raise ResultsError(f"{path} holds no results: it takes a folder that make evaluate or make "
                       "compare wrote, a context of TabRepo, or submissions to SWE-bench.")


def from_resolved(reports: Mapping[str, Path]) -> pd.DataFrame:
    """Return which instances submissions to SWE-bench resolved: a task each that any report names.

    Parameters
    ----------
    reports : mapping
        Each submission's ``results.json``, lists of instances with one that is ``resolved``.

    Returns
    -------
    pandas.DataFrame
        ``task, method, value`` (1 where it is resolved), ``metric``, ``higher_is_better``.

    Raises
    ------
    ResultsError
        If a file has no such lists of names.
    """
    said = {}
    for name, file in reports.items():
        try:
            found = json.loads(read_bytes(file, ResultsError))
        except ValueError:
            found = None
        lists = {kind: some for kind, some in found.items()
                 if isinstance(some, list)} if isinstance(found, dict) else {}
        if "resolved" not in lists or not all(
                isinstance(task, str) for some in lists.values() for task in some):
            raise ResultsError(f"{file} does not say by name which instances are resolved.")
        said[name] = lists
    tasks = sorted({task for own in said.values() for some in own.values() for task in some})
    table = pd.DataFrame({name: np.isin(tasks, own["resolved"]) for name, own in said.items()},
                         index=pd.Index(tasks, name="task"), dtype=float)
    return table.melt(var_name="method", ignore_index=False).reset_index().assign(
        metric="resolved", higher_is_better=True)


def from_evaluations(evaluations: xr.Dataset) -> pd.DataFrame:
    """Return the test errors of evaluations, each task's own metric as an error; repeats are seeds.

    Folds that no learner has, because a task has fewer, are left out. NaN: failed or not run.
    """
    error = evaluations["error"].sel(split="test", drop=True).rename(learner="method")
    table = error.to_series().rename("value").reset_index()
    made = table["value"].notna().groupby(
        [table["task"], table["fold"], table["repeat"]]).transform("any")
    table = table[made].rename(columns={"repeat": "seed"})
    for name in ("problem", "metric"):
        if name in evaluations.coords:
            table[name] = table["task"].map(evaluations[name].to_series())
    return table.assign(higher_is_better=False).reset_index(drop=True)


def from_comparison(fits: pd.DataFrame) -> pd.DataFrame:
    """Return the test values of what ``make compare`` fitted, by the metric that is a column.

    Methods without any result are left out, which ``attrs["read"]`` says.
    """
    metric = next(name for name in MEASURES if name in fits)
    test = fits[fits["split"] == "test"]
    reason = test["message"].where(test["status"] != "ok") if "message" in test else None
    table = pd.DataFrame({
        "task": test["dataset"], "family": test.get("family"), "method": test["method"],
        "fold": test["fold"], "seed": test.get("repeat", 0), "value": test[metric],
        "metric": metric, "higher_is_better": not METRICS[metric].lower_is_better,
        "reason": reason})
    some = table["value"].notna().groupby(table["method"]).transform("any")
    kept = table[some].reset_index(drop=True)
    out = [f"{name} (no result)" for name in table.loc[~some, "method"].unique()]
    kept.attrs = {"read": {"layout": "fits of make compare", "told": METRICS[metric].label,
                           "out": out}}
    return kept
