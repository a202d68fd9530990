"""One database's crossings by both rules, and the groups of learners that cross least and most."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from analysis.crossing.crossing import RULES, bootstrap_crossings, crossing_probabilities, crossings
from analysis.crossing.sets import JOIN, learner_subsets, mean_crossing
from analysis.databases.contenders import contenders
from analysis.intervals.bootstrap import percentile_interval


@dataclass(frozen=True)
class CrossingStudy:
    """What a chapter needs to know of a database.

    Attributes
    ----------
    database : str
    curves : xarray.Dataset
        From `analysis.databases.contenders.contenders`.
    cases, probabilities : dict of rule to xarray.Dataset
        From `analysis.crossing.crossing.crossings` and `crossing_probabilities`.
    subsets : pandas.DataFrame
        From `analysis.crossing.sets.learner_subsets`, both rules.
    groups : dict of rule to dict of "least" and "most" to list of str
        The two extreme sets.
    """

    database: str
    curves: xr.Dataset
    cases: dict[str, xr.Dataset]
    probabilities: dict[str, xr.Dataset]
    subsets: pd.DataFrame
    groups: dict[str, dict[str, list[str]]]

    @property
    def valid(self) -> xr.DataArray:
        """Validation error rates, dims (dataset, learner, outer, inner, anchor)."""
        return self.curves["error_rate"].sel(split="valid", drop=True)


def study_crossings(database: str) -> CrossingStudy:
    """Open a database and find its crossings.

    Parameters
    ----------
    database : str
        Name or path, for `analysis.load_curves`.
    """
    curves = contenders(database)
    valid = curves["error_rate"].sel(split="valid", drop=True)
    cases = {rule: crossings(valid, rule) for rule in RULES}
    subsets = pd.concat([learner_subsets(c, database) for c in cases.values()], ignore_index=True)
    first = subsets[subsets["place"] == 1]
    groups = {
        rule: {row.kind: row.learners.split(JOIN) for row in part.itertuples()}
        for rule, part in first.groupby("rule")
    }
    probabilities = {rule: crossing_probabilities(c) for rule, c in cases.items()}
    return CrossingStudy(database, curves, cases, probabilities, subsets, groups)


def crossing_within(cases: xr.Dataset, learners: list[str]) -> dict[str, float]:
    """Return the mean crossing probability within a set of learners, with its interval.

    Parameters
    ----------
    cases : xarray.Dataset
        From `analysis.crossing.crossing.crossings`.
    learners : list of str
        Those that the database lacks are left out.

    Returns
    -------
    dict
        ``probability``, ``low`` and ``high`` (95 % percentile interval over datasets), the
        diagonal included as published, and ``learners``, how many there are.
    """
    positions = np.flatnonzero(np.isin(cases["learner_a"].values, learners))[None]
    value = mean_crossing(crossing_probabilities(cases)["crosses"].values, positions)[0]
    low, high = percentile_interval(mean_crossing(bootstrap_crossings(cases), positions))
    return {"probability": value, "low": low[0], "high": high[0], "learners": positions.size}
