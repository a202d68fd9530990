"""AutoML systems on the tasks of the AutoML benchmark: what their order is worth; a minute, kept.

Read by the page *How many tasks does a benchmark need?* The results, which TabRepo's authors
publish, do not come with this project.
"""

from collections.abc import Callable

import pandas as pd

from analysis.leaderboards.stability import claim_worth, suite_stability, task_ranks
from collection.project.naming import check_known
from lab.studies import FRAMEWORKS, automl_2022

AMLB = "AutoML benchmark"
OUTSIDERS = 2  # systems that are left out of the leaders: those with the worst mean ranks


def amlb_scores() -> pd.DataFrame:
    """Return the errors of seven AutoML frameworks on the tasks of the AutoML benchmark.

    Returns
    -------
    pandas.DataFrame
        Columns ``task`` (OpenML's number), ``method, fold, error``.

    Raises
    ------
    NotAtHandError
        Where TabRepo's published results are not at hand.
    """
    runs = automl_2022()
    check_known("framework", runs["method"].unique(), FRAMEWORKS)
    return pd.DataFrame({"task": runs["task"], "method": runs["method"].map(FRAMEWORKS),
                         "fold": runs["fold"].astype(int), "error": runs["value"]})


def amlb_systems() -> pd.DataFrame:
    """Return the AutoML benchmark's systems, the best mean rank first.

    Returns
    -------
    pandas.DataFrame
        ``method, rank`` (mean over tasks), ``tasks`` (how many), ``leader`` (whether it is not
        among the `OUTSIDERS` worst).
    """
    ranks = task_ranks(amlb_scores())
    found = ranks.mean().sort_values(kind="stable").rename_axis("method").reset_index(name="rank")
    return found.assign(tasks=len(ranks), leader=found.index < len(found) - OUTSIDERS)


def amlb_stability() -> pd.DataFrame:
    """Return how stable the order of all systems is, and that of the leaders among themselves."""
    return _by_source(suite_stability)


def amlb_claims() -> pd.DataFrame:
    """Return how often a claim about two systems, or two leaders, does not hold on other tasks."""
    return _by_source(claim_worth)


def _by_source(measure: Callable[[pd.DataFrame], pd.DataFrame]) -> pd.DataFrame:
    scores, systems = amlb_scores(), amlb_systems()
    leaders = scores[scores["method"].isin(systems.loc[systems["leader"], "method"])]
    tables = {AMLB: measure(task_ranks(scores)),
              f"{AMLB}, its leaders": measure(task_ranks(leaders))}
    return pd.concat(tables, names=["source", "row"]).reset_index("source").reset_index(drop=True)


KEPT = {"suites_amlb_systems": amlb_systems, "suites_amlb_stability": amlb_stability,
        "suites_amlb_claims": amlb_claims}
