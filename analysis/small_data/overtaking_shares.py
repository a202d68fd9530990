"""The share of datasets on which a learner is ahead for good by a number of rows."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from analysis.intervals.bootstrap import (
    exact_ends,
    percentile_interval,
    ratio_of_sums_interval,
    resample_datasets,
)
from analysis.small_data.overtaking import SIZES

LEAST = 5  # problems; a share of fewer is not given
SURVIVAL = ("database", "learner", "rows", "share", "low", "high", "at_risk")
SHARE = ("share", "low", "high", "n_datasets")


def overtaking_shares(cases: xr.Dataset, family: pd.Series, database: str,
                      sizes: Sequence[int] = SIZES) -> pd.DataFrame:
    """Return on what share of the problems each learner is ahead for good by so many rows.

    Parameters
    ----------
    cases : xarray.Dataset, dims (dataset, learner)
        From `analysis.small_data.overtaking.overtaking`.
    family : pandas.Series
        Family of each dataset, in the order of `cases` (`analysis.calibration.families.families`):
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
    columns = {name: part.ravel() for name, part in zip(SHARE, found, strict=True)}
    return pd.DataFrame(columns, index=index).reset_index()


def problem_shares(holds: np.ndarray, counts: np.ndarray,
                   family: pd.Series) -> tuple[np.ndarray, ...]:
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
    share, low, high : ndarray, shape (...)
        NaN for fewer than `LEAST` problems.
    n : ndarray of int, shape (...)
        Problems that count.
    """
    of = pd.factorize(family.to_numpy())[0]
    member = (np.arange(of.max() + 1)[:, None] == of).astype(float)
    of_family = np.tensordot(member, counts.astype(float), 1)
    done = np.divide(np.tensordot(member, (holds & counts).astype(float), 1), of_family,
                     out=np.zeros(of_family.shape), where=of_family > 0)
    counted = (of_family > 0).astype(float)
    n = counted.sum(axis=0)
    share = np.divide(done.sum(axis=0), n, out=np.full(n.shape, np.nan), where=n > 0)
    low, high = ratio_of_sums_interval(done, counted)
    low, high = exact_ends(100 * share, 100 * low, 100 * high, np.maximum(n, 1))
    enough = n >= LEAST
    return (*(np.where(enough, x, np.nan) for x in (share, low / 100, high / 100)), n.astype(int))


def survival_shares(cases: xr.Dataset, family: pd.Series, database: str,
                    sizes: Sequence[int] = SIZES, seed: int = 0,
                    resamples: int = 300) -> pd.DataFrame:
    """Return the same shares by Kaplan and Meier, in which small datasets count as far as they go.

    The event is to be ahead for good; a curve that ends before is censored at its last common
    anchor. That takes for granted that larger problems would behave as those do whose curves go
    on. Sizes are known up to the anchors: the event is put at the anchor at which it is seen.

    Parameters
    ----------
    cases, family, database, sizes
        As in `overtaking_shares`.
    seed, resamples : int
        Of the bootstrap over problems.

    Returns
    -------
    pandas.DataFrame
        Columns ``database, learner, rows, share, low, high, at_risk`` (problems that are neither
        overtaken nor ended before); NaN where fewer than `LEAST` problems reach the size.
    """
    parts = []
    for learner in cases["learner"].values:
        there = cases["last"].sel(learner=learner).notnull().values
        here = cases.sel(learner=learner).isel(dataset=there)
        of = pd.factorize(family.to_numpy()[there])[0]
        if not len(of):
            continue
        rows, last = here["rows"].values, here["last"].values
        weight = 1 / np.bincount(of)[of]
        times = resample_datasets(of.max() + 1, seed, resamples)[:, of]
        curves = kaplan_meier(rows, last, np.vstack([weight, weight * times]), sizes)
        low, high = percentile_interval(curves[1:])
        reach = [len(set(of[last >= s])) for s in sizes]
        risk = [weight[(np.where(np.isnan(rows), last, rows) >= s)].sum() for s in sizes]
        table = pd.DataFrame({"database": database, "learner": learner, "rows": sizes,
                              "share": curves[0], "low": low, "high": high, "at_risk": risk})
        few = np.array(reach) < LEAST
        parts.append(table.assign(**{c: table[c].mask(few) for c in ("share", "low", "high")}))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=SURVIVAL)


def kaplan_meier(event: np.ndarray, censored: np.ndarray, weights: np.ndarray,
                 at: Sequence[float]) -> np.ndarray:
    """Return the share with the event by each size, by the product-limit estimate.

    Parameters
    ----------
    event : ndarray, shape (n,)
        Size of the event; NaN where it was not seen.
    censored : ndarray, shape (n,)
        Size up to which there was a look; used where `event` is NaN. Censored at the size of an
        event is at risk there.
    weights : ndarray, shape (..., n)
        Weight of each.
    at : sequence of float
        Sizes, shape (m,).

    Returns
    -------
    ndarray, shape (..., m)
        Between 0 and 1, not falling along the last axis; 0 before the first event.
    """
    seen = ~np.isnan(event)
    ends = np.where(seen, event, censored)
    sizes = np.unique(event[seen])
    happening = weights @ (seen[:, None] & (ends[:, None] == sizes)).astype(float)
    risk = weights @ (ends[:, None] >= sizes).astype(float)
    stay = 1 - np.divide(happening, risk, out=np.zeros(risk.shape), where=risk > 0)
    left = np.cumprod(np.concatenate([np.ones((*stay.shape[:-1], 1)), stay], axis=-1), axis=-1)
    return 1 - left[..., np.searchsorted(sizes, at, side="right")]
