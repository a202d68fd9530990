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


def picks_by_place(picks: Sequence[Sequence[str]]) -> pd.DataFrame:
    """Count in which order families are picked (TabRepo, Figure 6).

    Parameters
    ----------
    picks : sequence of sequence of str
        The families of each portfolio's configs, in its order.

    Returns
    -------
    pandas.DataFrame
        ``place`` (from 1), ``family``, ``share`` (percent of the portfolios that long that pick it
        there); the family most picked first.
    """
    made = pd.DataFrame([(k, family) for own in picks for k, family in enumerate(own, start=1)],
                        columns=["place", "family"])
    counts = pd.crosstab(made["place"], made["family"])
    counts = counts[counts.sum().sort_values(ascending=False, kind="stable").index]
    shares = 100 * counts.div(counts.sum(axis=1), axis=0)
    return shares.stack().rename("share").reset_index()


def time_shares(records: Sequence[TaskRecord], families: Sequence[str]) -> pd.DataFrame:
    """Tell which tenth of the fits takes which share of the training time (TabRepo, Figure 7).

    Parameters
    ----------
    records : sequence of TaskRecord
    families : sequence of str
        The family of each config.

    Returns
    -------
    pandas.DataFrame
        ``family`` (all, then each, the dearest first), ``tenth`` (of its fits by time, the slowest
        first), ``share`` (percent of its time), ``seconds`` (of the quickest fit in it), ``total``
        (seconds of the family).
    """
    times = pd.DataFrame([r.train_time for r in records], columns=list(families))
    groups = {"all": times.to_numpy().ravel()} | {
        family: times.loc[:, [family == f for f in families]].to_numpy().ravel()
        for family in dict.fromkeys(families)}
    rows = []
    for family, seconds in groups.items():
        slowest = np.sort(seconds[np.isfinite(seconds)])[::-1]
        rows += [(family, k, 100 * part.sum() / slowest.sum(), part[-1], slowest.sum())
                 for k, part in enumerate(np.array_split(slowest, 10), start=1) if len(part)]
    table = pd.DataFrame(rows, columns=["family", "tenth", "share", "seconds", "total"])
    return table.sort_values(["total", "tenth"], ascending=[False, True], ignore_index=True)


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
