"""Races between learners whose curves cross little or much: what choosing on less data costs.

And which sets of learners those are.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
import xarray as xr

from analysis.selection.contest import open_contest
from analysis.selection.crossing import bootstrap_crossings, crossing_probabilities
from analysis.selection.ladders import Ladders
from analysis.selection.registry import STRATEGIES
from analysis.statistics import bootstrap
from analysis.statistics.halves import chosen_elsewhere

JOIN = "; "  # between the learners of a set, in tables
KINDS = ("least", "most")


def mean_crossing(matrix: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Return the mean crossing probability within sets of learners, the diagonal included.

    Parameters
    ----------
    matrix : ndarray, shape (..., n_learners, n_learners)
    members : ndarray of int, shape (n_sets, size)
        Positions of each set's learners.

    Returns
    -------
    ndarray, shape (..., n_sets)
        NaN where a pair of the set could be compared on no dataset.
    """
    either_way = matrix + np.swapaxes(matrix, -1, -2)
    size = members.shape[1]
    total = np.zeros((*matrix.shape[:-2], len(members)))
    for i, j in combinations(range(size), 2):
        total += either_way[..., members[:, i], members[:, j]]
    return total / size**2


def crossing_of(cases: xr.Dataset, members: np.ndarray) -> np.ndarray:
    """Return `mean_crossing` on the datasets of some cases, shape (n_sets,)."""
    return mean_crossing(crossing_probabilities(cases)["crosses"].values, members)


def every_set(cases: xr.Dataset, size: int = 5) -> np.ndarray:
    """Return all sets of learners of a size, as positions, shape (n_sets, size).

    Raises
    ------
    ValueError
        If `size` is below 2 or above the number of learners.
    """
    n = cases.sizes["learner_a"]
    if not 2 <= size <= n:
        raise ValueError(f"size is {size}; choose between 2 and {n} learners.")
    return np.array(list(combinations(range(n), size)))


def extreme_sets(cases: xr.Dataset, members: np.ndarray) -> dict[str, tuple[int, ...]]:
    """Return the set that crosses least and the one that crosses most, by `KINDS`.

    Parameters
    ----------
    cases : xarray.Dataset
        From `analysis.selection.crossing.crossings`, of the datasets that are to choose.
    members : ndarray of int, shape (n_sets, size)

    Returns
    -------
    dict of str to tuple of int
        Positions of the learners; of sets that cross alike, the first.
    """
    scores = crossing_of(cases, members)
    known = np.flatnonzero(~np.isnan(scores))
    at = known[scores[known].argmin()], known[scores[known].argmax()]
    return {kind: tuple(members[k].tolist()) for kind, k in zip(KINDS, at, strict=True)}


REFERENCE = {"start": 16, "increase": 1.0, "dropout": 1}  # the paper's Figure 6
BASE = "train all on all data"
#: Ways of choosing that race within sets of learners, and their settings.
WAYS = {
    BASE: ("full", {}),
    "drop one by one from 16 rows": ("halving", REFERENCE),
    "drop one by one from 64 rows": ("halving", REFERENCE | {"start": 59}),
    "one look at half of the data": ("early", {"doublings": 1}),
    "learning-curve cross-validation": ("lccv", {"start": 64, "z": 1.0, "seed": 0}),
}
N_SETS, SIZE, HALVINGS = 120, 5, 10


def mean_regrets(ladders: Ladders, groups: Mapping[object, Sequence[str]],
                 datasets: np.ndarray) -> dict[str, np.ndarray]:
    """Run the ways of choosing on groups of learners; count nothing but regret.

    Returns
    -------
    dict of str to ndarray, shape (n_datasets, n_groups)
        Points of regret by way of choosing, means over the outer seeds; NaN where a group has no
        race.
    """
    regret = {way: [] for way in WAYS}
    for group, learners in groups.items():
        contest = open_contest(ladders, str(group), learners)
        for way, (name, params) in WAYS.items():
            chosen = STRATEGIES[name].run(contest, **params).chosen
            own = pd.Series(100 * contest.regret[contest.context, chosen])
            regret[way].append(own.groupby(contest.dataset).mean().reindex(datasets))
    return {way: np.column_stack(columns) for way, columns in regret.items()}


