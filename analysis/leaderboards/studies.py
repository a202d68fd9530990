"""Orders of several studies side by side: what each comes to, what two say of a pair."""

from dataclasses import replace

import numpy as np
import pandas as pd

from analysis.leaderboards.cells import Cells, to_cells
from analysis.leaderboards.influence import what_reruns_move
from analysis.leaderboards.order_page import neighbours, neighbours_apart
from analysis.leaderboards.ordering import Order, order_cells
from analysis.leaderboards.tables import FOLDER, describe_studies, load_results
from collection.project.paths import shipped

SAME = {"californiahousing": "california", "covtype2": "covtype"}  # names of one task
LEAST_METHODS, LEAST_TASKS = 2, 3  # that two studies share
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


def agreement(one: Cells, other: Cells) -> dict[str, float] | None:
    """Return how two studies agree that share tasks and methods, but no run.

    Parameters
    ----------
    one, other : Cells
        Of `cells_in_words`.

    Returns
    -------
    dict
        ``methods, tasks`` that both have; ``comparisons`` of two methods on a task, and of these
        the share that ``agree`` in who is ahead; ``sure`` and ``agree_sure``: the same of those in
        which both differ by more than two standard errors over seeds; ``held_elsewhere``: the share
        of pairs of methods whose effect on the other's tasks that the one lacks lies in the one's
        simultaneous intervals (NaN of fewer than three tasks). None where they share fewer than
        two methods or three tasks.
    """
    methods = [m for m in one.methods if m in other.methods]
    if len(methods) < LEAST_METHODS:
        return None
    known = [_of(study, methods) for study in (one, other)]
    tasks = sorted(set(known[0].tasks) & set(known[1].tasks))
    if len(tasks) < LEAST_TASKS:
        return None
    gaps, errors = zip(*(_gaps(cells, tasks) for cells in known), strict=True)
    there = np.all([~np.isnan(gap) & (gap != 0) for gap in gaps], axis=0)
    agree = np.sign(gaps[0]) == np.sign(gaps[1])
    sure = there & np.all([abs(g) > 2 * e for g, e in zip(gaps, errors, strict=True)], axis=0)
    new = ~np.isin(known[1].tasks, tasks)
    return {"methods": len(methods), "tasks": len(tasks), "comparisons": int(there.sum()),
            "agree": agree[there].mean(), "sure": int(sure.sum()),
            "agree_sure": agree[sure].mean() if sure.any() else np.nan,
            "held_elsewhere": _held(known[0], known[1].keep(new)) if new.sum() >= LEAST_TASKS
            else np.nan}


def _of(cells: Cells, methods: list[str]) -> Cells:
    """Return the cells of some methods in this order; tasks without any left out."""
    at = [cells.methods.index(m) for m in methods]
    return cells.keep(~np.isnan(cells.value[:, at]).all(axis=1), at)


def _gaps(cells: Cells, tasks: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return each pair's difference on some tasks, and its standard error over seeds."""
    at = [cells.tasks.index(task) for task in tasks]
    one, other = np.triu_indices(len(cells.methods), 1)
    squares = np.nan_to_num(cells.deviation[at])**2 / np.maximum(cells.repeats[at], 1)
    value = cells.value[at]
    return value[:, one] - value[:, other], np.sqrt(squares[:, one] + squares[:, other])


def _held(one: Cells, other: Cells) -> float:
    """Return the share of pairs whose effect in the other lies in the one's intervals."""
    intervals = order_cells(one).pairs
    levels = order_cells(other).ranks.set_index("method")["mean_rank"]
    effect = levels.loc[intervals["other"]].to_numpy() - levels.loc[intervals["one"]].to_numpy()
    return float(((intervals["low"] <= effect) & (effect <= intervals["high"])).mean())
