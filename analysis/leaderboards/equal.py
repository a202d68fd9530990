"""Which methods are equal in practice, and what no task can show: crashes that are rare.

A method that crashed on none of n tasks may crash on up to 1 − .05^(1/n) of those that are meant
(about 3/n, the rule of three; Hanley and Lippman-Hand 1983, JAMA 249). No interval from the tasks
themselves knows of that.
"""

import numpy as np
import pandas as pd

from analysis.leaderboards.cells import Cells

CRASH = 30  # points, of the example that is given in words


def open_to_crashes(families: int, level: float = 0.95) -> float:
    """Return the share of tasks on which what none of so many shows may happen."""
    return 1 - (1 - level) ** (1 / families)


def room_to_fall(cells: Cells) -> np.ndarray:
    """Return by how much each method's value may fall in the mean, were it to crash on every task.

    To the worse end of shares and of percent; of other values, to the worst of each task.
    """
    most = np.nanmax(np.abs(cells.value))
    signs = np.where(cells.turned[:, None], -1, 1) * cells.value
    if most > 100 or np.nanmin(signs) < 0:
        floor = np.nanmin(cells.value, axis=1, keepdims=True)
    else:
        floor = np.where(cells.turned[:, None], -1.0, 0.0) * (1 if most <= 1 else 100)
    return np.nanmean(cells.value - floor, axis=0)


def with_gaps(pairs: pd.DataFrame, gaps: pd.DataFrame, cells: Cells, tie: float,
              level: float) -> pd.DataFrame:
    """Return pairs with the differences of mean values, and which of them are within the tie.

    See `analysis.leaderboards.ordering.Order.pairs`.
    """
    gaps = gaps[["one", "other", "effect", "low", "high"]].set_axis(
        ["one", "other", "gap", "gap_low", "gap_high"], axis=1)
    turned = gaps.set_axis(["other", "one", "gap", "gap_high", "gap_low"], axis=1)
    turned[["gap", "gap_low", "gap_high"]] *= -1
    found = pairs.merge(pd.concat([gaps, turned]), "left", ["one", "other"])
    crashes = open_to_crashes(len(cells.families), level)
    room = pd.Series(crashes * room_to_fall(cells), cells.methods)
    return found.assign(
        alike=(found["gap_low"] >= -tie) & (found["gap_high"] <= tie), crashes=crashes,
        equal=(found["gap_low"] - found["one"].map(room) >= -tie)
        & (found["gap_high"] + found["other"].map(room) <= tie))


def equal_in_words(pairs: pd.DataFrame) -> str:
    """Return a sentence or two on pairs with a tie; nothing of pairs without one."""
    if "alike" not in pairs:
        return ""
    alike, equal = int(pairs["alike"].sum()), int(pairs["equal"].sum())
    crashes = 100 * pairs["crashes"].iloc[0]
    said = (f" {alike} pairs are alike on tasks such as these: their mean values differ by no more "
            f"than TIE, unless one crashes where no task shows it: on up to {crashes:.2g} % of "
            f"tasks, which is open; {CRASH} points lost there are "
            f"{CRASH * crashes / 100:.2g} points of a mean.")
    return said + (f" {equal} of these are equal in practice however far they may fall there."
                   if equal else "") if alike else (
        " No pair is equal in practice: no mean values differ by TIE at most, as far as can be "
        "told.")
