"""A name that `Order` took the place of; it goes with version 1.3."""

import warnings

import pandas as pd

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
                  DeprecationWarning, stacklevel=3)  # of who calls what the room gives
    table = order(results, lower_is_better="error" in results or None).ranks.set_index("method")
    rate = (len(table) - table["mean_rank"]) / (len(table) - 1)
    return table.assign(rank=table["mean_rank"], win_rate=rate)
