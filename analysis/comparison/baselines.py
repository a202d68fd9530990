"""The baselines that were run here on PMLBmini and ship in ``data/small``."""

import pandas as pd

from collection.project.paths import shipped
from collection.running.study import summarise
from collection.shipped.small import FILE

RESULT = ["dataset", "method", "split", "auc", "status", "hyperparameters"]


def baseline_fits() -> pd.DataFrame:
    """Return every fit of the baselines.

    Returns
    -------
    pandas.DataFrame
        ``dataset, method, fold, split`` (test, or train: fitted and scored on all rows), ``auc``
        (NaN: see ``status`` and ``message``), ``hyperparameters`` that the method chose (JSON;
        empty: none), ``seconds``. Methods that were not run have the status ``not_run``.
    """
    return pd.read_csv(shipped(FILE)).fillna({"message": "", "hyperparameters": ""})


def baseline_means() -> pd.DataFrame:
    """Return the means over the paper's three folds, and the training AUC.

    Returns
    -------
    pandas.DataFrame
        As `collection.running.study.summarise`; `RESULT` are the columns of
        ``results/small_data/baselines.csv``.
    """
    return summarise(baseline_fits())


def baseline_auc() -> pd.DataFrame:
    """Return AUC on held-out rows, datasets (by name) × methods run; NaN where a fit failed."""
    table = baseline_means()
    table = table[(table["split"] == "test") & (table["status"] != "not_run")]
    return table.pivot(index="dataset", columns="method", values="auc")
