"""Cut the curves of a database and note what came later."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import xarray as xr

from analysis.extrapolation.seen import Seen, see_curves
from analysis.statistics.summary import TIE

LEAST_ANCHORS = 4  # as many as any formula's parameters


@dataclass(frozen=True)
class Challenge:
    """Cut curves, what to predict, and what came.

    Attributes
    ----------
    database : str
    share : float
        Of the anchors, that is seen.
    seen : Seen
        All curves of the datasets, those too that inform others only.
    rows : ndarray of int, shape (n_judged,)
        Which of them are judged.
    target, truth : ndarray, shape (n_judged,)
        Size in rows, and the mean error rate measured there.
    labels : DataFrame
        ``dataset``, ``learner``, ``rows_seen`` and ``doublings`` (from there to the target); a
        row per judged curve.
    """

    database: str
    share: float
    seen: Seen
    rows: np.ndarray
    target: np.ndarray
    truth: np.ndarray
    labels: pd.DataFrame

    @property
    def targets(self) -> np.ndarray:
        """Sizes to predict at for every curve of `seen`, shape (n_curves, 1)."""
        targets = 2 * self.seen.sizes[self.seen.last]
        targets[self.rows] = self.target
        return targets[:, None]


def cut_at_share(curves: xr.DataArray, share: float = 0.5, database: str = "") -> Challenge:
    """Cut every curve after a share of its anchors; the last one is to be predicted.

    Parameters
    ----------
    curves : DataArray, dims (dataset, learner, [outer, inner,] anchor)
        Validation error rates; NaN where missing.
    share : float
        Of each curve's anchors, rounded down; at least `LEAST_ANCHORS` have to be seen.
    database : str
        Its name, for tables.

    Returns
    -------
    Challenge
        Constant curves are not judged: nothing is to be learnt of them.

    Raises
    ------
    ValueError
        If the share is not between 0 and 1.
    """
    if not 0 < share < 1:
        raise ValueError(f"A share of {share} leaves nothing to see or nothing to predict; "
                         "shares lie between 0 and 1.")
    whole, template = see_curves(_with_two_sizes(curves))
    count = whole.there.sum(1)
    wanted = np.floor(share * count + 1e-9).astype(int)
    inside = whole.there & (whole.there.cumsum(1) <= np.maximum(wanted, 1)[:, None])
    position = whole.there.shape[1] - 1 - inside[:, ::-1].argmax(1)
    moves = np.nanmax(np.where(whole.there, whole.values, -1), 1) - np.nanmin(
        np.where(whole.there, whole.values, 2), 1) > TIE
    kept = np.flatnonzero(count > 0)
    judged = (wanted >= LEAST_ANCHORS) & moves & (count > 0)
    seen = whole.cut(position).take(kept)
    rows = np.flatnonzero(judged[kept])
    index = template.stack(curve=template.dims)
    labels = pd.DataFrame({d: index[d].values[kept][rows] for d in ("dataset", "learner")})
    target = whole.sizes[whole.last][kept][rows]
    now = whole.sizes[position][kept][rows]
    labels = labels.assign(rows_seen=now, doublings=np.log2(target / now))
    return Challenge(database, share, seen, rows, target, whole.level[kept][rows], labels)


def _with_two_sizes(curves: xr.DataArray) -> xr.DataArray:
    """Return the curves with values at two sizes or more; NaN elsewhere."""
    repeats = [d for d in curves.dims if d in ("outer", "inner")]
    return curves.where(curves.notnull().any(repeats).sum("anchor") >= 2)


def without_names(challenge: Challenge) -> Challenge:
    """Return the challenge with learners that no extrapolator knows, each curve by itself."""
    seen = challenge.seen
    unknown = replace(seen, learner=np.full(len(seen.learner), "", object),
                      dataset=np.arange(len(seen.dataset)))
    return replace(challenge, seen=unknown)
