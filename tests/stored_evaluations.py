"""What is stored of evaluations, held against what was measured on the fits."""

import numpy as np
import pandas as pd

from analysis.databases.evaluations import Repository
from analysis.ensembles.metrics import METRICS, measure_errors


def stored_precision(repository: Repository, dtype: type = np.float64) -> pd.DataFrame:
    """Measure every error again from the stored predictions, rounded to a type before.

    A row per dataset, metric and split: evaluations, largest and mean absolute difference from the
    errors as they were measured on the fit, for regression relative to the error.
    """
    known = repository.evaluations
    learners = known["learner"].values.tolist()
    parts = []
    for task in known["task"].values.tolist():
        metric = known["metric"].sel(task=task).item()
        if metric not in METRICS:
            continue
        for repeat in known["repeat"].values.tolist():
            for fold in known["fold"].values.tolist():
                for split in ("valid", "test"):
                    said = repository.predictions(task, fold, split, learners, repeat)
                    true = repository.labels(task, fold, split, repeat).values
                    measured = known["error"].sel(task=task, fold=fold, repeat=repeat, split=split)
                    again = measure_errors(said.values.astype(dtype).astype(float), true, metric)
                    apart = abs(again - measured.sel(learner=learners).values)
                    if metric == "rmse":
                        apart = apart / again
                    parts.append(pd.DataFrame({"dataset": task, "metric": metric, "split": split,
                                               "apart": apart}))
    table = pd.concat(parts)
    grouped = table.groupby(["dataset", "metric", "split"], sort=False)["apart"]
    return grouped.agg(evaluations="size", largest="max", mean="mean").reset_index()
