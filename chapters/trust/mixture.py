"""The shares of true sizes that make what is seen of real curves most likely, by learner."""

from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from analysis.statistics.bootstrap import exact_share, percentile_interval, resample_datasets
from analysis.statistics.families import families
from analysis.statistics.summary import TIE
from chapters.lab.calibration.on_databases import opened
from chapters.trust.prevalence import N_TRUE, SEEN_ENDS, TRUE_ENDS, seen_curves
from collection.project.paths import ROOT

CACHE = ROOT / "data" / "cache" / "prevalence"

THRESHOLDS = (0.005, 0.01, 0.02, 0.05)
#: What is seen of a curve, by whose calls count; its size, measured anew, counts beside them.
SEEN_BY = {
    "max_t": lambda t: np.where(t["max_t"], 1 + t["size"], 0),
    "corrected": lambda t: np.where(t["corrected"], 1 + t["size"], 0),
    "both": lambda t: (t["max_t"] + 2 * t["corrected"]) * (len(SEEN_ENDS) + 1) + t["size"],
}
N_SEEN = 4 * (len(SEEN_ENDS) + 1)
ROWS = (700, 2500)  # largest training set: between small, middling and large datasets
OWN, COMMON = 0.5, 10.0  # curves that all learners' chances, and their pooled ones, are worth
N_FOLDS = 5  # of families, by which the strength is chosen
STRENGTHS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)  # curves that the learners' mean is worth
TOLERANCE, STEPS = 1e-5, 2000  # of expectation maximisation
LEAST_SHARE = 1e-9  # from which a share may still grow
N_RESAMPLES = 200
N_DRAWS = 99  # of the model's own data
LEADERS = ("SVM_Sigmoid", "QDA", "LDA")  # with the most curves called: `chapters.da1`


@dataclass(frozen=True)
class Counts:
    """What is seen of real curves, and of the pool's by true size.

    Attributes
    ----------
    seen : ndarray, shape (n_datasets, n_learners, n_rows, n_seen)
        Real curves, 0 or 1.
    pool : ndarray, shape (n_learners, n_rows, n_true, n_seen)
        Simulated curves.
    tried : ndarray, shape (n_datasets, n_learners)
        Real curves that were tried, missing ones included.
    datasets, learners : ndarray
        Labels.
    """

    seen: np.ndarray
    pool: np.ndarray
    tried: np.ndarray
    datasets: np.ndarray
    learners: np.ndarray


def counts_of(table: pd.DataFrame, pools: tuple[str, ...], seen_by: str) -> Counts:
    """Count curves by what is seen of them.

    Parameters
    ----------
    table : pandas.DataFrame
        From `chapters.trust.prevalence.seen_curves`.
    pools : tuple of str
        Which pools, counted together.
    seen_by : str
        A key of `SEEN_BY`.
    """
    learners, datasets = np.unique(table["learner"]), np.unique(table["dataset"])
    at = np.searchsorted(learners, table["learner"])
    rows, cell = np.searchsorted(ROWS, table["last"]), np.asarray(SEEN_BY[seen_by](table), int)
    real, chosen = (table["pool"] == "real").to_numpy(), table["pool"].isin(pools).to_numpy()
    seen = np.zeros((len(datasets), len(learners), len(ROWS) + 1, N_SEEN))
    np.add.at(seen, (np.searchsorted(datasets, table["dataset"][real]), at[real], rows[real],
                     cell[real]), 1)
    pool = np.zeros((*seen.shape[1:3], N_TRUE, N_SEEN))
    np.add.at(pool, (at[chosen], rows[chosen], table["true"].to_numpy()[chosen], cell[chosen]), 1)
    return Counts(seen, pool, np.ones(seen.shape[:2]), datasets, learners)


def chances(pool: np.ndarray) -> np.ndarray:
    """Return the chances of what is seen by true size, each learner's own filled up with all's."""
    every = pool.sum(axis=-4, keepdims=True) + OWN
    every = every / every.sum(axis=-1, keepdims=True)
    own = pool + COMMON * every
    return own / own.sum(axis=-1, keepdims=True)


