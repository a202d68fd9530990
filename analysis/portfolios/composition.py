"""Which families portfolios are made of (TabRepo, Appendix G, Figure 6)."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd


def family_shares(
    orders: Mapping[str, Sequence[int]], families: Sequence[str]
) -> pd.DataFrame:
    """Return how often each family stands at each position, and among the first so many.

    Parameters
    ----------
    orders : mapping of str to sequence of int
        A portfolio per dataset left out: positions of configs.
    families : sequence of str
        The family of each config.

    Returns
    -------
    pandas.DataFrame
        Columns ``position`` (from 1), ``family``, ``share`` of the portfolios that reach that
        position, ``cumulative`` share of all configs up to it, ``portfolios`` that reach it.
    """
    names = np.asarray(families, object)
    longest = max(len(order) for order in orders.values())
    picked = np.full((len(orders), longest), None, object)
    for row, order in zip(picked, orders.values(), strict=True):
        row[:len(order)] = names[np.asarray(order, int)]
    reached = (picked != None).sum(axis=0)  # noqa: E711 - elementwise
    tables = []
    for family in dict.fromkeys(names):
        at = (picked == family).sum(axis=0)
        tables.append(pd.DataFrame({
            "position": np.arange(1, longest + 1), "family": family, "share": at / reached,
            "cumulative": at.cumsum() / reached.cumsum(), "portfolios": reached}))
    return pd.concat(tables, ignore_index=True).sort_values(
        ["position", "family"], ignore_index=True)
