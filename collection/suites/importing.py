"""Runs of others on a suite's OpenML tasks, as results to compare with."""

import openml
import pandas as pd

from collection.datasets.openml_cache import staging
from collection.datasets.openml_errors import explained
from collection.suites.publishing import plan_runs
from collection.suites.suite import Suite, SuiteError
from collection.tasks.metric import TASK_METRICS

COLUMNS = ["task", "method", "fold", "error", "run_id", "uploader"]
MORE_IS_BETTER = ("predictive_accuracy", "area_under_roc_curve", "f_measure")  # on OpenML
PAGE = 10_000  # results that the server sends at once


def import_runs(suite: Suite, metric: str = "error_rate", most: int | None = None) -> pd.DataFrame:
    """Fetch what others have published on a suite's tasks.

    Parameters
    ----------
    suite : Suite
        Of OpenML's tasks.
    metric : str
        Of `TASK_METRICS`, among those that OpenML measures.
    most : int, optional
        Results per task to fetch at most; all unless given.

    Returns
    -------
    pandas.DataFrame
        Columns ``task`` (OpenML's number), ``method`` (the flow's name), ``fold`` (0: OpenML's mean
        over the folds), ``error`` (lower is better), ``run_id``, ``uploader``. Where a flow was run
        on a task several times, the first run.

    Raises
    ------
    SuiteError
        Where a task is not OpenML's, OpenML has no such metric, or nobody has run anything.
    DatasetError
        Where the server cannot be asked.
    """
    known = TASK_METRICS.get(metric)
    if known is None or not known.openml:
        having = [name for name, m in TASK_METRICS.items() if m.openml]
        raise SuiteError(f"OpenML does not list runs by {metric!r}; it does by "
                         f"{', '.join(having)}.")
    numbers = [run.number for run in plan_runs(suite, ["DummyClassifier"])]
    tables = []
    with staging(), explained(f"runs on {suite.label}"):
        for number in numbers:
            try:
                tables.append(openml.evaluations.list_evaluations(
                    known.openml, tasks=[number], size=most or PAGE, output_format="dataframe"))
            except openml.exceptions.OpenMLServerNoResult:
                continue
    tables = [table for table in tables if len(table)]
    if not tables:
        raise SuiteError(f"Nobody has published a run on the tasks of {suite.label} yet.")
    found = pd.concat(tables, ignore_index=True).sort_values("run_id")
    value = found["value"].astype(float)
    error = 1 - value if known.openml in MORE_IS_BETTER else value
    result = pd.DataFrame({"task": found["task_id"].astype(int), "method": found["flow_name"],
                           "fold": 0, "error": error, "run_id": found["run_id"].astype(int),
                           "uploader": found["uploader"].astype(int)})
    return result.drop_duplicates(["task", "method"], ignore_index=True)[COLUMNS]