def fit_weights(seen: np.ndarray, matrix: np.ndarray, strength: float) -> np.ndarray:
    """Return each learner's shares of true sizes, drawn towards the learners' mean.

    Expectation maximisation until no share moves by more than `TOLERANCE`, with steps squared
    ahead (Varadhan and Roland's SQUAREM), as it is slow where sizes are told apart badly.

    Parameters
    ----------
    seen : ndarray, shape (..., n_learners, n_rows, n_seen)
        Counts of real curves.
    matrix : ndarray, shape (..., n_learners, n_rows, n_true, n_seen)
        From `chances`.
    strength : float
        How many curves the mean of all learners is worth beside a learner's own.

    Returns
    -------
    ndarray, shape (..., n_learners, n_true)

    Raises
    ------
    RuntimeError
        Where they still move after `STEPS` steps.
    """
    weights = np.full((*seen.shape[:-2], matrix.shape[-2]), 1 / matrix.shape[-2])
    for _ in range(STEPS):
        once = _step(weights, seen, matrix, strength)
        twice = _step(once, seen, matrix, strength)
        if np.abs(twice - once).max() < TOLERANCE:
            return twice
        first, bend = once - weights, (twice - once) - (once - weights)
        length, turn = (np.sqrt((d**2).sum(axis=(-1, -2), keepdims=True)) for d in (first, bend))
        far = np.maximum(1, np.divide(length, turn, out=np.ones_like(turn), where=turn > 0))
        ahead = np.maximum(weights + 2 * far * first + far**2 * bend, LEAST_SHARE)
        weights = _step(ahead / ahead.sum(axis=-1, keepdims=True), seen, matrix, strength)
    raise RuntimeError(f"The shares still moved after {STEPS} steps.")


def _step(weights: np.ndarray, seen: np.ndarray, matrix: np.ndarray,
          strength: float) -> np.ndarray:
    """Return the shares after one step of expectation maximisation."""
    total = seen.sum(axis=(-1, -2))[..., None]
    mixed = np.einsum("...lk,...lrkc->...lrc", weights, matrix)
    ratio = np.divide(seen, mixed, out=np.zeros_like(mixed), where=mixed > 0)
    own = weights * np.einsum("...lrkc,...lrc->...lk", matrix, ratio)
    mean = own.sum(axis=-2, keepdims=True) / total.sum(axis=-2, keepdims=True)
    return (own + strength * mean) / (total + strength)


def log_likelihood(seen: np.ndarray, matrix: np.ndarray, weights: np.ndarray) -> float:
    """Return the logarithm of how likely counts are under weights."""
    mixed = np.einsum("...lk,...lrkc->...lrc", weights, matrix)
    return float((seen * np.log(mixed)).sum())


def left_out_fits(counts: Counts) -> dict[float, float]:
    """Return how well left-out families of datasets fit, as log-likelihood, by `STRENGTHS`."""
    matrix, fold = chances(counts.pool), folds(counts.datasets, N_FOLDS)
    return {strength: sum(log_likelihood(
        counts.seen[fold == k].sum(axis=0), matrix,
        fit_weights(counts.seen[fold != k].sum(axis=0), matrix, strength))
        for k in range(N_FOLDS)) for strength in STRENGTHS}


def folds(datasets: np.ndarray, n_folds: int) -> np.ndarray:
    """Return the fold of each dataset; those of a family are in one."""
    of, names = pd.factorize(families(datasets))
    return np.random.default_rng(0).permutation(np.arange(len(names)) % n_folds)[of]


def at_least(weights: np.ndarray, seen: np.ndarray, tried: np.ndarray) -> np.ndarray:
    """Return percent of a learner's curves tried with a true size of at least each threshold.

    Parameters
    ----------
    weights : ndarray, shape (..., n_learners, n_true)
        From `fit_weights`.
    seen : ndarray, shape (..., n_learners, n_rows, n_seen)
        Counts of real curves; missing ones, which have no shape, are not among them.
    tried : ndarray, shape (..., n_learners)
        Curves tried.

    Returns
    -------
    ndarray, shape (..., n_learners, n_thresholds)
    """
    lower = np.array([-np.inf, *TRUE_ENDS[:-1]])
    large = lower >= np.array(THRESHOLDS)[:, None] - TIE
    there = seen.sum(axis=(-1, -2)) / np.maximum(tried, 1)
    return 100 * there[..., None] * (weights @ large.T)


