"""What storing predictions as rounded numbers does to errors."""

import numpy as np
import pandas as pd

from analysis.databases.repositories import Repository
from collection import metrics


def _auc_error(true: np.ndarray, said: np.ndarray) -> float:
    return 1 - metrics.weighted_auc(true, np.column_stack([1 - said, said]))


# The very measures that fits are judged by; those of ensembles clip probabilities elsewhere.
MEASURES = {"auc": _auc_error, "log_loss": metrics.log_loss, "rmse": metrics.rmse}

SPLITS = ("valid", "test")


def stored_precision(repository: Repository, dtype: type = np.float64) -> pd.DataFrame:
    """Measure every error again from the stored predictions, on tasks whose measure is known.

    Parameters
    ----------
    repository : Repository
    dtype : type
        That predictions are rounded to first: what storing them in it would do.

    Returns
    -------
    pandas.DataFrame
        Columns ``dataset, metric, split, evaluations, largest, mean``: absolute differences
        between the errors as they were measured on the fit and from what is stored of it, for
        regression relative to the error.
    """
    known = repository.evaluations
    learners = known["learner"].values.tolist()
    parts = []
    for task in known["task"].values.tolist():
        metric = known["metric"].sel(task=task).item()
        if metric not in MEASURES:
            continue
        for repeat in known["repeat"].values.tolist():
            for fold in known["fold"].values.tolist():
                for split in SPLITS:
                    said = repository.predictions(task, fold, split, learners, repeat)
                    true = repository.labels(task, fold, split, repeat).values
                    measured = known["error"].sel(task=task, fold=fold, repeat=repeat, split=split)
                    again = np.array([MEASURES[metric](true, one)
                                      for one in said.values.astype(dtype).astype(float)])
                    apart = abs(again - measured.sel(learner=learners).values)
                    if metric == "rmse":
                        apart = apart / again
                    parts.append(pd.DataFrame({"dataset": task, "metric": metric, "split": split,
                                               "apart": apart}))
    table = pd.concat(parts)
    grouped = table.groupby(["dataset", "metric", "split"], sort=False)["apart"]
    return grouped.agg(evaluations="size", largest="max", mean="mean").reset_index()
