"""An atlas of studies in one schema: what each order is worth, and where studies meet."""

import tomllib
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import spearmanr
from scipy.stats import t as student

from analysis.leaderboards import load_results
from analysis.leaderboards.cells import Cells, lay_cells
from analysis.leaderboards.influence import what_reruns_move
from analysis.leaderboards.order_page import neighbours_apart
from analysis.leaderboards.ordering import Order, order_cells
from analysis.leaderboards.tables import FOLDER, as_schema, with_families
from analysis.published.computed import NotAtHandError, recall
from analysis.statistics.sign_flips import holm
from chapters.order import atlas
from chapters.order.sources import SHIPPED, SOURCES, at_hand
from collection.containers.metrics import PROBLEMS
from collection.project.paths import DATA, shipped

# --- Whether independent reruns, and other splits of the same tables, give the same order.

RERUN = ("rtdl_2021", "num_embeddings", "tabr", "tabm", "tabred")  # one group's, runs their own
SAME = {"californiahousing": "california", "covtype2": "covtype"}  # names of one task
LEAST_METHODS, LEAST_TASKS = 2, 3  # that two studies share
SPLITS = {"random": "random", "sliding-window": "by time"}


def replications() -> pd.DataFrame:
    """Return how two studies agree that share tasks and methods, but no run.

    Returns
    -------
    pandas.DataFrame
        ``one, other``; ``methods, tasks`` that both have; ``correlation`` of mean ranks on these
        tasks (Spearman's); ``comparisons`` of two methods on a task, and of these the share that
        ``agree`` in who is ahead; ``sure`` and ``agree_sure``: the same of those in which both
        differ by more than two standard errors over seeds; ``held``: the share of pairs of methods
        whose effect in the other study lies in the one's simultaneous intervals;
        ``tasks_elsewhere, held_elsewhere``: the same with the other's tasks that the one lacks.
    """
    return pd.DataFrame([row for one, other in combinations(RERUN, 2)
                         for row in [_replication(one, other)] if row])


def _replication(one: str, other: str) -> dict | None:
    words = [w for w, names in atlas.METHODS.items() if one in names and other in names]
    known = [_named(study, words) for study in (one, other)]
    words = [w for w in words if all(w in k.methods for k in known)]
    known = [_of(k, np.ones(len(k.tasks), bool), words) for k in known] if words else known
    keys = [_keys(k) for k in known]
    shared = [np.isin(own, theirs) for own, theirs in ((keys[0], keys[1]), (keys[1], keys[0]))]
    tasks = len(np.unique(keys[0][shared[0]]))
    if len(words) < LEAST_METHODS or tasks < LEAST_TASKS:
        return None
    on = [_of(k, s, words) for k, s in zip(known, shared, strict=True)]
    place = [np.argsort(key[s], kind="stable")[np.unique(np.sort(key[s]), return_index=True)[1]]
             for key, s in zip(keys, shared, strict=True)]
    gaps, errors = zip(*(_gaps(c, p) for c, p in zip(on, place, strict=True)), strict=True)
    there = ~np.isnan(gaps[0]) & ~np.isnan(gaps[1]) & (gaps[0] != 0) & (gaps[1] != 0)
    agree = np.sign(gaps[0]) == np.sign(gaps[1])
    sure = there & (np.abs(gaps[0]) > 2 * errors[0]) & (np.abs(gaps[1]) > 2 * errors[1])
    orders = [order_cells(c).ranks.set_index("method")["mean_rank"].loc[words] for c in on]
    elsewhere = _of(known[1], ~shared[1], words) if (~shared[1]).sum() >= LEAST_TASKS else None
    return {"one": one, "other": other, "methods": len(words), "tasks": tasks,
            "correlation": float(spearmanr(*orders)[0]), "comparisons": int(there.sum()),
            "agree": agree[there].mean(), "sure": int(sure.sum()),
            "agree_sure": agree[sure].mean() if sure.any() else np.nan,
            "held": _held(known[0], on[1]),
            "tasks_elsewhere": int((~shared[1]).sum()) if elsewhere else 0,
            "held_elsewhere": _held(known[0], elsewhere) if elsewhere else np.nan}


def _named(study: str, words: list[str]) -> Cells:
    """Return a study's cells with methods in words."""
    known = atlas.cells(study)
    in_words = {atlas.METHODS[w][study]: w for w in words}
    return replace(known, methods=tuple(in_words.get(m, m) for m in known.methods))


