"""AutoML systems on the tasks of the AutoML benchmark: what their order is worth; a minute, kept.

Read by the page *How many tasks does a benchmark need?* The results, which TabRepo's authors
publish, do not come with this project.
"""

import pandas as pd

from analysis.leaderboards.stability import claim_worth, suite_stability, task_ranks
from analysis.published.computed import NotAtHandError
from collection.project.naming import check_known
from collection.project.paths import cache_dir

AMLB = "AutoML benchmark"
OUTSIDERS = 2  # systems that are left out of the leaders: those with the worst mean ranks
AMLB_FILE = "amlb_7frameworks_965tasks.csv"
#: AutoML runs by their names in the file → in the words that the book has for each everywhere: one
#: model or an ensemble, the time and cores that it was given. The single model took 159 s in the
#: mean of its 4 h.
FRAMEWORKS = {
    "AutoGluon_mq_1h8c_2022_06_26_binary": "AutoGluon (ensemble, 1 h, 8 cores)",
    "AutoGluon_mq_4h64c_2022_06_21_autogluon_single": "AutoGluon (single model, 4 h, 64 cores)",
    "H2OAutoML_1h8c_gp3_2022_jmlr": "H2O AutoML (ensemble, 1 h, 8 cores)",
    "TunedRandomForest_1h8c_gp3_2022_jmlr": "tuned random forest (single model, 1 h, 8 cores)",
    "autosklearn_1h8c_gp3_2022_jmlr": "auto-sklearn (ensemble, 1 h, 8 cores)",
    "flaml_1h8c_gp3_2022_jmlr": "FLAML (single model, 1 h, 8 cores)",
    "lightautoml_1h8c_gp3_2022_jmlr": "LightAutoML (ensemble, 1 h, 8 cores)",
}


def amlb_scores() -> pd.DataFrame:
    """Return the errors of seven AutoML frameworks on the tasks of the AutoML benchmark.

    Returns
    -------
    pandas.DataFrame
        Columns ``task`` (OpenML's number), ``method, fold, error``.

    Raises
    ------
    NotAtHandError
        Where the file `AMLB_FILE` of TabRepo's published results is not in the cache.
    """
    path = cache_dir() / AMLB_FILE
    if not path.is_file():
        raise NotAtHandError(f"The AutoML benchmark's results are not at hand: {path} is absent. "
                             "They are among the results that TabRepo's authors publish.")
    table = pd.read_csv(path)
    place = table["dataset"].str.rsplit("_", n=1)
    check_known("framework", table["framework"].unique(), FRAMEWORKS)
    return pd.DataFrame({"task": place.str[0], "method": table["framework"].map(FRAMEWORKS),
                         "fold": place.str[1].astype(int), "error": table["metric_error"]})


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
    scores, systems = amlb_scores(), amlb_systems()
    leaders = scores[scores["method"].isin(systems.loc[systems["leader"], "method"])]
    return _by_source({AMLB: suite_stability(task_ranks(scores)),
                       f"{AMLB}, its leaders": suite_stability(task_ranks(leaders))})


def amlb_claims() -> pd.DataFrame:
    """Return how often a claim about two systems does not hold on other tasks."""
    return _by_source({AMLB: claim_worth(task_ranks(amlb_scores()))})


def _by_source(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(tables, names=["source", "row"]).reset_index("source").reset_index(drop=True)


KEPT = {"suites_amlb_systems": amlb_systems, "suites_amlb_stability": amlb_stability,
        "suites_amlb_claims": amlb_claims}
