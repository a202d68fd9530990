"""Run strategies on contests, judge what they choose and account for what they trained."""

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from analysis.selection.contest import Contest, open_contests
from analysis.selection.ladders import Ladders
from analysis.selection.outcome import Outcome
from analysis.selection.registry import STRATEGIES
from collection.naming import UnknownNameError

#: What a comparison of strategies runs: name and parameters of each.
SETTINGS = (
    ("full", {}),
    ("oracle", {}),
    ("random", {"seed": 0}),
    ("early", {"doublings": 1}),
    ("early", {"doublings": 2}),
    ("early", {"doublings": 3}),
    ("halving", {"start": 16, "increase": 1.0, "dropout": 1}),
    ("halving", {"start": 59, "increase": 1.0, "dropout": 1}),
    ("halving", {"start": 16, "increase": 1.0, "dropout": 0.5}),
    ("hyperband", {"eta": 2, "seed": 0}),
    ("lccv", {"start": 64, "z": 0.0, "seed": 0}),
    ("lccv", {"start": 64, "z": 1.0, "seed": 0}),
    ("extrapolate", {"doublings": 1, "model": "POW4"}),
    ("extrapolate", {"doublings": 2, "model": "POW4"}),
    ("extrapolate", {"doublings": 2, "model": "MMF4"}),
    ("extrapolate", {"doublings": 2, "model": "POW2"}),
    ("forecast", {"start": 64, "chance": 0.1}),
)


def account(contest: Contest, outcome: Outcome) -> pd.DataFrame:
    """Count what a choice cost, the training of the chosen learner at the top included.

    Returns
    -------
    pandas.DataFrame
        A row per context; a learner trained twice at the same rung is paid for once. ``fits``:
        models trained, one per inner seed, those that failed too. ``rows``: sum of their
        training-set sizes. ``seconds``: their CPU time on record; what failed has none, so it
        is a lower bound; NaN where no time is known.
    """
    trained = np.zeros(contest.valid.shape, bool)
    trained[contest.context, outcome.chosen, contest.top] = True
    for context, rung, who in outcome.rounds:
        trained[context, :, rung] |= who
    times = np.where(trained, contest.seconds, np.nan)
    known = ~np.isnan(times).all(axis=(1, 2))
    return pd.DataFrame({
        "fits": trained.sum(axis=(1, 2)) * contest.inner,
        "rows": (trained.sum(axis=1) * contest.rows).sum(axis=1) * contest.inner,
        "seconds": np.where(known, np.nansum(times, axis=(1, 2)), np.nan),
    })


def run_strategy(contest: Contest, name: str, params: Mapping[str, float]) -> pd.DataFrame:
    """Let a strategy choose on every context of a contest.

    Parameters
    ----------
    contest : Contest
    name : str
        A name in `analysis.selection.registry.STRATEGIES`.
    params : mapping
        Arguments of the strategy.

    Returns
    -------
    pandas.DataFrame
        A row per dataset and outer seed on which any learner of the group has a value: database,
        procedure, dataset, outer, group, strategy, params, chosen, test_error, regret, rank,
        fits, rows, seconds: `Contest` and
        `account` say what they are.

    Raises
    ------
    UnknownNameError
        If there is no such strategy.
    ValueError
        If a parameter is out of its range.
    """
    if name not in STRATEGIES:
        raise UnknownNameError("strategy", name, STRATEGIES)
    outcome = STRATEGIES[name].run(contest, **params)
    choice = contest.context, outcome.chosen
    frame = pd.DataFrame({
        "database": contest.database,
        "procedure": contest.procedure.name,
        "dataset": contest.dataset,
        "outer": contest.outer,
        "group": contest.group,
        "strategy": name,
        "params": ", ".join(f"{key}={value}" for key, value in params.items()),
        "chosen": contest.learners[outcome.chosen],
        "test_error": contest.final[choice],
        "regret": contest.regret[choice],
        "rank": contest.final_rank[choice],
    })
    return pd.concat([frame, account(contest, outcome)], axis=1)


def compare_strategies(
    ladders: Ladders,
    groups: Mapping[str, Sequence[str]],
    settings: Sequence[tuple[str, Mapping[str, float]]] = SETTINGS,
) -> pd.DataFrame:
    """Run every setting on every group; the rows of `run_strategy`, one below the other.

    Raises
    ------
    UnknownNameError
        For an unknown learner or strategy.
    """
    contests = open_contests(ladders, groups)
    return pd.concat(
        [run_strategy(contest, *setting) for contest, setting in product(contests, settings)],
        ignore_index=True,
    )
