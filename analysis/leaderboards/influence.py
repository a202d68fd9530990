"""What an order owes to what is missing, and to seeds."""

from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.stats import chi2, mannwhitneyu

from analysis.leaderboards.cells import Cells, to_cells
from analysis.leaderboards.estimates import Estimate, beaten_by, estimate_ranks, wins_over
from analysis.leaderboards.ordering import order_cells

RESAMPLES, RERUNS = 1000, 200
AT_ONCE = 1_000_000  # cells of methods held against each other that memory has to hold
LEAST_TASKS = 4  # with and without missing results, for them to be compared
BY_CHANCE = 0.05  # level of the test whether all methods lack results alike


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


def seeds_share(results: "pd.DataFrame | Cells") -> float:
    """Return which share of what is uncertain about mean ranks is due to seeds and folds.

    Every cell's mean is drawn anew with the standard error of the difference of two reruns, √2
    that of a mean.

    Parameters
    ----------
    results : pandas.DataFrame
        With several folds or seeds a cell, or the ``deviation`` over ``repeats``.

    Returns
    -------
    float
        The share of the variance of a difference of two mean ranks that is due to seeds, the
        median over pairs; the rest is due to which tasks were drawn. NaN where no cell has a
        second run.
    """
    cells = to_cells(results)
    error = cells.deviation / np.sqrt(np.maximum(cells.repeats, 1))
    if np.isnan(error).all() or not np.nansum(error):
        return np.nan
    error = np.where(np.isnan(error), np.nanmedian(error), error)
    rng = np.random.default_rng(0)
    drawn = np.array([_levels(replace(cells, value=cells.value + np.sqrt(2) * error
                                      * rng.normal(size=error.shape)))
                      for _ in range(RERUNS)])
    return _seeds_share(estimate_ranks(cells), drawn)


def _levels(cells: Cells) -> np.ndarray:
    """Return mean ranks up to a constant, as `estimate_ranks` does, and nothing else of it."""
    if not cells.missing:
        return beaten_by(cells).mean(axis=0)
    methods = cells.value.shape[1]
    level = np.zeros(methods)
    for some in np.array_split(np.arange(methods), 1 + cells.value.size * methods // AT_ONCE):
        won, known = wins_over(cells, some)
        n = known.sum(axis=0)
        rate = (won * known).sum(axis=0) / np.maximum(n, 1)
        level += np.where(n > 0, rate, 0.5).sum(axis=0)
    return level


def _seeds_share(estimate: Estimate, drawn: np.ndarray) -> float:
    """Return the median share of seeds in the squared standard errors of pairs."""
    i, j = np.triu_indices(drawn.shape[1], 1)
    seeds, all_ = (drawn[:, i] - drawn[:, j]).var(axis=0) / 2, estimate.squares[i, j]
    share = np.divide(seeds, all_, out=np.full(len(i), np.nan), where=all_ > 0)
    return float(np.clip(np.nanmedian(share), 0, 1)) if (~np.isnan(share)).any() else np.nan
