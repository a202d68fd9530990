"""Studies of others as published: what ships of them, and what is kept of those that may not.

*How sure is a leaderboard?* reads what is kept (`KEPT`), in a minute. ``python -m lab.studies``
writes ``data/results/`` anew from the folder that ``LEARNING_CURVES_PUBLISHED`` names.
"""

import gzip
import hashlib
import json
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.leaderboards import load_results
from analysis.leaderboards.cells import Cells, to_cells
from analysis.leaderboards.ordering import Order, order_cells
from analysis.leaderboards.studies import method_words, shared_pairs, summarise_order
from analysis.leaderboards.tables import (
    FOLDER,
    OWN,
    SCHEMA,
    as_schema,
    describe_studies,
    select_methods,
    with_families,
)
from lab.published_files import at_hand

AMLB_FILES = ("small-8c4h", "medium-8c4h", "large-8c4h", "valid")  # eight cores, four hours
RTDL_VARIANTS = ("tuned", "default", "tuned_ensemble", "default_ensemble")
MORE = ("deviation", "repeats", "reason", "train_time", "predict_time")
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


def talent() -> pd.DataFrame:
    """Return TALENT's 200 classification datasets: accuracy, mean and deviation over 15 seeds."""
    return _talent().query("problem != 'regression'")


def talent_regression() -> pd.DataFrame:
    """Return TALENT's 100 regression datasets: RMSE, mean and deviation over 15 seeds."""
    return _talent().query("problem == 'regression'")


def _talent() -> pd.DataFrame:
    table = pd.read_csv(at_hand("atlas", "talent.csv.gz"))
    return table.rename(columns={"dataset": "task", "mean": "value", "sd": "deviation"}).assign(
        repeats=15, higher_is_better=table["metric"] != "rmse")


def amlb_2019() -> pd.DataFrame:
    """Return the AutoML benchmark of 2019: eight cores, four hours, ten folds."""
    runs = pd.read_csv(at_hand("atlas", "amlb_2019.csv.gz"))
    runs = runs[runs["file"].str.removesuffix("_ref").isin(AMLB_FILES)].reset_index(drop=True)
    counted = runs.assign(by_auc=runs["result"].eq(runs["auc"]), known=runs["result"].notna())
    tasks = counted.groupby("task")[["by_auc", "known"]].transform("sum")
    binary = tasks["by_auc"] > tasks["known"] / 2
    return pd.DataFrame({
        "task": runs["task"], "method": runs["framework"], "fold": runs["fold"],
        "value": runs["result"], "problem": binary.map({True: "binary", False: "multiclass"}),
        "metric": binary.map({True: "auc", False: "log_loss"}),
        "higher_is_better": binary, "reason": runs.get("info")})


def rtdl_2021() -> pd.DataFrame:
    """Return rtdl's *Revisiting deep learning models*: accuracy or RMSE on test rows, by seed."""
    runs = pd.read_csv(at_hand("atlas", "rtdl_2021.csv.gz"), dtype={"seed": str})
    test = runs[(runs["split"] == "test") & runs["variant"].isin(RTDL_VARIANTS)]
    rmse = set(test.loc[test["metric"] == "rmse", "dataset"])
    test = test[test["metric"] == "score"]
    regression = test["dataset"].isin(rmse)
    return pd.DataFrame({
        "task": test["dataset"], "method": test["method"].str.rstrip("_"),
        "variant": test["variant"], "seed": test["seed"],
        "value": test["value"].where(~regression, -test["value"]),
        "metric": regression.map({True: "rmse", False: "accuracy"}),
        "problem": regression.map({True: "regression", False: "classification"}),
        "higher_is_better": ~regression})


def tabfm_2026() -> pd.DataFrame:
    """Return TabFM and its ensemble on TabArena's tasks."""
    return _arena(pd.read_csv(at_hand("atlas", "tabfm_2026.csv.gz")))


def tabarena_lite() -> pd.DataFrame:
    """Return TabArena-Lite: fold 0 of 51 tasks, what was imputed taken as missing."""
    runs = pd.read_csv(at_hand("atlas", "tabarena_lite.csv.gz"))
    table = _arena(runs)
    return table.assign(value=table["value"].where(~runs["imputed"].astype(bool)),
                        reason=runs["imputed"].map({True: "imputed by its authors", False: None}))


