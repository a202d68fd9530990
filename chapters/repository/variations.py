"""What a portfolio needs: configs, datasets, size, members (TabRepo, Figure 5)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from analysis.portfolios.opening import Predictions, TaskRecord, fold_weights
from analysis.portfolios.select import select_portfolio
from analysis.portfolios.study import evaluate_portfolio, leave_one_out
from chapters.repository.families import PORTFOLIO_SIZE, family_positions

ENSEMBLER = "greedy_published"
SEEDS = 2


def vary_configs(
    records: Sequence[TaskRecord], families: Sequence[str], numbers: Iterable[int],
    seeds: int = SEEDS, size: int = PORTFOLIO_SIZE,
) -> pd.DataFrame:
    """Learn portfolios from random configs of every family, so many each.

    Parameters
    ----------
    records : sequence of TaskRecord
    families : sequence of str
        The family of each config.
    numbers : iterable of int
        Configs of a family; one that has fewer gives all.
    seeds : int
        Draws.
    size : int
        Of the portfolios.

    Returns
    -------
    pandas.DataFrame
        Columns ``value`` (the number), ``seed``, and those of `leave_one_out`.
    """
    tables = []
    for number in numbers:
        for seed in range(seeds):
            generator = np.random.default_rng([seed, number])
            kept = np.sort(np.concatenate([
                generator.permutation(order)[:number]
                for order in family_positions(families).values()]))
            table = leave_one_out([only(r, kept) for r in records], min(size, len(kept)),
                                  ensemblers=[ENSEMBLER])
            tables.append(table.assign(value=number, seed=seed))
    return pd.concat(tables, ignore_index=True)


def only(record: TaskRecord, configs: np.ndarray) -> TaskRecord:
    """Return the record of some configs."""
    def load(chosen: np.ndarray) -> Predictions:
        return record.load(configs[chosen])

    arrays = {name: getattr(record, name)[configs]
              for name in ("valid_error", "test_error", "train_time", "infer_time")}
    return replace(record, **arrays, load=load)


def vary_datasets(
    records: Sequence[TaskRecord], numbers: Iterable[int], seeds: int = SEEDS,
    size: int = PORTFOLIO_SIZE,
) -> pd.DataFrame:
    """Learn portfolios from random other datasets, so many.

    Parameters
    ----------
    records, seeds, size
        As in `vary_configs`.
    numbers : iterable of int
        Training datasets, at most all but one.

    Returns
    -------
    pandas.DataFrame
        As `vary_configs`.
    """
    names = np.array([r.dataset for r in records])
    errors, weights = np.array([r.test_error for r in records]), fold_weights(records)
    datasets, rows = list(dict.fromkeys(names)), []
    for number in numbers:
        for seed in range(seeds):
            for k, left_out in enumerate(datasets):
                generator = np.random.default_rng([seed, number, k])
                others = [name for name in datasets if name != left_out]
                learned = np.isin(names, generator.permutation(others)[:number])
                order = select_portfolio(errors[learned], size, weights[learned]).order
                rows += [{**row, "value": number, "seed": seed}
                         for record in records if record.dataset == left_out
                         for row in evaluate_portfolio(order, record, ensemblers=[ENSEMBLER])]
    return pd.DataFrame(rows)


def vary_size(records: Sequence[TaskRecord], sizes: Iterable[int]) -> pd.DataFrame:
    """Evaluate portfolios of several sizes, ensembled; columns as in `vary_configs`."""
    return pd.concat([leave_one_out(records, size, ensemblers=[ENSEMBLER]).assign(
        value=size, seed=0) for size in sizes], ignore_index=True)


def vary_members(records: Sequence[TaskRecord], numbers: Iterable[int],
                 size: int = PORTFOLIO_SIZE) -> pd.DataFrame:
    """Evaluate ensembles of several numbers of picks; columns as in `vary_configs`."""
    return pd.concat([leave_one_out(records, size, ensemblers=[ENSEMBLER], members=number).assign(
        value=number, seed=0) for number in numbers], ignore_index=True)


def over_seeds(table: pd.DataFrame) -> pd.DataFrame:
    """Average a variation over its seeds, so that a task counts once per value."""
    keys = ["value", "dataset", "fold"]
    return table.groupby(keys, sort=False)[["normalized_error", "rank", "train_time",
                                            "infer_time"]].mean().reset_index()