def race_by_halves(cases: xr.Dataset, ladders: Ladders) -> pd.DataFrame:
    """Race the five that cross least and the five that cross most on other datasets.

    Parameters
    ----------
    cases : xarray.Dataset
        From `analysis.selection.crossing.crossings`, corrected rule.
    ladders : Ladders
        Of the same curves.

    Returns
    -------
    DataFrame
        ``way``; ``kind``: "cross least", "cross most" or "difference" (most minus least);
        ``regret`` in points, the mean over the ``datasets`` on which both kinds could race, with
        its 95 % interval ``low`` to ``high`` over families. On each dataset the mean over
        `HALVINGS` random halvings (`analysis.statistics.halves`).
    """
    datasets, members = cases["dataset"].values, every_set(cases, SIZE)
    picks = list(chosen_elsewhere(
        datasets, lambda here: extreme_sets(cases.isel(dataset=here), members), HALVINGS))
    groups = {five: cases["learner_a"].values[list(five)].tolist()
              for _, chosen in picks for five in chosen.values()}
    place = {five: k for k, five in enumerate(groups)}
    rows = []
    for way, regret in mean_regrets(ladders, groups, datasets).items():
        mean = {}
        for kind in KINDS:
            total = np.zeros(len(datasets))
            for judged, chosen in picks:
                total[judged] += regret[judged, place[chosen[kind]]]
            mean[kind] = pd.Series(total / HALVINGS)
        mean["difference"] = mean["most"] - mean["least"]
        both = mean["difference"].dropna().index
        for kind, values in mean.items():
            there = values[both]
            low, high = bootstrap.mean_interval(there, pd.Series(datasets)[there.index])
            named = kind if kind == "difference" else f"cross {kind}"
            rows.append((way, named, there.mean(), low, high, len(there)))
    return pd.DataFrame(rows, columns=["way", "kind", "regret", "low", "high", "datasets"])


def random_sets(cases: xr.Dataset, ladders: Ladders) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Regress regret on crossing over random sets of learners.

    The five that cross most are one set, peculiar in other ways too. Over many sets it shows what
    crossing itself goes with.

    Parameters
    ----------
    cases, ladders
        As in `race_by_halves`.

    Returns
    -------
    fives : DataFrame
        A row for each of `N_SETS` sets of `SIZE` learners, drawn without repetition, that raced:
        ``set`` (number), ``crossing`` (mean over the ordered pairs of two, in percent),
        ``learners``, and each way's mean regret in points, by its name in `WAYS`.
    slopes : DataFrame
        From `regret_on_crossing`.
    """
    learners, every = cases["learner_a"].values, every_set(cases, SIZE)
    members = every[np.sort(np.random.default_rng(0).choice(
        len(every), min(N_SETS, len(every)), replace=False))]
    members = members[~np.isnan(crossing_of(cases, members))]
    datasets = cases["dataset"].values
    regret = mean_regrets(ladders, dict(enumerate(learners[members].tolist())), datasets)
    raced = np.logical_and.reduce([np.isfinite(v).any(axis=0) for v in regret.values()])
    members, regret = members[raced], {way: v[:, raced] for way, v in regret.items()}
    pairs = SIZE / (SIZE - 1)  # `mean_crossing` counts a learner with itself
    crossing = 100 * pairs * crossing_of(cases, members)
    fives = pd.DataFrame({"set": range(len(members)), "crossing": crossing,
                          "learners": [JOIN.join(learners[m]) for m in members]} | {
                              way: np.nanmean(values, axis=0) for way, values in regret.items()})
    drawn = 100 * pairs * mean_crossing(bootstrap_crossings(cases), members)
    return fives, regret_on_crossing(crossing, drawn, regret, bootstrap.resample_datasets(datasets))


def regret_on_crossing(crossing: np.ndarray, drawn: np.ndarray,
                       regret: Mapping[str, np.ndarray], times: np.ndarray) -> pd.DataFrame:
    """Return what ten points more of crossing go with, in a regression over sets of learners.

    Parameters
    ----------
    crossing : ndarray, shape (n_sets,)
        Percent of the ordered pairs.
    drawn : ndarray, shape (n_resamples, n_sets)
        The same in resamples of the datasets.
    regret : mapping of str to ndarray, shape (n_datasets, n_sets)
        Points, by way of choosing; NaN where a set has no race.
    times : ndarray, shape (n_resamples, n_datasets)
        How often each dataset counts in these resamples.

    Returns
    -------
    DataFrame
        ``way``; ``slope, low, high``: points of regret beyond full evaluation's (of full
        evaluation: its own) for ten points more of crossing, with a 95 % interval from resampling
        families of datasets; ``explained``: percent of the variance over the sets. NaN where all
        sets cross alike.
    """
    rows = []
    for way, values in regret.items():
        extra = values if way == BASE else values - regret[BASE]
        there = np.isfinite(extra)
        filled = np.where(there, extra, 0)
        mean = bootstrap.ratio_of_sums(filled, there, np.ones((1, len(filled))))
        slope, share = _line(crossing[None], mean)
        lines = _line(drawn, bootstrap.ratio_of_sums(filled, there, times))
        low, high = bootstrap.percentile_interval(lines[0])
        rows.append((way, 10 * slope[0], 10 * float(low), 10 * float(high), 100 * share[0]))
    return pd.DataFrame(rows, columns=["way", "slope", "low", "high", "explained"])


def _line(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return slope and share of explained variance along the last axis."""
    x, y = (v - v.mean(axis=-1, keepdims=True) for v in (x, y))
    both, spread = (x * y).sum(axis=-1), (x**2).sum(axis=-1)
    slope = np.divide(both, spread, out=np.full(both.shape, np.nan), where=spread > 0)
    return slope, slope * both / np.maximum((y**2).sum(axis=-1), 1e-300)
