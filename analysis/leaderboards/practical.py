"""Whether methods differ enough to matter: the Bayesian signed-rank test with a region of equals.

After Benavoli, Corani, Demšar and Zaffalon (2017), by their package ``baycomp``.
"""

import pandas as pd
from baycomp import SignedRankTest

DRAWS = 5000
ROPE = 0.01  # AUC; less than that is no difference in practice


def practical_differences(scores: pd.DataFrame, against: str, rope: float = ROPE,
                          draws: int = DRAWS, seed: int = 0) -> pd.DataFrame:
    """Compare every method with one of them, over tasks.

    Parameters
    ----------
    scores : pandas.DataFrame
        A row per task, a column per method; more is better, none is missing.
    against : str
        The method that the others are held against.
    rope : float
        Differences up to this count as none: the region of practical equivalence.
    draws, seed : int
        Of the posterior.

    Returns
    -------
    pandas.DataFrame
        A row per other method: ``method``, ``against``; ``wins``, ``ties``, ``losses``, tasks on
        which it is better by more than `rope`, within it, worse; ``p_better``, ``p_equal``,
        ``p_worse``, the posterior probabilities that this is the likeliest of the three outcomes
        over tasks of that kind (they sum to 1).

    Raises
    ------
    ValueError
        For a `rope` that is not above 0.
    """
    if rope <= 0:
        raise ValueError(f"a region of practical equivalence above 0 is needed, not {rope}")
    rows = []
    for method in scores.columns.drop(against):
        gap = (scores[method] - scores[against]).round(12)
        worse, equal, better = SignedRankTest.probs(
            scores[against].to_numpy(), scores[method].to_numpy(), rope, nsamples=draws,
            random_state=seed)
        rows.append((method, against, int((gap > rope).sum()), int((gap.abs() <= rope).sum()),
                     int((gap < -rope).sum()), better, equal, worse))
    return pd.DataFrame(rows, columns=["method", "against", "wins", "ties", "losses", "p_better",
                                       "p_equal", "p_worse"])
