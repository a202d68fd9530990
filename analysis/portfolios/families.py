"""Families of configs as methods, and what their hyperparameters weigh (TabRepo, Section 4)."""

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import xarray as xr

from analysis.portfolios.opening import TaskPredictions, TaskRecord
from analysis.portfolios.select import select_portfolio
from analysis.portfolios.study import evaluate_portfolio, leave_one_out
from analysis.statistics.bootstrap import holm
from analysis.statistics.summary import summarise

BEST = 20  # configs of a family that are ensembled (TabRepo, Section 4)
KINDS = ("default", "tuned", "tuned + ensemble")
LEAST = 5  # configs of a family, for it to be looked at
POINTS, TREES = 500, 100  # that the space is covered by; of a forest
COLUMNS = ["family", "hyperparameter", "configs", "tasks", "share", "low", "high", "chance", "p",
           "p_holm"]


def compare_families(records: Sequence[TaskRecord], families: Sequence[str]) -> pd.DataFrame:
    """Evaluate every family on every task: its default, the best on validation, an ensemble.

    An ensemble is of 40 picks, from the 20 configs that are best on validation.

    Parameters
    ----------
    records : sequence of TaskRecord
    families : sequence of str
        The family of each config; the first config of a family is its default.

    Returns
    -------
    pandas.DataFrame
        Columns ``method`` (family and kind), ``family, kind`` (default, tuned, tuned + ensemble)
        and those of `evaluate_portfolio`; seconds and configs are of all that were trained.
    """
    places = pd.Series(range(len(families))).groupby(list(families), sort=False)
    rows = [{"method": f"{family} ({kind})", "family": family, "kind": kind, **row}
            for record in records for family, order in places
            for kind, row in zip(KINDS, _of_family(record, order.to_numpy()), strict=True)]
    return pd.DataFrame(rows)


def _of_family(record: TaskRecord, order: np.ndarray) -> list[dict]:
    """Return a family's default, tuned, and ensembled from its best configs."""
    (default,) = evaluate_portfolio(order[:1], record, ensemblers=["single_best"])
    (tuned,) = evaluate_portfolio(order, record, ensemblers=["single_best"])
    best = np.sort(order[np.argsort(record.valid_error[order], kind="stable")[:BEST]])
    (chosen,) = evaluate_portfolio(best, record, ensemblers=["greedy_published"])
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


def vary_portfolios(records: Sequence[TaskRecord], families: Sequence[str], size: int,
                    sizes: Sequence[int] = (3, 15, 30), members: int = 15,
                    seeds: Sequence[int] = (0, 1)) -> pd.DataFrame:
    """Return what ensembles of portfolios are worth with more or less to learn from.

    TabRepo's Figure 4 varies the same: configs of a portfolio, picks of its ensemble, configs of a
    family, datasets that are learned from.

    Parameters
    ----------
    records : sequence of TaskRecord
        All with the same configs.
    families : sequence of str
        Each config's; its first config is its default.
    size : int
        Configs of a portfolio where they do not vary.
    sizes, members
        Configs, and picks of an ensemble, that it is varied to.
    seeds : sequence of int
        Of the configs, one a family, and of the datasets, one to learn from, that are drawn.

    Returns
    -------
    pandas.DataFrame
        The rows of `evaluate_portfolio`, with a ``method``: "3 configs", …, "15 members", "1
        config a family", "1 dataset"; "defaults" are the families' first configs, learned nowhere.
    """
    ways = {"ensemblers": ["greedy_published"]}
    datasets = list(dict.fromkeys(record.dataset for record in records))
    places = list(pd.Series(families).groupby(families, sort=False).indices.values())
    varied = [leave_one_out(records, n, **ways).assign(method=f"{n} configs") for n in sizes]
    varied.append(leave_one_out(records, size, members=members, **ways).assign(
        method=f"{members} members"))
    defaults = np.array([own[0] for own in places])
    varied.append(pd.DataFrame([row for record in records for row in evaluate_portfolio(
        defaults, record, **ways)]).assign(method="defaults"))
    for seed in seeds:
        generator = np.random.default_rng([seed, 1])
        few = np.sort([generator.permutation(own)[0] for own in places])
        varied.append(leave_one_out([take_configs(r, few) for r in records], min(size, len(few)),
                                    **ways).assign(method="1 config a family"))
    for seed in seeds:
        for place, left_out in enumerate(datasets):
            generator = np.random.default_rng([seed, 1, place])
            one = generator.permutation([name for name in datasets if name != left_out])[0]
            order = select_portfolio(
                np.array([r.test_error for r in records if r.dataset == one]), size).order
            varied.append(pd.DataFrame([row for r in records if r.dataset == left_out
                                        for row in evaluate_portfolio(order, r, **ways)]).assign(
                method="1 dataset"))
    return pd.concat(varied, ignore_index=True)


