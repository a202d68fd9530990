"""Which paired differences over datasets are not chance: exact sign flips, and signed ranks."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import combinations, product

import numpy as np
import pandas as pd
from scipy.stats import wilcoxon

from analysis.statistics.bootstrap import holm
from analysis.statistics.families import families
from analysis.statistics.summary import summarise

HOLDS, IN_PART, OPEN, FAILS = "holds", "holds in part", "undecided", "does not hold"
MOST = 14  # datasets whose signs are flipped in all ways; of more, some ways are drawn
DRAWN = 2**MOST
DIGITS = 12  # of differences: sums of the same numbers in another order are equal


def adjusted_p(differences: np.ndarray, seed: int = 0) -> np.ndarray:
    """Return p-values of mean differences, each adjusted for all that are asked about at once.

    Where a dataset's differences are as likely as their negatives, all of them together, the
    signs of whole datasets may be flipped. The p-value is the share of all flips (the observed
    signs among them) of which the largest absolute t of any comparison reaches that observed:
    single-step max-statistic of Westfall and Young, two-sided, whatever the dependence of the
    comparisons.

    Parameters
    ----------
    differences : ndarray, shape (dataset, comparison)
        One value per dataset; NaN is not allowed.
    seed : int
        Of the flips drawn, where there are more than 14 datasets.

    Returns
    -------
    ndarray of float, shape (comparison,)
        At least 2 / 2 ** datasets. NaN for a comparison without any difference.

    Raises
    ------
    ValueError
        For differences that are not numbers, or of fewer than two datasets.
    """
    return _flipped_p(differences, seed, lambda t: t.max(axis=1, initial=0, keepdims=True))


def each_p(differences: np.ndarray, seed: int = 0) -> np.ndarray:
    """Return the p-value of each mean difference alone, not adjusted; else as `adjusted_p`."""
    return _flipped_p(differences, seed, lambda t: t)


def family_p(values: pd.Series, dataset: Iterable[object]) -> float:
    """Return the p-value of one mean difference by flipping the signs of whole families.

    Parameters
    ----------
    values : pandas.Series
        Differences.
    dataset : iterable of the same length
        The dataset that each belongs to; the differences of a family are added up.

    Returns
    -------
    float
        As `each_p`; NaN where there is one family only, or no difference.
    """
    sums = values.groupby(families(dataset), sort=False).sum().to_numpy()
    return float(each_p(sums[:, None])[0]) if len(sums) > 1 else np.nan


def judge_claims(claims: Mapping[str, Mapping[str, pd.Series]],
                 alpha: float = 0.05) -> pd.DataFrame:
    """Judge claims that one thing is less than another, each in its parts.

    Parameters
    ----------
    claims : mapping of str to mapping of str to pandas.Series
        Claim → part → paired differences by dataset, below 0 where the claim holds. A part
        without differences is left out.
    alpha : float

    Returns
    -------
    pandas.DataFrame
        By part: ``claim, part, value, low, high, n`` (means of families, their mean and its 95 %
        interval), ``p`` (`each_p` of families; 1 of no difference), ``p_adjusted`` (Holm, over all
        parts of all claims) and ``verdict``: "clear" or "against" where that is below `alpha` and
        0 outside the interval, else "open".

    Raises
    ------
    ValueError
        For a part with differences of one family only.
    """
    rows = []
    for claim, parts in claims.items():
        for part, values in parts.items():
            means = values.groupby(families(values.index), sort=False).mean()
            if len(means):
                p = np.nan_to_num(each_p(means.to_numpy()[:, None])[0], nan=1)
                rows.append((claim, part, *vars(summarise(means, means.index)).values(), p))
    found = pd.DataFrame(rows, columns=["claim", "part", "value", "low", "high", "n", "p"])
    found["p_adjusted"] = holm(found["p"])
    sure = found["p_adjusted"] < alpha
    return found.assign(verdict=np.select(
        [sure & (found["high"] < 0), sure & (found["low"] > 0)], ["clear", "against"], "open"))


def claim_verdicts(parts: pd.DataFrame) -> pd.DataFrame:
    """Sum up the parts of claims.

    Parameters
    ----------
    parts : pandas.DataFrame
        From `judge_claims`.

    Returns
    -------
    pandas.DataFrame
        By claim: how many ``parts``, ``clear`` and ``against``; of the least sure one ``part,
        value, low, high, n, p`` (adjusted); ``verdict``: `FAILS` where a part is against, `HOLDS`
        where all are clear, `IN_PART` where some are, else `OPEN`.
    """
    least = parts.sort_values(["p_adjusted", "value"]).groupby("claim").tail(1).set_index("claim")
    found = least[["part", "value", "low", "high", "n"]].assign(p=least["p_adjusted"])
    by = parts["verdict"].groupby(parts["claim"])
    found["parts"] = by.size()
    for verdict in ("clear", "against"):
        found[verdict] = by.agg(lambda own, verdict=verdict: (own == verdict).sum())
    return found.assign(verdict=np.select(
        [found["against"] > 0, found["clear"] == found["parts"], found["clear"] > 0],
        [FAILS, HOLDS, IN_PART], OPEN))


def _flipped_p(differences: np.ndarray, seed: int,
               against: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return the shares of flips in which what is held `against` a comparison reaches its own.

    Squares do not flip, so t grows with |sum| / sqrt(sum of squares).
    """
    differences = np.asarray(differences, float)
    n = len(differences)
    if differences.ndim != 2 or n < 2 or not np.isfinite(differences).all():
        raise ValueError("Sign flips need finite differences of the shape (dataset, comparison), "
                         f"of two datasets at least; these have the shape {differences.shape}.")
    size = np.sqrt((differences**2).sum(axis=0))
    moves = size > 0
    scaled = differences[:, moves] / size[moves]
    flipped, observed = np.abs(_signs(n, seed) @ scaled), np.abs(scaled.sum(axis=0))
    p = np.full(len(moves), np.nan)
    p[moves] = (against(flipped) >= observed - 1e-9).mean(axis=0)
    return p


@lru_cache(maxsize=8)
def _signs(n: int, seed: int) -> np.ndarray:
    """Return flips, shape (flip, dataset), the first of them none."""
    if n <= MOST:
        return np.array(list(product((1.0, -1.0), repeat=n)))
    drawn = np.random.default_rng(seed).choice((1.0, -1.0), size=(DRAWN, n))
    drawn[0] = 1
    return drawn


def signed_rank_tests(scores: pd.DataFrame) -> pd.DataFrame:
    """Test every pair of methods as many papers do, to hold their numbers against.

    What an order of one's own is worth says `analysis.leaderboards.order`.

    Parameters
    ----------
    scores : pandas.DataFrame
        A row per task, a column per method; more is better, none is missing.

    Returns
    -------
    pandas.DataFrame
        ``one``, ``other``; ``wins``, ``ties``, ``losses`` of the one; ``difference``, the median
        of one minus other; ``p`` (two-sided, ties left out, normal approximation with correction
        for continuity; 1 where all are equal) and ``p_adjusted`` (Holm, over all pairs).
    """
    rows = []
    for one, other in combinations(scores.columns, 2):
        gap = (scores[one] - scores[other]).round(DIGITS)
        p = wilcoxon(gap, method="approx", correction=True).pvalue if gap.any() else 1.0
        rows.append((one, other, int((gap > 0).sum()), int((gap == 0).sum()), int((gap < 0).sum()),
                     gap.median(), p))
    table = pd.DataFrame(rows, columns=["one", "other", "wins", "ties", "losses", "difference",
                                        "p"])
    return table.assign(p_adjusted=holm(table["p"].to_numpy()))
