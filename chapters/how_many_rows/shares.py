"""On what share of the problems a learner is ahead: now, for good by so many rows, at the end."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from analysis.statistics import bootstrap
from analysis.statistics.summary import TIE
from chapters.how_many_rows.overtaking import SIZES, OvertakingStudy, overtaking_places

LEAST = 5  # problems; a share of fewer is not given

#: What is asked of a size, for `three_shares`.
NOW, GOOD, STAYS = "ahead now", "ahead for good", "logistic regression stays ahead"


def overtaking_shares(cases: xr.Dataset, family: pd.Series, database: str,
                      sizes: Sequence[int] = SIZES) -> pd.DataFrame:
    """Return on what share of the problems each learner is ahead for good by so many rows.

    Parameters
    ----------
    cases : xarray.Dataset, dims (dataset, learner)
        From `chapters.how_many_rows.overtaking.overtaking`.
    family : pandas.Series
        Family of each dataset, in the order of `cases` (`families_by_dataset`):
        near-duplicates count as one problem.
    database : str
        Its name, for the table.
    sizes : sequence of int
        Rows.

    Returns
    -------
    pandas.DataFrame
        Columns ``database, learner, rows, share, low, high, n_datasets``: the share of the
        problems whose common anchors reach that many rows (smaller ones are not counted), its
        95 % interval from resampling problems, and how many these are; NaN for fewer than `LEAST`.
        Ahead "for good" is as far as the curves go.
    """
    cases = cases.transpose("dataset", "learner")
    at = np.asarray(sizes)
    reaches = (cases["last"].values[..., None] >= at) & (cases["first"].values[..., None] <= at)
    found = problem_shares(cases["rows"].values[..., None] <= at, reaches, family)
    index = pd.MultiIndex.from_product([[database], cases["learner"].values, list(sizes)],
                                       names=["database", "learner", "rows"])
    return pd.DataFrame({name: part.ravel() for name, part in found.items()}, index).reset_index()


def three_shares(mean: xr.DataArray, cases: xr.Dataset, family: pd.Series, database: str,
                 sizes: Sequence[int] = SIZES, reach: int | None = None) -> pd.DataFrame:
    """Return who is ahead at a size, and who from there on for good: three shares.

    Parameters
    ----------
    mean : xarray.DataArray, dims (dataset, learner, anchor)
        From `chapters.how_many_rows.overtaking.mean_difference`.
    cases : xarray.Dataset, dims (dataset, learner)
        From `chapters.how_many_rows.overtaking.overtaking`.
    family, database, sizes
        As in `overtaking_shares`.
    reach : int, optional
        The same problems at all sizes: those whose common anchors reach this and begin at the
        least of `sizes` or before. By default at each size those that reach it.

    Returns
    -------
    pandas.DataFrame
        Columns ``database, problems`` ("all" or "fixed"), ``learner, rows, who``, ``share, low,
        high, n_datasets``. ``who`` is `NOW` (the learner is ahead at the largest common anchor up
        to the size), `GOOD` (it is ahead at all common anchors from there on) or `STAYS` (logistic
        regression is ahead or level at all of them). A problem with several datasets counts once.
    """
    mean, cases = mean.transpose("dataset", "learner", "anchor"), cases.transpose(
        "dataset", "learner")
    values, anchors = mean.values, mean["anchor"].values
    first, last = cases["first"].values, cases["last"].values
    tables = []
    for size in sizes:
        counts = (first <= min(sizes if reach else [size])) & (last >= (reach or size))
        here = overtaking_places(values[..., anchors <= size])[1]
        later = np.arange(len(anchors)) >= here[..., None]
        known = later & ~np.isnan(values)
        ahead = values < -TIE
        holds = {NOW: _ahead(values, here), GOOD: (ahead | ~known).all(axis=-1),
                 STAYS: (~ahead | ~known).all(axis=-1)}
        for who, flags in holds.items():
            tables.append(pd.DataFrame({
                "database": database, "problems": "fixed" if reach else "all",
                "learner": mean["learner"].values, "rows": size, "who": who,
                **problem_shares(flags, counts, family)}))
    return pd.concat(tables, ignore_index=True)


def problem_shares(holds: np.ndarray, counts: np.ndarray,
                   family: pd.Series) -> dict[str, np.ndarray]:
    """Return on what share of the problems something holds, with its 95 % interval.

    Parameters
    ----------
    holds, counts : ndarray of bool, shape (n_datasets, ...)
        Whether it holds on a dataset, and whether the dataset counts.
    family : pandas.Series
        Family of each dataset, in this order. A family of which several count is one problem, with
        the share of them.

    Returns
    -------
    dict of str to ndarray, shape (...)
        ``share, low, high``, NaN for fewer than `LEAST` problems; ``n_datasets``, the problems
        that count.
    """
    of = pd.factorize(family.to_numpy())[0]
    member = (np.arange(of.max() + 1)[:, None] == of).astype(float)
    of_family = np.tensordot(member, counts.astype(float), 1)
    done = np.divide(np.tensordot(member, (holds & counts).astype(float), 1), of_family,
                     out=np.zeros(of_family.shape), where=of_family > 0)
    counted = (of_family > 0).astype(float)
    n = counted.sum(axis=0)
    share = np.divide(done.sum(axis=0), n, out=np.full(n.shape, np.nan), where=n > 0)
    low, high = bootstrap.ratio_of_sums_interval(done, counted, None)
    low, high = bootstrap.exact_ends(100 * share, 100 * low, 100 * high, np.maximum(n, 1))
    found = {"share": share, "low": low / 100, "high": high / 100}
    return {name: np.where(n >= LEAST, part, np.nan) for name, part in found.items()} | {
        "n_datasets": n.astype(int)}


def common_shares(study: OvertakingStudy) -> pd.DataFrame:
    """Return `overtaking_shares` of complex learners on the datasets that all of them have.

    A dataset counts at a size of `SIZES` that the curves of all of them reach.
    """
    cases = study.cases.sel(learner=study.complex)
    cases = cases.assign(last=cases["last"].min("learner", skipna=False),
                         first=cases["first"].max("learner", skipna=False))
    cases = cases.broadcast_like(study.cases["rows"].sel(learner=study.complex))
    return overtaking_shares(cases, study.family, study.database)


def order_holds(mean: xr.DataArray, family: pd.Series, database: str,
                sizes: Sequence[int] = SIZES, longer: float = 4) -> pd.DataFrame:
    """Return how often the learner that is ahead at a size is ahead at the end of the curves too.

    Parameters
    ----------
    mean, family, database
        As in `behind_again`.
    sizes : sequence of int
        Rows; the largest common anchor up to it is looked at.
    longer : float
        The curves have to go on to so many times the size.

    Returns
    -------
    pandas.DataFrame
        Columns ``database, learner, rows, now, share, low, high, n_datasets``: of the problems on
        which logistic regression is behind at the size (``now`` is "ahead") or is not ("not
        ahead"), the share on which the learner is ahead at the last common anchor. NaN for too few.
    """
    values = mean.transpose("dataset", "learner", "anchor").values
    anchors = mean["anchor"].values
    last = overtaking_places(values)[1]
    at_end = _ahead(values, last)
    tables = []
    for size in sizes:
        here = overtaking_places(values[..., anchors <= size])[1]
        counts = (here >= 0) & (anchors[last] >= longer * size)
        then = _ahead(values, here)
        for now, is_so in (("ahead", then), ("not ahead", ~then)):
            tables.append(pd.DataFrame({
                "database": database, "learner": mean["learner"].values, "rows": size, "now": now,
                **problem_shares(at_end, counts & is_so, family)}))
    return pd.concat(tables, ignore_index=True)


def _ahead(values: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return whether the learner is ahead at a position on the last axis; -1 stands for none."""
    there = np.take_along_axis(values, np.maximum(at, 0)[..., None], axis=-1)[..., 0]
    return (there < -TIE) & (at >= 0)