def hyperparameter_importance(evaluations: xr.Dataset, seed: int = 0,
                              n_resamples: int = 2000) -> pd.DataFrame:
    """Split each family's variance of errors over its space, by functional ANOVA.

    As the paper has it (Hutter, Hoos and Leyton-Brown, 2014): a forest of errors by hyperparameters
    for each task, and the share of its variance that is due to one of them alone. Its trees are cut
    at random, so that forests of all tasks and permutations are one.

    Parameters
    ----------
    evaluations : xarray.Dataset
        As of `load_evaluations`; errors are means over folds and repeats.
    seed, n_resamples : int
        Of points, trees and permutations.

    Returns
    -------
    pandas.DataFrame
        A row per family and hyperparameter, the largest share of a family first: ``configs`` that
        state all of the family's hyperparameters (5 or more, else there is no row), ``tasks`` on
        which all have an error, ``share, low, high`` (percent of a task's variance, mean with 95 %
        interval over families of datasets), ``chance`` (the median of that mean with the configs'
        hyperparameters permuted), ``p`` (how often it is as large then), ``p_holm`` (of all rows).
    """
    from sklearn.ensemble import ExtraTreesRegressor  # which takes a while to load

    errors = evaluations["error"].sel(split="test").mean(["repeat", "fold"]).transpose(
        "learner", "task").to_pandas()
    stated = evaluations["hyperparameters"].to_series().map(
        lambda text: json.loads(text or "{}"))
    rows = []
    for family, own in stated.groupby(evaluations["family"].to_series(), sort=False):
        settings = [config for config in own if len(config) == max(map(len, own))]
        table = pd.DataFrame(settings, own.index[own.map(len) == max(map(len, own))])
        table = table.apply(_codes).loc[:, lambda t: t.nunique() > 1]
        y = errors.loc[table.index].dropna(axis="columns")
        y = y.loc[:, y.nunique() > 1]
        if len(table) < LEAST or table.empty or y.empty:
            continue
        generator = np.random.default_rng(seed)
        x, n = table.to_numpy(float), len(table)
        points = np.column_stack([generator.choice(column, POINTS) for column in x.T])
        forest = ExtraTreesRegressor(TREES, max_features=1, random_state=seed).fit(x, np.eye(n))
        orders = [np.arange(n), *(generator.permutation(n) for _ in range(n_resamples))]
        shuffled = y.to_numpy()[np.array(orders)].swapaxes(0, 1)  # config, permutation, task
        total = _variance(forest.predict(points), shuffled)
        for k, name in enumerate(table):
            alone = np.array([_at(points, k, value, forest) for value in x[:, k]])
            share = 100 * np.divide(_variance(alone, shuffled), total, where=total > 0,
                                    out=np.zeros(total.shape))
            means, of_task = share.mean(axis=1), summarise(share[0], y.columns)
            rows.append({"family": family, "hyperparameter": name, "configs": n,
                         "tasks": y.shape[1], "share": of_task.value, "low": of_task.low,
                         "high": of_task.high, "chance": np.median(means[1:]),
                         "p": (means >= means[0] - 1e-9).mean()})
    found = pd.DataFrame(rows, columns=COLUMNS[:-1])
    return found.assign(p_holm=holm(found["p"])).sort_values(
        ["family", "share"], ascending=[True, False], ignore_index=True)


def _codes(values: pd.Series) -> pd.Series:
    """Return numbers by their rank, anything else by the alphabet: trees are cut between."""
    if not pd.api.types.is_numeric_dtype(values) or values.isna().any():
        values = values.astype(str)
    return values.rank(method="dense")


def _at(points: np.ndarray, column: int, value: float, forest: object) -> np.ndarray:
    """Return the weights of the configs' errors in the mean where a column has a value."""
    fixed = points.copy()
    fixed[:, column] = value
    return forest.predict(fixed).mean(axis=0)


def _variance(weights: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Return the variance of weighted errors over the weights' rows."""
    covariance = np.cov(weights, rowvar=False, bias=True)
    return np.einsum("ipt,ij,jpt->pt", errors, covariance, errors, optimize=True)
