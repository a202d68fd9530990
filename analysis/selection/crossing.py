"""How often learning curves cross, by pairs of learners; from how many rows on one is ahead; races.

A curve that starts better than another and ends worse has crossed it. Two rules say what start
and end are; see `RULES`. The uncertainty is that of families of datasets, by the bootstrap. Races
are run between learners whose curves cross little or much: what choosing on less data costs, and
which sets of learners those are.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.load import one_setting
from analysis.selection.contest import open_contest
from analysis.selection.harness import STRATEGIES
from analysis.selection.ladders import Ladders
from analysis.statistics import bootstrap
from analysis.statistics.halves import chosen_elsewhere
from analysis.statistics.summary import REPEATS, TIE, family_share
from collection.containers.curves import only_dims
from collection.project.naming import check_known

PAIR = ("learner_a", "learner_b")


def _compare_published(error: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    present = ~np.isnan(error)
    last = last_true(present)
    end = np.minimum(last[:, :, None], last[:, None, :])
    at_end = np.take_along_axis(error, np.maximum(end, 0), axis=2)
    start = error[:, :, 0]
    starts_better = start[:, :, None] < start[:, None, :]
    ends_worse = (at_end > at_end.swapaxes(1, 2)) & (end >= 0)
    return starts_better, ends_worse, np.ones_like(starts_better)


def _compare_corrected(error: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    present = ~np.isnan(error)
    common = present[:, :, None, :] & present[:, None, :, :]
    first, last = common.argmax(axis=-1), last_true(common)
    defined = last > first
    at_start = np.take_along_axis(error, first, axis=2)
    at_end = np.take_along_axis(error, np.maximum(last, 0), axis=2)
    starts_better = defined & (at_start < at_start.swapaxes(1, 2) - TIE)
    ends_worse = defined & (at_end > at_end.swapaxes(1, 2) + TIE)
    return starts_better, ends_worse, defined


def last_true(mask: np.ndarray) -> np.ndarray:
    """Return the position of the last True along the last axis, -1 where there is none."""
    last = mask.shape[-1] - 1 - mask[..., ::-1].argmax(axis=-1)
    return np.where(mask.any(axis=-1), last, -1)


#: ``published``: the database's first anchor and the last one that both curves reach; a curve
#: without a value at the first anchor starts neither better nor worse, and every dataset is in
#: the denominator; an anchor with one missing repeat is missing. ``corrected``: the first and
#: last anchors common to both curves, which differ; the denominator is the datasets that have
#: them; the mean is over the repeats that exist; differences up to `TIE` are ties, and a tie at
#: either end is no crossing. Each takes error rates of shape (dataset, learner, anchor) and returns
#: three boolean arrays of shape (dataset, learner, learner): A starts better than B, A ends worse
#: than B, and whether the two curves can be compared at all.
RULES = {"published": _compare_published, "corrected": _compare_corrected}


def mean_curves(curves: xr.DataArray, rule: str = "corrected") -> xr.DataArray:
    """Average validation error rates over the repeats, missing ones as the rule has it.

    Parameters
    ----------
    curves : xarray.DataArray, dims (dataset, learner, anchor[, scaling, leakage, outer, inner])
        Error rates of one split; NaN where missing.
    rule : str
        A name in `RULES`.

    Returns
    -------
    xarray.DataArray, dims (dataset, learner, anchor)

    Raises
    ------
    UnknownNameError
        If there is no such rule.
    ValueError
        If scaling or leakage is not settled, or a dim is missing.
    """
    check_known("rule", [rule], RULES)
    curves = one_setting(curves)
    repeats = [d for d in REPEATS if d in curves.dims]
    mean = curves.mean(repeats, skipna=rule != "published")
    if set(mean.dims) != {"dataset", "learner", "anchor"}:
        raise ValueError(
            f"Crossings need dims dataset, learner and anchor besides the repeats, not "
            f"{', '.join(map(str, curves.dims))}; choose one split with .sel(split='valid')."
        )
    return mean.transpose("dataset", "learner", "anchor")


def crossings(curves: xr.DataArray, rule: str = "corrected") -> xr.Dataset:
    """Tell for every dataset and ordered pair of learners whether A's curve crosses B's.

    Parameters
    ----------
    curves, rule
        As in `mean_curves`.

    Returns
    -------
    xarray.Dataset, dims (dataset, learner_a, learner_b)
        Booleans: ``starts_better`` (A starts with the lower error rate), ``crosses`` (and ends
        with the higher one), ``defined`` (the dataset counts for this pair).

    Raises
    ------
    UnknownNameError, ValueError
        As `mean_curves`.

    Notes
    -----
    Appendix G, Figure 19. Both rules speak of two anchors only; curves that cross twice count
    as not crossing.
    """
    mean = mean_curves(curves, rule)
    starts_better, ends_worse, defined = RULES[rule](mean.values)
    learners = mean["learner"].values
    return xr.Dataset(
        {"starts_better": (("dataset", *PAIR), starts_better),
         "crosses": (("dataset", *PAIR), starts_better & ends_worse),
         "defined": (("dataset", *PAIR), defined)},
        coords={"dataset": mean["dataset"].values, PAIR[0]: learners, PAIR[1]: learners},
        attrs={"rule": rule},
    )


def crossing_probabilities(cases: xr.Dataset) -> xr.Dataset:
    """Return Figure 19's three matrices.

    Parameters
    ----------
    cases : xarray.Dataset
        What `crossings` returns.

    Returns
    -------
    xarray.Dataset, dims (learner_a, learner_b)
        ``starts_better``: share of datasets on which A starts better than B. ``crosses``: and
        ends worse. ``overtaken``: the second given the first; NaN where A never starts better.
        ``datasets``: the denominator. NaN where that is 0.
    """
    datasets = cases["defined"].sum("dataset")
    shares = cases[["starts_better", "crosses"]].sum("dataset") / datasets.where(datasets > 0)
    started = shares["starts_better"]
    return shares.assign(overtaken=shares["crosses"] / started.where(started > 0),
                         datasets=datasets).assign_attrs(cases.attrs)


def crossing_frame(cases: xr.Dataset, database: str) -> pd.DataFrame:
    """Return the probabilities as a tidy table, a row per ordered pair of two learners.

    Parameters
    ----------
    cases : xarray.Dataset
        What `crossings` returns.
    database : str
        Its name, for the table.

    Returns
    -------
    pandas.DataFrame
        Columns: database, rule, learner_a, learner_b, probability (A starts better and ends
        worse), starts_better, overtaken, datasets.
    """
    table = crossing_probabilities(cases).to_dataframe().reset_index()
    table = table[table[PAIR[0]] != table[PAIR[1]]].rename(columns={"crosses": "probability"})
    table = table.assign(database=database, rule=cases.attrs["rule"])
    columns = ["database", "rule", *PAIR, "probability", "starts_better", "overtaken", "datasets"]
    return table[columns].reset_index(drop=True)


#: What `shares_ahead` tells of a size: the learner is ahead there, it is ahead there and at all
#: larger ones, the baseline is ahead or level there and at all larger ones.
NOW, GOOD, BEHIND = "ahead now", "ahead for good", "behind for good"


def lead_over(errors: xr.DataArray, baseline: str) -> xr.DataArray:
    """Return how much higher each learner's error is than that of one of them.

    Parameters
    ----------
    errors : xarray.DataArray, dims (dataset, learner[, outer, inner], anchor)
        NaN where missing.
    baseline : str
        A learner.

    Returns
    -------
    xarray.DataArray, dims (dataset, learner, anchor), without the baseline
        Below 0 the learner is ahead: the mean over the repeats that both have, on the same splits
        of the same rows; NaN where there is none.
    """
    apart = errors.drop_sel(learner=baseline) - errors.sel(learner=baseline, drop=True)
    mean = apart.mean([d for d in REPEATS if d in apart.dims])
    return only_dims(mean.transpose("dataset", "learner", "anchor"))


def overtakes(lead: xr.DataArray) -> xr.Dataset:
    """Tell from which anchor on each learner is ahead at every anchor to come.

    Parameters
    ----------
    lead : xarray.DataArray, dims (..., anchor)
        From `lead_over`. Differences up to `analysis.statistics.summary.TIE` are ties, and a tie is
        not ahead.

    Returns
    -------
    xarray.Dataset, dims as `lead` without anchor
        Rows, each NaN where there is none: ``first`` and ``last``, the ends of the anchors at which
        both have a value; ``rows``, the smallest anchor from which on the learner is ahead at all
        of them (NaN: not by the last; the size is censored there).
    """
    anchor, there = lead["anchor"], lead.notnull()
    behind = anchor.where(there & ~(lead < -TIE)).max("anchor")
    later = there & ~(anchor <= behind)
    return xr.Dataset({"first": anchor.where(there).min("anchor"),
                       "last": anchor.where(there).max("anchor"),
                       "rows": anchor.where(later).min("anchor")})


def shares_ahead(lead: xr.DataArray, sizes: Sequence[int], reach: int | None = None,
                 together: bool = False) -> xr.Dataset:
    """Return on what share of the problems each learner is ahead at a size, and for good.

    Parameters
    ----------
    lead : xarray.DataArray, dims (dataset, learner, anchor)
        From `lead_over`.
    sizes : sequence of int
        Rows; the largest common anchor up to each is looked at.
    reach : int, optional
        The same problems at all sizes: those whose common anchors reach this and begin at the
        least of `sizes` or before. By default at each size those that reach it.
    together : bool
        Whether a problem counts only where all learners have it.

    Returns
    -------
    xarray.Dataset, dims (rows, who, learner)
        From `analysis.statistics.family_share`; ``who`` is one of `NOW`, `GOOD`, `BEHIND`. "For
        good" is as far as the curves go.
    """
    cases, anchor, ahead = overtakes(lead), lead["anchor"], lead < -TIE
    last_ahead, parts = anchor.where(ahead).max("anchor"), []
    for size in sizes:
        here = _at(lead, size)
        counts = ((cases["first"] <= (min(sizes) if reach else size))
                  & (cases["last"] >= (reach or size)))
        counts = counts.all("learner") if together else counts
        holds = xr.concat([(ahead & (anchor == here)).any("anchor"), cases["rows"] <= size,
                           ~(last_ahead >= here)], pd.Index([NOW, GOOD, BEHIND], name="who"))
        parts.append(family_share(holds, counts))
    return xr.concat(parts, pd.Index(sizes, name="rows"))


def _at(lead: xr.DataArray, size: int) -> xr.DataArray:
    """Return the largest anchor up to a size at which both learners have a value."""
    return lead["anchor"].where(lead.notnull() & (lead["anchor"] <= size)).max("anchor")


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
    return matrix[..., members[:, :, None], members[:, None]].mean(axis=(-2, -1))


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
        ``way``; ``kind``: "cross least", "cross most", "difference" (most minus least) or
        "beyond full" (those that cross most, minus their regret by full evaluation);
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
    rows, full = [], None  # the first way is full evaluation
    for way, regret in mean_regrets(ladders, groups, datasets).items():
        mean = {}
        for kind in KINDS:
            total = np.zeros(len(datasets))
            for judged, chosen in picks:
                total[judged] += regret[judged, place[chosen[kind]]]
            mean[kind] = pd.Series(total / HALVINGS)
        mean["difference"] = mean["most"] - mean["least"]
        full = mean["most"] if full is None else full
        mean["beyond full"] = mean["most"] - full
        both = mean["difference"].dropna().index
        for kind, values in mean.items():
            there = values[both]
            low, high = bootstrap.mean_interval(there, pd.Series(datasets)[there.index])
            named = f"cross {kind}" if kind in KINDS else kind
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
    times = np.vstack([np.ones(len(datasets)), bootstrap.resample_datasets(datasets)])
    drawn = bootstrap.ratio_of_sums(cases["crosses"].values, cases["defined"].values, times)
    pairs = SIZE / (SIZE - 1)  # `mean_crossing` counts a learner with itself
    crossing = 100 * pairs * mean_crossing(drawn, members)
    fives = pd.DataFrame({"set": range(len(members)), "crossing": crossing[0],
                          "learners": [JOIN.join(learners[m]) for m in members]} | {
                              way: np.nanmean(values, axis=0) for way, values in regret.items()})
    return fives, regret_on_crossing(crossing, regret, times)


def regret_on_crossing(crossing: np.ndarray, regret: Mapping[str, np.ndarray],
                       times: np.ndarray) -> pd.DataFrame:
    """Return what ten points more of crossing go with, in a regression over sets of learners.

    Parameters
    ----------
    crossing : ndarray, shape (1 + n_resamples, n_sets)
        Percent of the ordered pairs, on the datasets and in resamples of them.
    regret : mapping of str to ndarray, shape (n_datasets, n_sets)
        Points, by way of choosing; NaN where a set has no race.
    times : ndarray, shape (1 + n_resamples, n_datasets)
        How often each dataset counts there.

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
        mean = bootstrap.ratio_of_sums(np.where(there, extra, 0), there, times)
        slope, share = _line(crossing, mean)
        low, high = bootstrap.percentile_interval(slope[1:])
        rows.append((way, 10 * slope[0], 10 * float(low), 10 * float(high), 100 * share[0]))
    return pd.DataFrame(rows, columns=["way", "slope", "low", "high", "explained"])


def _line(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return slope and share of explained variance along the last axis."""
    x, y = (v - v.mean(axis=-1, keepdims=True) for v in (x, y))
    both, spread = (x * y).sum(axis=-1), (x**2).sum(axis=-1)
    slope = np.divide(both, spread, out=np.full(both.shape, np.nan), where=spread > 0)
    return slope, slope * both / np.maximum((y**2).sum(axis=-1), 1e-300)
