"""How often learning curves cross, by pairs of learners; from how many rows on one is ahead.

A curve that starts better than another and ends worse has crossed it. Two rules say what start
and end are; see `RULES`. The uncertainty is that of families of datasets, by the bootstrap.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.load import one_setting
from analysis.statistics import bootstrap
from analysis.statistics.shares import family_share
from analysis.statistics.summary import REPEATS, TIE
from collection.containers.curves import only_dims
from collection.project.naming import check_known

PAIR = ("learner_a", "learner_b")


class Rule(NamedTuple):
    """How a crossing is told from two mean curves.

    Attributes
    ----------
    complete_repeats : bool
        Whether an anchor counts only where no repeat is missing.
    compare : callable
        Takes error rates of shape (dataset, learner, anchor); returns three boolean arrays of
        shape (dataset, learner, learner): A starts better than B, A ends worse than B, and
        whether the two curves can be compared at all.
    """

    complete_repeats: bool
    compare: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]


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
#: either end is no crossing.
RULES = {"published": Rule(True, _compare_published), "corrected": Rule(False, _compare_corrected)}


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
    repeats = [d for d in ("outer", "inner") if d in curves.dims]
    mean = curves.mean(repeats, skipna=not RULES[rule].complete_repeats) if repeats else curves
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
    starts_better, ends_worse, defined = RULES[rule].compare(mean.values)
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


def bootstrap_crossings(cases: xr.Dataset) -> np.ndarray:
    """Resample the datasets and return the crossing probabilities of each resample.

    Parameters
    ----------
    cases : xarray.Dataset
        What `crossings` returns.

    Returns
    -------
    ndarray, shape (1000, n_learners, n_learners)
        NaN where a resample holds no dataset on which the pair can be compared.
    """
    times = bootstrap.resample_datasets(cases["dataset"].values)
    return bootstrap.ratio_of_sums(cases["crosses"].values, cases["defined"].values, times)


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


def clearest_crossings(valid: xr.DataArray) -> pd.DataFrame:
    """List crossings from the clearest: a large lead at the start and a large deficit at the end.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        Validation error rates, NaN where missing.

    Returns
    -------
    pandas.DataFrame
        A row per dataset and ordered pair that cross by the corrected rule: dataset, learner_a,
        learner_b, lead (of A at the first common anchor), deficit (of A at the last), in error
        rate. The smaller of the two sorts.
    """
    cases, mean = crossings(valid)["crosses"], mean_curves(valid)
    found = np.argwhere(cases.values)
    gap = mean.values[found[:, 0], found[:, 2]] - mean.values[found[:, 0], found[:, 1]]
    common = ~np.isnan(gap)
    first, last, rows = common.argmax(axis=1), last_true(common), np.arange(len(gap))
    table = pd.DataFrame({dim: cases[dim].values[found[:, k]]
                          for k, dim in enumerate(("dataset", *PAIR))})
    table = table.assign(lead=gap[rows, first], deficit=-gap[rows, last])
    order = np.argsort(-table[["lead", "deficit"]].min(axis=1).to_numpy(), kind="stable")
    return table.iloc[order].reset_index(drop=True)


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
