"""What an order owes to each task and family, to ties, to what is missing, and to seeds."""

from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.stats import chi2, mannwhitneyu, rankdata

from analysis.leaderboards.cells import Cells, to_cells
from analysis.leaderboards.equal import with_gaps
from analysis.leaderboards.estimates import Estimate, beaten_by, estimate_ranks, wins_over
from analysis.leaderboards.ordering import mean_gaps, order_cells
from analysis.leaderboards.stepdown import least_families, rank_limits, significant, step_down

WIDTHS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
RESAMPLES, RERUNS, LEVEL = 1000, 200, 0.95
LEAST_TASKS = 4  # with and without missing results, for them to be compared
BY_CHANCE = 0.05  # level of the test whether all methods lack results alike


def owed_to_tasks(results: "pd.DataFrame | Cells") -> pd.DataFrame:
    """Return what the order would be without each task and without each family of tasks.

    Parameters
    ----------
    results : pandas.DataFrame
        As `analysis.leaderboards.order` takes them.

    Returns
    -------
    pandas.DataFrame
        ``unit`` (task or family), ``name``, ``tasks`` in it, ``pairs_moved`` (pairs of methods
        that stand the other way round without it, a tie half), ``agreement`` (Spearman's
        correlation of its own order with that of all others; NaN where all are equal on it) and
        ``first_without``; the most moving first. A family of one task is a task.
    """
    cells = to_cells(results)
    alone, without = _one_and_others(cells)
    names = np.where(cells.sizes > 1, cells.families, np.array(cells.tasks, object)[cells.starts])
    units = [("family" if size > 1 else "task", name, size)
             for name, size in zip(names, cells.sizes, strict=True)]
    several = np.flatnonzero((cells.sizes > 1)[cells.family_of])
    for task in several if len(cells.families) > 1 else ():
        keep = np.arange(len(cells.tasks)) != task
        units.append(("task", cells.tasks[task], 1))
        alone = np.vstack([alone, estimate_ranks(cells.keep(~keep)).level])
        without = np.vstack([without, estimate_ranks(cells.keep(keep)).level])
    level = estimate_ranks(cells).level
    moved = 2 * np.abs(without - level).max() + 1e-6  # how far a pair moves at most
    near = np.nonzero(np.triu(np.abs(level[:, None] - level) <= moved, 1))
    before = pair_signs(level[None], near)
    table = pd.DataFrame(units, columns=["unit", "name", "tasks"]).assign(
        pairs_moved=[np.abs(pair_signs(row[None], near) - before).sum() / 2 for row in without],
        agreement=rank_correlation(alone, without),
        first_without=np.array(cells.methods, object)[without.argmin(axis=1)])
    return table.sort_values(["pairs_moved", "name"], ascending=[False, True], ignore_index=True)


def _one_and_others(cells: Cells) -> tuple[np.ndarray, np.ndarray]:
    """Return mean ranks on each family alone and on all others, shape (family, method)."""
    shape = (len(cells.families), len(cells.methods))
    if not cells.missing:
        beaten = beaten_by(cells)
        rate = (beaten.sum(axis=0) - beaten) / max(shape[0] - 1, 1)
        return 1 + beaten, 1 + (rate if shape[0] > 1 else np.full(shape, (shape[1] - 1) / 2))
    alone, without = np.ones(shape), np.ones(shape)
    for k in range(shape[1]):
        won, known = wins_over(cells, k)
        won = np.where(known, won, 0)
        left = known.sum(axis=0) - known
        rate = (won.sum(axis=0) - won) / np.maximum(left, 1)
        others = np.arange(shape[1]) != k
        without += np.where(left > 0, rate, 0.5) * others
        alone += np.where(known, won, 0.5) * others
    return alone, without


def pair_signs(levels: np.ndarray, pairs: tuple[np.ndarray, ...] | None = None) -> np.ndarray:
    """Return which of each pair (by default of all) has the larger level, by row; 0: neither."""
    i, j = pairs or np.triu_indices(levels.shape[1], 1)
    return np.sign(np.round(levels[:, i] - levels[:, j], 9))


