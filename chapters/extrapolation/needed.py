"""Backtest of 'how many rows does a lower error take?': the answers against what came."""

from functools import partial

import numpy as np
import pandas as pd

from analysis.extrapolation import RECOMMENDED, predict_seen
from chapters.extrapolation.contest import contest_curves
from chapters.extrapolation.cuts import Challenge, cut_at_share
from chapters.extrapolation.required import OUTCOMES, required_sizes

FORMULAS = ("POW2", "POW4", "LAST1")
REDUCTION = 0.1  # of the error at the last size seen
LEAST_BOTH = 20  # curves that came down and were foretold to, for a word on how far off
STEP = 0.5  # doublings between the sizes looked at
KEYS = ["dataset", "learner"]
ALWAYS = "always yes"  # the rival that says of every curve that it comes down so far


def predicted_sizes(challenge: Challenge, extrapolator: str, reduction: float) -> pd.Series:
    """Return the size at which each judged curve's median first is lower by `reduction`.

    Returns
    -------
    Series
        In rows, between the sizes looked at by a straight line over log(size); NaN where the
        median does not get there up to the curve's last size. In the order of the labels.
    """
    now = np.log2(challenge.labels["rows_seen"].to_numpy(float))
    end = np.log2(challenge.target)
    ahead = STEP * np.arange(1, np.ceil((end - now).max() / STEP) + 1)
    x = np.minimum(now[:, None] + ahead, end[:, None])
    targets = np.tile(2 * challenge.seen.sizes[challenge.seen.last][:, None], len(ahead))
    targets[challenge.rows] = 2**x
    found = predict_seen(challenge.seen, targets, extrapolator, (0.5,))[challenge.rows, :, 0]
    level = challenge.seen.level[challenge.rows]
    goal = (1 - reduction) * level
    return pd.Series(2 ** first_below(np.column_stack([now, x]),
                                      np.column_stack([level, found]), goal))


def first_below(x: np.ndarray, y: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Return where curves first are as low as their goal, straight between points.

    Parameters
    ----------
    x, y : ndarray, shape (n_curves, n_points)
        Curves that begin above their goal.
    goal : ndarray, shape (n_curves,)

    Returns
    -------
    ndarray, shape (n_curves,)
        NaN where never.
    """
    low = y <= goal[:, None]
    at = np.maximum(low.argmax(1), 1)
    row = np.arange(len(y))
    top, bottom = y[row, at - 1], y[row, at]
    way = np.divide(top - goal, top - bottom, out=np.ones(len(y)), where=top > bottom)
    where = x[row, at - 1] + way * (x[row, at] - x[row, at - 1])
    return np.where(low.any(1), where, np.nan)


def backtest_sizes(database: str, share: float = 0.5) -> pd.DataFrame:
    """Ask every cut curve for the rows that an error lower by a tenth takes, and look it up.

    Returns
    -------
    DataFrame
        ``extrapolator`` (`ALWAYS` among them), ``n_curves``, ``right`` (share of the answers 'it
        takes so many rows' or 'not with the rows there are' that came true), ``missed`` (share
        that said not, and it was), ``promised`` (share that said so, and it was not),
        ``doublings`` (median of how far off the size was, either way, where both have one),
        ``within_a_doubling`` (share of these); both NaN with fewer than `LEAST_BOTH` such curves.
    """
    curves = contest_curves(database)
    challenge = cut_at_share(curves, share, database)
    means = curves.mean([d for d in curves.dims if d in ("outer", "inner")])
    table = required_sizes(means, FORMULAS, share=share, reduction=REDUCTION)
    judged = challenge.labels[KEYS]
    formulas = judged.merge(table.rename(columns={"model": "extrapolator"}), on=KEYS)
    truth = formulas[formulas["extrapolator"] == FORMULAS[0]][[*KEYS, "needed"]]
    mine = judged.assign(predicted=predicted_sizes(challenge, RECOMMENDED, REDUCTION),
                         extrapolator=RECOMMENDED).merge(truth, on=KEYS)
    yes = truth.assign(extrapolator=ALWAYS, predicted=np.inf)
    return pd.concat([_outcomes(part) for _, part in pd.concat(
        [mine, formulas, yes]).groupby("extrapolator", sort=False)], ignore_index=True)


def _outcomes(part: pd.DataFrame) -> pd.DataFrame:
    known = part[["needed", "predicted"]].notna().itertuples(index=False, name=None)
    outcome = pd.Series([OUTCOMES[k] for k in known])
    off = np.abs(np.log2(part["predicted"] / part["needed"])).replace(np.inf, np.nan).dropna()
    told = len(off) >= LEAST_BOTH
    return pd.DataFrame([{
        "extrapolator": part["extrapolator"].iloc[0], "n_curves": len(part),
        "right": outcome.isin(["both", "neither"]).mean(),
        "missed": (outcome == "only in truth").mean(),
        "promised": (outcome == "only predicted").mean(),
        "doublings": off.median() if told else np.nan,
        "within_a_doubling": (off <= 1).mean() if told else np.nan}])


KEPT = {"extrapolation_needed": partial(backtest_sizes, "lcdb10")}
