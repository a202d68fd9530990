"""Which properties of a table go with winning or losing: rank correlations, beside chance.

Of many properties one is always on top. What the largest is worth is told by permuting the gains:
the chapter *when_methods_differ* has the published search, and what is left of it.
"""

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control, norm, rankdata

from analysis.statistics.bootstrap import holm

LEAST = 30  # problems with a value, for a correlation to be looked at
FEWEST = 8  # the same of few properties, chosen beforehand
PERMUTATIONS = 10_000
LEVEL = 0.05
#: Variance of Fisher's z of Spearman's correlation, times n − 3 (Fieller, Hartley and Pearson).
SPEARMAN = 1.06


def correlate_properties(scores: pd.DataFrame, properties: pd.DataFrame, reference: str,
                         relatives: pd.Series | None = None, seed: int = 0) -> pd.DataFrame:
    """Correlate properties of datasets with what methods gain over a reference there.

    Parameters
    ----------
    scores : pandas.DataFrame
        Datasets × methods, more is better; NaN where a method failed.
    properties : pandas.DataFrame
        Numbers, a row per dataset, paired by name; NaN where one has no value.
    reference : str
        A method.
    relatives : pandas.Series, optional
        The family of near-duplicates of each dataset, of which the first is kept.
    seed : int
        Of the permutations.

    Returns
    -------
    pandas.DataFrame
        A row per method and property, the largest absolute rho first: ``method, property,
        datasets``, ``rho`` (Spearman's, of the property and the gain; above 0: larger with larger
        gains), ``p`` of this property alone, ``p_largest`` (the share of permutations whose largest
        absolute rho of all properties is as large), ``chance_95`` (the 95th percentile of those
        largest).
        Without properties that are all alike or have fewer than `FEWEST` values, and methods on
        fewer datasets.

    Raises
    ------
    ValueError
        Where the reference has no scores, or no dataset has properties.
    """
    if reference not in scores:
        raise ValueError(f"There are no scores of {reference}, over which gains are counted.")
    known = scores.loc[scores.index.intersection(properties.index)]
    if known.empty:
        raise ValueError("None of the datasets with scores has properties; both go by name.")
    if relatives is not None:
        known = known[~relatives.reindex(known.index).duplicated()]
    tables = [pd.DataFrame(columns=["method", "property", "datasets", "rho", "p", "p_largest",
                                    "chance_95"])]
    for method in known.columns.drop(reference):
        gain = (known[method] - known[reference]).dropna()
        if len(gain) < FEWEST or gain.nunique() < 2:
            continue
        table, largest = judge(properties.loc[gain.index], gain, seed, least=FEWEST)
        table = table.rename(columns={"p_adjusted": "p_largest"}).rename_axis("property")
        table = table.sort_values("rho", key=abs, ascending=False, kind="stable").reset_index()
        tables.append(table.assign(method=method, datasets=len(gain),
                                   chance_95=np.quantile(largest, 0.95))[tables[0].columns])
    return pd.concat(tables[1:] or tables, ignore_index=True)


def correlation_power(rho: float, n: "int | np.ndarray", largest: float | None = None,
                      of: int = 0) -> np.ndarray:
    """Return the chance to see a true rank correlation as larger than chance, at 5 %, two-sided.

    Parameters
    ----------
    rho : float
        The true absolute rho, below 1.
    n : int or ndarray of int
        Datasets, more than 3.
    largest, of : float, int
        What it is judged against where the largest of several properties is taken: the 95th
        percentile of the largest absolute rho under permutation (``chance_95`` of
        `correlate_properties`), found with ``of`` datasets. By default it is named beforehand, and
        judged alone.

    Returns
    -------
    ndarray
        By the normal approximation of Fisher's z.
    """
    least = (norm.isf(LEVEL / 2) if largest is None else
             np.arctanh(largest) * np.sqrt((of - 3) / SPEARMAN))
    centre = np.arctanh(rho) * np.sqrt((np.asarray(n, float) - 3) / SPEARMAN)
    return norm.sf(least - centre) + norm.cdf(-least - centre)


def say_properties(table: pd.DataFrame) -> str:
    """Say in words what `correlate_properties` found."""
    leaders = table.drop_duplicates("method")
    if leaders.empty:
        return f"Properties of tables were not looked at: that takes {FEWEST} datasets."
    beyond = leaders[leaders["p_largest"] <= LEVEL]
    said = "; ".join(f"{row.method}: {row.property}, rank correlation {row.rho:.2f} "
                     f"(p = {row.p_largest:.2g}; by chance up to {row.chance_95:.2f})"
                     for row in leaders.itertuples())
    return (f"Properties that go with gains over the reference, the largest of "
            f"{table['property'].nunique()}: {said}. Beyond chance: {len(beyond)} of "
            f"{len(leaders)} methods, each looked at alone.")


