"""Crossing curves: single ones, the sets that cross least and most, and where along the curve."""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.chosen import contenders
from analysis.selection import crossing
from analysis.statistics.bootstrap import (
    exact_ends,
    percentile_interval,
    ratio_of_sums_interval,
)
from analysis.statistics.families import count_families
from analysis.statistics.repeats import TIE

#: Why the published rule sees no crossing where the corrected one does, or the other way round,
#: in words; the first that applies is given.
NO_START = "a curve has no value at the database's first anchor"
GAPS = "a curve has some repeats missing at the first anchor"
OTHER_ENDS = "the last anchor differs, or the two are tied"


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
        rate, and published (whether the published rule sees it). The smaller of the two sorts.
    """
    table = _crossing_by(valid).query("corrected")
    mean = crossing.mean_curves(valid)
    where = [xr.DataArray(table[c].to_numpy(), dims="case") for c in ("dataset", *crossing.PAIR)]
    gap = (mean.sel(dataset=where[0], learner=where[2])
           - mean.sel(dataset=where[0], learner=where[1])).transpose("case", "anchor").values
    common = ~np.isnan(gap)
    first, last = common.argmax(axis=1), gap.shape[1] - 1 - common[:, ::-1].argmax(axis=1)
    rows = np.arange(len(gap))
    table = table.assign(lead=gap[rows, first], deficit=-gap[rows, last])
    order = np.argsort(-table[["lead", "deficit"]].min(axis=1).to_numpy(), kind="stable")
    columns = ["dataset", *crossing.PAIR, "lead", "deficit", "published"]
    return table.iloc[order][columns].reset_index(drop=True)


def disagreements(valid: xr.DataArray) -> pd.DataFrame:
    """Count the crossings that both rules see, and why one of them misses the others.

    Parameters
    ----------
    valid
        As in `clearest_crossings`.

    Returns
    -------
    pandas.DataFrame
        Columns: seen_by ("both", "corrected", "published"), reason (empty for both), crossings
        (dataset and ordered pair), share (of all that either sees, in percent).
    """
    table = _crossing_by(valid)
    complete, some = (crossing.mean_curves(valid, rule).isel(anchor=0).notnull()
                      for rule in ("published", "corrected"))
    lacks = {NO_START: ~some, GAPS: ~complete}
    reason = np.full(len(table), OTHER_ENDS, object)
    for text, absent in reversed(lacks.items()):
        either = [absent.sel(dataset=xr.DataArray(table["dataset"], dims="case"),
                             learner=xr.DataArray(table[side], dims="case")).values
                  for side in crossing.PAIR]
        reason[either[0] | either[1]] = text
    seen_by = np.select([table["published"] & table["corrected"], table["corrected"]],
                        ["both", "corrected"], "published")
    reason[seen_by == "both"] = ""
    counts = pd.DataFrame({"seen_by": seen_by, "reason": reason}).value_counts()
    counts = counts.rename("crossings").reset_index()
    return counts.assign(share=100 * counts["crossings"] / counts["crossings"].sum())


def _crossing_by(valid: xr.DataArray) -> pd.DataFrame:
    """Return a row per dataset and ordered pair that either rule sees cross."""
    seen = xr.Dataset({rule: crossing.crossings(valid, rule)["crosses"]
                       for rule in ("published", "corrected")})
    either = np.argwhere((seen["published"] | seen["corrected"]).values)
    labels = {dim: seen[dim].values[either[:, k]] for k, dim
              in enumerate(("dataset", *crossing.PAIR))}
    return pd.DataFrame(labels | {rule: seen[rule].values[tuple(either.T)] for rule in seen})


JOIN = "; "  # between the learners of a set, in tables


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
        Columns: database, rule, kind ("least" or "most"), place (1 is the extreme), learners
        (joined by "; "), probability (mean over the size × size pairs, the diagonal included,
        as published), low and high (95 % percentile interval for the set as found: choosing the
        extreme set is not part of what is resampled).

    Raises
    ------
    ValueError
        If `size` is below 2 or above the number of learners.
    """
    learners = cases["learner_a"].values
    if not 2 <= size <= len(learners):
        raise ValueError(f"size is {size}; choose between 2 and {len(learners)} learners.")
    members = np.array(list(combinations(range(len(learners)), size)))
    scores = mean_crossing(crossing.crossing_probabilities(cases)["crosses"].values, members)
    order = np.argsort(scores, kind="stable")  # NaN last
    order = order[~np.isnan(scores[order])]
    samples = crossing.bootstrap_crossings(cases, seed, n_resamples)
    parts = []
    for kind, chosen in (("least", order[:top]), ("most", order[::-1][:top])):
        low, high = percentile_interval(mean_crossing(samples, members[chosen]))
        parts.append(pd.DataFrame({
            "database": database,
            "rule": cases.attrs["rule"],
            "kind": kind,
            "place": np.arange(1, len(chosen) + 1),
            "learners": [JOIN.join(learners[m]) for m in members[chosen]],
            "probability": scores[chosen],
            "low": low,
            "high": high,
        }))
    return pd.concat(parts, ignore_index=True)


