"""AutoGluon on the folds of the shipped repository.

Kept as ``repository_automl`` (an hour), for the page *repository*.
"""

from importlib.util import find_spec

import pandas as pd

from analysis.databases.evaluations import load_evaluations
from analysis.published.computed import NotAtHandError
from collection.containers.curves import Status
from collection.project.paths import cache_dir

SECONDS = 60  # that AutoGluon may take, by the clock, on one core
LEARNERS = [f"collection.learners.small.AutoGluon(time_limit={SECONDS}{kind})"
            for kind in ("", ", regression=True")]
SETTINGS = {"LEARNERS": LEARNERS, "FAMILIES": "", "BAGS": "0", "PREDICTIONS": "no",
            "CONFIG_LIMIT": ""}


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


KEPT = {"repository_automl": automl_results}
