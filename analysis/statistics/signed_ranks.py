"""The usual test of benchmarks: Wilcoxon's signed ranks for each pair of methods, Holm's p."""

from itertools import combinations

import pandas as pd
from scipy.stats import wilcoxon

from analysis.statistics.bootstrap import holm

DIGITS = 12  # of differences: sums of the same numbers in another order are equal


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