def order_changes(curves: xr.DataArray) -> xr.Dataset:
    """Find the anchors at which one learner overtakes another.

    Parameters
    ----------
    curves : xarray.DataArray, dims (dataset, learner, anchor[, scaling, leakage, outer, inner])
        Error rates of one split; the mean over the repeats is compared. NaN where missing.

    Returns
    -------
    xarray.Dataset, dims (dataset, pair, anchor)
        Booleans: ``common`` (both curves have a value), ``changes`` (the order differs from
        that at the last common anchor where the two were not tied), ``settles`` (the last such
        change). The change lies between that earlier anchor and this one. Coordinates
        ``learner_a`` and ``learner_b`` along ``pair``, each unordered pair once.

    Raises
    ------
    ValueError
        As `analysis.selection.crossing.mean_curves`.
    """
    mean = crossing.mean_curves(curves)
    pairs = np.array(list(combinations(range(mean.sizes["learner"]), 2)))
    difference = mean.values[:, pairs[:, 0]] - mean.values[:, pairs[:, 1]]
    common = ~np.isnan(difference)
    sign = np.where(common & (np.abs(difference) > TIE), np.sign(difference), 0).astype(np.int8)
    before = _last_order(sign)
    changes = sign * before < 0
    later = np.cumsum(changes[..., ::-1], axis=-1)[..., ::-1]
    dims = ("dataset", "pair", "anchor")
    learners = mean["learner"].values[pairs]
    return xr.Dataset(
        {"common": (dims, common), "changes": (dims, changes),
         "settles": (dims, changes & (later == 1))},
        coords={"dataset": mean["dataset"].values, "anchor": mean["anchor"].values,
                "learner_a": ("pair", learners[:, 0]), "learner_b": ("pair", learners[:, 1])},
    )


def _last_order(sign: np.ndarray) -> np.ndarray:
    """Return at each anchor the latest earlier sign that is not 0, or 0."""
    position = np.where(sign != 0, np.arange(sign.shape[-1]), 0)
    latest = np.maximum.accumulate(position, axis=-1)
    filled = np.take_along_axis(sign, latest, axis=-1)
    return np.concatenate([np.zeros_like(filled[..., :1]), filled[..., :-1]], axis=-1)


def crossings_by_size(changes: xr.Dataset, seed: int = 0, n_resamples: int = 1000) -> pd.DataFrame:
    """Count the changes of order per doubling of the training set.

    Parameters
    ----------
    changes : xarray.Dataset
        What `order_changes` returns.
    seed, n_resamples : int
        Of the bootstrap over datasets.

    Returns
    -------
    pandas.DataFrame
        A row per doubling: low, high (rows of training data; the anchors in (low, high]),
        exposed (pairs × datasets with a common anchor there), changes, settles, rate (changes
        per exposed pair, with rate_low and rate_high, its 95 % percentile interval).
    """
    anchor = changes["anchor"].values
    doubling = np.ceil(np.log2(anchor / anchor[0]) - 1e-9).astype(int)
    counted = [_count_bins(changes[name].values, doubling) for name in ("changes", "settles")]
    exposed = np.stack([changes["common"].values[..., doubling == k].any(axis=-1).sum(axis=1)
                        for k in range(1, doubling.max() + 1)], axis=1)
    table = _rates(*(c[:, 1:] for c in counted), exposed, changes["dataset"].values,
                   seed, n_resamples)
    low = anchor[0] * 2 ** np.arange(doubling.max())
    return pd.concat([pd.DataFrame({"low": low, "high": 2 * low}), table], axis=1)


