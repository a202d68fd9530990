"""Verdicts reconstructed from published means and standard errors, where repeats are not at hand.

A paired test needs the repeats. Means and standard errors give the largest violation and, were
anchors independent, its standard error; in truth repeats share their seeds, so that differences
vary less. One number per learner, the share of that variance which is left, is set so that as many
of its curves are called ill-behaved as the paper prints. Which these are follows from the means.
"""

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats
from scipy.optimize import brentq

from analysis.shapes import detect_shapes
from analysis.shapes.significance import ALPHA
from analysis.shapes.verdicts import n_pairs, n_triples
from collection.anchors import anchor_grid

REPEATS = 25
SHARES = (1e-3, 1e3)  # among which to look for a share
SPARSE = anchor_grid(per_doubling=2)  # LCDB 1.0's anchors, as far as LCDB 1.1 has them: one in four


def violation_ratios(means: xr.DataArray, stderr: xr.DataArray) -> xr.Dataset:
    """Return the largest violations in units of their standard error, were anchors independent.

    Parameters
    ----------
    means, stderr : xarray.DataArray, dims (..., anchor)
        Mean error rates and their standard errors; NaN where there is no value.

    Returns
    -------
    xarray.Dataset
        ``mono``, ``conv``: the ratios, NaN where a curve has no such violation, infinite where the
        standard error is 0; ``n_anchors``. Over the dims of `means` without ``anchor``.
    """
    found = detect_shapes(means.expand_dims(outer=[0]), "corrected")
    h, i, j = found["conv_h"], found["conv_i"], found["conv_j"]
    weight = (j - i) / (j - h)
    bend = _at(stderr, i) ** 2 + (weight * _at(stderr, h)) ** 2 + (
        (1 - weight) * _at(stderr, j)) ** 2
    rise = _at(stderr, found["mono_i"]) ** 2 + _at(stderr, found["mono_j"]) ** 2
    with np.errstate(divide="ignore"):
        return xr.Dataset({"mono": found["violation_mono"] / np.sqrt(rise),
                           "conv": found["violation_conv"] / np.sqrt(bend),
                           "n_anchors": found["n_anchors"]})


def _at(values: xr.DataArray, anchors: xr.DataArray) -> xr.DataArray:
    """Return the values at an anchor per curve; NaN where that is NaN."""
    known = anchors.fillna(values["anchor"].values[0]).astype(int)
    return values.sel(anchor=known).drop_vars("anchor").where(anchors.notnull())


def reconstructed(ratios: xr.Dataset, share: float | xr.DataArray,
                  n_anchors: xr.DataArray | None = None) -> xr.DataArray:
    """Tell which curves the published procedure would call ill-behaved.

    Parameters
    ----------
    ratios : xarray.Dataset
        From `violation_ratios`.
    share : float or xarray.DataArray, dims (learner)
        The variance of a difference over repeats, as a share of that of independent anchors.
    n_anchors : xarray.DataArray, optional
        How many anchors the correction is to pay for; as many as there are, unless given.

    Returns
    -------
    xarray.DataArray of bool
    """
    n = (ratios["n_anchors"] if n_anchors is None else n_anchors).astype(int)
    called = [xr.apply_ufunc(stats.t.sf, ratios[kind] / np.sqrt(share), REPEATS - 1) * count(n)
              < ALPHA for kind, count in (("mono", n_pairs), ("conv", n_triples))]
    return called[0] | called[1]


def calibrated_shares(ratios: xr.Dataset, percent: pd.Series) -> xr.DataArray:
    """Return, per learner, the share at which as many of its curves are called as are printed.

    Learners differ: two repeats of a random one share less than two of a tree.

    Parameters
    ----------
    ratios : xarray.Dataset, dims (dataset, learner)
        From `violation_ratios`.
    percent : pandas.Series
        Ill-behaved curves of each learner, in percent of all datasets.
    """
    shares = []
    for learner in ratios["learner"].values:
        own = ratios.sel(learner=learner)
        shares.append(brentq(
            lambda share, own=own, wanted=percent[learner]:
            100 * float(reconstructed(own, share).mean()) - wanted, *SHARES, xtol=1e-4))
    return xr.DataArray(shares, dims="learner", coords={"learner": ratios["learner"]})


def on_sparse_grid(means: xr.DataArray, stderr: xr.DataArray) -> tuple[xr.Dataset, xr.DataArray]:
    """Return `violation_ratios` on one anchor in four, and the anchors in between.

    As the paper does with LCDB 1.0, the correction pays for all of LCDB 1.1's anchors between the
    first and the last one kept. Straight lines between the anchors kept violate nothing of their
    own, so that the largest violations are those of the anchors kept.
    """
    kept = means.sel(anchor=means["anchor"].isin(SPARSE))
    there = kept["anchor"].where(kept.notnull())
    within = (means["anchor"] >= there.min("anchor")) & (means["anchor"] <= there.max("anchor"))
    ratios = violation_ratios(kept, stderr.sel(anchor=kept["anchor"]))
    return ratios, (means.notnull() & within).sum("anchor")


def reconstruction_check(valid: xr.DataArray) -> pd.DataFrame:
    """Try the reconstruction where the repeats are known.

    Parameters
    ----------
    valid : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        Error rates.

    Returns
    -------
    pandas.DataFrame
        A row: ``curves``, those called ill-behaved ``by_repeats``, ``by_means`` and by ``both``,
        and ``agree``, the percentage of curves with the same verdict.
    """
    truth = detect_shapes(valid, "corrected")["ill_behaved"]
    means, repeats = valid.mean(["outer", "inner"]), valid.notnull().sum(["outer", "inner"])
    spread = valid.std(["outer", "inner"], ddof=1) / np.sqrt(repeats.where(repeats > 1))
    ratios = violation_ratios(means, spread)
    shares = calibrated_shares(ratios, 100 * truth.mean("dataset").to_series())
    guess = reconstructed(ratios, shares)
    counts = {"by_repeats": truth, "by_means": guess, "both": truth & guess}
    return pd.DataFrame([{"curves": truth.size} | {k: int(v.sum()) for k, v in counts.items()}
                         | {"agree": 100 * float((truth == guess).mean())}])
