"""Errors of methods on many tasks, as long tables: columns ``task, method, fold, error``."""

import numpy as np
import pandas as pd

from analysis.databases.load import load_curves
from analysis.published.computed import NotAtHandError
from collection.project.naming import check_known
from collection.project.paths import DATA, cache_dir, shipped

STUDY_FILE = DATA / "suites" / "classic_study.csv"

AMLB = "AutoML benchmark"
AMLB_FILE = "amlb_7frameworks_965tasks.csv"
#: AutoML runs by their names in the file → in the words that the book has for each everywhere: one
#: model or an ensemble, the time and cores that it was given. The single model took 159 s in the
#: mean of its 4 h.
FRAMEWORKS = {
    "AutoGluon_mq_1h8c_2022_06_26_binary": "AutoGluon (ensemble, 1 h, 8 cores)",
    "AutoGluon_mq_4h64c_2022_06_21_autogluon_single": "AutoGluon (single model, 4 h, 64 cores)",
    "H2OAutoML_1h8c_gp3_2022_jmlr": "H2O AutoML (ensemble, 1 h, 8 cores)",
    "TunedRandomForest_1h8c_gp3_2022_jmlr": "tuned random forest (single model, 1 h, 8 cores)",
    "autosklearn_1h8c_gp3_2022_jmlr": "auto-sklearn (ensemble, 1 h, 8 cores)",
    "flaml_1h8c_gp3_2022_jmlr": "FLAML (single model, 1 h, 8 cores)",
    "lightautoml_1h8c_gp3_2022_jmlr": "LightAutoML (ensemble, 1 h, 8 cores)",
}


def lcdb10_scores() -> pd.DataFrame:
    """Return the test errors of LCDB 1.0's learners, at one training size per dataset.

    Returns
    -------
    pandas.DataFrame
        Columns ``task, method, fold, error`` (fold 0: the mean over the 25 seeds). The size is the
        one that most learners have a value at, the largest of those; NaN for a learner without.
    """
    curves = load_curves("lcdb10", selection="paper")["error_rate"].sel(split="test", drop=True)
    mean = curves.squeeze(["scaling", "leakage"], drop=True).mean(["outer", "inner"]).compute()
    mean = mean.transpose("dataset", "anchor", "learner").values
    learners = np.isfinite(mean).sum(axis=2)
    last = mean.shape[1] - 1 - learners[:, ::-1].argmax(axis=1)
    errors = pd.DataFrame(mean[np.arange(len(mean)), last], curves["dataset"].values,
                          curves["learner"].values).rename_axis("task").reset_index()
    long = errors.melt("task", var_name="method", value_name="error").assign(fold=0)
    return long[["task", "method", "fold", "error"]]


def amlb_scores() -> pd.DataFrame:
    """Return the errors of seven AutoML frameworks on the tasks of the AutoML benchmark.

    Returns
    -------
    pandas.DataFrame
        Columns ``task`` (OpenML's number), ``method, fold, error``.

    Raises
    ------
    NotAtHandError
        Where the file `AMLB_FILE` of TabRepo's published results is not in the cache.
    """
    path = cache_dir() / AMLB_FILE
    if not path.is_file():
        raise NotAtHandError(f"The AutoML benchmark's results are not at hand: {path} is absent. "
                             "They are among the results that TabRepo's authors publish.")
    table = pd.read_csv(path)
    place = table["dataset"].str.rsplit("_", n=1)
    check_known("framework", table["framework"].unique(), FRAMEWORKS)
    return pd.DataFrame({"task": place.str[0], "method": table["framework"].map(FRAMEWORKS),
                         "fold": place.str[1].astype(int), "error": table["metric_error"]})


def study_scores() -> pd.DataFrame:
    """Return the test errors of the shipped study on the suite ``classic``.

    Returns
    -------
    pandas.DataFrame
        Columns ``task`` (the dataset's spec), ``method, fold, error`` (error rate; NaN for a
        failed fit).
    """
    table = pd.read_csv(shipped(STUDY_FILE))
    error = table["error_rate"].where(table["status"] == "ok")
    return pd.DataFrame({"task": table["task"], "method": table["learner"],
                         "fold": table["fold"], "error": error})
