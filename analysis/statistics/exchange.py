"""Whether one of several is like the others: shuffled within datasets."""

import numpy as np

DRAWS = 9_999  # of exchanges


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
