"""How the repeats of a learning curve scatter: fitted to real curves, drawn for simulated ones.

A repeat's error rate differs from the curve's true mean by two things. Its validation set is
finite, which adds about the binomial variance μ(1 − μ)/n_valid, at every anchor alike. And its
training set is one of many, which matters most where that is small. Both change slowly along the
curve, as training sets are nested and the validation set is the same: the correlation between two
anchors falls with their distance in octaves (doublings of the training set).
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from scipy.optimize import curve_fit, nnls

from analysis.databases.chapter_curves import counted_curves
from analysis.shapes.curves import CurveStack
from analysis.shapes.lookalikes import MAX_VALID, VALID_SHARE
from analysis.statistics.summary import REPEATS
from collection.project.naming import check_known
from collection.project.paths import DATA, shipped

FILE = DATA / "noise.csv"
FIRST = 16  # rows of the smallest training set
LEAST_CURVES = 10  # behind the kept noise of a learner
DECAY = 1.2  # the training sets' variance falls with rows to this power: on LCDB 1.0, 1.1 to 1.3
#: A dataset's own curve, the mean over all its splits, deviates from its population's smoothly,
#: as it rests on the same rows at every anchor. So do those of `learned.py`.
DATASET_OCTAVES = 10.0
COLUMNS = ("valid", "train", "octaves", "common", "outer")


class Noise(NamedTuple):
    """Noise of curves, each attribute a number or an array of shape (n_curves,).

    Attributes
    ----------
    valid : float
        Variance at large training sets over the binomial variance of the validation set.
    train : float
        Standard deviation that training sets of 16 rows add, as an error rate.
    octaves : float
        Doublings of the training set over which the correlation falls to 1/e.
    common : float
        The share of the variance that all anchors of a repeat have in common.
    outer : float
        Correlation of two repeats with the same outer seed; below 0 where their validation sets
        complement one another.
    """

    valid: np.ndarray
    train: np.ndarray
    octaves: np.ndarray
    common: np.ndarray
    outer: np.ndarray


OF_DATASET = Noise(valid=1.0, train=0.0, octaves=DATASET_OCTAVES, common=0.0, outer=0.0)


def fit_noise(valid: xr.DataArray) -> pd.DataFrame:
    """Fit the noise of each learner to the covariances of its curves.

    Parameters
    ----------
    valid : DataArray
        Validation error rates, dims ``learner, outer, inner, anchor`` and any others. Curves with
        fewer than six anchors, or with a repeat missing anywhere, are left out.

    Returns
    -------
    DataFrame
        ``learner, curves``, then `COLUMNS` as in `Noise`. Scales are medians over the learner's
        curves, correlations are fitted to means. Learners with fewer than three curves are absent.
    """
    rows = []
    for learner in valid["learner"].values:
        curves = list(_complete_curves(valid.sel(learner=learner)))
        if len(curves) >= 3:
            scales = np.median([_scales(*curve) for curve in curves], axis=0)
            outer = np.nanmedian([_outer_correlation(repeats) for _, repeats in curves])
            rows.append((str(learner), len(curves), *scales, *_correlation(curves), outer))
    return pd.DataFrame(rows, columns=["learner", "curves", *COLUMNS])


def _complete_curves(valid: xr.DataArray):
    """Yield (anchors, repeats (n_outer, n_inner, n_anchors)) of curves that lack no repeat."""
    shape = [valid.sizes[d] for d in REPEATS]
    for curves in CurveStack(valid).blocks():
        for row in np.flatnonzero(curves.counts >= 6):
            n = curves.counts[row]
            repeats = curves.values[row, :, :n]
            if not np.isnan(repeats).any() and repeats.var(axis=0).max() > curves.rounding[row]:
                yield curves.anchors[row, :n], repeats.reshape(*shape, n)


def _flat_repeats(repeats: np.ndarray) -> np.ndarray:
    return repeats.reshape(-1, repeats.shape[-1])


def _scales(anchors: np.ndarray, repeats: np.ndarray) -> tuple[float, float]:
    flat = _flat_repeats(repeats)
    mean, variance = flat.mean(axis=0), flat.var(axis=0, ddof=1)
    n_valid = min(MAX_VALID, max(1, round(anchors[-1] * VALID_SHARE)))
    binomial = np.maximum(mean * (1 - mean), 1e-4) / n_valid
    parts = np.stack([np.ones(len(anchors)), (FIRST / anchors) ** DECAY / binomial], axis=1)
    (valid, train), _ = nnls(parts, variance / binomial)
    return valid, np.sqrt(train)


def _correlation(curves: list) -> tuple[float, float]:
    lags, correlations = [], []
    for anchors, repeats in curves:
        flat = _flat_repeats(repeats)
        moves = flat.std(axis=0) > 1e-9
        log_x = np.log2(anchors[moves])
        above = np.triu_indices(len(log_x), 1)
        lags.append((log_x[None] - log_x[:, None])[above])
        correlations.append(np.atleast_2d(np.corrcoef(flat[:, moves].T))[above])
    lag, correlation = np.concatenate(lags), np.concatenate(correlations)
    mean = pd.Series(correlation).groupby(np.round(4 * lag) / 4).agg(["mean", "size"])
    mean = mean[mean["size"] >= 10]
    (octaves, common), _ = curve_fit(correlation_at, mean.index.to_numpy(), mean["mean"],
                                     p0=(1.0, 0.1), bounds=([0.05, 0], [10, 0.9]),
                                     sigma=mean["size"] ** -0.5)
    return octaves, common


def correlation_at(lag: np.ndarray, octaves: float, common: float) -> np.ndarray:
    """Return the correlation of two anchors that lie `lag` octaves apart."""
    return common + (1 - common) * np.exp(-np.abs(lag) / octaves)


def _outer_correlation(repeats: np.ndarray) -> float:
    n_inner = repeats.shape[1]
    if n_inner < 2 or len(repeats) < 2:
        return np.nan
    within = repeats.var(axis=1, ddof=1).mean(axis=0).sum()
    between = repeats.mean(axis=1).var(axis=0, ddof=1).sum() - within / n_inner
    return between / (between + within)


def fitted_noise(database: str, learners: list[str] | None = None) -> pd.DataFrame:
    """Fit the noise of a database's learners, without scaling.

    Parameters
    ----------
    database : str
        Name or path.
    learners : list of str, optional
        Only these; by default all that Table 4 counts.

    Returns
    -------
    pandas.DataFrame
        As `fit_noise`, with a column ``database``; learners with fewer than ten curves are absent.
    """
    table = fit_noise(counted_curves(database, "none", learners or ())[0])
    table.insert(0, "database", database)
    return table[table["curves"] >= LEAST_CURVES]


@lru_cache(maxsize=1)
def kept_noise() -> pd.DataFrame:
    """Return what was fitted to the databases: `fit_noise` with a column ``database``."""
    return pd.read_csv(shipped(FILE))


def sample_noise(source: str, n: int, rng: np.random.Generator) -> Noise:
    """Draw the noise of `n` curves, each that of a learner picked at random.

    Parameters
    ----------
    source : str
        A database in `kept_noise`: "lcdb10" or "mini".
    n : int
        Curves.
    rng : Generator
        Where draws come from.

    Raises
    ------
    UnknownNameError
        If no noise was fitted to that database.
    """
    kept = kept_noise()
    check_known("database with fitted noise", [source], kept["database"].unique())
    fitted = kept.loc[kept["database"] == source, list(COLUMNS)].to_numpy()
    return Noise(*fitted[rng.integers(len(fitted), size=n)].T)


def variances(true: np.ndarray, anchors: np.ndarray, n_valid: int, noise: Noise) -> np.ndarray:
    """Return the variance of a repeat from its validation and its training set.

    True curves and the variances have the shape (n_curves, n_anchors).
    """
    from_validation = noise.valid[:, None] * true * (1 - true) / n_valid
    return from_validation + (FIRST / anchors) ** DECAY * noise.train[:, None] ** 2


def draw_noise(anchors: np.ndarray, noise: Noise, repeats: tuple[int, int],
               rng: np.random.Generator) -> np.ndarray:
    """Draw noise of variance 1, correlated along the curve and within an outer seed.

    Parameters
    ----------
    anchors : ndarray, shape (n_anchors,)
        Training-set sizes in rows.
    noise : Noise
        Of each curve.
    repeats : tuple of int
        Outer and inner seeds.
    rng : Generator
        Where draws come from.

    Returns
    -------
    ndarray, shape (n_curves, n_outer, n_inner, n_anchors)
    """
    shape = (len(noise.octaves), *repeats)
    along = np.empty((*shape, len(anchors)))
    lags = np.diff(np.log2(anchors))
    along[..., 0] = rng.normal(size=shape)
    for k, lag in enumerate(lags, start=1):  # a process that forgets exponentially
        kept = np.exp(-lag / noise.octaves)[:, None, None]
        along[..., k] = kept * along[..., k - 1] + np.sqrt(1 - kept**2) * rng.normal(size=shape)
    common = noise.common[:, None, None, None]
    drawn = np.sqrt(1 - common) * along + np.sqrt(common) * rng.normal(size=(*shape, 1))
    return _correlate_within_outer(drawn, noise.outer)


def _correlate_within_outer(drawn: np.ndarray, correlation: np.ndarray) -> np.ndarray:
    """Make the repeats of an outer seed correlated by stretching or shrinking their mean."""
    n_inner = drawn.shape[2]
    correlation = np.maximum(correlation, -1 / n_inner)[:, None, None, None]
    mean = drawn.mean(axis=2, keepdims=True)
    stretch = np.sqrt((1 + (n_inner - 1) * correlation) / (1 - correlation))
    scale = np.sqrt(1 - correlation)
    return scale * (drawn - mean + stretch * mean)
