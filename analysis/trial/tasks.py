"""The tasks of the trial: where a learning curve was seen, what is asked; and scores of forecasts.

They were drawn once, by `draw_tasks` of revision 00a62da, and are never to change. Version 2 adds
to them curves gathered anew, of families that no forecast had learnt from; these were drawn by the
same rule (revision cfa309b7) before anything forecast them. Of each database, some learners (at
most ten of LCDB) were drawn of one dataset a family, of what the learnt forecasts had not learnt
from; a quarter, half or three quarters of a curve's sizes are seen, at least three. Curves that
others published are cut where they cut them. Version 3 is sealed (revision b9c2d8eb): of
families left to gather anew only sizes up to an eighth of the last, or 256 rows, were computed, so
that nobody could look up what is asked. Version 4 opens those whose curves were gathered since
(``opened.csv``) and scores what was forecast before.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from analysis.extrapolation.compact import crps
from analysis.extrapolation.seen import LEVELS
from analysis.statistics.bootstrap import FEW, percentile_interval, resample_units
from analysis.statistics.summary import Summary, summarise_ratio
from collection.project.paths import DATA, shipped

FOLDER = DATA / "trial"
PARTS = ("", "2", "3")  # what each version added: the end of its files' names
OPENED = "opened.csv"  # what came of sealed tasks: task, times, error


@dataclass(frozen=True)
class Trial:
    """The tasks with what is seen of them and what came.

    Attributes
    ----------
    tasks : DataFrame
        A row per task: ``task`` (its name), ``source``, ``dataset, learner``, ``family`` (of
        near-duplicates: one case), ``metric``, ``fold`` (whose models have not seen the dataset;
        -1: none has), ``known`` (whether the learner trained the learnt forecasts), ``seen``
        (sizes), ``last`` (the largest of these), ``tuned_by``.
    points : DataFrame
        ``task, size, error`` (lower is better), ``deviation`` (standard error; NaN where there
        are no repeats) of what is seen.
    asked : DataFrame
        ``task, times`` ("2", "4", "8", "last"), ``size``, ``truth`` (NaN while it is sealed).
    """

    tasks: pd.DataFrame
    points: pd.DataFrame
    asked: pd.DataFrame


@cache
def open_trial(parts: tuple[str, ...] = PARTS, opened: bool = True) -> Trial:
    """Open the shipped tasks, of all versions or some of `PARTS`; `opened`, or as sealed."""
    tasks, points = (pd.concat([pd.read_csv(shipped(FOLDER / name.format(part)), dtype={text: str},
                                            keep_default_na=text == "times") for part in parts],
                               ignore_index=True)
                     for name, text in (("tasks{}.csv", "dataset"), ("points{}.csv.gz", "times")))
    if opened:
        keys = ["task", "times"]
        came = pd.read_csv(shipped(FOLDER / OPENED), dtype={"times": str}).set_index(keys)["error"]
        points["error"] = points["error"].fillna(points.join(
            came.rename("came"), on=keys)["came"])
    seen = points["times"].isna()
    return Trial(tasks, points[seen].drop(columns="times").reset_index(drop=True),
                 points[~seen].rename(columns={"error": "truth"})[
                     ["task", "times", "size", "truth"]].reset_index(drop=True))


STAYS = "nothing changes"
SCORES = ["error", "log_error", "crps", "inside", "width"]
LEAST_ERROR = 1e-3  # added before the logarithm
UNSEEN = "error rates, unseen"


@cache
def open_forecasts() -> pd.DataFrame:
    """Return the shipped forecasts: ``task, times, rival`` and a column a level."""
    return pd.concat([pd.read_parquet(shipped(FOLDER / f"forecasts{part}.parquet"))
                      for part in PARTS], ignore_index=True).astype({"rival": "category"})


def score(forecasts: pd.DataFrame, trial: Trial) -> pd.DataFrame:
    """Score forecasts of what is known.

    Parameters
    ----------
    forecasts : DataFrame
        ``task, times, rival`` and a column for each of `LEVELS`, by its number as text.
    trial : Trial

    Returns
    -------
    DataFrame
        ``task, times, rival``, the task's ``source, family, fold, known, seen``, ``doublings``
        asked for beyond the last size seen, and ``error`` (absolute, of the median), ``log_error``
        (that of the logarithms), ``crps``, ``inside`` and ``width`` of the 90 % range.
    """
    table = forecasts.merge(trial.asked.dropna(), on=["task", "times"]).merge(
        trial.tasks[["task", "source", "family", "fold", "known", "seen", "last"]], on="task")
    found = table[[str(level) for level in LEVELS]].to_numpy(float)
    truth, middle = table["truth"].to_numpy(), found[:, LEVELS.index(0.5)]
    return table[["task", "times", "rival", "source", "family", "fold", "known", "seen"]].assign(
        doublings=np.log2(table["size"] / table["last"]), error=np.abs(middle - truth),
        log_error=np.abs(np.log((middle + LEAST_ERROR) / (truth + LEAST_ERROR))),
        crps=crps(found, truth), inside=(found[:, 0] <= truth) & (truth <= found[:, -1]),
        width=found[:, -1] - found[:, 0])


def scopes(tasks: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return which rows are in each scope; `UNSEEN` is the one that the headline is of."""
    rates = tasks["source"].isin(["lcdb11", "mini"])
    own = {str(source): tasks["source"] == source for source in tasks["source"].unique()}
    return {UNSEEN: rates, "new datasets": rates & (tasks["fold"] < 0),
            "new learners": rates & ~tasks["known"], **own}


