"""What a strategy returns: whom it chose, and what it trained on the way."""

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
