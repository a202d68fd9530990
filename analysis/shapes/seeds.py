"""Whether repeats are as many as they seem: what those of an inner or outer seed have in common.

With one inner seed scikit-learn's stratified split permutes places within classes by the seed
alone, and outer training sets have the same class counts: the sequence of classes is the same
whatever the outer seed. Repeats of 5 × 5 seeds so have five sequences, not 25.
"""

from collections.abc import Sequence

import pandas as pd
import xarray as xr

from analysis.statistics.summary import REPEATS, summarise_ratio

SIZES = ((16, 32), (33, 128), (129, 512))  # training rows, first and last
OTHER = dict(zip(REPEATS, reversed(REPEATS), strict=True))


def seed_variance(valid: xr.DataArray, sizes: Sequence[tuple[int, int]] = SIZES) -> pd.DataFrame:
    """Return how much seeds' means vary, over what as many independent repeats would give.

    Parameters
    ----------
    valid : DataArray, dims (dataset, learner, outer, inner, anchor)
        Errors; places where a repeat has none do not count.
    sizes : sequence of (int, int)
        Training rows, from and to; where no anchor lies between, there are no rows of the table.

    Returns
    -------
    pandas.DataFrame
        ``by`` ("outer", "inner"), ``from``, ``to`` (rows), ``learner`` ("all": every one),
        ``ratio`` (1 where repeats are independent; where 5 × 5 vary between seeds alone, 6), ``low,
        high`` (95 %, datasets resampled). Variances are added up over sizes and datasets; NaN
        where nothing varies.
    """
    rows = []
    for first, last in sizes:
        part = valid.sel(anchor=slice(first, last))
        if not part.sizes["anchor"]:
            continue
        part = part.where(part.notnull().all(REPEATS))
        of_all = part.stack(repeat=REPEATS).var("repeat", ddof=1).sum("anchor")
        for by, other in OTHER.items():
            between = valid.sizes[other] * part.mean(other, skipna=False).var(by, ddof=1)
            pair = [part.to_pandas() for part in (
                x.transpose("dataset", "learner") for x in (between.sum("anchor"), of_all))]
            pair = [table.assign(all=table.sum(axis=1)) for table in pair]
            for learner in pair[0]:
                above, below = (table[learner] for table in pair)
                found = summarise_ratio(above, below, above.index)
                rows.append((by, first, last, learner, found.value, found.low, found.high))
    return pd.DataFrame(rows, columns=["by", "from", "to", "learner", "ratio", "low", "high"])


def equal_over_seeds(constant: xr.DataArray) -> pd.DataFrame:
    """Return at how many sizes a constant classifier's errors are equal over all seeds of a kind.

    Parameters
    ----------
    constant : DataArray, dims (outer, inner, anchor) and any others
        Errors of one learner; sizes where a repeat has none do not count.

    Returns
    -------
    pandas.DataFrame
        ``over`` ("outer", "inner"), ``equal`` (percent: of the sizes at each seed of the other
        kind), ``n`` (of these).
    """
    whole = constant.notnull().all(REPEATS)
    rows = []
    for over, other in OTHER.items():
        equal = (constant.max(over) - constant.min(over)) < 1e-9
        n = int(whole.sum()) * constant.sizes[other]
        rows.append((over, 100 * float((equal & whole).sum()) / max(n, 1), n))
    return pd.DataFrame(rows, columns=["over", "equal", "n"])