def crossings_by_position(changes: xr.Dataset, bins: int = 10, seed: int = 0,
                          n_resamples: int = 1000) -> pd.DataFrame:
    """Count the changes of order by how far along the two curves they happen.

    Parameters
    ----------
    changes : xarray.Dataset
        What `order_changes` returns.
    bins : int
        Number of equal parts of the way from the first to the last common anchor, in logarithms.
    seed, n_resamples : int
        Of the bootstrap over datasets.

    Returns
    -------
    pandas.DataFrame
        A row per part: low, high (0 the first common anchor, 1 the last; the positions in
        (low, high]), then as `crossings_by_size`.
    """
    common = changes["common"].values
    place = np.broadcast_to(np.log2(changes["anchor"].values), common.shape)
    first = np.min(place, axis=-1, where=common, initial=np.inf)
    last = np.max(place, axis=-1, where=common, initial=-np.inf)
    part = np.full(common.shape, -1)
    spans = last > first
    along = (place[spans] - first[spans, None]) / (last - first)[spans, None]
    part[spans] = np.clip(np.ceil(along * bins - 1e-9) - 1, 0, bins - 1)
    counted = [_count_bins(changes[name].values & (part >= 0), part, bins)
               for name in ("changes", "settles")]
    exposed = np.repeat(spans.sum(axis=1)[:, None], bins, axis=1)
    edges = np.arange(bins + 1) / bins
    table = _rates(*counted, exposed, changes["dataset"].values, seed, n_resamples)
    return pd.concat([pd.DataFrame({"low": edges[:-1], "high": edges[1:]}), table], axis=1)


def _count_bins(events: np.ndarray, bin_: np.ndarray, n_bins: int | None = None) -> np.ndarray:
    """Count events per dataset and bin; `bin_` is per anchor, or of the events' own shape."""
    n_bins = bin_.max() + 1 if n_bins is None else n_bins
    dataset, pair, anchor = np.nonzero(events)
    which = bin_[anchor] if bin_.ndim == 1 else bin_[dataset, pair, anchor]
    flat = np.bincount(dataset * n_bins + which, minlength=len(events) * n_bins)
    return flat.reshape(len(events), n_bins)


def _rates(changes: np.ndarray, settles: np.ndarray, exposed: np.ndarray, datasets: np.ndarray,
           seed: int, n_resamples: int) -> pd.DataFrame:
    """Total the counts of shape (dataset, bin), with a bootstrap interval of their ratio."""
    low, high = ratio_of_sums_interval(changes, exposed, datasets, seed, n_resamples)
    total = exposed.sum(axis=0)
    rate = changes.sum(axis=0) / np.where(total > 0, total, np.nan)
    low, high = exact_ends(100 * rate, 100 * low, 100 * high, count_families(datasets))
    return pd.DataFrame({
        "exposed": total,
        "changes": changes.sum(axis=0),
        "settles": settles.sum(axis=0),
        "rate": rate,
        "rate_low": low / 100,
        "rate_high": high / 100,
    })


@dataclass(frozen=True)
class CrossingStudy:
    """What a chapter needs to know of a database.

    Attributes
    ----------
    database : str
    curves : xarray.Dataset
        From `analysis.databases.chosen.contenders`.
    cases, probabilities : dict of rule to xarray.Dataset
        From `analysis.selection.crossing.crossings` and `crossing_probabilities`.
    subsets : pandas.DataFrame
        From `chapters.da4.crossings.learner_subsets`, both rules.
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

    @cached_property
    def changes(self) -> xr.Dataset:
        """Where along the curves one learner overtakes another, from `order_changes`."""
        return order_changes(self.valid)


def study_crossings(database: str) -> CrossingStudy:
    """Open a database and find its crossings.

    Parameters
    ----------
    database : str
        Name or path, for `analysis.load_curves`.
    """
    curves = contenders(database)
    valid = curves["error_rate"].sel(split="valid", drop=True)
    cases = {rule: crossing.crossings(valid, rule) for rule in crossing.RULES}
    subsets = pd.concat([learner_subsets(c, database) for c in cases.values()], ignore_index=True)
    first = subsets[subsets["place"] == 1]
    groups = {rule: {row.kind: row.learners.split(JOIN) for row in part.itertuples()}
              for rule, part in first.groupby("rule")}
    probabilities = {rule: crossing.crossing_probabilities(c) for rule, c in cases.items()}
    return CrossingStudy(database, curves, cases, probabilities, subsets, groups)


def crossing_within(cases: xr.Dataset, learners: list[str]) -> dict[str, float]:
    """Return the mean crossing probability within a set of learners, with its interval.

    Parameters
    ----------
    cases : xarray.Dataset
        From `analysis.selection.crossing.crossings`.
    learners : list of str
        Those that the database lacks are left out.

    Returns
    -------
    dict
        ``probability``, ``low`` and ``high`` (95 % percentile interval over datasets), the
        diagonal included as published, and ``learners``, how many there are. NaN where there are
        none, as in a database of learners of one's own.
    """
    positions = np.flatnonzero(np.isin(cases["learner_a"].values, learners))[None]
    if not positions.size:
        return {"probability": np.nan, "low": np.nan, "high": np.nan, "learners": 0}
    value = mean_crossing(crossing.crossing_probabilities(cases)["crosses"].values, positions)[0]
    low, high = percentile_interval(mean_crossing(crossing.bootstrap_crossings(cases), positions))
    return {"probability": value, "low": low[0], "high": high[0], "learners": positions.size}
