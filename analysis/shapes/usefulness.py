"""Whether a curve ends below the constant classifier's, and whether those that do misbehave."""

from itertools import combinations

import pandas as pd
import xarray as xr

from analysis.shapes.detect import detect_shapes
from analysis.shapes.significance import Procedure
from analysis.statistics.bootstrap import exact_if_few, ratio_of_sums_interval
from analysis.statistics.families import count_families
from analysis.statistics.shares import share_error
from analysis.statistics.summary import REPEATS

TIE = 1e-9  # error rate: what rounding makes
RANKS = {"the five best": (1, 5), "six to ten": (6, 10), "beyond the tenth": (11, 999)}


def below_dummy(errors: xr.DataArray, constant: xr.DataArray) -> xr.DataArray:
    """Tell which curves end below the constant classifier's.

    Parameters
    ----------
    errors : xarray.DataArray, dims (..., outer, inner, anchor), of the two repeats those there are
        Error rates of one split, better of other rows than shapes are judged on: an error that is
        high by chance is a violation too. NaN where a repeat has none.
    constant : xarray.DataArray
        The constant classifier's on the same rows, by the same dims without ``learner``; or, by
        dataset alone, 1 less the share of the largest class.

    Returns
    -------
    xarray.DataArray of bool, over the remaining dims
        Whether the mean over repeats is below the constant's mean at the last size at which both
        have one; False where there is none.
    """
    gap = _mean(constant) - _mean(errors)
    last = gap.notnull().cumsum("anchor").argmax("anchor")
    return (gap.isel(anchor=last) > TIE).drop_vars("anchor")


def judge_by_use(valid: xr.DataArray, test: xr.DataArray, constant: xr.DataArray,
                 procedure: str | Procedure = "corrected", chosen: int = 3) -> pd.DataFrame:
    """Tell which curves are useful by some outer seeds, and ill-behaved by the others.

    Parameters
    ----------
    valid, test : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        Error rates on validation rows, by which shapes are judged, and on test rows.
    constant : xarray.DataArray
        The constant classifier's on test rows, as in `below_dummy`.
    procedure : str or Procedure
        By which shapes are judged.
    chosen : int
        Outer seeds that say which curves are useful.

    Returns
    -------
    pandas.DataFrame
        A row per curve and ``way`` of choosing the seeds: ``useful`` (bool, `below_dummy`),
        ``rank`` (of the mean test error at the last size among the dataset's learners, from 1;
        ties share the lowest), ``ill_behaved`` (bool). Curves without a value are left out.
    """
    parts = []
    for way, seeds in enumerate(combinations(valid["outer"].values.tolist(), chosen)):
        own, level = (part.sel(outer=list(seeds)) if "outer" in part.dims else part
                      for part in (test, constant))
        mean = _mean(own)
        end = mean.isel(anchor=mean.notnull().cumsum("anchor").argmax("anchor"), drop=True)
        others = valid.drop_sel(outer=list(seeds))
        there = end.notnull() & others.notnull().any([*REPEATS, "anchor"])
        rank = end.to_pandas().rank(axis=1, method="min").stack().to_xarray()
        table = xr.Dataset({
            "useful": below_dummy(own, level), "rank": rank,
            "ill_behaved": detect_shapes(others, procedure)["ill_behaved"], "there": there,
        }).reset_coords(drop=True).to_dataframe().query("there").drop(columns="there")
        parts.append(table.reset_index().assign(way=way))
    return pd.concat(parts, ignore_index=True)


def shares_by_use(judged: pd.DataFrame) -> pd.DataFrame:
    """Return how often curves are ill-behaved by whether they are useful, and by rank.

    Parameters
    ----------
    judged : pandas.DataFrame
        From `judge_by_use`.

    Returns
    -------
    pandas.DataFrame
        ``what`` ("ill-behaved, %" or "not useful, %"), ``of`` (which curves), ``value, low, high``
        (95 % interval over families of datasets; NaN of no curve), ``n`` (curves, on average over
        the ways of choosing seeds).
    """
    ill, useful = judged["ill_behaved"], judged["useful"]
    groups = [("ill-behaved, %", "useful", ill, useful),
              ("ill-behaved, %", "not useful", ill, ~useful),
              *(("ill-behaved, %", name, ill, judged["rank"].between(*ranks))
                for name, ranks in RANKS.items()),
              ("not useful, %", "all curves", ~useful, useful == useful),
              ("not useful, %", "ill-behaved curves", ~useful, ill)]
    rows = []
    for what, name, having, of in groups:
        above, below = (part.astype(float).groupby(judged["dataset"], sort=False).sum()
                        for part in (having & of, of))
        low, high = ratio_of_sums_interval(100 * above, below, above.index)
        share = 100 * above.sum() / below.sum() if below.sum() else float("nan")
        low, high = exact_if_few(share, low, high, count_families(above.index[below > 0]),
                                 share_error(above, below, above.index))
        rows.append((what, name, share, float(low), float(high),
                     round(below.sum() / judged["way"].nunique())))
    return pd.DataFrame(rows, columns=["what", "of", "value", "low", "high", "n"])


def _mean(errors: xr.DataArray) -> xr.DataArray:
    return errors.mean([dim for dim in REPEATS if dim in errors.dims])
