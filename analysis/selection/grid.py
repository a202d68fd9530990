"""The ablation grid of successive halving (Figures 6 and 20), with intervals over datasets."""

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from analysis.intervals.bootstrap import ratio_of_sums_interval
from analysis.selection.contest import Contest, open_contests
from analysis.selection.halving import DROPOUTS, INCREASES, STARTS, successive_halving
from analysis.selection.ladders import Ladders

COLUMNS = ["database", "procedure", "group", "start", "increase", "dropout", "k", "top_k_rate",
           "top_k_low", "top_k_high", "regret", "regret_low", "regret_high", "datasets"]


def halving_frame(
    ladders: Ladders,
    groups: Mapping[str, Sequence[str]],
    starts: Sequence[float] = STARTS,
    increases: Sequence[float] = INCREASES,
    dropouts: Sequence[float] = DROPOUTS,
) -> pd.DataFrame:
    """Run the grid.

    Parameters
    ----------
    ladders : Ladders
    groups : mapping of name to learners
    starts, increases, dropouts
        See `analysis.selection.halving.successive_halving`.

    Returns
    -------
    pandas.DataFrame
        Columns: database, procedure, group, start (rows), increase (doublings), dropout, k (from
        1 to one less than the group), top_k_rate (how often the chosen is among the k best),
        regret (mean, in error rate), each with its 95 % percentile interval (``top_k_low`` …),
        datasets. Means are over the outer seeds of a dataset and then over datasets, as in
        `analysis.selection.summary`.
    """
    rows = []
    for contest in open_contests(ladders, groups):
        for setting in product(starts, increases, dropouts):
            key = (contest.database, contest.procedure.name, contest.group, *setting)
            rows += [(*key, *values) for values in _rates(contest, *setting)]
    return pd.DataFrame(rows, columns=COLUMNS)


def halving_regrets(
    ladders: Ladders, groups: Mapping[str, Sequence[str]], **setting: float
) -> pd.DataFrame:
    """Return the regret of every race under one setting: group, dataset, outer, regret."""
    parts = []
    for contest in open_contests(ladders, groups):
        chosen = successive_halving(contest, **setting).chosen
        parts.append(pd.DataFrame({
            "group": contest.group, "dataset": contest.dataset, "outer": contest.outer,
            "regret": contest.regret[contest.context, chosen]}))
    return pd.concat(parts, ignore_index=True)


def _rates(contest: Contest, start: float, increase: float, dropout: float) -> list[tuple]:
    """Return (k, top-k rate, low, high, regret, low, high, datasets) for every k."""
    chosen = successive_halving(contest, start, increase, dropout).chosen
    choice = contest.context, chosen
    ks = np.arange(1, len(contest.learners))
    per_race = np.column_stack([contest.regret[choice], contest.final_rank[choice][:, None] <= ks])
    names, which = np.unique(contest.dataset, return_inverse=True)
    per_dataset = np.zeros((len(names), per_race.shape[1]))
    np.add.at(per_dataset, which, per_race)
    per_dataset /= np.bincount(which)[:, None]
    low, high = ratio_of_sums_interval(per_dataset, np.ones(len(names)))
    regret, *top = zip(per_dataset.mean(axis=0), low, high, strict=True)
    return [(k, *rate, *regret, len(names)) for k, rate in zip(ks, top, strict=True)]