def estimated(counts: Counts, strength: float) -> np.ndarray:
    """Return `at_least` as estimated, shape (n_learners, n_thresholds)."""
    seen, tried = counts.seen.sum(axis=0), counts.tried.sum(axis=0)
    return at_least(fit_weights(seen, chances(counts.pool), strength), seen, tried)


def estimates(counts: Counts, strength: float) -> tuple[np.ndarray, np.ndarray]:
    """Return `at_least` as estimated, and on resamples of families and of the pool's curves.

    Returns
    -------
    ndarray, shapes (n_learners, n_thresholds) and (n_resamples, n_learners, n_thresholds)
    """
    times = resample_datasets(counts.datasets, n_resamples=N_RESAMPLES)
    rng, drawn = np.random.default_rng(0), []
    for part in np.array_split(times, 4):
        some = np.tensordot(part, counts.seen, axes=1)
        pools = rng.poisson(np.broadcast_to(counts.pool, (len(part), *counts.pool.shape)))
        weights = fit_weights(some, chances(pools.astype(float)), strength)
        drawn.append(at_least(weights, some, part @ counts.tried))
    return estimated(counts, strength), np.concatenate(drawn)


def fit_p_value(counts: Counts, strength: float) -> float:
    """Return the chance that the model's own data fit it no better than the real ones do.

    The distance is that of what is seen from what is expected, added up over learners (the
    likelihood-ratio statistic), after fitting the shares anew; the pool's counts are drawn anew,
    too, as they are known from as many curves only.
    """
    seen, rng = counts.seen.sum(axis=0), np.random.default_rng(0)
    matrix = chances(counts.pool)
    weights = fit_weights(seen, matrix, strength)
    observed = _distance(seen, matrix, weights)
    pools = rng.poisson(np.broadcast_to(counts.pool, (N_DRAWS, *counts.pool.shape))).astype(float)
    mixed = np.einsum("lk,nlrkc->nlrc", weights, chances(pools))
    drawn = rng.multinomial(np.broadcast_to(seen.sum(axis=-1).astype(int), mixed.shape[:-1]),
                            mixed / mixed.sum(axis=-1, keepdims=True)).astype(float)
    anew = fit_weights(drawn, np.broadcast_to(matrix, (N_DRAWS, *matrix.shape)), strength)
    distances = np.array([_distance(one, matrix, w) for one, w in zip(drawn, anew, strict=True)])
    return float((1 + (distances >= observed).sum()) / (N_DRAWS + 1))


def _distance(seen: np.ndarray, matrix: np.ndarray, weights: np.ndarray) -> float:
    expected = np.einsum("lk,lrkc->lrc", weights, matrix) * seen.sum(axis=-1, keepdims=True)
    together, expected = seen.sum(axis=(0, 1)), expected.sum(axis=(0, 1))
    known = together > 0
    return float(2 * (together[known] * np.log(together[known] / expected[known])).sum())


def _groups(counts: Counts) -> dict[str, np.ndarray]:
    """Return which learners make up each row of the table."""
    leads = np.isin(counts.learners, LEADERS)
    single = {name: counts.learners == name for name in counts.learners}
    return {"all": np.ones(len(leads), bool), "the three leaders": leads,
            "the others": ~leads} | single


def prevalence(table: pd.DataFrame) -> pd.DataFrame:
    """Estimate how many curves truly have a violation, by model, procedure and learner.

    Parameters
    ----------
    table : pandas.DataFrame
        From `chapters.trust.prevalence.seen_curves`.

    Returns
    -------
    pandas.DataFrame
        ``pool`` (the curves that error rates are measured on), ``seen_by`` (whose calls),
        ``learner`` (or all, the three leaders, the others), ``min_violation``, ``share, low, high``
        (percent of the curves tried; 95 % interval over families and the pool's counts), ``n``
        (curves tried), ``strength`` (of the pooling) and ``fit_p`` (`fit_p_value`). Rows of
        ``seen_by`` "max_t less corrected" hold the paired difference of the two. Of single pools
        the shares alone are given: their spread is what the intervals leave out.
    """
    names = [name for name in table["pool"].unique() if name != "real"]
    redrawn = tuple(name for name in names if name.endswith("redrawn"))
    fits = left_out_fits(counts_of(table, redrawn, "both"))
    strength, rows, drawn = max(fits, key=fits.get), [], {}
    for seen_by in SEEN_BY:
        counts = counts_of(table, redrawn, seen_by)
        drawn[seen_by] = estimates(counts, strength)
        rows += _rows(counts, ("real residuals", seen_by), *drawn[seen_by],
                      fit_p=fit_p_value(counts, strength))
    less = [a - b for a, b in zip(drawn["max_t"], drawn["corrected"], strict=True)]
    rows += _rows(counts, ("real residuals", "max_t less corrected"), *less)
    for name, seen_by in product(names, SEEN_BY):
        counts = counts_of(table, (name,), seen_by)
        rows += _rows(counts, (name, seen_by), estimated(counts, strength))
    table = pd.DataFrame(rows, columns=["pool", "seen_by", "learner", "min_violation", "share",
                                        "low", "high", "n", "fit_p"])
    table.insert(8, "strength", strength)
    return table


