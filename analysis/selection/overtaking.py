"""From how many rows on a learner is ahead of another: now, and for good."""

from collections.abc import Sequence

import pandas as pd
import xarray as xr

from analysis.statistics.shares import family_share
from analysis.statistics.summary import REPEATS, TIE
from collection.containers.curves import only_dims

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
