"""Names that `Order` took the place of; they go with version 1.3."""

import warnings

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

from analysis.leaderboards.ordering import order


def leaderboard(results: pd.DataFrame) -> pd.DataFrame:
    """Return mean ranks and win rates by method; `analysis.leaderboards.order` says more.

    Parameters
    ----------
    results : pandas.DataFrame
        As `order` takes them; of a column ``error`` lower is better.

    Returns
    -------
    pandas.DataFrame
        ``rank`` (mean), ``win_rate`` and the columns of `Order.ranks`, by ``method``.

    Warns
    -----
    DeprecationWarning
    """
    warnings.warn("leaderboards.leaderboard goes with 1.3: take leaderboards.order(results).ranks",
                  DeprecationWarning, stacklevel=2)
    table = order(results, lower_is_better="error" in results or None).ranks.set_index("method")
    rate = (len(table) - table["mean_rank"]) / (len(table) - 1)
    return table.assign(rank=table["mean_rank"], win_rate=rate)


def rate_wins(wins: np.ndarray) -> np.ndarray:
    """Return the Elo ratings (Bradley-Terry, scale 400, mean 1000) behind some wins.

    Parameters
    ----------
    wins : ndarray of float, shape (method, method)
        How often each method (row) beat each other (column).

    Warns
    -----
    DeprecationWarning
    """
    warnings.warn("leaderboards.rate_wins goes with 1.3: leaderboards.order says how sure an order "
                  "is", DeprecationWarning, stacklevel=2)
    one, other = np.triu_indices(len(wins), 1)
    sides = np.eye(len(wins))[one] - np.eye(len(wins))[other]
    found = LogisticRegression(penalty=None, fit_intercept=False, tol=1e-10).fit(
        np.vstack([sides, sides]), np.repeat([1, 0], len(sides)),
        np.r_[wins[one, other], wins[other, one]])
    strength = found.coef_[0]
    return 1000 + 400 / np.log(10) * (strength - strength.mean())
