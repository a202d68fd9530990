"""The sets of learners whose curves cross least and most."""

from itertools import combinations

import numpy as np
import pandas as pd
import xarray as xr

from analysis.selection.crossing import bootstrap_crossings, crossing_probabilities
from analysis.statistics.bootstrap import percentile_interval

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
    either_way = matrix + np.swapaxes(matrix, -1, -2)
    size = members.shape[1]
    total = np.zeros((*matrix.shape[:-2], len(members)))
    for i, j in combinations(range(size), 2):
        total += either_way[..., members[:, i], members[:, j]]
    return total / size**2


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
    """
    scores = mean_crossing(crossing_probabilities(cases)["crosses"].values, members)
    known = np.flatnonzero(~np.isnan(scores))
    at = known[scores[known].argmin()], known[scores[known].argmax()]
    return {kind: tuple(members[k].tolist()) for kind, k in zip(KINDS, at, strict=True)}


def learner_subsets(cases: xr.Dataset, database: str, size: int = 5, top: int = 5, seed: int = 0,
                    n_resamples: int = 1000) -> pd.DataFrame:
    """Find the sets of learners that cross least and most, among all of that size.

    Parameters
    ----------
    cases : xarray.Dataset
        What `crossings` returns.
    database : str
        Its name, for the table.
    size : int
        Learners per set.
    top : int
        How many sets of each kind.
    seed, n_resamples : int
        Of the bootstrap over datasets.

    Returns
    -------
    pandas.DataFrame
        Columns: database, rule, kind (of `KINDS`), place (1 is the extreme), learners (joined by
        "; "), probability (mean over the size × size pairs, the diagonal included, as published),
        low and high (95 % percentile interval for the set as found: choosing the extreme set is
        not part of what is resampled).
    """
    learners, members = cases["learner_a"].values, every_set(cases, size)
    scores = mean_crossing(crossing_probabilities(cases)["crosses"].values, members)
    order = np.argsort(scores, kind="stable")  # NaN last
    order = order[~np.isnan(scores[order])]
    samples = bootstrap_crossings(cases, seed, n_resamples)
    parts = []
    for kind, chosen in zip(KINDS, (order[:top], order[::-1][:top]), strict=True):
        low, high = percentile_interval(mean_crossing(samples, members[chosen]))
        parts.append(pd.DataFrame({
            "database": database, "rule": cases.attrs["rule"], "kind": kind,
            "place": np.arange(1, len(chosen) + 1),
            "learners": [JOIN.join(learners[m]) for m in members[chosen]],
            "probability": scores[chosen], "low": low, "high": high}))
    return pd.concat(parts, ignore_index=True)
