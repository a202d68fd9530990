"""Which properties of a table go with winning or losing: correlations, beside chance.

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
                         relatives: pd.Series | None = None, seed: int = 0,
                         correlation: str = "spearman") -> pd.DataFrame:
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
    correlation : {"spearman", "pearson", "kendall"}
        Of what; Kendall's is τ-b.

    Returns
    -------
    pandas.DataFrame
        A row per method and property, the largest absolute rho first: ``method, property,
        datasets``, ``rho`` (the correlation of the property and the gain; above 0: larger with
        larger gains), ``p`` of this property alone, ``p_largest`` (the share of permutations whose
        largest absolute rho of all properties is as large), ``chance_95`` (the 95th percentile of
        those largest).
        Without properties that are all alike or have fewer than `FEWEST` values, and methods on
        fewer datasets.

    Raises
    ------
    ValueError
        Where the reference has no scores, or no dataset has properties; an unknown correlation.
    """
    if correlation not in SPREADS:
        raise ValueError(f"correlation is {', '.join(SPREADS)}, not {correlation!r}.")
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
        table, largest = judge(properties.loc[gain.index], gain, seed, least=FEWEST,
                               correlation=correlation)
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
    said = "; ".join(f"{row.method}: {row.property}, correlation {row.rho:.2f} "
                     f"(p = {row.p_largest:.2g}; by chance up to {row.chance_95:.2f})"
                     for row in leaders.itertuples())
    return (f"Properties that go with gains over the reference, the largest of "
            f"{table['property'].nunique()}: {said}. Beyond chance: {len(beyond)} of "
            f"{len(leaders)} methods, each looked at alone.")


def _centred(values: np.ndarray) -> np.ndarray:
    return values - values.mean(axis=0)


def _signs(values: np.ndarray) -> np.ndarray:
    """Return for each pair of rows which is larger: what Kendall's τ-b correlates."""
    ranks, (one, other) = rankdata(values, axis=0), np.triu_indices(len(values), 1)
    return np.sign(ranks[one] - ranks[other])


#: Correlation → what columns are made into, so that it is the cosine of two of them.
SPREADS = {"spearman": lambda values: _centred(rankdata(values, axis=0)), "pearson": _centred,
           "kendall": _signs}


def correlations(features: pd.DataFrame, gains: np.ndarray, least: int = LEAST,
                 correlation: str = "spearman") -> np.ndarray:
    """Return the correlation of every meta-feature with every column of gains.

    Parameters
    ----------
    features : pandas.DataFrame
        A row per problem; a row without a value is left out for that meta-feature.
    gains : ndarray, shape (n, m)
        No value missing.
    least : int
        Values that a meta-feature has to have to be judged.
    correlation : str
        Of `SPREADS`.

    Returns
    -------
    ndarray, shape (k, m)
        NaN for a meta-feature that cannot be judged: fewer values, all of them equal.
    """
    values = features.to_numpy(float)
    there = ~np.isnan(values)
    judged = (there.sum(axis=0) >= least) & (
        np.where(there, values, -np.inf).max(axis=0, initial=-np.inf)
        > np.where(there, values, np.inf).min(axis=0, initial=np.inf))
    found = np.full((features.shape[1], gains.shape[1]), np.nan)
    patterns, of = np.unique(there.T, axis=0, return_inverse=True)
    for k, rows in enumerate(patterns):
        columns = np.flatnonzero((of == k) & judged)
        if len(columns):
            one, other = (at_length_one(SPREADS[correlation](part)) for part in (
                values[np.ix_(rows, columns)], gains[rows]))
            found[columns] = one.T @ other
    return found


def at_length_one(values: np.ndarray) -> np.ndarray:
    """Return columns at length 1; NaN for one of length 0."""
    values = values / np.maximum(np.abs(values).max(axis=0), np.finfo(float).tiny)  # their squares
    length = np.sqrt((values**2).sum(axis=0))
    return np.divide(values, length, out=np.full(values.shape, np.nan), where=length > 1e-9)


def judge(features: pd.DataFrame, gain: pd.Series, seed: int = 0,
          n_resamples: int = PERMUTATIONS, least: int = LEAST,
          correlation: str = "spearman") -> tuple[pd.DataFrame, np.ndarray]:
    """Correlate every meta-feature with the gain, and permute the gains to see what chance does.

    Parameters
    ----------
    features, gain
        Of the same problems, in the same order.
    seed, n_resamples : int
        Of the permutations.
    least, correlation
        As in `correlations`.

    Returns
    -------
    table : pandas.DataFrame
        Index the meta-feature; ``rho``, ``p`` (share of permutations with an absolute
        rho as large, itself counted), ``p_adjusted`` (with a largest absolute rho of all
        meta-features as large: the maximum statistic), ``p_holm``, ``p_bh`` (Holm's and Benjamini
        and Hochberg's of the ``p``). Without those that cannot be judged.
    largest : ndarray, shape (n_resamples,)
        The largest absolute rho of each permutation.
    """
    rng = np.random.default_rng(seed)
    values = gain.to_numpy(float)
    rho = correlations(features, values[:, None], least, correlation)[:, 0]
    known = ~np.isnan(rho)
    size, kept = np.abs(rho[known]), features.loc[:, known]
    largest, as_large = np.empty(n_resamples), np.zeros(known.sum())
    step = 500 if len(values) < 200 or correlation != "kendall" else 10  # pairs take memory
    for start in range(0, n_resamples, step):
        n = min(step, n_resamples - start)
        shuffled = np.column_stack([rng.permutation(values) for _ in range(n)])
        chance = np.abs(correlations(kept, shuffled, least, correlation))
        largest[start:start + n] = chance.max(axis=0)
        as_large += (chance >= size[:, None] - 1e-9).sum(axis=1)
    p = (1 + as_large) / (1 + n_resamples)
    beyond = np.searchsorted(np.sort(largest), size - 1e-9)
    table = pd.DataFrame({"rho": rho[known], "p": p,
                          "p_adjusted": (1 + n_resamples - beyond) / (1 + n_resamples),
                          "p_holm": holm(p),
                          "p_bh": false_discovery_control(p)}, index=kept.columns)
    return table, largest
