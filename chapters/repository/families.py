"""Families of configs as methods: default, tuned, tuned and ensembled (TabRepo, Section 4).

And what a portfolio needs: configs, datasets, size, members (TabRepo, Figure 5).
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from analysis.portfolios.opening import TaskPredictions, TaskRecord, fold_weights
from analysis.portfolios.select import select_portfolio
from analysis.portfolios.study import MEMBERS, evaluate_portfolio, leave_one_out, summarise

BEST = 20  # configs of a family that are ensembled (TabRepo, Section 4)
KINDS = ("default", "tuned", "tuned + ensemble")
FAMILY_TITLES = {"ExtraTrees": "extra trees", "KNeighbors": "nearest neighbours",
                 "LinearModel": "linear model", "NeuralNetTorch": "MLP",
                 "RandomForest": "random forest"}
PORTFOLIO, ENSEMBLED = "portfolio", "portfolio (ensemble)"
PORTFOLIO_SIZE = 20  # configs; the paper has 200 of 1,310


def family_positions(families: Sequence[str]) -> dict[str, np.ndarray]:
    """Return the positions of each family's configs, in the order given: the default first."""
    names = np.asarray(families, object)
    return {family: np.flatnonzero(names == family) for family in dict.fromkeys(names)}


def tuned_families(results: pd.DataFrame) -> list[str]:
    """Return the families that have several configs, in the order of the results."""
    return list(dict.fromkeys(results.loc[results["kind"] == KINDS[1], "family"]))


def without_guests(families: Sequence[str]) -> np.ndarray:
    """Return the positions of configs that have others of their family.

    A learner with one config only, as a network of today with its tuned defaults, is no family of
    the paper: nothing that is said of the families counts it.
    """
    alone = [family for family, order in family_positions(families).items() if len(order) == 1]
    return np.flatnonzero(~np.isin(np.asarray(families, object), alone))


def family_results(records: Sequence[TaskRecord], families: Sequence[str],
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
        Columns ``method, family, kind`` (of `KINDS`), ``dataset, fold, budget, error,
        valid_error, train_time, infer_time, configs, members``.
    """
    rows = [{"method": f"{family} ({kind})", "family": family, "kind": kind, **row}
            for record in records for family, order in family_positions(families).items()
            for kind, row in zip(KINDS, _of_family(record, order, members), strict=True)]
    return pd.DataFrame(rows).drop(columns=["ensembler", "fallback"])


def _of_family(record: TaskRecord, order: np.ndarray, members: int) -> list[dict]:
    """Return a family's default, tuned, and ensembled from its best configs."""
    (default,) = evaluate_portfolio(order[:1], record, ensemblers=["single_best"])
    (tuned,) = evaluate_portfolio(order, record, ensemblers=["single_best"])
    best = np.sort(order[np.argsort(record.valid_error[order], kind="stable")[:BEST]])
    (chosen,) = evaluate_portfolio(best, record, members=members, ensemblers=["greedy_published"])
    return [default, tuned, chosen | {name: tuned[name] for name in ("configs", "train_time")}]


def portfolio_results(records: Sequence[TaskRecord], **settings) -> pd.DataFrame:
    """Evaluate portfolios learned on the other datasets, alone and ensembled.

    Parameters
    ----------
    records : sequence of TaskRecord
    **settings
        Of `analysis.portfolios.leave_one_out`.

    Returns
    -------
    pandas.DataFrame
        As `family_results`; the column ``family`` is empty.
    """
    table = leave_one_out(records, ensemblers=["single_best", "greedy_published"],
                          **{"size": PORTFOLIO_SIZE, **settings})
    names = {"single_best": PORTFOLIO, "greedy_published": ENSEMBLED}
    method = table["ensembler"].map(names)
    return table.assign(method=method, family="", kind=method).drop(
        columns=["ensembler", "fallback"])


def summarise_methods(results: pd.DataFrame) -> pd.DataFrame:
    """Average results of `with_places` over tasks by `summarise`; the lowest error first."""
    table = summarise(results, ("method", "family", "kind"))
    return table.drop(columns=["configs", "members"]).sort_values(
        "normalized_error", ignore_index=True, kind="stable")


ENSEMBLER = "greedy_published"
SEEDS = 2


def vary_configs(records: Sequence[TaskRecord], families: Sequence[str], numbers: Iterable[int],
                 seeds: int = SEEDS, size: int = PORTFOLIO_SIZE) -> pd.DataFrame:
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
    def load(chosen: np.ndarray) -> TaskPredictions:
        return record.load(configs[chosen])

    arrays = {name: getattr(record, name)[configs]
              for name in ("valid_error", "test_error", "train_time", "infer_time")}
    return replace(record, **arrays, load=load)


def vary_datasets(records: Sequence[TaskRecord], numbers: Iterable[int], seeds: int = SEEDS,
                  size: int = PORTFOLIO_SIZE) -> pd.DataFrame:
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


def vary_setting(records: Sequence[TaskRecord], setting: str, numbers: Iterable[int],
                 size: int = PORTFOLIO_SIZE) -> pd.DataFrame:
    """Evaluate ensembled portfolios of several ``size``, or ``members``; as `vary_configs`."""
    return pd.concat([leave_one_out(records, ensemblers=[ENSEMBLER],
                                    **{"size": size, setting: number}).assign(value=number, seed=0)
                      for number in numbers], ignore_index=True)


def over_seeds(table: pd.DataFrame) -> pd.DataFrame:
    """Average a variation over its seeds, so that a task counts once per value."""
    keys = ["value", "dataset", "fold"]
    return table.groupby(keys, sort=False)["normalized_error"].mean().reset_index()
