"""The metrics of predictions, by kind of problem."""

from collections.abc import Mapping

import numpy as np

from collection import metrics
from collection.container import SPLITS
from collection.evaluation.evaluation import Predictions

NOT_NUMBERS = "predictions are not all numbers: no metrics of them"


def measure(true: np.ndarray, said: Predictions) -> dict[str, float]:
    """Return every metric that the predictions have.

    Parameters
    ----------
    true : ndarray of int (class codes) or float (regression), shape (n_rows,)
    said : Predictions

    Returns
    -------
    dict of str to float
        Names of `collection.evaluation.container.MEASURES`. AUC is NaN where there is one class
        only, and absent where the learner gives no scores, as log-loss is where it gives no
        probabilities, and both where some are NaN.
    """
    if said.kind == "value":
        return {"rmse": metrics.rmse(true, said.values), "mae": metrics.mae(true, said.values),
                "r2": metrics.r2(true, said.values)}
    found = {"error_rate": metrics.error_rate(true, said.labels),
             "f1": metrics.weighted_f1(true, said.labels, said.values.shape[1])}
    if said.kind != "label" and not np.isnan(said.values).any():
        found["auc"] = metrics.weighted_auc(true, said.values)
        if said.kind == "probability":
            found["log_loss"] = metrics.log_loss(true, said.values)
    return found


def measure_splits(true: Mapping[str, np.ndarray], said: Mapping[str, Predictions]
                   ) -> tuple[dict[str, tuple[float, ...]], str]:
    """Return the metrics as tuples of train, valid and test, and a message where some lack.

    A split that is not in `said` is NaN.
    """
    of_split = {split: measure(true[split], said[split]) for split in said}
    names = dict.fromkeys(name for found in of_split.values() for name in found)
    table = {name: tuple(of_split.get(split, {}).get(name, np.nan) for split in SPLITS)
             for name in names}
    lacking = any(np.isnan(part.values).any() for part in said.values())
    return table, NOT_NUMBERS if lacking else ""
