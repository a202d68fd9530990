"""Choosing on half of the families of datasets and judging on the other."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import pandas as pd

from analysis.statistics.families import count_families, families
from analysis.statistics.summary import Summary, summarise, summarise_ratio

Choice = TypeVar("Choice")


def chosen_elsewhere(datasets: Iterable[object], choose: Callable[[np.ndarray], Choice],
                     halvings: int = 50, seed: int = 0) -> Iterator[tuple[np.ndarray, Choice]]:
    """Yield what is chosen on one half of the families, and the rows to judge it on.

    Parameters
    ----------
    datasets : iterable of length n
        The dataset of each row; those of a family (near-duplicates) fall into the same half.
    choose : callable
        Takes a mask of rows, shape (n,), and returns what it chooses on these.
    halvings : int
        How often the families are halved at random; each halving is used both ways.
    seed : int
        Of the halvings.

    Yields
    ------
    judged : ndarray of bool, shape (n,)
        The rows of the other half. Over all that is yielded, each row comes `halvings` times.
    choice : object
        What `choose` returned.

    Raises
    ------
    ValueError
        If there are fewer than two families.
    """
    of, names = pd.factorize(families(datasets))
    if len(names) < 2:
        raise ValueError(f"Choosing on some datasets and judging on others takes two families of "
                         f"them at least; there are {len(names)}.")
    rng = np.random.default_rng(seed)
    for _ in range(halvings):
        first = (rng.permutation(len(names)) < len(names) // 2)[of]
        for half in (first, ~first):
            yield ~half, choose(half)


class Leaders(NamedTuple):
    """Who has most of something, and what is left without them.

    Attributes
    ----------
    names : list of str
        The learners with most of it, most first.
    share : Summary
        Percent of all that they have.
    elsewhere : float
        The same of as many learners, chosen on half of the datasets and counted on the other:
        the mean over halvings; NaN of one family, or where there is nothing to have.
    others : Summary
        Percent of the other learners' cases that are such.
    datasets : Summary
        Percent of the datasets on which another learner has one.
    """

    names: list
    share: Summary
    elsewhere: float
    others: Summary
    datasets: Summary


def leaders(cases: pd.DataFrame, having: str, of: str, k: int = 3,
            names: Sequence[str] = ()) -> Leaders:
    """Return which learners have most of something, such as of the ill-behaved curves.

    Parameters
    ----------
    cases : pandas.DataFrame
        A row per ``dataset`` and ``learner``.
    having, of : str
        Columns of 0 and 1: which cases are such, and which count at all.
    k : int
        How many learners are looked for.
    names : sequence of str
        Those to be counted instead of looked for, chosen on other cases.
    """
    such, all_of = (cases.pivot(index="dataset", columns="learner", values=column)
                    for column in (having, of))
    names = list(names) or list(such.sum().sort_values(ascending=False, kind="stable").index[:k])
    rest, units = such.columns.difference(names), such.index
    found = [(such[judged], chosen) for judged, chosen in chosen_elsewhere(
        units, lambda half: list(such[half].sum().nlargest(k).index))
        if such[judged].sum().sum()] if count_families(units) > 1 else []
    shares = [own[chosen].sum().sum() / own.sum().sum() for own, chosen in found]
    return Leaders(
        names, summarise_ratio(such[names].sum(axis=1), such.sum(axis=1), units, 100),
        100 * float(np.mean(shares)) if shares else np.nan,
        summarise_ratio(such[rest].sum(axis=1), all_of[rest].sum(axis=1), units, 100),
        summarise(100.0 * (such[rest].sum(axis=1) > 0), units))
