"""Model selection as a contest: one group of learners on the ladders of many datasets.

A strategy sees validation errors at the rungs of a ladder and chooses a learner; the choice is
judged at the top rung.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from analysis.selection.ladders import Ladders, find_rungs
from collection.containers.learner_names import learner_name


@dataclass(frozen=True)
class Contest:
    """What a strategy sees, what it is judged by, what it has to pay.

    A context is a dataset and an outer seed; those where no learner of the group has a value are
    left out.

    Attributes
    ----------
    database, group : str
    procedure : str
        Of `analysis.selection.ladders.PROCEDURES`.
    learners : ndarray of str, shape (member,)
        The group, in the order that decides ties.
    dataset, outer, context : ndarray, shape (context,)
        Labels, and the positions 0, 1, … to index with.
    top : ndarray of int, shape (context,)
        Position of the last rung: the largest training set that any of the group has a value at.
    rows, log_rows : ndarray, shape (context, rung)
        Training-set sizes, 0 beyond the ladder; their binary logarithms, infinite there.
    valid : ndarray, shape (context, member, rung)
        Validation error; infinite where missing, so that a missing one loses.
    spread, seconds : ndarray, shape (context, member, rung)
        As in `Ladders`; NaN where missing.
    final : ndarray, shape (context, member)
        Error the member is judged by: at the top rung or, where it has none there, at its last
        rung with a value; 1, as if it were wrong on every row, where it has no value at all.
    inner : int
        Fits that one evaluation takes.
    """

    database: str
    group: str
    procedure: str
    learners: np.ndarray
    dataset: np.ndarray
    outer: np.ndarray
    context: np.ndarray
    top: np.ndarray
    rows: np.ndarray
    log_rows: np.ndarray
    valid: np.ndarray
    spread: np.ndarray
    seconds: np.ndarray
    final: np.ndarray
    inner: int

    @property
    def tops_out(self) -> bool:
        """Whether the top rung decides where rungs run out; else the first that is left wins."""
        return self.procedure != "published"

    @cached_property
    def rank(self) -> np.ndarray:
        """Rank at each rung, 0 the best, shape (context, rung, member).

        Missing ones come last; ties keep the group's order.
        """
        return rankdata(self.valid.swapaxes(1, 2), "ordinal", axis=2).astype(np.int16) - 1

    @cached_property
    def present(self) -> np.ndarray:
        """Number of members with a value, shape (context, rung)."""
        return np.isfinite(self.valid).sum(axis=1, dtype=np.int16)

    @cached_property
    def regret(self) -> np.ndarray:
        """Final error minus the group's smallest, shape (context, member)."""
        return self.final - self.final.min(axis=1, keepdims=True)

    @cached_property
    def final_rank(self) -> np.ndarray:
        """1 + the number of members with a smaller final error, shape (context, member).

        Under the published procedure, those with the same error that come first count as well.
        """
        return rankdata(self.final, "min" if self.tops_out else "ordinal", axis=1).astype(int)

    @cached_property
    def log_top(self) -> np.ndarray:
        """Binary logarithm of the top rung's training-set size, shape (context,)."""
        return self.log_rows[self.context, self.top]


def open_contest(ladders: Ladders, group: str, learners: Sequence[str]) -> Contest:
    """Enter a group of learners.

    Parameters
    ----------
    ladders : Ladders
    group : str
        Its name, for tables.
    learners : sequence of str
        Names or abbreviations; their order decides ties.

    Raises
    ------
    UnknownNameError
        If the database lacks a learner.
    ValueError
        If the group has fewer than two learners, or one of them twice, or none has a curve.
    """
    names = [learner_name(name, ladders.learners) for name in learners]
    if len(names) < 2 or len(set(names)) < len(names):
        raise ValueError(
            f"Group {group!r} needs at least two different learners, not {', '.join(learners)}."
        )
    members = [ladders.learners.index(name) for name in names]
    valid, judged = ladders.valid[:, members], ladders.judged[:, members]
    if ladders.procedure == "published":
        valid = _cut(valid, np.isnan(ladders.rows))
        judged = valid
    climb = find_rungs((~np.isnan(valid)).any(axis=1))
    rows, valid = climb(ladders.rows), climb(valid)
    return Contest(
        database=ladders.database, procedure=ladders.procedure, group=group,
        learners=np.array(names), context=np.arange(len(climb.held)), top=climb.length - 1,
        dataset=ladders.dataset[climb.held], outer=ladders.outer[climb.held],
        rows=np.nan_to_num(rows).astype(np.int64),
        log_rows=np.where(np.isnan(rows), np.inf, np.log2(rows)),
        valid=np.where(np.isnan(valid), np.inf, valid),
        spread=climb(ladders.spread[:, members]), seconds=climb(ladders.seconds[:, members]),
        final=last_value(climb(judged), 1.0), inner=ladders.inner,
    )


def open_contests(ladders: Ladders, groups: Mapping[str, Sequence[str]]) -> list[Contest]:
    """Enter several groups; see `open_contest`."""
    return [open_contest(ladders, group, learners) for group, learners in groups.items()]


def _cut(valid: np.ndarray, beyond: np.ndarray) -> np.ndarray:
    """Apply the published rule for missing values; see `PROCEDURES`."""
    missing = np.isnan(valid)
    late = missing[:, :, :1]
    over = (missing & ~late).any(axis=1).cumsum(axis=1) > 0
    return np.where((over | beyond)[:, None], np.nan, np.where(missing & late, 2.0, valid))


def last_value(values: np.ndarray, missing: float) -> np.ndarray:
    """Return the last value along the rungs, the last axis; `missing` where there is none."""
    present = ~np.isnan(values)
    last = values.shape[2] - 1 - present[:, :, ::-1].argmax(axis=2)
    value = np.take_along_axis(values, last[:, :, None], axis=2)[..., 0]
    return np.where(present.any(axis=2), value, missing)


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
