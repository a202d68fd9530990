"""Tasks that look like near-duplicates of each other, by results or by name.

Methods are ranked on each task and every method's mean rank is taken out; what is left of two tasks
is correlated over the methods that both have. By results a pair resembles each other where its
correlation is beyond both `RESEMBLE` and what the bulk of pairs leaves to chance (Fisher's z, its
median and median deviation, Bonferroni over pairs), of `SHARED` methods or more. Of fewer methods
two tasks may be ordered alike by luck, but many are not: `analysis.leaderboards.hidden` finds them.
Coarse results (yes or no) are not judged. That is a hint.

By name: tasks that differ in the number or version at the end alone, unless most tasks do: a hint,
too. Parts of names (``dataset/frequency/term``) are clusters where results resemble each other
within them beyond chance (Mantel's test): these count once, unless the table names families.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.stats import norm, rankdata

from analysis.leaderboards.cells import Cells
from analysis.leaderboards.hidden import hidden_families

RESEMBLE, SHARED, LEVEL = 0.95, 10, 0.01
LEAST = 6  # methods, for families to be looked for
BEYOND = 3.0  # standard deviations of Mantel's statistic
PART = re.compile(r"[/|:;,\s_.-]+")
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


def _alike(cells: Cells) -> tuple[np.ndarray, np.ndarray]:
    """Return the correlations of tasks, NaN where not judged, and methods that two share."""
    known = ~np.isnan(cells.value)
    ranks = rankdata(cells.value, axis=1, nan_policy="omit")
    left = ranks - np.nansum(ranks, axis=0) / np.maximum(known.sum(axis=0), 1)
    left -= np.nansum(left, axis=1, keepdims=True) / np.maximum(known.sum(axis=1), 1)[:, None]
    left, known = np.where(known, left, 0), known.astype(float)
    spread = left**2 @ known.T
    spread = np.sqrt(spread * spread.T)
    alike = np.divide(left @ left.T, spread, out=np.full(spread.shape, np.nan), where=spread > 0)
    return alike, known @ known.T


def _fine(values: np.ndarray) -> bool:
    """Tell whether results order methods at least half as finely as without any ties."""
    ties = np.unique(values[~np.isnan(values)], return_counts=True)[1]
    return 2 * sum(math.lgamma(n + 1) for n in ties) <= math.lgamma(ties.sum() + 1) + 1e-9


def _by_results(cells: Cells) -> np.ndarray:
    """Return pairs of tasks whose results resemble each other, shape (pair, 2)."""
    methods, tasks = len(cells.methods), len(cells.tasks)
    fine = np.flatnonzero([_fine(row) for row in cells.value])
    if methods < LEAST or len(fine) < 3 or tasks > MOST:
        return np.empty((0, 2), int)
    alike, shared = (table[np.ix_(fine, fine)] for table in _alike(cells))
    alike[shared < LEAST] = np.nan
    one, other = np.triu_indices(len(fine), 1)
    r = alike[one, other]
    if np.isnan(r).all():
        return np.empty((0, 2), int)
    z = np.arctanh(np.clip(r, -1 + 1e-9, 1 - 1e-9))
    middle = np.nanmedian(z)
    deviation = np.nanmedian(np.abs(z - middle)) / norm.ppf(0.75)
    far = z > middle + deviation * norm.isf(LEVEL / (~np.isnan(z)).sum())
    far &= (r > RESEMBLE) & (shared[one, other] >= SHARED)
    for inside in hidden_families(cells.value[fine]):
        far |= np.isin(one, inside) & np.isin(other, inside)
    one, other = fine[one], fine[other]
    far &= cells.family_of[one] != cells.family_of[other]
    return np.c_[one[far], other[far]]


def with_clusters(cells: Cells) -> Cells:
    """Return cells whose clusters of tasks are families, where names and results say so.

    Where the table names families, these stand. ``read["clusters"]`` says what was found.
    """
    tasks = len(cells.tasks)
    if (cells.named or len(cells.families) < tasks or not 5 < tasks <= MOST
            or len(cells.methods) < 3):
        return cells
    alike = np.nan_to_num(_alike(cells)[0])
    np.fill_diagonal(alike, 0)
    best, of, regular = BEYOND, None, 0
    for group in _groups(cells.tasks):
        beyond = _mantel(alike, group[:, None] == group)
        best, of = (beyond, group) if beyond >= best else (best, of)
        sizes = np.unique(group, return_counts=True)[1]
        regular = max(regular, len(sizes) * (sizes.min() == sizes.max()))
    if of is None:
        return cells if not regular else replace(cells, read={**cells.read, "clusters": (
            f"By their names {tasks} tasks are {regular} clusters of {tasks // regular}. Results "
            "within these do not resemble each other beyond chance, so that each task counts; if "
            "these are one dataset several times, name each in a column `family`.")})
    names, code = np.unique(of, return_inverse=True)
    inside, worth = _worth(alike, code)
    said = (f"{tasks} tasks are {len(names)} clusters by their names, and results within these "
            f"resemble each other beyond chance (mean correlation {inside:.2f}): each cluster "
            f"counts once, and all tasks are worth about {worth:.0f} that are independent. Name "
            "families in a column `family` if you know better.")
    return replace(in_families(cells, of), read={**cells.read, "clusters": said})


def in_families(cells: Cells, families: Sequence[str]) -> Cells:
    """Return cells whose tasks are in other families, one named for each task."""
    names, code = np.unique(families, return_inverse=True)
    place = np.argsort(code, kind="stable")
    return replace(cells.keep(place), families=tuple(names),
                   starts=np.searchsorted(code[place], np.arange(len(names))))


def effective_tasks(cells: Cells) -> float:
    """Return as how many independent tasks all tasks count: n / (1 + (m − 1) r).

    With m tasks in the family of the mean task, and r the mean correlation within families of what
    is a task's own in the methods' ranks (a design effect; Kish 1965, Survey Sampling). As many as
    there are where each is a family, or more than `MOST`.
    """
    if not len(cells.families) < len(cells.tasks) <= MOST:
        return float(len(cells.tasks))
    return _worth(np.nan_to_num(_alike(cells)[0]), cells.family_of)[1]


def _worth(alike: np.ndarray, code: np.ndarray) -> tuple[float, float]:
    """Return the mean correlation within groups of tasks, and what all tasks are worth."""
    within = (code[:, None] == code) & ~np.eye(len(code), dtype=bool)
    inside = float(alike[within].mean())
    return inside, len(code) / (1 + within.sum() / len(code) * max(inside, 0))


def _groups(tasks: tuple[str, ...]) -> list[np.ndarray]:
    """Return ways to group tasks by their names: by their first parts, or all parts but one."""
    parts = [[p for p in PART.split(task) if p] or [task] for task in tasks]
    longest, found = max(map(len, parts)), {}
    for k in range(longest - 1):
        for kept in (lambda p, k=k: p[:k + 1], lambda p, k=k: [*p[:k], "…", *p[k + 1:]]):
            group = np.array(["/".join(kept(p) if len(p) > max(k, 1) else p) for p in parts],
                             object)
            count = len(set(group))
            if 3 <= count < len(tasks):
                found.setdefault(tuple(np.unique(group, return_inverse=True)[1]), group)
    return list(found.values())


def _mantel(alike: np.ndarray, within: np.ndarray) -> float:
    """Return by how many standard deviations tasks of a group resemble each other beyond chance.

    Mantel (1967, Cancer Research 27): the moments over all ways to give out the groups.
    """
    within = within & ~np.eye(len(within), dtype=bool)
    n, seen = len(within), float((alike * within).sum())
    (a1, a2, a3), (b1, b2, b3) = ((x.sum(), (x**2).sum(), (x.sum(axis=1)**2).sum())
                                  for x in (alike, within.astype(float)))
    pairs = n * (n - 1)
    square = (2 * a2 * b2 / pairs + 4 * (a3 - a2) * (b3 - b2) / (pairs * (n - 2))
              + (a1**2 + 2 * a2 - 4 * a3) * (b1**2 + 2 * b2 - 4 * b3)
              / (pairs * (n - 2) * (n - 3)))
    spread = square - (a1 * b1 / pairs)**2
    return (seen - a1 * b1 / pairs) / math.sqrt(spread) if spread > 1e-12 else 0.0


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
