"""Tasks that look like near-duplicates of each other, by results or by name: a hint, no verdict.

By results: methods are ranked on each task and every method's mean rank is taken out; what is left
of two tasks is correlated over the methods that both have. A pair resembles each other where its
correlation is beyond both `RESEMBLE` and what the bulk of pairs leaves to chance (Fisher's z, its
median and median deviation, Bonferroni over pairs). With fewer than `SHARED` methods two tasks may
be ordered alike by luck. Both limits were set on made tables and the stored studies
(`chapters.order.coverage` and `atlas` say what they find there).

By name: tasks that differ in the number or version at the end alone, unless most tasks do.
"""

import re

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.stats import norm, rankdata

from analysis.leaderboards.cells import Cells

RESEMBLE, SHARED, LEVEL = 0.95, 10, 0.01
MOST = 2000  # tasks; of more, names alone are looked at
NUMBERED = re.compile(r"^(.*[a-z]{3}.*?)[\s_.-]*(?:v|ver|version)?[\s_.-]*\d+$", re.IGNORECASE)
NO_NAMES = {"task", "tasks", "data", "dataset", "problem", "openml", "instance", "fold"}


def near_twins(cells: Cells) -> pd.DataFrame:
    """Return the tasks of different families that look like near-duplicates.

    Returns
    -------
    pandas.DataFrame
        ``task, family, by``: a row per task of a group; ``family`` is the group's, by the name of
        its first; ``by`` is "results", "name" or "results and name". Empty where there are none.
    """
    by = {"results": _by_results(cells), "name": _by_name(cells)}
    families, family_of = len(cells.families), cells.family_of
    links = {kind: family_of[pairs] for kind, pairs in by.items()}
    every = np.concatenate(list(links.values()))
    graph = coo_array((np.ones(len(every)), every.T), shape=(families, families))
    group = connected_components(graph, directed=False)[1]
    first = np.unique(group, return_index=True)[1]
    told = [" and ".join(kind for kind, pairs in links.items() if (group[pairs] == g).any())
            for g in range(len(first))]
    table = pd.DataFrame({"task": cells.tasks, "group": group[family_of]})
    table["family"] = np.array(cells.families, object)[first[table["group"]]]
    table["by"] = np.array(told, object)[table["group"]]
    return table[table["by"] != ""].sort_values("group", kind="stable").drop(
        columns="group").reset_index(drop=True)


def _by_results(cells: Cells) -> np.ndarray:
    """Return pairs of tasks whose results resemble each other, shape (pair, 2)."""
    if not len(cells.methods) >= SHARED or not 2 < len(cells.tasks) <= MOST:
        return np.empty((0, 2), int)
    known = ~np.isnan(cells.value)
    ranks = rankdata(cells.value, axis=1, nan_policy="omit")
    left = ranks - np.nansum(ranks, axis=0) / np.maximum(known.sum(axis=0), 1)
    left -= np.nansum(left, axis=1, keepdims=True) / np.maximum(known.sum(axis=1), 1)[:, None]
    left, known = np.where(known, left, 0), known.astype(float)
    one, other = np.triu_indices(len(left), 1)
    spread = (left**2 @ known.T)
    spread = np.sqrt(spread * spread.T)[one, other]
    judged = (spread > 0) & ((known @ known.T)[one, other] >= SHARED)
    one, other = one[judged], other[judged]
    if not len(one):
        return np.empty((0, 2), int)
    alike = (left @ left.T)[one, other] / spread[judged]
    z = np.arctanh(np.clip(alike, -1 + 1e-9, 1 - 1e-9))
    deviation = np.median(np.abs(z - np.median(z))) / norm.ppf(0.75)
    far = z > np.median(z) + deviation * norm.isf(LEVEL / len(z))
    far &= (alike > RESEMBLE) & (cells.family_of[one] != cells.family_of[other])
    return np.c_[one[far], other[far]]


def _by_name(cells: Cells) -> np.ndarray:
    """Return pairs of tasks that differ in the number at the end of their names alone."""
    groups: dict[str, list[int]] = {}
    for k, task in enumerate(cells.tasks):
        found = NUMBERED.match(task)
        if found and found[1].lower().strip(" _.-") not in NO_NAMES:
            groups.setdefault(found[1].lower(), []).append(k)
    pairs = [(some[0], k) for some in groups.values() if 2 * len(some) <= len(cells.tasks)
             for k in some[1:] if cells.family_of[k] != cells.family_of[some[0]]]
    return np.array(pairs, int).reshape(-1, 2)


def families_to_paste(cells: Cells, twins: pd.DataFrame) -> pd.DataFrame | None:
    """Return ``task, family``, a row per task, with the families of `near_twins`; None for none."""
    if twins.empty:
        return None
    family = np.array(cells.families, object)[cells.family_of]
    hinted = dict(zip(twins["task"], twins["family"], strict=True))
    return pd.DataFrame({"task": cells.tasks, "family": [
        hinted.get(task, own) for task, own in zip(cells.tasks, family, strict=True)]})


def twins_in_words(twins: pd.DataFrame) -> str:
    """Return the hint in a sentence: which tasks, told by what, and what to do."""
    some = [f"{_ends(group['task'].tolist())} (by {group['by'].iloc[0]})"
            for _, group in twins.groupby("family", sort=False)]
    shown = "; ".join(some[:3]) + (f"; and {len(some) - 3} groups more" if len(some) > 3 else "")
    return (f"Tasks that look like near-duplicates: {shown}. If they are, name each group in a "
            "column `family`: it should count once.")


def _ends(tasks: list[str]) -> str:
    return " and ".join(tasks) if len(tasks) < 3 else f"{tasks[0]} … {tasks[-1]} ({len(tasks)})"
