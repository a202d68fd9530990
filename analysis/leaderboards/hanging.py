"""On which tasks it hangs that a method may not be first."""

import numpy as np
import pandas as pd

from analysis.leaderboards.cells import Cells
from analysis.leaderboards.estimates import Estimate
from analysis.leaderboards.flips import from_one_scale
from analysis.leaderboards.stepdown import significant

AHEAD, CLOSE = 16, 1e-9  # methods that are looked at together; relative error of a quick look


def may_be_first_without(cells: Cells, estimate: Estimate, critical: float,
                         least: int) -> pd.DataFrame:
    """Return which one or two families, left out, let a method be first that now may not be.

    The critical value stays. Two families are looked for where no single one will do: the two that
    speak most for those ahead.

    Returns
    -------
    pandas.DataFrame
        ``tasks, method``; the fewest families first.
    """
    ahead = significant(estimate, critical, least) & (estimate.effect > 0)
    rows, families = [], np.array(cells.families, object)
    for method in np.flatnonzero(ahead.any(axis=0)):
        better = np.flatnonzero(ahead[:, method])
        some = _that_may_do(estimate, critical, method, better) if len(better) > 1 else None
        if some is not None and not some.any():
            continue
        gap = estimate.parts[:, [method]] - estimate.parts[:, better]
        most = np.round(gap / np.abs(gap).max(), 12)  # of equal ones, the first
        if some is None:
            order_ = np.argsort(-most, axis=0, kind="stable")
            tried = [order_[:1, 0], order_[:2, 0]]
        else:
            tried = [np.array([k]) for k in dict.fromkeys(most.argmax(axis=0)) if some[k]]
        for out in tried:
            left = np.delete(gap, out, axis=0)
            n = np.maximum(estimate.shared[method, better] - len(out), 2)
            spread = np.square(left).sum(axis=0) - left.sum(axis=0)**2 / len(left)
            spread = estimate.moderated(spread / (1 - 1 / n), (method, better))
            reached = np.divide(left.sum(axis=0)**2, spread,
                                out=np.full(len(better), np.inf), where=spread > 1e-24)
            if not (reached > estimate.asked(critical)[method, better]).any():
                rows.append((len(out), " and ".join(sorted(families[out])), cells.methods[method]))
                break
    rows = sorted(set(rows))
    return pd.DataFrame([row[1:] for row in rows], columns=["tasks", "method"])


def _that_may_do(estimate: Estimate, critical: float, method: int,
                 better: np.ndarray) -> np.ndarray:
    """Return the families without which a method is surely not behind those ahead, or may not be.

    Those farthest ahead are looked at first: where no family will do for them, as for most
    methods, none will. What rounding could turn counts as may.
    """
    asked = from_one_scale(critical, estimate.freedom[method, better])
    may = np.ones(len(estimate.parts), bool)
    farthest = np.argsort(-estimate.statistic[method, better] / asked, kind="stable")
    for at in range(0, len(better), AHEAD):
        some = farthest[at:at + AHEAD]
        gap = estimate.parts[may][:, [method]] - estimate.parts[may][:, better[some]]
        whole = estimate.parts[:, [method]] - estimate.parts[:, better[some]]
        total, squares = whole.sum(axis=0), np.square(whole).sum(axis=0)
        n, left = np.maximum(estimate.shared[method, better[some]] - 1, 2), len(whole) - 1
        spread = squares - np.square(gap) - (total - gap)**2 / left + CLOSE * squares
        spread = estimate.moderated(spread / (1 - 1 / n), (method, better[some]))
        sure = (total - gap)**2 > asked[some] * spread * (1 + CLOSE)
        may[may] = ~(sure & (spread > 2e-24)).any(axis=1)
        if not may.any():
            break
    return may