def rank_correlation(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return Spearman's correlation of rows; NaN where one of them is all equal."""
    a, b = (rankdata(np.round(x, 9), axis=1) for x in (one, other))
    a, b = (x - x.mean(axis=1, keepdims=True) for x in (a, b))
    scale = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    return np.divide((a * b).sum(axis=1), scale, out=np.full(len(a), np.nan), where=scale > 0)


def ties_that_matter(results: "pd.DataFrame | Cells") -> pd.DataFrame:
    """Return how the order changes as differences up to some width count as ties.

    Parameters
    ----------
    results : pandas.DataFrame
        As `analysis.leaderboards.order` takes them.

    Returns
    -------
    pandas.DataFrame
        ``width`` (of a metric that leaves [−1, 1], a share of the task's best value),
        ``differ``, ``alike`` and ``equal_in_practice`` (shares of pairs, as in `Order.pairs`; NaN
        where mean values cannot be compared), ``may_be_first`` (methods).
    """
    cells, rows = _on_one_axis(to_cells(results)), []
    gaps, least = mean_gaps(cells, RESAMPLES, 0, LEVEL), least_families(LEVEL)
    one, other = np.triu_indices(len(cells.methods), 1)
    names = np.array(cells.methods, object)
    pairs = pd.DataFrame({"one": names[one], "other": names[other]})
    for width in WIDTHS:
        estimate = estimate_ranks(cells, width + 1e-12)
        told = step_down(estimate, least, RESAMPLES, 0, 1 - LEVEL)
        first = rank_limits(estimate, significant(estimate, told.critical, least))[0] == 1
        found = with_gaps(pairs, gaps, cells, width + 1e-12, LEVEL)
        rows.append((width, (told.p_adjusted[one, other] <= 1 - LEVEL).mean(),
                     *(found[["alike", "equal"]].mean() if found["gap"].notna().any() else
                       (np.nan, np.nan)), int(first.sum())))
    return pd.DataFrame(rows, columns=["width", "differ", "alike", "equal_in_practice",
                                       "may_be_first"])


def _on_one_axis(cells: Cells) -> Cells:
    """Return cells with values of other scales divided by the task's best, in size."""
    size = np.nanmax(np.abs(cells.value), axis=1)
    best = np.abs(np.nanmax(cells.value, axis=1))
    scale = np.where((size > 1) & (best > 0), best, 1.0)[:, None]
    return replace(cells, value=cells.value / scale)


def missing_as_worst(results: "pd.DataFrame | Cells") -> pd.DataFrame | None:
    """Return where methods stand if a missing result counts as the worst of its task.

    Parameters
    ----------
    results : pandas.DataFrame
        As `analysis.leaderboards.order` takes them.

    Returns
    -------
    pandas.DataFrame
        ``method, missing`` (tasks), ``rank, low, high`` on the tasks that methods share, and
        ``rank_as_worst, low_as_worst, high_as_worst``. None where nothing says that some methods
        fail more than others (`fail_alike`), or on tasks unlike others (`missing_hangs_on`).
    """
    cells = to_cells(results)
    lacking = np.isnan(cells.value)
    if fail_alike(lacking) > BY_CHANCE and not missing_hangs_on(cells):
        return None
    cells, lacking = cells.keep(~lacking.all(axis=1)), lacking[~lacking.all(axis=1)]
    worst = np.nanmin(cells.value, axis=1, keepdims=True) - 1
    ends = ["method", "rank", "low", "high"]
    shared, full = (order_cells(some, RESAMPLES).ranks[ends] for some in (
        cells, replace(cells, value=np.where(lacking, worst, cells.value))))
    shared.insert(1, "missing", shared["method"].map(
        dict(zip(cells.methods, lacking.sum(axis=0), strict=True))))
    return shared.merge(full, on="method", suffixes=("", "_as_worst"))


def missing_hangs_on(cells: Cells) -> str:
    """Return in a sentence that tasks with missing results are unlike others; "" where not.

    Of the methods that have all results, mean values on tasks that others lack are held against
    those on the other tasks, as are the spreads between these methods (two Mann-Whitney tests, by
    Bonferroni); mean values only where there is one metric.
    """
    lacking = np.isnan(cells.value)
    whole, some = ~lacking.any(axis=0), lacking.any(axis=1)
    if whole.sum() < 2 or min(some.sum(), (~some).sum()) < LEAST_TASKS:
        return ""
    full = cells.value[:, whole]
    tests = {"less varied or more varied": full.std(axis=1)}
    if len(cells.metrics) < 2 and len(set(cells.turned)) == 1:
        tests["harder or easier"] = full.mean(axis=1)
    p = {how: mannwhitneyu(x[some], x[~some], method="asymptotic").pvalue * len(tests)
         for how, x in tests.items()}
    how = min(p, key=p.__getitem__)
    shown = f"= {p[how]:.4f}" if p[how] >= 1e-4 else "< 0.0001"
    return "" if p[how] > BY_CHANCE else (
        f"Results are missing on tasks that are {how} than the others for the methods that have "
        f"all (p {shown}): what is missing hangs on the task, and ranks on shared tasks may "
        "flatter who lacks results. Beside them stand ranks with what is missing as the worst.")


def fail_alike(lacking: np.ndarray) -> float:
    """Return the p-value of all methods failing alike, by Cochran's Q (1950, Biometrika 37).

    Parameters
    ----------
    lacking : ndarray of bool, shape (task, method)
        Where there is no result. Tasks that all or none lack say nothing; 1 where all are such.
    """
    by_task, by_method, methods = lacking.sum(axis=1), lacking.sum(axis=0), lacking.shape[1]
    spread = (by_task * (methods - by_task)).sum()
    if not spread:
        return 1.0
    apart = np.square(by_method - by_method.mean()).sum()
    return float(chi2.sf(methods * (methods - 1) * apart / spread, methods - 1))


def what_reruns_move(results: "pd.DataFrame | Cells") -> tuple[pd.DataFrame, float] | None:
    """Return where methods would stand if the same tasks were run again with other seeds.

    Every cell's mean is drawn anew with the standard error of the difference of two reruns, √2
    that of a mean.

    Parameters
    ----------
    results : pandas.DataFrame
        With several folds or seeds a cell, or the ``deviation`` over ``repeats``.

    Returns
    -------
    pandas.DataFrame
        ``method``, ``rank``, ``low, high`` (of the rank, 95 % of reruns), ``first`` (share of
        reruns in which it is first).
    float
        The share of the variance of a difference of two mean ranks that is due to seeds, the
        median over pairs; the rest is due to which tasks were drawn.

    None where no cell has a second run.
    """
    cells = to_cells(results)
    error = cells.deviation / np.sqrt(np.maximum(cells.repeats, 1))
    if np.isnan(error).all() or not np.nansum(error):
        return None
    error = np.where(np.isnan(error), np.nanmedian(error), error)
    rng, estimate = np.random.default_rng(0), estimate_ranks(cells)
    drawn = np.array([_levels(replace(cells, value=cells.value + np.sqrt(2) * error
                                      * rng.normal(size=error.shape)))
                      for _ in range(RERUNS)])
    ranks = rankdata(np.round(drawn, 9), axis=1)
    low, high = np.percentile(ranks, (2.5, 97.5), axis=0)
    table = pd.DataFrame({"method": cells.methods, "rank": 1 + (estimate.effect > 0).sum(axis=0),
                          "low": np.floor(low).astype(int), "high": np.ceil(high).astype(int),
                          "first": (ranks == ranks.min(axis=1, keepdims=True)).mean(axis=0)})
    return (table.iloc[np.argsort(estimate.level, kind="stable")].reset_index(drop=True),
            _seeds_share(estimate, drawn))


def _levels(cells: Cells) -> np.ndarray:
    if cells.missing or len(cells.families) < len(cells.tasks):
        return estimate_ranks(cells).level
    return rankdata(-cells.value, axis=1).mean(axis=0)


def _seeds_share(estimate: Estimate, drawn: np.ndarray) -> float:
    """Return the median share of seeds in the squared standard errors of pairs."""
    i, j = np.triu_indices(drawn.shape[1], 1)
    seeds, all_ = (drawn[:, i] - drawn[:, j]).var(axis=0) / 2, estimate.squares[i, j]
    share = np.divide(seeds, all_, out=np.full(len(i), np.nan), where=all_ > 0)
    return float(np.clip(np.nanmedian(share), 0, 1)) if (~np.isnan(share)).any() else np.nan
