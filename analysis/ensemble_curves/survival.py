"""Does ensembling cure ill-behaviour: verdicts and sizes of members beside their ensembles'."""

import numpy as np
import pandas as pd
import xarray as xr

from analysis.crossing.crossing import crossings
from analysis.ensemble_curves.judged import ensemble_names, member_names
from analysis.intervals.bootstrap import exact_ends, ratio_of_sums_interval
from analysis.intervals.sign_flips import adjusted_p
from analysis.shapes import detect_shapes
from analysis.shapes.shrunken import cross_fitted_sizes

MEMBERS = "Members"
VERDICTS = ("non_monotone", "peaking", "dipping")
SIZES = {"size_mono": "non_monotone", "size_peak": "peaking", "size_dip": "dipping"}


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
        difference_high (to the members, percentage points); p (sign flips over datasets, adjusted
        for all verdicts and ensembles of a procedure; NaN where nothing differs).
    """
    tables = []
    for procedure in procedures:
        shapes = detect_shapes(errors, procedure=procedure)
        there = ~shapes["missing"]
        called = xr.concat([shapes[v].astype(float).where(there) for v in VERDICTS],
                           pd.Index(VERDICTS, name="verdict"))
        tables.append(_compare(called, 100).assign(procedure=procedure))
    table = pd.concat(tables, ignore_index=True)
    ends = exact_ends(table["percent"], table["low"], table["high"], errors.sizes["dataset"])
    return table.assign(low=ends[0], high=ends[1])


def surviving_sizes(errors: xr.DataArray) -> pd.DataFrame:
    """Return mean sizes of the largest violations, measured on repeats that did not choose them.

    Returns
    -------
    pandas.DataFrame
        As `surviving_verdicts`, without procedure: ``percent`` and what follows from it are in
        percentage points of error rate, ``called`` is NaN.
    """
    sizes = cross_fitted_sizes(errors)
    values = xr.concat([sizes[name] for name in SIZES], pd.Index(SIZES.values(), name="verdict"))
    return _compare(values, 100).assign(called=np.nan)


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
    members = member_names(errors["learner"].values)
    place = {name: k for k, name in enumerate(members)}  # each pair of members counts once
    first = np.array([[place[a] < place.get(b, len(members)) for b in crossed["learner_b"].values]
                      for a in members])
    crossed = crossed.astype(float).where(cases["defined"]).sel(learner_a=members)
    crossed = crossed.where(xr.DataArray(first, dims=("learner_a", "learner_b")))
    pairs = crossed.rename(learner_b="learner").expand_dims(verdict=["crossing"])
    table = _compare(pairs, 100)
    return table.drop(columns="verdict")


def _compare(values: xr.DataArray, scale: float) -> pd.DataFrame:
    """Compare ensembles with the members' mean.

    `values` has dims verdict, dataset, learner and perhaps others to be averaged over; NaN where
    there is none.
    """
    names = values["learner"].values
    groups = {MEMBERS: member_names(names)} | {name: [name] for name in ensemble_names(names)}
    rows, differences = [], []
    for verdict in values["verdict"].values:
        counted = {}
        for group, learners in groups.items():
            own = values.sel(verdict=verdict, learner=learners).transpose("dataset", ...).values
            own = own.reshape(len(own), -1)
            counted[group] = (np.nansum(own, axis=1), (~np.isnan(own)).sum(axis=1))
            rows.append({"verdict": verdict, "ensemble": group, "datasets": len(own)}
                        | _share(*counted[group], scale))
            if group != MEMBERS:
                each = [total / n for total, n in (counted[group], counted[MEMBERS])]
                differences.append(scale * (each[0] - each[1]))
    table = pd.DataFrame(rows)
    return table.join(_differences(np.array(differences).T, table))


def _share(total: np.ndarray, n: np.ndarray, scale: float) -> dict:
    low, high = ratio_of_sums_interval(total, n)
    return {"curves": int(n.sum()), "called": total.sum(), "percent": scale * total.sum() / n.sum(),
            "low": scale * float(low), "high": scale * float(high)}


def _differences(differences: np.ndarray, table: pd.DataFrame) -> pd.DataFrame:
    """Return mean differences, shape (dataset, comparison), with interval and p, by table row."""
    low, high = ratio_of_sums_interval(differences, np.ones(len(differences)))
    found = pd.DataFrame({"difference": differences.mean(axis=0), "difference_low": low,
                          "difference_high": high, "p": adjusted_p(differences)})
    return found.set_axis(table.index[table["ensemble"] != MEMBERS])