def _keys(known: Cells) -> np.ndarray:
    plain = [atlas.plain(task) for task in known.tasks]
    return np.array([SAME.get(p, p) for p in plain])


def _of(known: Cells, tasks: np.ndarray, words: list[str]) -> Cells:
    """Return some tasks and the named methods, in the names' order; tasks without any left out."""
    at = [known.methods.index(w) for w in words]
    kept = known.keep(tasks & ~np.isnan(known.value[:, at]).all(axis=1))
    return replace(kept, methods=tuple(words), value=kept.value[:, at],
                   deviation=kept.deviation[:, at], repeats=kept.repeats[:, at])


def _gaps(known: Cells, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each pair's difference on the tasks at some places, and its standard error."""
    one, other = np.triu_indices(len(known.methods), 1)
    value = known.value[place]
    error = known.deviation[place] / np.sqrt(np.maximum(known.repeats[place], 1))
    return (value[:, one] - value[:, other],
            np.sqrt(np.nan_to_num(error[:, one])**2 + np.nan_to_num(error[:, other])**2))


def _held(one: Cells, other: Cells) -> float:
    """Return the share of pairs whose effect in the other lies in the one's intervals."""
    intervals = order_cells(one).pairs
    levels = order_cells(other).ranks.set_index("method")["mean_rank"]
    effect = levels.loc[intervals["other"]].to_numpy() - levels.loc[intervals["one"]].to_numpy()
    return float(((intervals["low"] <= effect) & (effect <= intervals["high"])).mean())


def splits() -> pd.DataFrame:
    """Return TabReD's order of four methods under random splits and under splits by time.

    Returns
    -------
    pandas.DataFrame
        ``split``, then the columns of `analysis.leaderboards.Order.ranks`, then ``leads``: the
        tasks on which the method is first, and ``leads_both``: under both kinds of splits.
    """
    table, tables, firsts = load_results("tabred_splits"), [], {}
    for split, words in SPLITS.items():
        cells = lay_cells(table[table["variant"] == split].assign(variant=None))
        firsts[words] = pd.Series(np.array(cells.methods)[np.nanargmax(cells.value, axis=1)],
                                  cells.tasks)
        tables.append(order_cells(cells).ranks.assign(split=words))
    both = firsts["random"][firsts["random"] == firsts["by time"]].value_counts()
    found = pd.concat(tables, ignore_index=True)
    found["leads"] = [int((firsts[s] == m).sum()) for s, m in
                      zip(found["split"], found["method"], strict=True)]
    found["leads_both"] = found["method"].map(both).fillna(0).astype(int)
    return found[["split", *found.columns.drop("split")]]

ALPHA = 0.05
ABOUT = ("title", "field", "year", "what", "weak")


def _tuned(table: pd.DataFrame) -> pd.DataFrame:
    """Keep tuned methods only, each under its plain name."""
    return table[table["variant"] == "tuned"].assign(variant=None)


def _whole(table: pd.DataFrame) -> pd.DataFrame:
    """Leave out methods that were run on half of the tasks or fewer."""
    known = table[table["value"].notna()]
    share = known.groupby("method")["task"].nunique() / table["task"].nunique()
    return table[table["method"].isin(share.index[share > 0.5])]


def _own() -> pd.DataFrame:
    """Return our evaluations, each family's default config."""
    table = load_results(DATA / "evaluations")
    return with_families(table[table["method"].str.endswith("_c1")], "own")


def _own_small() -> pd.DataFrame:
    """Return our runs of PMLBmini's baselines: test AUC of three folds."""
    fits = load_results(DATA / "small" / "baselines.csv")
    fits = _whole(fits[~fits["method"].str.contains(r"\(")])
    return with_families(fits, "pmlbmini")


def _single(table: pd.DataFrame) -> pd.DataFrame:
    """Keep single models, no ensembles of five."""
    return table[table["variant"] == "single"].assign(variant=None)


#: What is kept of a study's results, by the word of the list.
KEEP = {"tuned": _tuned, "whole": _whole, "single": _single}
OWN = {"own": _own, "own_small": _own_small}
#: The studies by name, each with title, field, year, what a cell is, what is weak, and whose it is.
STUDIES = {row.study: row for row in pd.read_csv(
    shipped(FOLDER / "studies.csv"), keep_default_na=False).itertuples(index=False)}


def opened(name: str) -> pd.DataFrame:
    """Return a study's results in the schema; raises `NotAtHandError` where there are none here."""
    if name in OWN:
        return OWN[name]()
    table = load_results(name) if name in SHIPPED else with_families(
        as_schema(SOURCES[name](), name), name)
    for word in STUDIES[name].keep.split():
        table = KEEP[word](table)
    return table


#: Methods that several studies have: name in words → study → the study's own name.
METHODS = {words: dict(zip(names["study"], names["method"], strict=True)) for words, names in
           pd.read_csv(shipped(FOLDER / "methods.csv")).groupby("words", sort=False)}
#: Other names in words.
WORDS = {"lightautoml_1h8c_gp3_2022_jmlr": "LightAutoML", "flaml_1h8c_gp3_2022_jmlr": "FLAML",
         "AutoGluon_mq_4h64c_2022_06_21_autogluon_single": "AutoGluon, 64 cores",
         "constantpredictor_enc": "constant guess", "AutoWEKA": "Auto-WEKA", "oboe": "Oboe",
         "NeuralNetTorch_c1": "neural network"}
BUDGETS = {"None": "all", "SH-eta4-i": "halving"}  # of Auto-sklearn's strategies
#: No independent studies: one group, or nearly the same tasks.
ONE_TEAM = {name: study.team for name, study in STUDIES.items() if study.team}


@lru_cache(maxsize=len(STUDIES))
def cells(name: str) -> Cells:
    """Return a study's cells; raises `NotAtHandError` where they are not at hand."""
    return lay_cells(opened(name))


def chosen(known: Cells, tasks: np.ndarray, methods: np.ndarray) -> Cells:
    """Return the cells of some tasks and methods only (bool)."""
    kept = known.keep(tasks)
    return replace(kept, methods=tuple(np.array(known.methods, object)[methods]),
                   value=kept.value[:, methods], deviation=kept.deviation[:, methods],
                   repeats=kept.repeats[:, methods])


@lru_cache(maxsize=len(STUDIES))
def study_order(name: str) -> Order:
    """Return a study's order."""
    return order_cells(cells(name))


def in_words(study: str, method: str) -> str:
    """Return a method's name in words: that of `METHODS`, else the study's own."""
    if study == "askl2":
        _, budget, validation = method.split("_")[:3]
        return f"{BUDGETS[budget]}, {validation}"
    known = (words for words, names in METHODS.items() if names.get(study) == method)
    return next(known, WORDS.get(method, method))


def for_all(compute: Callable[[str], pd.DataFrame], kept: str) -> pd.DataFrame:
    """Return a table of every study, from its cells or, where they are not at hand, as kept.

    Parameters
    ----------
    compute : callable
        From a study's name to its rows.
    kept : str
        Name of the kept table, with a column ``study``.
    """
    tables = []
    for name in STUDIES:
        try:
            rows = compute(name).assign(study=name)
        except NotAtHandError:
            rows = recall(kept).query("study == @name")
        if len(rows):
            tables.append(rows)
    table = pd.concat(tables, ignore_index=True)
    return table[["study", *table.columns.drop("study")]]


def ranks_of(name: str) -> pd.DataFrame:
    """Return a study's ranks with their intervals, methods in words beside."""
    ranks = study_order(name).ranks
    return ranks.assign(words=[in_words(name, m) for m in ranks["method"]])


def summary_of(name: str) -> pd.DataFrame:
    """Return a row on a study: its size, what of its order is sure, what it would take."""
    found, known = study_order(name), cells(name)
    moved = what_reruns_move(known)
    following = dict(zip(found.ranks["method"], found.ranks["method"].shift(-1), strict=True))
    needed = found.needed[found.needed["one"].map(following) == found.needed["other"]]
    apart = (found.pairs["p_adjusted"] <= ALPHA)
    return pd.DataFrame([{
        **{column: getattr(STUDIES[name], column) for column in ABOUT},
        "methods": len(known.methods), "tasks": found.n_tasks, "families": found.n_families,
        "missing": found.missing / known.value.size, "neighbours": len(known.methods) - 1,
        "neighbours_apart": neighbours_apart(found), "pairs": len(apart),
        "pairs_apart": apart.mean(),
        "median_width": (found.ranks["high"] - found.ranks["low"]).median(),
        "may_be_first": int(found.ranks["may_be_first"].sum()),
        "first": in_words(name, found.ranks["method"][0]),
        "tasks_needed": needed["tasks_needed"].median(), "detectable": found.detectable,
        "skewness": found.skewness, "level": 1 - found.flips_level,
        "hangs_on": next(iter(found.hangs_on["tasks"]), "") if found.ranks["low"].eq(1).sum() == 1
        else "",
        "seeds_share": np.nan if moved is None else moved[1]}])


def claims_of(name: str) -> pd.DataFrame:
    """Return the pairs of methods that other studies have too, the first in the alphabet as one."""
    words = {own: name_ for name_, names in METHODS.items() if (own := names.get(name))}
    pairs = study_order(name).pairs
    pairs = pairs[pairs["one"].isin(words) & pairs["other"].isin(words)]
    one, other = pairs["one"].map(words), pairs["other"].map(words)
    turn = (one > other).to_numpy()
    effect = np.where(turn, -pairs["effect"], pairs["effect"])
    return pd.DataFrame({"one": np.where(turn, other, one), "other": np.where(turn, one, other),
                         "effect": effect, "p_adjusted": pairs["p_adjusted"].to_numpy()})


def claims_in_two(claims: pd.DataFrame) -> pd.DataFrame:
    """Return what became of each 'A beats B' that two independent studies looked at.

    Parameters
    ----------
    claims : pandas.DataFrame
        `claims_of` for all studies.

    Returns
    -------
    pandas.DataFrame
        ``one, other`` (who is ahead in most), ``studies`` that have both, ``ahead`` and
        ``behind``: those that tell the two apart, either way, by name; ``verdict``: stands (told
        apart alike in two or more, never the other way), reverses (told apart either way),
        one study only, or nobody tells. ``either_way``: whether the estimates, sure or not, point
        either way. Studies of one team count once.
    """
    rows = []
    sure = claims["p_adjusted"] <= ALPHA
    team = claims["study"].replace(ONE_TEAM)
    for (one, other), group in claims.assign(sure=sure, team=team).groupby(["one", "other"]):
        if group["team"].nunique() < 2:
            continue
        ahead = group[group["sure"] & (group["effect"] > 0)]
        behind = group[group["sure"] & (group["effect"] < 0)]
        if behind["team"].nunique() > ahead["team"].nunique():
            one, other, ahead, behind = other, one, behind, ahead
        n_ahead, n_behind = ahead["team"].nunique(), behind["team"].nunique()
        verdict = ("reverses" if n_ahead and n_behind else "stands" if n_ahead > 1 else
                   "one study only" if n_ahead else "nobody tells")
        rows.append((one, other, group["team"].nunique(), _titles(ahead), _titles(behind),
                     verdict, group["effect"].min() < 0 < group["effect"].max()))
    table = pd.DataFrame(rows, columns=["one", "other", "studies", "ahead", "behind", "verdict",
                                        "either_way"])
    by = pd.Categorical(table["verdict"], ["reverses", "stands", "one study only", "nobody tells"])
    return table.assign(by=by).sort_values(["by", "one", "other"]).drop(columns="by").reset_index(
        drop=True)


def _titles(rows: pd.DataFrame) -> str:
    return ", ".join(STUDIES[name].title for name in rows["study"])


def datasets_of(name: str) -> pd.DataFrame:
    """Return the dataset behind each task of a study, and the evidence for it."""
    table = opened(name)
    problem = table.groupby(table["task"].astype(str))["problem"].first()
    tasks = problem.index
    by_id = _openml_tasks()
    rows = []
    for task in tasks:
        dataset, evidence = by_id.get(task, (task, "the name"))
        rows.append((task, plain(dataset), dataset, _kind(problem[task]), evidence))
    return pd.DataFrame(rows, columns=["task", "key", "dataset", "problem", "evidence"])


def plain(name: str) -> str:
    """Return a name without case and punctuation, by which datasets are matched."""
    return "".join(c for c in name.lower() if c.isalnum())


def _kind(problem: object) -> str:
    return str(problem) if str(problem) in PROBLEMS else ""


@lru_cache(maxsize=1)
def _openml_tasks() -> dict[str, tuple[str, str]]:
    """Return names of datasets by the number of their OpenML task, and where they stand."""
    suite = tomllib.loads((DATA / "suites" / "cc18.toml").read_text())
    known = {t["procedure"]["source"].removeprefix("openml:task/"): t["name"]
             for t in suite["tasks"]}
    named = {k: (v, f"OpenML task {k} in CC-18") for k, v in known.items()}
    try:
        table = pd.read_csv(at_hand("tabrepo", "openml_task_metadata_244.csv"))
    except NotAtHandError:
        return named
    return named | {str(t): (n, f"OpenML task {t} in TabRepo's list")
                    for t, n in zip(table["tid"], table["name"], strict=True)}


def matched(datasets: pd.DataFrame) -> pd.DataFrame:
    """Return datasets that two or more independent studies have, one row a study and task.

    Names that are equal but for case and punctuation are a match, unless the problems differ: a
    table of two classes and one of three, or a class and a number, are no one dataset.
    """
    teams = datasets.assign(team=datasets["study"].replace(ONE_TEAM))
    rows = [group.assign(match=ok) for _, group in teams.groupby("key")
            if group["team"].nunique() > 1
            for ok in ["other problems" if group["problem"][group["problem"] != ""].nunique() > 1
                       else "matched"]]
    return pd.concat(rows, ignore_index=True)[["dataset", "key", "study", "task", "problem",
                                               "evidence", "match"]]


def runs_of(name: str) -> pd.DataFrame:
    """Return what methods that several studies have reached on each task, with their error.

    Returns
    -------
    pandas.DataFrame
        ``task, method`` (in words), ``value`` (higher is better), ``error`` (standard error over
        seeds or folds) and ``repeats``; without what was run once.
    """
    known, columns = cells(name), {}
    for words, names in METHODS.items():
        if names.get(name) in known.methods:
            columns[words] = known.methods.index(names[name])
    rows = [pd.DataFrame({
        "task": known.tasks, "method": words, "value": known.value[:, k],
        "error": known.deviation[:, k] / np.sqrt(np.maximum(known.repeats[:, k], 1)),
        "repeats": known.repeats[:, k]}) for words, k in columns.items()]
    table = pd.concat(rows, ignore_index=True) if rows else pd.DataFrame(
        columns=["task", "method", "value", "error", "repeats"])
    return table[table["error"] > 0].reset_index(drop=True)


def contradictions(runs: pd.DataFrame, datasets: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs of methods whose order on a dataset two studies tell apart either way.

    Parameters
    ----------
    runs : pandas.DataFrame
        `runs_of` for all studies.
    datasets : pandas.DataFrame
        From `matched`.

    Returns
    -------
    pandas.DataFrame
        ``dataset, one, other, study, against``: the first study has the one ahead, the second the
        other; ``effect, effect_against`` in each study's metric; ``p_adjusted``, the larger of both
        two-sided p-values (Student's t over seeds or folds), by Holm over all that were compared.
        ``attrs["compared"]`` is how many there were.
    """
    found = datasets[datasets["match"] == "matched"].astype({"task": str})
    joined = runs.astype({"task": str}).merge(found[["study", "task", "key"]])
    gaps = joined.merge(joined, on=["study", "task", "key"], suffixes=("_one", "_other"))
    gaps = gaps[gaps["method_one"] < gaps["method_other"]]
    gap = gaps["value_one"] - gaps["value_other"]
    spread = np.hypot(gaps["error_one"], gaps["error_other"])
    free = gaps[["repeats_one", "repeats_other"]].min(axis=1) - 1
    gaps = gaps.assign(effect=gap, p=2 * student.sf(np.abs(gap / spread), free))
    both = gaps.merge(gaps, on=["key", "method_one", "method_other"], suffixes=("", "_against"))
    team = both["study"].replace(ONE_TEAM), both["study_against"].replace(ONE_TEAM)
    both = both[team[0] < team[1]]
    opposite = both["effect"] * both["effect_against"] < 0
    p = np.where(opposite, both[["p", "p_against"]].max(axis=1), 1.0)
    adjusted = holm(p) if len(p) else p
    table = pd.DataFrame({
        "dataset": both["key"], "one": both["method_one"], "other": both["method_other"],
        "study": both["study"], "against": both["study_against"], "effect": both["effect"],
        "effect_against": both["effect_against"], "p_adjusted": adjusted})
    turned = table["effect"] < 0
    table.loc[turned, ["one", "other"]] = table.loc[turned, ["other", "one"]].to_numpy()
    table.loc[turned, ["effect", "effect_against"]] *= -1
    result = table[opposite.to_numpy() & (adjusted <= ALPHA)].sort_values(
        ["p_adjusted", "dataset", "one", "other"], ignore_index=True)
    result.attrs["compared"] = len(table)
    return result
