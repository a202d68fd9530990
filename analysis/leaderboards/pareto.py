"""Which methods no other beats in everything: error against training and inference time."""

from collections.abc import Sequence

import numpy as np
import pandas as pd


def pareto_front(table: pd.DataFrame, columns: Sequence[str]) -> pd.Series:
    """Say which rows are on the Pareto front.

    Parameters
    ----------
    table : pandas.DataFrame
        A row per method.
    columns : sequence of str
        What is to be low, for example ``["normalized_error", "train_time", "infer_time"]``.

    Returns
    -------
    pandas.Series of bool
        Indexed like `table`: whether no other row is at most as high in all columns and lower in
        one. Equal rows are on the front together. A row with NaN in a column is not compared and
        not on the front.

    Raises
    ------
    KeyError
        If a column is not in the table.
    """
    values = table[list(columns)].to_numpy(float)
    known = ~np.isnan(values).any(axis=1)
    front = known.copy()
    for k in np.flatnonzero(known):
        no_worse = (values[known] <= values[k]).all(axis=1)
        better = (values[known] < values[k]).any(axis=1)
        front[k] = not (no_worse & better).any()
    return pd.Series(front, table.index, name="front")
