"""When the next config is not worth its time; whether small tables teach what large ones need."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from analysis.leaderboards.measures import normalized_errors
from analysis.portfolios.matrix import (
    ErrorMatrix,
    left_out_orders,
    lowest_by_size,
    seconds_by_size,
)
from analysis.statistics.bootstrap import ratio_of_sums_interval
from analysis.statistics.sign_flips import each_p
from analysis.statistics.summary import summarise

STEPS = (1, 2, 3, 5, 10, 20, 30, 50)
SIZE = 10


def next_configs(matrix: ErrorMatrix, procedure: str = "published",
                 steps: Sequence[int] = STEPS) -> pd.DataFrame:
    """Return what a portfolio's next configs save, and the processor time they take.

    Returns
    -------
    pandas.DataFrame
        Columns ``after, to`` (configs), ``saved, saved_low, saved_high`` (points of the error that
        could be saved by the best of all configs, in percent of the error), ``seconds`` (of
        training, mean), ``per_hour, per_hour_low, per_hour_high`` (points saved for an hour of
        training; 95 % intervals over families).
    """
    orders = left_out_orders(matrix, procedure)
    left = 100 * lowest_by_size(matrix.measures["improvability"], orders)
    hours = seconds_by_size(matrix.train_times, orders) / 3600
    rows = []
    for after, to in pairwise(steps):
        saved, spent = (x[:, to - 1] - x[:, after - 1] for x in (-left, hours))
        gain = summarise(saved, matrix.relatives)
        low, high = ratio_of_sums_interval(saved, spent, matrix.relatives)
        rows.append({"after": after, "to": to, "saved": gain.value, "saved_low": gain.low,
                     "saved_high": gain.high, "seconds": 3600 * spent.mean(),
                     "per_hour": saved.sum() / spent.sum(), "per_hour_low": float(low),
                     "per_hour_high": float(high)})
    return pd.DataFrame(rows)


def across_sizes(matrix: ErrorMatrix, size: int = SIZE) -> pd.DataFrame:
    """Learn portfolios on the smaller or the larger half of the tables, judge them on either.

    Returns
    -------
    pandas.DataFrame
        Columns ``judged_on, learned_on`` ("smaller", "larger", by rows), ``normalized_error, low,
        high``, ``difference, difference_low, difference_high, p`` (learned on the other half less
        learned on the same; sign flips of families), ``rows`` (median of the tables judged on),
        ``n`` (families).
    """
    rows = matrix.facts["rows"].to_numpy()
    halves = {"smaller": rows <= np.median(rows), "larger": rows > np.median(rows)}
    normalized, found = normalized_errors(matrix.errors), []
    lowest = {name: lowest_by_size(normalized, left_out_orders(
        matrix, "published", size, learned))[:, size - 1] for name, learned in halves.items()}
    for judged_on, here in halves.items():
        relatives = matrix.relatives[here]
        (other,) = (name for name in halves if name != judged_on)
        apart = (lowest[other] - lowest[judged_on])[here]
        change = summarise(apart, relatives)
        p = each_p(pd.Series(apart).groupby(relatives).mean().to_numpy()[:, None])[0]
        for learned_on, values in lowest.items():
            own = summarise(values[here], relatives)
            found.append({
                "judged_on": judged_on, "learned_on": learned_on, "normalized_error": own.value,
                "low": own.low, "high": own.high, "difference": change.value,
                "difference_low": change.low, "difference_high": change.high, "p": float(p),
                "rows": float(np.median(rows[here])), "n": own.n})
    return pd.DataFrame(found)
