"""Whether independent reruns give the same order."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd

from analysis.leaderboards.cells import Cells
from analysis.leaderboards.ordering import order_cells
from chapters.order import atlas

RERUN = ("rtdl_2021", "num_embeddings", "tabr", "tabm", "tabred")  # one group's, runs their own
SAME = {"californiahousing": "california", "covtype2": "covtype"}  # names of one task
LEAST_METHODS, LEAST_TASKS = 2, 3  # that two studies share


def compare_replications() -> pd.DataFrame:
    """Return how two studies agree that share tasks and methods, but no run.

    Returns
    -------
    pandas.DataFrame
        ``one, other``; ``methods, tasks`` that both have; ``comparisons`` of two methods on a
        task, and of these the share that ``agree`` in who is ahead; ``sure`` and ``agree_sure``:
        the same of those in which both differ by more than two standard errors over seeds;
        ``held_elsewhere``: the share of pairs of methods whose effect on the other's tasks that
        the one lacks lies in the one's simultaneous intervals.
    """
    return pd.DataFrame([row for one, other in combinations(RERUN, 2)
                         for row in [_replication(one, other)] if row])


def _replication(one: str, other: str) -> dict | None:
    words = [w for w, names in atlas.METHODS.items() if one in names and other in names]
    known = [named(study, words) for study in (one, other)]
    words = [w for w in words if all(w in k.methods for k in known)]
    known = [_of(k, np.ones(len(k.tasks), bool), words) for k in known] if words else known
    keys = [np.array([SAME.get(p, p) for p in map(atlas.plain, k.tasks)]) for k in known]
    shared = [np.isin(own, theirs) for own, theirs in (keys, keys[::-1])]
    place = [np.unique(key[s], return_index=True)[1] for key, s in zip(keys, shared, strict=True)]
    tasks = len(place[0])
    if len(words) < LEAST_METHODS or tasks < LEAST_TASKS:
        return None
    on = [_of(k, s, words) for k, s in zip(known, shared, strict=True)]
    gaps, errors = zip(*(_gaps(c, p) for c, p in zip(on, place, strict=True)), strict=True)
    there = ~np.isnan(gaps[0]) & ~np.isnan(gaps[1]) & (gaps[0] != 0) & (gaps[1] != 0)
    agree = np.sign(gaps[0]) == np.sign(gaps[1])
    sure = there & (np.abs(gaps[0]) > 2 * errors[0]) & (np.abs(gaps[1]) > 2 * errors[1])
    elsewhere = _of(known[1], ~shared[1], words) if (~shared[1]).sum() >= LEAST_TASKS else None
    return {"one": one, "other": other, "methods": len(words), "tasks": tasks,
            "comparisons": int(there.sum()), "agree": agree[there].mean(), "sure": int(sure.sum()),
            "agree_sure": agree[sure].mean() if sure.any() else np.nan,
            "held_elsewhere": _held(known[0], elsewhere) if elsewhere else np.nan}


def named(study: str, words: list[str]) -> Cells:
    """Return a study's cells with methods in words."""
    known = atlas.cells(study)
    in_words = {atlas.METHODS[w][study]: w for w in words}
    return replace(known, methods=tuple(in_words.get(m, m) for m in known.methods))


def _of(known: Cells, tasks: np.ndarray, words: list[str]) -> Cells:
    """Return some tasks and the named methods, in the names' order; tasks without any left out."""
    at = [known.methods.index(w) for w in words]
    return known.keep(tasks & ~np.isnan(known.value[:, at]).all(axis=1), at)


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
