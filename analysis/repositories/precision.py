"""What storing predictions as rounded numbers does to errors."""

import pandas as pd

from analysis.databases.repositories import Repository
from analysis.ensembles.metrics import measure_errors


def stored_precision(repository: Repository, splits: tuple[str, ...] = ("valid", "test")
                     ) -> pd.DataFrame:
    """Measure every error again from the stored predictions.

    Parameters
    ----------
    repository : Repository
    splits : tuple of str

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
        for repeat in known["repeat"].values.tolist():
            for fold in known["fold"].values.tolist():
                for split in splits:
                    said = repository.predictions(task, fold, split, learners, repeat)
                    true = repository.labels(task, fold, split, repeat).values
                    measured = known["error"].sel(task=task, fold=fold, repeat=repeat, split=split)
                    again = measure_errors(said.values.astype(float), true, metric)
                    apart = abs(again - measured.sel(learner=learners).values)
                    if metric == "rmse":
                        apart = apart / again
                    parts.append(pd.DataFrame({"dataset": task, "metric": metric, "split": split,
                                               "apart": apart}))
    table = pd.concat(parts)
    grouped = table.groupby(["dataset", "metric", "split"], sort=False)["apart"]
    return grouped.agg(evaluations="size", largest="max", mean="mean").reset_index()