def spread_matrix(features: pd.DataFrame, least: int = LEAST) -> tuple[np.ndarray, np.ndarray]:
    """Return the meta-features' standardised ranks, and which can be judged.

    Parameters
    ----------
    features : pandas.DataFrame
        A row per problem.
    least : int
        Values that a meta-feature has to have to be judged.

    Returns
    -------
    ranks : ndarray, shape (n, k)
        Mid-ranks with mean 0 and length 1 over the rows with a value, 0 where there is none.
    judged : ndarray of bool, shape (k,)
        Those with at least `least` values that are not all equal; the others' ranks are 0.
    """
    values = features.to_numpy(float)
    ranks = rankdata(values, axis=0, nan_policy="omit")
    there = ~np.isnan(values)
    known = there.sum(axis=0)
    centred = np.where(there, ranks - (known + 1) / 2, 0)
    length = np.sqrt((centred**2).sum(axis=0))
    judged = (known >= least) & (length > 1e-9)
    scaled = np.divide(centred, length, out=np.zeros(centred.shape), where=judged & (length > 0))
    return scaled, judged


def rank_correlations(features: pd.DataFrame, gains: np.ndarray, least: int = LEAST) -> np.ndarray:
    """Return Spearman's correlation of every meta-feature with every column of gains.

    Parameters
    ----------
    features : pandas.DataFrame
        A row per problem; a row without a value is left out for that meta-feature.
    gains : ndarray, shape (n, m)
        No value missing.
    least : int
        As in `spread_matrix`.

    Returns
    -------
    ndarray, shape (k, m)
        NaN for a meta-feature that cannot be judged (`spread_matrix`).
    """
    scaled, judged = spread_matrix(features, least)
    there = features.notna().to_numpy()
    found = np.full((features.shape[1], gains.shape[1]), np.nan)
    patterns, of = np.unique(there.T, axis=0, return_inverse=True)
    for k, rows in enumerate(patterns):
        columns = np.flatnonzero((of == k) & judged)
        if not len(columns):
            continue
        part = rankdata(gains[rows], axis=0)
        part = part - part.mean(axis=0)
        length = np.sqrt((part**2).sum(axis=0))
        part = np.divide(part, length, out=np.full(part.shape, np.nan), where=length > 0)
        found[columns] = scaled[np.ix_(rows, columns)].T @ part
    return found


def judge(features: pd.DataFrame, gain: pd.Series, seed: int = 0,
          n_resamples: int = PERMUTATIONS, least: int = LEAST) -> tuple[pd.DataFrame, np.ndarray]:
    """Correlate every meta-feature with the gain, and permute the gains to see what chance does.

    Parameters
    ----------
    features, gain
        Of the same problems, in the same order.
    seed, n_resamples : int
        Of the permutations.
    least : int
        As in `spread_matrix`.

    Returns
    -------
    table : pandas.DataFrame
        Index the meta-feature; ``rho`` (Spearman's), ``p`` (share of permutations with an absolute
        rho as large, itself counted), ``p_adjusted`` (with a largest absolute rho of all
        meta-features as large: the maximum statistic), ``p_holm``, ``p_bh`` (Holm's and Benjamini
        and Hochberg's of the ``p``). Without those that cannot be judged.
    largest : ndarray, shape (n_resamples,)
        The largest absolute rho of each permutation.
    """
    rng = np.random.default_rng(seed)
    values = gain.to_numpy(float)
    rho = rank_correlations(features, values[:, None], least)[:, 0]
    known = ~np.isnan(rho)
    size, kept = np.abs(rho[known]), features.loc[:, known]
    largest, as_large = np.empty(n_resamples), np.zeros(known.sum())
    for start in range(0, n_resamples, 500):
        n = min(500, n_resamples - start)
        shuffled = np.column_stack([rng.permutation(values) for _ in range(n)])
        chance = np.abs(rank_correlations(kept, shuffled, least))
        largest[start:start + n] = chance.max(axis=0)
        as_large += (chance >= size[:, None] - 1e-9).sum(axis=1)
    p = (1 + as_large) / (1 + n_resamples)
    beyond = np.searchsorted(np.sort(largest), size - 1e-9)
    table = pd.DataFrame({"rho": rho[known], "p": p,
                          "p_adjusted": (1 + n_resamples - beyond) / (1 + n_resamples),
                          "p_holm": holm(p),
                          "p_bh": false_discovery_control(p)}, index=kept.columns)
    return table, largest
