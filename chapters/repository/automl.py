"""AutoGluon on the repository's folds, beside what its portfolio does in the same time."""

from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np
import pandas as pd

from analysis.portfolios import TaskRecord, leave_one_out
from analysis.published.computed import NotAtHandError
from chapters.repository.families import PORTFOLIO_SIZE
from collection.containers.curves import Status
from collection.project.paths import cache_dir

SECONDS = 60  # that AutoGluon may take, by the clock, on one core
LEARNERS = [f"collection.learners.small.AutoGluon(time_limit={SECONDS}{kind})"
            for kind in ("", ", regression=True")]
SETTINGS = {"LEARNERS": LEARNERS, "FAMILIES": "", "BAGS": "0", "PREDICTIONS": "no",
            "CONFIG_LIMIT": ""}
AUTOGLUON = f"AutoGluon (ensemble, {SECONDS} s, 1 core)"
PORTFOLIO = f"portfolio (ensemble), {SECONDS} s"


def automl_results() -> pd.DataFrame:
    """Run AutoGluon on the fold of every task of the shipped repository; resumes.

    Returns
    -------
    pandas.DataFrame
        Columns ``dataset, fold, error`` (as the repository measures it; NaN where it failed),
        ``train_time`` (s of processor time), ``infer_time`` (s, of all test rows).

    Raises
    ------
    NotAtHandError
        Where AutoGluon is not installed.
    """
    if find_spec("autogluon") is None or find_spec("autogluon.tabular") is None:
        raise NotAtHandError("AutoGluon is not installed: pip install '.[automl]'")
    from analysis.databases.evaluations import load_evaluations
    from lab.shipped.evaluations import gather_task

    known, folder = load_evaluations("evaluations"), cache_dir() / "automl"
    for spec in known["spec"].values.tolist():
        gather_task(spec, folder, SETTINGS)
    found = load_evaluations(folder)
    ok = found["status"] == Status.ok
    of_test = found.sel(split="test")
    values = {"error": of_test["error"], "train_time": found["train_time"],
              "infer_time": of_test["predict_time"]}
    table = pd.DataFrame({name: value.where(ok).mean("learner").to_series()
                          for name, value in values.items()})
    return table.reset_index().rename(columns={"task": "dataset"}).drop(columns="repeat")


def beside_portfolio(records: Sequence[TaskRecord], automl: pd.DataFrame) -> pd.DataFrame:
    """Return what AutoGluon and the ensembled portfolio reach in the same time on one core.

    Parameters
    ----------
    records : sequence of TaskRecord
    automl : pandas.DataFrame
        From `automl_results`.

    Returns
    -------
    pandas.DataFrame
        Columns ``method, kind`` (the same), ``family`` (empty), ``dataset, fold, error,
        train_time, infer_time`` (s; of the portfolio all trained configs, and those with weight):
        of the datasets that both have.
    """
    known = automl.merge(pd.DataFrame([(r.dataset, r.fold) for r in records],
                                      columns=["dataset", "fold"]))
    if known.empty:
        return pd.DataFrame()
    quick = np.argmin(np.median([r.train_time for r in records], axis=0))
    ours = leave_one_out(records, PORTFOLIO_SIZE, budgets=[SECONDS], fallback=int(quick),
                         ensemblers=["greedy_published"])
    ours = ours.merge(known[["dataset", "fold"]])
    table = pd.concat([known.assign(method=AUTOGLUON), ours.assign(method=PORTFOLIO)])
    return table.assign(kind=table["method"], family="")[
        ["method", "kind", "family", "dataset", "fold", "error", "train_time", "infer_time"]]


KEPT = {"repository_automl": automl_results}