def _arena(runs: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({
        "task": runs["dataset"], "method": runs["method"], "fold": runs["fold"],
        "value": runs["metric_error"], "problem": runs["problem_type"],
        "metric": runs["metric"].replace(METRICS), "higher_is_better": False})


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


def askl2() -> pd.DataFrame:
    """Return Auto-sklearn 2.0's strategies on 208 tasks: balanced error.

    The file does not say what it holds. It is no regret: the best of the eight is 0 on a tenth of
    the tasks only, and all follow the lowest errors of configs that stand in the same file.
    """
    with gzip.open(at_hand("atlas", "askl2_balanced_accuracy.json.gz"), "rt") as file:
        read = json.load(file)
    tasks = list(next(iter(read["metafeatures"].values())))
    wide = pd.DataFrame(read["y_values"], tasks, read["strategies"]).rename_axis("task")
    return wide.melt(ignore_index=False, var_name="method").reset_index().assign(
        metric="balanced_error", problem="classification", higher_is_better=False)


def lightgbm_configs() -> pd.DataFrame:
    """Return 104 configs of LightGBM on 93 tasks of OpenML, with seconds (four digits)."""
    runs = pd.read_csv(at_hand("tabrepo", "lightgbm_104configs_93datasets.csv.gz"))
    seconds = {"train_time": runs["time_train_s"], "predict_time": runs["time_infer_s"]}
    return _tabrepo(runs).assign(**{name: [float(f"{value:.4g}") for value in values]
                                    for name, values in seconds.items()})


def automl_2022() -> pd.DataFrame:
    """Return seven AutoML systems on 965 folds of OpenML tasks."""
    runs = pd.read_csv(at_hand("tabrepo", "amlb_7frameworks_965tasks.csv"))
    place = runs["dataset"].str.rsplit("_", n=1, expand=True)
    return _tabrepo(runs.assign(dataset=place[0], fold=place[1]))


def _tabrepo(runs: pd.DataFrame) -> pd.DataFrame:
    metric = runs["problem_type"].map({"binary": "auc", "multiclass": "log_loss"}).fillna("rmse")
    return pd.DataFrame({
        "task": runs["dataset"].astype(str), "method": runs["framework"],
        "fold": runs.get("fold", 0), "value": runs["metric_error"],
        "problem": runs["problem_type"], "metric": metric, "higher_is_better": False})


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


#: Studies whose files have one form; all but the last two may ship.
IN_ONE_FORM = ("tsml_univariate", "tsml_multivariate", "tsml_regression", "tabred",
               "tabred_splits", "tabm", "tabr", "num_embeddings", "tabstar", "matbench",
               "fev_bench", "fev_chronos_zeroshot", "gift_eval", "mteb_english_v2",
               "small_data_2021", "alpaca_eval_2")
#: Studies of others, by name.
SOURCES: dict[str, Callable[[], pd.DataFrame]] = {f.__name__: f for f in (
    talent, talent_regression, amlb_2019, rtdl_2021, tabfm_2026, askl2, lightgbm_configs,
    automl_2022, tabarena_lite, weka_2017, pmlbmini)} | {
    name: partial(in_one_form, name) for name in IN_ONE_FORM}
EIGHT, LONG, EIGHTS = 8, 16, 10  # methods tested alone; of studies with so many; random draws
SHIPPED = ("talent", "talent_regression", "amlb_2019", "rtdl_2021", "tabfm_2026", "askl2",
           "lightgbm_configs", *IN_ONE_FORM[:-2])


def ship(folder: Path = FOLDER) -> list[str]:
    """Write the studies that may be shipped; return the names of those that changed."""
    changed = []
    sources = pd.read_csv(folder / "sources.csv", dtype=str).set_index("study")
    for name in SHIPPED:
        table = SOURCES[name]()
        kept = [c for c in (*SCHEMA, *MORE) if c in table]
        table = table[kept].sort_values([c for c in ("task", "method", "variant", "fold", "seed")
                                         if c in table], kind="stable")
        if "reason" in table:
            table["reason"] = table["reason"].where(table["value"].isna()).str.slice(0, 60)
        data = gzip.compress(table.to_csv(index=False, float_format="%.7g").encode(), 9, mtime=0)
        path = folder / f"{name}.csv.gz"
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)
            changed.append(name)
        sources.loc[name, ["file", "sha256"]] = path.name, hashlib.sha256(data).hexdigest()
    sources.reset_index().to_csv(folder / "sources.csv", index=False)
    return changed


@cache
def cells_of(name: str) -> Cells:
    """Return a study's cells; raises `NotAtHandError` where they are not at hand."""
    if name in SHIPPED or name in OWN:
        return to_cells(load_results(name))
    table = with_families(as_schema(SOURCES[name](), name), name)
    return to_cells(select_methods(table, name))


@cache
def _order(name: str) -> Order:
    return order_cells(cells_of(name))


def _of_all(rows_of: Callable[[str], pd.DataFrame]) -> pd.DataFrame:
    """Return a table of all studies that may not be shipped."""
    names = [name for name in describe_studies().index if name not in (*SHIPPED, *OWN)]
    return pd.concat([rows_of(name).assign(study=name) for name in names], ignore_index=True)


def _summary(name: str) -> pd.DataFrame:
    about = describe_studies().loc[name, ["title", "field", "year", "what", "weak"]]
    found = summarise_order(_order(name), cells_of(name))
    return pd.DataFrame([{**about, **found, "first": _words(name).get(found["first"],
                                                                      found["first"])}])


def _ranks(name: str) -> pd.DataFrame:
    ranks = _order(name).ranks
    return ranks.assign(words=ranks["method"].replace(_words(name)))


def _words(name: str) -> dict[str, str]:
    return {**method_words(name), **FRAMEWORKS}


def eights(name: str) -> pd.DataFrame:
    """Return how far the best eight of a study are apart if tested alone, and eights at random.

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
    drawn = {"best": [places[:EIGHT]],
             "random": [rng.permutation(places)[:EIGHT] for _ in range(EIGHTS)]}
    rows = []
    for of, sets in drawn.items():
        found = pd.DataFrame([summarise_order(order_cells(few), few)
                              for few in (cells.keep(methods=sorted(some)) for some in sets)])
        rows.append({"of": of, **found[["neighbours", "neighbours_apart"]].sum(),
                     "families": found["families"].iloc[0],
                     "tasks_needed": found["tasks_needed"].median()})
    return pd.DataFrame(rows)


def every_eight() -> pd.DataFrame:
    """Return `eights` of all studies."""
    return pd.concat([eights(name).assign(study=name) for name in describe_studies().index],
                     ignore_index=True)


KEPT = {
    "order_eights": every_eight, "order_studies": lambda: _of_all(_summary),
    "order_ranks": lambda: _of_all(_ranks),
    "order_claims": lambda: _of_all(lambda name: shared_pairs(_order(name), name))}


if __name__ == "__main__":
    print("Written:", ", ".join(ship()) or "nothing new", file=sys.stderr)
