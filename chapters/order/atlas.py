"""An atlas of studies in one schema: what each order is worth, and where studies meet."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pandas as pd

from analysis.leaderboards import load_results
from analysis.leaderboards.cells import Cells, to_cells
from analysis.leaderboards.influence import what_reruns_move
from analysis.leaderboards.order_page import neighbours_apart
from analysis.leaderboards.ordering import Order, order_cells
from analysis.leaderboards.tables import (
    FOLDER,
    as_schema,
    drop_incomplete,
    select_methods,
    with_families,
)
from analysis.published.computed import NotAtHandError, recall
from chapters.order.sources import SHIPPED, SOURCES
from collection.project.paths import DATA, shipped
from lab.scores import FRAMEWORKS

ALPHA = 0.05
ABOUT = ("title", "field", "year", "what", "weak")


def _own() -> pd.DataFrame:
    """Return our evaluations, each family's default config."""
    table = load_results(DATA / "evaluations")
    return with_families(table[table["method"].str.endswith("_c1")], "own")


def _own_small() -> pd.DataFrame:
    """Return our runs of PMLBmini's baselines: test AUC of three folds."""
    fits = load_results(DATA / "small" / "baselines.csv")
    fits = drop_incomplete(fits[~fits["method"].str.contains(r"\(")])
    return with_families(fits, "pmlbmini")


OWN = {"own": _own, "own_small": _own_small}
#: The studies by name, each with title, field, year, what a cell is, what is weak, and whose it is.
STUDIES = {row.study: row for row in pd.read_csv(
    shipped(FOLDER / "studies.csv"), keep_default_na=False).itertuples(index=False)}


def opened(name: str) -> pd.DataFrame:
    """Return a study's results in the schema; raises `NotAtHandError` where there are none here."""
    if name in OWN:
        return OWN[name]()
    return load_results(name) if name in SHIPPED else select_methods(
        with_families(as_schema(SOURCES[name](), name), name), name)


#: Methods that several studies have: name in words → study → the study's own name.
METHODS = {words: dict(zip(names["study"], names["method"], strict=True)) for words, names in
           pd.read_csv(shipped(FOLDER / "methods.csv")).groupby("words", sort=False)}
#: Other names in words.
WORDS = {"constantpredictor_enc": "constant guess", "AutoWEKA": "Auto-WEKA", "oboe": "Oboe",
         "NeuralNetTorch_c1": "neural network"}
BUDGETS = {"None": "all", "SH-eta4-i": "halving"}  # of Auto-sklearn's strategies
#: No independent studies: one group, or nearly the same tasks.
ONE_TEAM = {name: study.team for name, study in STUDIES.items() if study.team}


@lru_cache(maxsize=len(STUDIES))
def cells(name: str) -> Cells:
    """Return a study's cells; raises `NotAtHandError` where they are not at hand."""
    return to_cells(opened(name))


@lru_cache(maxsize=len(STUDIES))
def study_order(name: str) -> Order:
    """Return a study's order."""
    return order_cells(cells(name))


def in_words(study: str, method: str) -> str:
    """Return a method's name in words: AutoML runs', that of `METHODS`, else the study's own."""
    if method in FRAMEWORKS:
        return FRAMEWORKS[method]
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
        "hangs_on": next(iter(found.sensitive_to["tasks"]), "")
        if found.ranks["low"].eq(1).sum() == 1 else "",
        "hinted": found.twins["family"].nunique(),
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
        ``behind``: those in which the two differ significantly, either way, by name;
        ``verdict``: stands (they differ alike in two or more, never the other way), reverses (they
        differ either way), one study only or nobody tells. ``either_way``: whether the
        estimates, sure or not, point either way. Studies of one team count once.
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


def plain(name: str) -> str:
    """Return a name without case and punctuation, by which datasets are matched."""
    return "".join(c for c in name.lower() if c.isalnum())
