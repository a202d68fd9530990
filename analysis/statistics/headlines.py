"""The only way a chapter words a superlative: from contenders compared on the same datasets.

Whoever has one hard dataset more than the others, or one fewer, is not the best or the worst for
it. And a handful of datasets crowns nobody.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis.statistics.bootstrap import FEW, mean_interval


class Leader(NamedTuple):
    """Who comes first in a comparison, and how surely.

    Attributes
    ----------
    name : str
        The contender.
    mean, low, high : float
        Its mean over the datasets, with its 95 % interval.
    n : int
        Datasets.
    contenders : int
        How many were compared.
    rivals : tuple of str
        Those whose paired difference to it has an interval that reaches 0: not significantly worse.
    """

    name: str
    mean: float
    low: float
    high: float
    n: int
    contenders: int
    rivals: tuple[str, ...]

    @property
    def doubt(self) -> str:
        """How many of the others are not significantly worse, in words."""
        others = self.contenders - 1
        if others == 1:
            return f"{'not clearly ' * bool(self.rivals)}ahead of the other"
        return (f"ahead of all {others} others, tested one by one" if not self.rivals else
                f"not clearly ahead of {len(self.rivals)} of the {others} others")


def comparable_rows(values: pd.DataFrame, of: str) -> pd.DataFrame:
    """Return the rows on the datasets that all contenders have.

    Contenders with fewer than 90 % as many datasets as the one with most are left out first.

    Parameters
    ----------
    values : pandas.DataFrame
        A row per contender and ``dataset``.
    of : str
        The column that names the contender.
    """
    counts = values.groupby(of)["dataset"].transform("nunique")
    kept = values[counts >= 0.9 * counts.max()]
    having = kept.drop_duplicates([of, "dataset"])["dataset"].value_counts()
    return kept[kept["dataset"].isin(having.index[having == kept[of].nunique()])]


def leader_if_fair(values: pd.DataFrame, value: str, of: str) -> Leader | None:
    """Return who has the lowest mean on common datasets, None where these are fewer than `FEW`.

    Parameters
    ----------
    values : pandas.DataFrame
        Rows per contender and ``dataset``; of several rows of both, the mean counts.
    value, of : str
        The columns of the value and the contender.
    """
    rows = comparable_rows(values, of)
    wide = rows.pivot_table(index="dataset", columns=of, values=value)
    if len(wide) < FEW or wide.isna().any(axis=None):
        return None
    first, datasets = wide.mean().idxmin(), wide.index.to_series()
    rivals = tuple(str(name) for name in wide.columns.drop(first)
                   if not mean_interval(wide[name] - wide[first], datasets)[0] > 0)
    low, high = mean_interval(wide[first], datasets)
    return Leader(name=str(first), mean=float(wide[first].mean()), low=low, high=high, n=len(wide),
                  contenders=wide.shape[1], rivals=rivals)


class Excluded(NamedTuple):
    """A contender that was not compared with the leader, for want of datasets.

    Attributes
    ----------
    name : str
        The contender.
    gap : float
        Its values minus the leader's, the mean over the datasets that both have; NaN where these
        are fewer than `FEW`.
    n : int
        These datasets.
    beats : bool
        Whether the mean is on the better side of the leader's.
    """

    name: str
    gap: float
    n: int
    beats: bool


def excluded(values: pd.DataFrame, value: str, of: str, first: Leader) -> list[Excluded]:
    """Return who was left out of a ranking, and how each does against its leader.

    Parameters
    ----------
    values, value, of
        As `leader_if_fair` had them, all contenders included.
    first : Leader
        What it returned.

    Returns
    -------
    list of Excluded
        The most dangerous to the leader first.
    """
    wide, found = values.pivot_table(index="dataset", columns=of, values=value), []
    for name in wide.columns.difference(list(set(comparable_rows(values, of)[of]))):
        gap = (wide[name] - wide[first.name]).dropna()
        mean = float(gap.mean()) if len(gap) >= FEW else np.nan
        found.append(Excluded(str(name), mean, len(gap), mean < 0))
    return sorted(found, key=lambda one: (not one.beats, np.nan_to_num(one.gap, nan=np.inf)))


def left_out(found: list[Excluded], title: Callable[[str], str]) -> str:
    """Return in words who was left out of a ranking, those by name who beat its leader.

    Parameters
    ----------
    found : list of Excluded
        Values in points.
    title : callable
        Returns a contender's name for a page.
    """
    said = [f"{title(one.name)}, {abs(one.gap):.1f} points better on {one.n} common datasets"
            for one in found if one.beats]
    if rest := len(found) - len(said):
        said.append(f"{rest} that did worse or share too few datasets")
    return "; ".join(said) or "nobody"