def by_strength(table: pd.DataFrame) -> pd.DataFrame:
    """Return what the estimate rests on: the shares by how strongly learners are pooled.

    Parameters
    ----------
    table : pandas.DataFrame
        From `chapters.trust.prevalence.seen_curves`.

    Returns
    -------
    pandas.DataFrame
        ``strength`` (curves that the mean of all learners is worth), ``learner`` (all, the three
        leaders, the others), ``min_violation``, ``share`` (percent of the curves tried), and
        ``left_out``: log-likelihood of families that took no part in the fit.
    """
    pools = tuple(name for name in table["pool"].unique() if name.endswith("redrawn"))
    counts, rows = counts_of(table, pools, "both"), []
    for strength, fit in left_out_fits(counts).items():
        shares = estimated(counts, strength)
        rows += [{"strength": strength, "learner": learner, "min_violation": threshold,
                  "share": shares[of, k].mean(), "left_out": fit}
                 for learner, of in list(_groups(counts).items())[:3]
                 for k, threshold in enumerate(THRESHOLDS)]
    return pd.DataFrame(rows)


def _rows(counts: Counts, keys: tuple[str, str], estimate: np.ndarray,
          again: np.ndarray | None = None, fit_p: float = np.nan) -> list[tuple]:
    """Return rows of `prevalence` of a pool and whose calls are seen, by learner and threshold."""
    rows, unknown = [], np.full(len(THRESHOLDS), np.nan)
    for learner, of in _groups(counts).items():
        low, high = (unknown, unknown) if again is None else percentile_interval(
            again[:, of].mean(axis=1))
        rows += [(*keys, learner, threshold, estimate[of, k].mean(), low[k], high[k],
                  int(counts.tried[:, of].sum()), fit_p) for k, threshold in enumerate(THRESHOLDS)]
    return rows


def called_by_size(table: pd.DataFrame) -> pd.DataFrame:
    """Return how often curves of each true size are called, on the database's own grids.

    Parameters
    ----------
    table : pandas.DataFrame
        From `chapters.trust.prevalence.seen_curves`.

    Returns
    -------
    pandas.DataFrame
        ``residuals`` ("redrawn", "normal"), ``procedure``, ``size`` (lower end of the class; 0:
        well-behaved), ``rate, low, high`` (percent called, 95 % Clopper-Pearson interval), ``n``
        (curves).
    """
    pool = table[table["pool"] != "real"]
    rows, lower = [], (0.0, *TRUE_ENDS[:-1])
    for (residuals, true), group in pool.groupby([pool["pool"].str.split(", ").str[-1], "true"],
                                                 sort=False):
        for procedure in ("max_t", "corrected"):
            hits, n = int(group[procedure].sum()), len(group)
            rate, low, high = exact_share(hits, n)
            rows.append({"residuals": residuals, "procedure": procedure, "size": lower[true],
                         "rate": rate, "low": low, "high": high, "n": n})
    return pd.DataFrame(rows).sort_values(["residuals", "procedure", "size"], ignore_index=True)


def seen_on_lcdb10() -> pd.DataFrame:
    """Return `seen_curves` of LCDB 1.0, the learners that Table 4 counts."""
    valid, _ = opened("lcdb10")
    return seen_curves(valid.isel(scaling=0, drop=True), CACHE)


#: What is kept, as it takes minutes.
KEPT = {"trust_prevalence": lambda: prevalence(seen_on_lcdb10()),
        "trust_strengths": lambda: by_strength(seen_on_lcdb10()),
        "trust_real_grids": lambda: called_by_size(seen_on_lcdb10())}
