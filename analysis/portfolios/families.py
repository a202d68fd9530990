"""Families of configs as methods: default, tuned, tuned and ensembled (TabRepo, Section 4)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from analysis.portfolios.opening import TaskPredictions, TaskRecord
from analysis.portfolios.study import MEMBERS, evaluate_portfolio

BEST = 20  # configs of a family that are ensembled (TabRepo, Section 4)
KINDS = ("default", "tuned", "tuned + ensemble")


def compare_families(records: Sequence[TaskRecord], families: Sequence[str],
                     members: int = MEMBERS) -> pd.DataFrame:
    """Evaluate every family on every task: its default, the best on validation, an ensemble.

    Parameters
    ----------
    records : sequence of TaskRecord
    families : sequence of str
        The family of each config; the first config of a family is its default.
    members : int
        Picks of an ensemble, from the 20 configs that are best on validation.

    Returns
    -------
    pandas.DataFrame
        Columns ``method`` (family and kind), ``family, kind`` (default, tuned, tuned + ensemble)
        and those of `evaluate_portfolio`; seconds and configs are of all that were trained.
    """
    places = pd.Series(range(len(families))).groupby(list(families), sort=False)
    rows = [{"method": f"{family} ({kind})", "family": family, "kind": kind, **row}
            for record in records for family, order in places
            for kind, row in zip(KINDS, _of_family(record, order.to_numpy(), members), strict=True)]
    return pd.DataFrame(rows)


def _of_family(record: TaskRecord, order: np.ndarray, members: int) -> list[dict]:
    """Return a family's default, tuned, and ensembled from its best configs."""
    (default,) = evaluate_portfolio(order[:1], record, ensemblers=["single_best"])
    (tuned,) = evaluate_portfolio(order, record, ensemblers=["single_best"])
    best = np.sort(order[np.argsort(record.valid_error[order], kind="stable")[:BEST]])
    (chosen,) = evaluate_portfolio(best, record, members=members, ensemblers=["greedy_published"])
    return [default, tuned, chosen | {name: tuned[name] for name in ("configs", "train_time")}]


def take_configs(record: TaskRecord, configs: np.ndarray) -> TaskRecord:
    """Return the record of some configs.

    Parameters
    ----------
    record : TaskRecord
    configs : ndarray of int
        Their positions; those in the record that is returned are counted anew.
    """
    def load(chosen: np.ndarray) -> TaskPredictions:
        return record.load(configs[chosen])

    arrays = {name: getattr(record, name)[configs]
              for name in ("valid_error", "test_error", "train_time", "infer_time")}
    return replace(record, **arrays, load=load)
