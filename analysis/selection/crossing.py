"""How often learning curves cross, by pairs of learners.

A curve that starts better than another and ends worse has crossed it. Two rules say what start
and end are; see `RULES`. The uncertainty is that of families of datasets, by the bootstrap.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.load import one_setting
from analysis.statistics import bootstrap
from analysis.statistics.summary import TIE
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
