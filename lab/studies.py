"""Studies of others that may not ship: read as published, and what is kept of them.

*How sure is a leaderboard?* reads what is kept (`KEPT`), in a minute, and *How many tasks does a
benchmark need?* what the order of AutoML systems is worth. Files lie in the folder that
``LEARNING_CURVES_PUBLISHED`` names; what may ship lies in ``data/results/`` as it was read.
"""

from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pandas as pd

from analysis.leaderboards import load_results
from analysis.leaderboards.cells import Cells, to_cells
from analysis.leaderboards.ordering import Order, order_cells
from analysis.leaderboards.stability import claim_worth, suite_stability, task_ranks
from analysis.leaderboards.studies import method_words, shared_pairs, summarise_order
from analysis.leaderboards.tables import as_schema, describe_studies, select_methods, with_families
from collection.project.naming import check_known
from lab.published_files import at_hand

METRICS = {"roc_auc": "auc", "root_mean_squared_error": "rmse"}
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


def tabarena_lite() -> pd.DataFrame:
    """Return TabArena-Lite: fold 0 of 51 tasks, what was imputed taken as missing."""
    runs = pd.read_csv(at_hand("atlas", "tabarena_lite.csv.gz"))
    return pd.DataFrame({
        "task": runs["dataset"], "method": runs["method"], "fold": runs["fold"],
        "value": runs["metric_error"].where(~runs["imputed"].astype(bool)),
        "problem": runs["problem_type"], "metric": runs["metric"].replace(METRICS),
        "higher_is_better": False})


def weka_2017() -> pd.DataFrame:
    """Return thirty classifiers of Weka on 105 OpenML tasks: accuracy."""
    runs = pd.read_csv(at_hand("atlas", "weka_2017.csv.gz")).dropna(subset=["algorithm"])
    names = runs["algorithm"].str.extract(r"(\d+)_weka\.(.*)")
    twice = names.drop_duplicates().groupby(1)[0].transform("size").gt(1)
    several = set(names.loc[twice[twice].index, 1])
    method = names[1].where(~names[1].isin(several), names[1] + " (" + names[0] + ")")
    return pd.DataFrame({"task": runs["instance_id"].astype(int).astype(str), "method": method,
                         "value": runs["predictive_accuracy"], "metric": "accuracy",
                         "problem": "classification", "higher_is_better": True})


def automl_2022() -> pd.DataFrame:
    """Return seven AutoML systems on 965 folds of OpenML tasks."""
    runs = pd.read_csv(at_hand("tabrepo", "amlb_7frameworks_965tasks.csv"))
    place = runs["dataset"].str.rsplit("_", n=1, expand=True)
    metric = runs["problem_type"].map({"binary": "auc", "multiclass": "log_loss"}).fillna("rmse")
    return pd.DataFrame({
        "task": place[0], "method": runs["framework"], "fold": place[1],
        "value": runs["metric_error"], "problem": runs["problem_type"], "metric": metric,
        "higher_is_better": False})


def pmlbmini() -> pd.DataFrame:
    """Return PMLBmini's published means of AUC, at full precision, with an hour's budget."""
    runs = pd.read_csv(at_hand("pmlbmini", "results.csv"))
    test = runs[(runs["split"] == "test") & (runs["edition"] == "paper")]
    test = test.sort_values("budget",
                            kind="stable").drop_duplicates(["dataset", "method"], keep="last")
    return pd.DataFrame({"task": test["dataset"], "method": test["method"], "value": test["score"],
                         "problem": "binary", "metric": "auc", "higher_is_better": True})


def in_one_form(name: str) -> pd.DataFrame:
    """Return a study whose file has the schema's columns already."""
    table = pd.read_csv(at_hand("atlas", f"{name}.csv.gz"), dtype={"seed": str}, low_memory=False)
    return table.assign(task=table["task"].astype(str))


#: Studies of others that may not ship, by name.
SOURCES: dict[str, Callable[[], pd.DataFrame]] = {
    f.__name__: f for f in (automl_2022, tabarena_lite, weka_2017, pmlbmini)} | {
    name: partial(in_one_form, name) for name in ("small_data_2021", "alpaca_eval_2")}
EIGHT, LONG, EIGHTS = 8, 16, 10  # methods tested alone; of studies with so many; random draws


@cache
def cells_of(name: str) -> Cells:
    """Return a study's cells; raises `NotAtHandError` where they are not at hand."""
    if name not in SOURCES:
        return to_cells(load_results(name))
    table = with_families(as_schema(SOURCES[name](), name), name)
    return to_cells(select_methods(table, name))


@cache
def _order(name: str) -> Order:
    return order_cells(cells_of(name), hinted=False)


def _of_all(rows_of: Callable[[str], pd.DataFrame]) -> pd.DataFrame:
    """Return a table of all studies that may not be shipped."""
    return pd.concat([rows_of(name).assign(study=name) for name in describe_studies().index
                      if name in SOURCES], ignore_index=True)


def _summary(name: str) -> pd.DataFrame:
    about = describe_studies().loc[name, ["title", "field", "year", "what", "weak"]]
    return pd.DataFrame([{**about, **summarise_order(_order(name), cells_of(name))}])


def _ranks(name: str) -> pd.DataFrame:
    ranks, words = _order(name).ranks, {**method_words(name), **FRAMEWORKS}
    return ranks.assign(words=ranks["method"].replace(words))


def eights(name: str) -> pd.DataFrame:
    """Return how far a study's best eight are apart tested alone, the middle, and random eights.

    Returns
    -------
    pandas.DataFrame
        ``of``, ``neighbours`` and ``neighbours_apart`` (sums over draws), ``families``, and
        ``tasks_needed`` (families, for the median neighbours; median over draws). Empty for a
        study of fewer than `LONG` methods.
    """
    cells = cells_of(name)
    if len(cells.methods) < LONG:
        return pd.DataFrame()
    rng = np.random.default_rng(0)
    places = [cells.methods.index(method) for method in _order(name).ranks["method"]]
    middle = (len(places) - EIGHT) // 2
    drawn = {"best": [places[:EIGHT]], "middle": [places[middle:middle + EIGHT]],
             "random": [rng.permutation(places)[:EIGHT] for _ in range(EIGHTS)]}
    rows = []
    for of, sets in drawn.items():
        found = pd.DataFrame([summarise_order(order_cells(few, hinted=False), few)
                              for few in (cells.keep(methods=sorted(some)) for some in sets)])
        rows.append({"of": of, **found[["neighbours", "neighbours_apart"]].sum(),
                     "families": found["families"].iloc[0],
                     "tasks_needed": found["tasks_needed"].median()})
    return pd.DataFrame(rows)


def every_eight() -> pd.DataFrame:
    """Return `eights` of all studies."""
    return pd.concat([eights(name).assign(study=name) for name in describe_studies().index],
                     ignore_index=True)


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


KEPT = {"order_eights": every_eight, "order_studies": lambda: _of_all(_summary),
    "order_ranks": lambda: _of_all(_ranks),
    "order_claims": lambda: _of_all(lambda name: shared_pairs(_order(name), name)),
        "suites_amlb_systems": amlb_systems, "suites_amlb_stability": amlb_stability,
        "suites_amlb_claims": amlb_claims}
