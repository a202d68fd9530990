"""Does ensembling cure ill-behaviour: verdicts and crossings of members and their ensembles."""

import numpy as np
import pandas as pd
import xarray as xr

from analysis.selection.crossing import crossings
from analysis.shapes import detect_shapes
from analysis.statistics.bootstrap import exact_ends, holm, ratio_of_sums_interval
from analysis.statistics.families import count_families
from chapters.ensemble_curves.judged import ensemble_names, member_names

MEMBERS = "Members"
DRAWS = 9_999  # of exchanges
VERDICTS = ("non_monotone", "peaking", "dipping")


def surviving_verdicts(errors: xr.DataArray, procedures: tuple[str, ...]) -> pd.DataFrame:
    """Return how many curves have each shape, of the members and of every ensemble.

    Parameters
    ----------
    errors : xarray.DataArray
        From `judged_errors`.
    procedures : tuple of str
        Names in `analysis.shapes.PROCEDURES`.

    Returns
    -------
    pandas.DataFrame
        Columns: procedure, verdict, ensemble (or "Members"), curves, called, datasets; percent,
        low, high (95 % interval from resampling datasets); difference, difference_low,
        difference_high (to the members, percentage points); p (that the ensemble is like a member
        drawn from each dataset: `exchange_p`, Holm over a procedure's verdicts and ensembles).
    """
    tables = []
    for procedure in procedures:
        shapes = detect_shapes(errors, procedure=procedure)
        there = ~shapes["missing"]
        called = xr.concat([shapes[v].astype(float).where(there) for v in VERDICTS],
                           pd.Index(VERDICTS, name="verdict"))
        tables.append(_compare(called).assign(procedure=procedure))
    table = pd.concat(tables, ignore_index=True)
    ends = exact_ends(table["percent"], table["low"], table["high"],
                      count_families(errors["dataset"].values))
    return table.assign(low=ends[0], high=ends[1])


def crossing_shares(errors: xr.DataArray) -> pd.DataFrame:
    """Return how often a member's curve crosses another member's, and how often an ensemble's.

    Returns
    -------
    pandas.DataFrame
        As `surviving_verdicts`, without procedure and verdict: ``curves`` are pairs. A pair has
        crossed where the one that is better at the first common anchor is worse at the last.
    """
    cases = crossings(errors)
    crossed = cases["crosses"] | cases["crosses"].rename(
        learner_a="learner_b", learner_b="learner_a").transpose(*cases["crosses"].dims)
    other = cases["learner_a"] != cases["learner_b"]
    crossed = crossed.astype(float).where(cases["defined"] & other)
    of_members = crossed.sel(learner_a=member_names(errors["learner"].values))
    table = _compare(of_members.rename(learner_b="learner").expand_dims(verdict=["crossing"]))
    twice = np.where(table["ensemble"] == MEMBERS, 2, 1)  # a pair of members is seen from both ends
    return table.drop(columns="verdict").assign(
        curves=table["curves"] // twice, called=table["called"] // twice)


def _compare(values: xr.DataArray) -> pd.DataFrame:
    """Compare ensembles with the members' mean.

    `values` has dims verdict, dataset, learner and perhaps others to be averaged over; NaN where
    there is none.
    """
    names = values["learner"].values
    members = member_names(names)
    groups = {MEMBERS: members} | {name: [name] for name in ensemble_names(names)}
    rest = [d for d in values.dims if d not in ("verdict", "dataset", "learner")]
    rows, datasets = [], values["dataset"].values
    for verdict in values["verdict"].values:
        own = values.sel(verdict=verdict)
        each = 100 * own.mean(rest).transpose("dataset", "learner")
        of_members = each.sel(learner=members).values
        for group, learners in groups.items():
            row = _share(own.sel(learner=learners).transpose("dataset", ...).values, datasets)
            if group != MEMBERS:
                row |= _difference(each.sel(learner=group).values, of_members, datasets)
            rows.append({"verdict": verdict, "ensemble": group} | row)
    table = pd.DataFrame(rows)
    compared = table["ensemble"] != MEMBERS
    table.loc[compared, "p"] = holm(table.loc[compared, "p"])
    return table


def _share(values: np.ndarray, datasets: np.ndarray) -> dict[str, float]:
    """Summarise values, shape (dataset, ...)."""
    values = values.reshape(len(values), -1)
    total, n = np.nansum(values, axis=1), (~np.isnan(values)).sum(axis=1)
    low, high = ratio_of_sums_interval(total, n, datasets)
    return {"datasets": len(values), "curves": int(n.sum()), "called": total.sum(),
            "percent": 100 * total.sum() / n.sum(), "low": 100 * float(low),
            "high": 100 * float(high)}


def _difference(own: np.ndarray, of_members: np.ndarray, datasets: np.ndarray) -> dict[str, float]:
    """Compare an ensemble, shape (dataset,), with the members, shape (dataset, member)."""
    differences = own - np.nanmean(of_members, axis=1)
    low, high = ratio_of_sums_interval(differences, np.ones(len(own)), datasets)
    return {"difference": differences.mean(), "difference_low": float(low),
            "difference_high": float(high), "p": exchange_p(of_members, own)}


def exchange_p(others: np.ndarray, own: np.ndarray, seed: int = 0) -> float:
    """Return the p-value of the mean of `own`, were it exchangeable with the others.

    Within each dataset, `own` and the others are shuffled: under the null hypothesis any of them
    could have been `own`. This holds for skewed values and for yes or no too, where flipping signs
    does not: none of 9 is expected where others say yes once in ten.

    Parameters
    ----------
    others : ndarray, shape (dataset, other)
        NaN where there is none.
    own : ndarray, shape (dataset,)
    seed : int
        Of the draws.

    Returns
    -------
    float
        Two-sided: twice the smaller share of draws, the observed one among them, whose mean is at
        most or at least that of `own`; at most 1.

    Raises
    ------
    ValueError
        For an `own` that is NaN.
    """
    own = np.asarray(own, float)
    if np.isnan(own).any():
        raise ValueError(f"{np.isnan(own).sum()} of {len(own)} datasets have no value of their "
                         "own: leave them out.")
    pool = np.column_stack([own, np.asarray(others, float)])
    generator, total = np.random.default_rng(seed), np.zeros(DRAWS)
    for row in pool:
        total += generator.choice(row[~np.isnan(row)], DRAWS)
    total, observed = np.append(total, own.sum()), own.sum()
    below, above = (total <= observed + 1e-12).mean(), (total >= observed - 1e-12).mean()
    return float(min(1, 2 * min(below, above)))
