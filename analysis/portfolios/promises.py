"""The winner's curse: errors on the rows that an ensemble was selected on, and on others.

An error is compared with the mean error of all configs on the same rows. What an ensemble seems to
gain on the validation rows, less what it gains on the test rows, is its optimism. Not all of it is
the selection's: test rows are predicted by all bags, validation rows by one each, so that averaging
configs gains less on test rows whoever chose them. Weights that were selected on *other* datasets
show that part; the rest is the selection's own.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.ensembles import check_inputs, combine, fit_ensemble, measure_errors
from analysis.ensembles.crossfit import cross_fit
from analysis.portfolios.opening import TaskPredictions, TaskRecord
from analysis.statistics.families import family_of

OTHERS = "greedy, on other datasets"
WAYS = {"single_best": "single best", "greedy_published": "greedy, as published",
        "cross_fitted": "greedy, cross-fitted", "equal_weights": "equal weights"}


def promised_gains(records: Sequence[TaskRecord], members: int = 40) -> pd.DataFrame:
    """Compare ways to choose by what they promise and what they keep.

    Parameters
    ----------
    records : sequence of TaskRecord
        All of the same configs, in the same order.
    members : int
        Picks at most.

    Returns
    -------
    pandas.DataFrame
        Columns ``way, dataset, fold, promised, test, optimism``: the mean error of all configs less
        the ensemble's, over the former, on validation rows and on test rows, and the difference.
        The cross-fitted way promises what rows say that its picks were not selected on; the
        last is the mean over the weights that were selected on datasets of other families.
    """
    everything = np.arange(len(records[0].test_error))
    greedy = [fit_ensemble("greedy_published", said.valid, said.valid_labels, record.metric,
                           members).weights
              for record, said in ((r, r.load(everything)) for r in records)]
    rows = []
    for record in records:
        said = record.load(everything)
        for way, title in WAYS.items():
            seen = said.valid, said.valid_labels, record.metric
            if way == "cross_fitted":
                made, promised = cross_fit(*check_inputs(*seen), record.metric, members)
                gains = _gains(record, said, made.weights)
                gains = gain(promised, record.valid_error.mean()), gains[1]
            else:
                gains = _gains(record, said, fit_ensemble(way, *seen, members).weights)
            rows.append((title, record.dataset, record.fold, *gains))
        others = [_gains(record, said, weights) for weights, other in
                  zip(greedy, records, strict=True)
                  if family_of(other.dataset) != family_of(record.dataset)]
        rows.append((OTHERS, record.dataset, record.fold, *np.mean(others, axis=0)))
    table = pd.DataFrame(rows, columns=["way", "dataset", "fold", "promised", "test"])
    return table.assign(optimism=table["promised"] - table["test"])


def _gains(record: TaskRecord, said: TaskPredictions, weights: np.ndarray) -> tuple[float, float]:
    """Return what an ensemble gains over the mean config on validation and on test rows."""
    used = weights != 0
    return tuple(
        gain(measure_errors(combine(rows[used], weights[used])[None], true, record.metric)[0],
             errors.mean())
        for rows, true, errors in ((said.valid, said.valid_labels, record.valid_error),
                                   (said.test, said.test_labels, record.test_error)))


def gain(error: float, base: float) -> float:
    """Return the share of the mean config's error that is saved; 0 where that makes none."""
    return 1 - error / base if base > 0 else 0.0
