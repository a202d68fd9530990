"""The strategies by name, and what each of them returns."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Round(NamedTuple):
    """Learners trained at one rung each of some contexts.

    Attributes
    ----------
    context, rung : ndarray of int, shape (some context,)
        Which contexts, none twice, and the rung of each.
    who : ndarray of bool, shape (some context, member)
        Who was trained there.
    """

    context: np.ndarray
    rung: np.ndarray
    who: np.ndarray


@dataclass(frozen=True)
class Outcome:
    """What a strategy did on every context of a contest.

    Attributes
    ----------
    chosen : ndarray of int, shape (context,)
        Position of the chosen learner within the group.
    rounds : list of Round
        What was trained, in order; without the training of the chosen one at the top, which the
        harness adds for every strategy.
    """

    chosen: np.ndarray
    rounds: list[Round]


@dataclass(frozen=True)
class Strategy:
    """A way to select a learner.

    Attributes
    ----------
    name, title, source : str
        Key in `STRATEGIES`, name in words, where it was proposed.
    run : callable
        ``run(contest, **params)`` returns an `Outcome`.
    """

    name: str
    title: str
    source: str
    run: Callable[..., Outcome]


STRATEGIES: dict[str, Strategy] = {}


def strategy(name: str, title: str, source: str) -> Callable[[Callable], Callable]:
    """Enter the decorated function in `STRATEGIES`."""

    def enter(run: Callable[..., Outcome]) -> Callable[..., Outcome]:
        STRATEGIES[name] = Strategy(name, title, source, run)
        return run

    return enter
