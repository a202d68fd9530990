"""Orders of several studies side by side: what each comes to, what two say of a pair."""


from dataclasses import replace

import numpy as np
import pandas as pd

from analysis.leaderboards.cells import Cells, to_cells
from analysis.leaderboards.influence import what_reruns_move
from analysis.leaderboards.order_page import neighbours, neighbours_apart
from analysis.leaderboards.ordering import Order
from analysis.leaderboards.tables import FOLDER, describe_studies, load_results
from collection.project.paths import shipped

SAME = {"californiahousing": "california", "covtype2": "covtype"}  # names of one task
VERDICTS = ("reverses", "stands", "one study only", "nobody tells")


def method_words(study: str) -> dict[str, str]:
    """Return a study's methods in words, which studies that share a method have alike.

    Those of ``data/results/methods.csv``; a method that has no words there is not in it.
    """
    known = pd.read_csv(shipped(FOLDER / "methods.csv")).query("study == @study")
    return dict(zip(known["method"], known["words"], strict=True))


def summarise_order(order: Order, results: "pd.DataFrame | Cells") -> dict[str, object]:
    """Sum up how much of an order is sure, and what it would take to know more.

    Parameters
    ----------
    order : Order
    results : pandas.DataFrame
        What was ordered.

    Returns
    -------
    dict
        ``methods, tasks, families``; ``missing`` (share of cells); ``neighbours`` (pairs that
        follow each other) and ``neighbours_apart`` (those that differ significantly); ``pairs``
        and ``pairs_apart`` (a share); ``median_width`` (of rank intervals, places);
        ``may_be_first`` (methods); ``first``; ``tasks_needed`` (families, for the median
        neighbours); ``detectable, skewness``, ``level`` (at which sign flips alone would be as
        strict), ``hangs_on`` (families without which another may be first, where one alone may),
        ``hinted`` (groups of tasks that look alike); ``seeds_share`` (of what is uncertain; NaN
        where no cell has a second run).
    """
    cells, ranks = to_cells(results), order.ranks
    apart, moved = order.pairs["p_adjusted"] <= 1 - order.level, what_reruns_move(cells)
    alone = ranks["low"].eq(1).sum() == 1
    return {
        "methods": len(ranks), "tasks": order.n_tasks, "families": order.n_families,
        "missing": order.missing / cells.value.size, "neighbours": len(ranks) - 1,
        "neighbours_apart": neighbours_apart(order), "pairs": len(apart),
        "pairs_apart": apart.mean(), "median_width": (ranks["high"] - ranks["low"]).median(),
        "may_be_first": int(ranks["may_be_first"].sum()), "first": ranks["method"][0],
        "tasks_needed": neighbours(order.needed, ranks)["tasks_needed"].median(),
        "detectable": order.detectable, "skewness": order.skewness,
        "level": 1 - order.flips_level,
        "hangs_on": next(iter(order.sensitive_to["tasks"]), "") if alone else "",
        "hinted": order.twins["family"].nunique(),
        "seeds_share": moved[1] if moved else np.nan}


def shared_pairs(order: Order, study: str) -> pd.DataFrame:
    """Return the pairs of an order whose methods have words (`method_words`), as claims.

    Returns
    -------
    pandas.DataFrame
        ``one, other`` (in words, the first in the alphabet as one), ``effect`` (by how much the one
        is ahead), ``p_adjusted``.
    """
    words = method_words(study)
    pairs = order.pairs[order.pairs[["one", "other"]].isin(list(words)).all(axis=1)]
    pairs = pairs.assign(one=pairs["one"].map(words), other=pairs["other"].map(words))
    turn = pairs["one"] > pairs["other"]
    return pd.DataFrame({"one": pairs["other"].where(turn, pairs["one"]),
                         "other": pairs["one"].where(turn, pairs["other"]),
                         "effect": pairs["effect"].where(~turn, -pairs["effect"]),
                         "p_adjusted": pairs["p_adjusted"]})


def settle_claims(claims: pd.DataFrame, alpha: float = 0.05) -> pd.DataFrame:
    """Return what became of each 'A beats B' that two independent studies looked at.

    Parameters
    ----------
    claims : pandas.DataFrame
        `shared_pairs` of several studies, with a column ``study``. Studies of one team
        (`describe_studies`) count once.
    alpha : float
        Level at which two methods of a study differ significantly.

    Returns
    -------
    pandas.DataFrame
        ``one, other`` (who is ahead in most), ``studies`` that have both, ``ahead`` and ``behind``:
        those in which the two differ significantly, either way, by name; ``verdict``: stands (they
        differ alike in two or more, never the other way), reverses (they differ either way), one
        study only or nobody tells. ``either_way``: whether the estimates, sure or not, point
        either way.
    """
    about, rows = describe_studies(), []
    team, title = (claims["study"].map(about[of]) for of in ("team", "title"))
    claims = claims.assign(team=team.fillna(claims["study"]), title=title.fillna(claims["study"]))
    for (one, other), group in claims.groupby(["one", "other"]):
        if group["team"].nunique() < 2:
            continue
        sure = group[group["p_adjusted"] <= alpha]
        ahead, behind = sure[sure["effect"] > 0], sure[sure["effect"] < 0]
        if behind["team"].nunique() > ahead["team"].nunique():
            one, other, ahead, behind = other, one, behind, ahead
        n_ahead, n_behind = ahead["team"].nunique(), behind["team"].nunique()
        verdict = ("reverses" if n_ahead and n_behind else "stands" if n_ahead > 1 else
                   "one study only" if n_ahead else "nobody tells")
        rows.append((one, other, group["team"].nunique(), ", ".join(ahead["title"]),
                     ", ".join(behind["title"]), verdict,
                     group["effect"].min() < 0 < group["effect"].max()))
    table = pd.DataFrame(rows, columns=["one", "other", "studies", "ahead", "behind", "verdict",
                                        "either_way"])
    place = table["verdict"].map(VERDICTS.index)
    return table.assign(place=place).sort_values(["place", "one", "other"], ignore_index=True).drop(
        columns="place")


def cells_in_words(study: str) -> Cells:
    """Return a shipped study's cells of the methods that have words, tasks by plain names.

    A plain name has no case and no punctuation, so that studies name a task alike.
    """
    cells, words = to_cells(load_results(study)), method_words(study)
    cells = cells.keep(methods=[k for k, m in enumerate(cells.methods) if m in words])
    plain = ["".join(c for c in task.lower() if c.isalnum()) for task in cells.tasks]
    return replace(cells, methods=tuple(words[m] for m in cells.methods),
                   tasks=tuple(SAME.get(task, task) for task in plain))
