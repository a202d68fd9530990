"""The strategies by name; runs on contests, what was trained in them, and what is chosen.

The plainest strategies stand here, which the others are held against.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis.selection import forecast, halving
from analysis.selection.contest import Contest, Outcome, Round, open_contests
from analysis.selection.ladders import Ladders
from analysis.statistics.bootstrap import exact_if_few, ratio_of_sums_interval
from analysis.statistics.families import count_families
from collection.project.naming import check_known


def oracle(contest: Contest) -> Outcome:
    """Choose by the errors that the choice is judged by, which no strategy can know."""
    return Outcome(contest.final.argmin(axis=1), [])


def early_look(contest: Contest, doublings: float = 1) -> Outcome:
    """Train every learner once and take the best on validation: LCDB 1.0's baseline LAST1.

    Parameters
    ----------
    contest : Contest
    doublings : float
        How far below the top rung to look, in doublings of the training set; the nearest rung.
    """
    rung = halving.nearest_rung(contest.log_rows, contest.log_top - doublings)
    everyone = np.ones(contest.final.shape, bool)
    chosen = contest.valid[contest.context, :, rung].argmin(axis=1)
    return Outcome(chosen, [Round(contest.context, rung, everyone)])


def random_choice(contest: Contest, seed: int = 0) -> Outcome:
    """Choose at random, independently per context, among the learners that have any value."""
    draws = np.random.default_rng(seed).random(contest.final.shape)
    available = np.isfinite(contest.valid).any(axis=2)
    return Outcome(np.where(available, draws, -1).argmax(axis=1), [])


class Strategy(NamedTuple):
    """A way to select a learner.

    Attributes
    ----------
    title : str
        Its name in words.
    run : callable
        ``run(contest, **params)`` returns an `Outcome`.
    """

    title: str
    run: Callable[..., Outcome]


# A new strategy is a function of its own module and a line here.
STRATEGIES = {
    "oracle": Strategy("oracle", oracle),
    "full": Strategy("full evaluation", partial(early_look, doublings=0)),
    "early": Strategy("one early look", early_look),
    "random": Strategy("random choice", random_choice),
    "halving": Strategy("successive halving", halving.successive_halving),
    "hyperband": Strategy("Hyperband", halving.hyperband),
    "lccv": Strategy("learning-curve-based cross-validation", halving.lccv),
    "extrapolate": Strategy("extrapolate, then select", forecast.extrapolate),
    "forecast": Strategy("drop by forecast", forecast.drop_by_forecast),
}

KEYS = ["database", "procedure", "group", "strategy", "params"]

#: Measures of cost in words, the one that comes closest to what is paid first.
COSTS = {"seconds_share": "CPU time", "rows_share": "training rows"}


def summarise_strategies(frame: pd.DataFrame) -> pd.DataFrame:
    """Average the rows of `compare_strategies` over datasets.

    Parameters
    ----------
    frame : pandas.DataFrame
        With the setting ``full`` for every group, which costs are relative to.

    Returns
    -------
    pandas.DataFrame
        A row per database, procedure, group, strategy and params: regret and top_1_rate with
        their 95 % percentile intervals (``_low``, ``_high``), and the cost in fits, rows and
        seconds as shares of full evaluation (sum over sum). The mean over a dataset's outer
        seeds comes first, so that every dataset counts the same.

    Raises
    ------
    ValueError
        If a group was not fully evaluated.
    """
    frame = frame.assign(top_1_rate=(frame["rank"] == 1).astype(float))
    full = frame[frame["strategy"] == "full"].groupby("group")[["fits", "rows", "seconds"]].sum()
    absent = sorted(set(frame["group"]) - set(full.index))
    if absent:
        raise ValueError(
            f"Costs are relative to full evaluation, which was not run on {', '.join(absent)}; "
            "add ('full', {}) to the settings."
        )
    rows = []
    for key, part in frame.groupby(KEYS, sort=False):
        row = dict(zip(KEYS, key, strict=True))
        means = part.groupby("dataset")[["regret", "top_1_rate"]].mean()
        for name, values in means.items():
            low, high = ratio_of_sums_interval(values, np.ones(len(values)), means.index)
            row |= {name: values.mean(), f"{name}_low": float(low), f"{name}_high": float(high)}
        cost = part[["fits", "rows", "seconds"]].sum(min_count=1) / full.loc[row["group"]]
        rows.append(row | cost.add_suffix("_share").to_dict())
    return pd.DataFrame(rows)


def cost_measure(summary: pd.DataFrame) -> str:
    """Return the first of `COSTS` that every database of a summary has.

    Parameters
    ----------
    summary : pandas.DataFrame
        From `summarise_strategies`. CPU seconds are NaN for a database without training times.
    """
    by_database = summary.groupby("database")
    return next(cost for cost in COSTS if by_database[cost].count().all())


#: What a comparison of strategies runs: name and parameters of each.
SETTINGS = (
    ("full", {}),
    ("oracle", {}),
    ("random", {"seed": 0}),
    *(("early", {"doublings": doublings}) for doublings in (1, 2, 3)),
    *(("halving", {"start": start, "increase": 1.0, "dropout": dropout})
      for start, dropout in ((16, 1), (59, 1), (16, 0.5))),
    ("hyperband", {"eta": 2, "seed": 0}),
    *(("lccv", {"start": 64, "z": z, "seed": 0}) for z in (0.0, 1.0)),
    *(("extrapolate", {"doublings": doublings, "model": model})
      for doublings, model in ((1, "POW4"), (2, "POW4"), (2, "MMF4"), (2, "POW2"))),
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
    return pd.DataFrame({"fits": trained.sum(axis=(1, 2)) * contest.inner,
                         "rows": (trained.sum(axis=1) * contest.rows).sum(axis=1) * contest.inner,
                         "seconds": np.where(known, np.nansum(times, axis=(1, 2)), np.nan)})


def run_strategy(contest: Contest, name: str, params: Mapping[str, float]) -> pd.DataFrame:
    """Let a strategy choose on every context of a contest.

    Parameters
    ----------
    contest : Contest
    name : str
        A name in `STRATEGIES`.
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
    check_known("strategy", [name], STRATEGIES)
    outcome = STRATEGIES[name].run(contest, **params)
    choice = contest.context, outcome.chosen
    frame = pd.DataFrame({
        "database": contest.database,
        "procedure": contest.procedure,
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


COLUMNS = ["database", "procedure", "group", "start", "increase", "dropout", "k", "top_k_rate",
           "top_k_low", "top_k_high", "regret", "regret_low", "regret_high", "datasets"]


def halving_frame(ladders: Ladders, groups: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Run the grid of `analysis.selection.halving`, Figure 20's.

    Parameters
    ----------
    ladders : Ladders
    groups : mapping of name to learners

    Returns
    -------
    pandas.DataFrame
        Columns: database, procedure, group, start (rows), increase (doublings), dropout, k (from
        1 to one less than the group), top_k_rate (how often the chosen is among the k best),
        regret (mean, in error rate), each with its 95 % percentile interval (``top_k_low`` …),
        datasets. Means are over the outer seeds of a dataset and then over datasets, as in
        `analysis.selection.harness`.
    """
    rows = []
    for contest, setting in product(open_contests(ladders, groups), halving.GRID):
        races = run_strategy(contest, "halving", setting)
        ks = range(1, len(contest.learners))
        races = races.assign(**{f"top {k}": races["rank"] <= k for k in ks})
        means = races.groupby("dataset")[["regret", *(f"top {k}" for k in ks)]].mean()
        mean = means.mean().to_numpy()
        low, high = ratio_of_sums_interval(means, np.ones(len(means)), means.index)
        low[1:], high[1:] = (ends / 100 for ends in exact_if_few(
            100 * mean[1:], 100 * low[1:], 100 * high[1:], count_families(means.index)))
        regret, *top = zip(mean, low, high, strict=True)
        key = (contest.database, contest.procedure, contest.group, *setting.values())
        rows += [(*key, k, *rate, *regret, len(means)) for k, rate in zip(ks, top, strict=True)]
    return pd.DataFrame(rows, columns=COLUMNS)
