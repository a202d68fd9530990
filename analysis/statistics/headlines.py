"""The only way a chapter words a superlative: from contenders compared on the same datasets.

Whoever has one hard dataset more than the others, or one fewer, is not the best or the worst for
it. And a handful of datasets crowns nobody.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis.statistics.bootstrap import mean_interval

LEAST = 5  # datasets; a headline from fewer is refused


class UnfairComparisonError(ValueError):
    """Contenders have different datasets, or too few."""


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
        Those whose paired difference to it has an interval that reaches 0: not told apart.
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
        """How many of the others cannot be told apart from it, in words."""
        others = self.contenders - 1
        return (f"clearly ahead of all {others} others" if not self.rivals else
                f"not clearly ahead of {len(self.rivals)} of the {others} others")


def comparable_rows(values: pd.DataFrame, of: str | list[str], over: str = "dataset",
                    least: int = LEAST) -> pd.DataFrame:
    """Return the rows on the datasets that all contenders have.

    Contenders with fewer than 90 % as many datasets as the one with most are left out first.

    Parameters
    ----------
    values : pandas.DataFrame
        A row per contender and dataset.
    of, over : str, or list of str
        The columns that name the contender and the dataset.
    least : int
        How many datasets there have to be.

    Raises
    ------
    UnfairComparisonError
        If fewer than `least` datasets are common to them.
    """
    counts = values.groupby(of)[over].transform("nunique")
    kept = values[counts >= 0.9 * counts.max()]
    wanted = kept.groupby(of).ngroups
    having = kept.drop_duplicates([*([of] if isinstance(of, str) else of), over])[over]
    common = having.value_counts().loc[lambda n: n == wanted].index
    if len(common) < least:
        raise UnfairComparisonError(
            f"{wanted} contenders have {len(common)} datasets in common: a headline needs {least}.")
    return kept[kept[over].isin(common)]


def leader(values: pd.DataFrame, value: str, of: str, over: str = "dataset",
           highest: bool = False, least: int = LEAST) -> Leader:
    """Return who has the lowest (or highest) mean, if the comparison is fair.

    Parameters
    ----------
    values : pandas.DataFrame
        Rows per contender and dataset; of several rows of both, the mean counts.
    value, of, over : str
        The columns of the value, the contender and the dataset.
    highest : bool
        Whether more is better.
    least : int
        How many datasets there have to be.

    Raises
    ------
    UnfairComparisonError
        If a contender lacks a dataset that another has, or there are fewer than `least`.
    """
    wide = values.pivot_table(index=over, columns=of, values=value)
    lacking = wide.columns[wide.isna().any()].tolist()
    if lacking:
        raise UnfairComparisonError(
            f"Not all contenders have all {len(wide)} datasets ({', '.join(map(str, lacking))} "
            "lack some): compare them on common ones (`comparable_rows`).")
    if len(wide) < least:
        raise UnfairComparisonError(f"{len(wide)} datasets make no headline: it needs {least}.")
    sign = -1 if highest else 1
    first = (sign * wide.mean()).idxmin()
    datasets = wide.index.to_series()
    behind = (sign * (wide[x] - wide[first]) for x in wide.columns.drop(first))
    rivals = tuple(str(d.name) for d in _named(behind, wide.columns.drop(first))
                   if not mean_interval(d, datasets)[0] > 0)
    low, high = mean_interval(wide[first], datasets)
    return Leader(str(first), float(wide[first].mean()), low, high, len(wide), wide.shape[1],
                  rivals)


def leader_if_fair(values: pd.DataFrame, value: str, of: str, **choices) -> Leader | None:
    """Return `leader` on common datasets (`comparable_rows`), or None where there are too few."""
    try:
        return leader(comparable_rows(values, of), value, of, **choices)
    except UnfairComparisonError:
        return None


class Excluded(NamedTuple):
    """A contender that was not compared with the leader, for want of datasets.

    Attributes
    ----------
    name : str
        The contender.
    gap, low, high : float
        Its values minus the leader's, the mean over the datasets that both have, with its 95 %
        interval; NaN where these are fewer than `LEAST`.
    n : int
        These datasets.
    beats : bool
        Whether the mean is on the better side of the leader's.
    """

    name: str
    gap: float
    low: float
    high: float
    n: int
    beats: bool


def excluded(values: pd.DataFrame, value: str, of: str, first: Leader,
             highest: bool = False) -> list[Excluded]:
    """Return who was left out of a ranking, and how each does against its leader.

    Parameters
    ----------
    values, value, of, highest
        As `leader_if_fair` had them, all contenders included.
    first : Leader
        What it returned.

    Returns
    -------
    list of Excluded
        The most dangerous to the leader first.
    """
    wide = values.pivot_table(index="dataset", columns=of, values=value)
    ranked = set(comparable_rows(values, of)[of])
    sign, found = -1 if highest else 1, []
    for name in wide.columns.difference(list(ranked)):
        gap = (wide[name] - wide[first.name]).dropna()
        enough = len(gap) >= LEAST
        mean = float(gap.mean()) if enough else float("nan")
        low, high = (mean_interval(gap, gap.index.to_series()) if enough
                     else (float("nan"), float("nan")))
        found.append(Excluded(str(name), mean, low, high, len(gap), sign * mean < 0))
    return sorted(found, key=lambda one: (not one.beats, np.nan_to_num(sign * one.gap, nan=np.inf)))


def left_out(found: list[Excluded], title: Callable[[str], str] = str, digits: int = 1,
             unit: str = "points") -> str:
    """Return in words who was left out of a ranking, those by name who beat its leader.

    Parameters
    ----------
    found : list of Excluded
        Values in `unit`.
    title : callable
        Returns a contender's name for a page.
    digits : int
        Decimals of the gaps.
    unit : str
        Of the gaps.
    """
    said = [f"{title(one.name)}, {abs(one.gap):.{digits}f} {unit} better on {one.n} common datasets"
            for one in found if one.beats]
    if rest := len(found) - len(said):
        said.append(f"{rest} that did worse or share too few datasets")
    return "; ".join(said) or "nobody"


def how_many(flags: pd.Series, what: str, least: int = LEAST) -> str:
    """Return in words of how many something holds: "all 12 settings", "9 of 12 settings".

    "All" and "none" are said of at least `least` only; of fewer, "2 of 2 settings".

    Parameters
    ----------
    flags : pandas.Series of bool
        Whether it holds.
    what : str
        What there are, in the plural.
    least : int
        From how many on "all" and "none" are said.
    """
    true, n = int(flags.sum()), len(flags)
    if n >= least and true in (0, n):
        return f"all {n} {what}" if true else f"none of {n} {what}"
    return f"{true} of {n} {what}"


def _named(series, names):
    return (s.rename(name) for s, name in zip(series, names, strict=True))
