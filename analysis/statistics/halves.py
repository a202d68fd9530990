"""Choosing on half of the families of datasets and judging on the other."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import numpy as np
import pandas as pd

from analysis.statistics.families import families

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