def by_family(scores: pd.DataFrame, what: str) -> pd.DataFrame:
    """Return the mean of a score in every family, families × rivals; NaN where one has none."""
    return scores.pivot_table(index="family", columns="rival", values=what, aggfunc="mean",
                              observed=True)


def summarise(scores: pd.DataFrame) -> pd.DataFrame:
    """Average scores over families, each one case.

    Parameters
    ----------
    scores : DataFrame
        From `score`.

    Returns
    -------
    DataFrame
        ``scope`` (of `scopes`), ``times``, ``rival``, ``n_tasks``, ``n_families``, and of
        ``error``, ``log_error``, ``crps``, ``inside`` and ``width`` the mean with its 95 %
        interval over families (``_low``, ``_high``); ``ratio``, the error as a multiple of that
        of "nothing changes" on the same tasks. Intervals are NaN of fewer than five families.
    """
    rows = []
    for scope, inside in scopes(scores).items():
        for times, part in scores[inside].groupby("times", sort=False):
            stays = part[part["rival"] == STAYS].set_index("task")["error"]
            part = part.assign(stays=part["task"].map(stays))
            counts = part.groupby("rival", observed=True).size()
            means = part.groupby(["rival", "family"], observed=True)[[*SCORES, "stays"]].mean()
            for rival, own in means.dropna(subset="error").groupby("rival", observed=True):
                rows.append({"scope": scope, "times": times, "rival": rival,
                             "n_tasks": int(counts[rival]), **_estimates(own.to_numpy(float))})
    return pd.DataFrame(rows)


def _estimates(means: np.ndarray) -> dict[str, float]:
    """Return means over families, rows, of `SCORES` and of the error where nothing changes."""
    n, row, ends = len(means), {"n_families": len(means)}, np.full((2, len(SCORES) + 1), np.nan)
    if n >= FEW:
        drawn = resample_units(n) / n @ means
        ends = percentile_interval(np.c_[drawn[:, :-1], drawn[:, 0] / drawn[:, -1]])
    own = means.mean(axis=0)
    for what, value, low, high in zip([*SCORES, "ratio"], [*own[:-1], own[0] / own[-1]], *ends,
                                      strict=True):
        row |= {what: value, f"{what}_low": low, f"{what}_high": high}
    return row


def ratio(scores: pd.DataFrame, one: str, other: str, what: str = "error") -> Summary:
    """Return a score of a rival as a multiple of another's, on tasks that both have.

    Parameters
    ----------
    scores : DataFrame
        From `score`.
    one, other : str
        Rivals.
    what : {"error", "log_error", "crps", "width"}

    Returns
    -------
    Summary
        Of the means of families, each one case; of fewer than two without an interval.
    """
    tasks = scores.pivot(index=["family", "task"], columns="rival", values=what)
    means = tasks[[one, other]].dropna().groupby("family").mean()
    return summarise_ratio(means[one], means[other], means.index)
