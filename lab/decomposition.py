"""What the paper's faults and its denser grid do to the share of ill-behaved curves.

Verdicts on LCDB 1.1 are reconstructed from its means and standard errors, as its repeats are not at
hand. A paired test needs the repeats; means and standard errors give the largest violation and,
were anchors independent, its standard error. In truth repeats share their seeds, so that
differences vary less. One number per learner, the share of that variance which is left, is set so
that as many of its curves are called ill-behaved as the paper prints. Which these are follows from
the means.

What the denser grid adds depends on how many comparisons the coarse one is corrected for: as many
as the dense grid makes, or its own. Both are taken.

Makes ``da1_decomposition`` and ``da1_reconstruction_check``, which need LCDB 1.1's means, in a
minute, for *How many learning curves misbehave?* and *When is a strange curve the software's
fault?*
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats
from scipy.optimize import brentq

from analysis.databases.chapter_curves import validation_errors, without_stray
from analysis.published.printed import printed_shares
from analysis.shapes import dense_lcdb10_cube, detect_shapes, published_lcdb10_cube
from analysis.shapes.significance import ALPHA
from analysis.shapes.verdicts import n_pairs, n_triples
from analysis.statistics.bootstrap import percentile_interval, ratio_of_sums, resample_datasets
from analysis.statistics.summary import standard_error
from collection.protocol.anchors import anchor_grid
from lab.means import published_means
from lab.resolution import values_at

DUMMY = "DummyClassifier"
REPEATS = 25
SHARES = (1e-3, 1e3)  # among which to look for a share
SPARSE = anchor_grid(per_doubling=2)  # LCDB 1.0's anchors, as far as LCDB 1.1 has them: one in four

#: Whose comparisons a coarse grid is corrected for.
DENSE_PRICE, OWN_PRICE = "the dense grid's", "each grid its own"
GRID_STEP = "grid: four times as many anchors"


class Verdicts(NamedTuple):
    """Ill-behaved curves by dataset and learner, and which curves there are.

    Attributes
    ----------
    old : dict of str to DataArray
        LCDB 1.0: "published", "rounding", "anchors", the steps of its correction.
    old_there : DataArray
        Which of LCDB 1.0's curves are not missing.
    new : dict of str to DataArray
        LCDB 1.1, reconstructed from its means: on all anchors, "dense", on one in four corrected as
        all, "sparse", and on one in four corrected for themselves, "sparse own".
    new_there : DataArray
        Which of LCDB 1.1's curves are not missing.
    """

    old: dict[str, xr.DataArray]
    old_there: xr.DataArray
    new: dict[str, xr.DataArray]
    new_there: xr.DataArray


def old_curves() -> xr.DataArray:
    """Return LCDB 1.0's validation errors without scaling."""
    return validation_errors("lcdb10").load().squeeze("scaling", drop=True)


def old_verdicts() -> tuple[dict[str, xr.DataArray], xr.DataArray]:
    """Return the first two fields of `Verdicts`."""
    valid = old_curves()
    steps = {"published": detect_shapes(valid, "published"),
             "rounding": detect_shapes(published_lcdb10_cube(valid), "corrected_independent"),
             "anchors": detect_shapes(dense_lcdb10_cube(valid), "corrected_independent")}
    return ({name: found["ill_behaved"] for name, found in steps.items()},
            valid.notnull().any(["outer", "inner", "anchor"]))


@lru_cache(maxsize=1)
def both_verdicts() -> Verdicts:
    """Judge both databases; FileNotFoundError where LCDB 1.1's means are not at hand."""
    means = published_means()
    errors = without_stray(means["error_rate"]).drop_sel(learner=DUMMY)
    stderr = means["error_rate_stderr"].sel(learner=errors["learner"])
    ratios = violation_ratios(errors, stderr)
    share = calibrated_shares(ratios, printed_shares())
    sparse, between = on_sparse_grid(errors, stderr)
    new = {"dense": reconstructed(ratios, share), "sparse": reconstructed(sparse, share, between),
           "sparse own": reconstructed(sparse, share)}
    return Verdicts(*old_verdicts(), new, errors.notnull().any("anchor"))


def decomposition(found: Verdicts) -> pd.DataFrame:
    """Return what some differences between the databases add to the share, in points.

    The faults of the published procedure on all of LCDB 1.0's curves, missing ones included; the
    grid on the curves of LCDB 1.1 whose dataset and learner both databases have.

    Parameters
    ----------
    found : Verdicts
        From `both_verdicts`.

    Returns
    -------
    pandas.DataFrame
        ``price`` (whose comparisons a coarse grid is corrected for), ``step`` in words,
        ``change`` in points, ``low, high``: 95 % intervals from resampling the datasets of both
        databases.
    """
    datasets = np.union1d(found.old_there["dataset"], found.new_there["dataset"])
    learners = found.old_there["learner"]
    in_old = xr.ones_like(found.old_there).reindex(dataset=datasets, fill_value=False)
    new = found.new_there.reindex(dataset=datasets, fill_value=False).sel(learner=learners)
    # As they are, and drawn anew.
    times = np.vstack([np.ones(len(datasets)), resample_datasets(datasets)])
    rates = {}
    for name, called in (found.old | found.new).items():
        of = in_old if name in found.old else new & in_old
        called = called.reindex(dataset=datasets, fill_value=False).sel(learner=learners) & of
        rates[name] = 100 * ratio_of_sums(called.sum("learner").values, of.sum("learner").values,
                                          times)
    rows = []
    for (price, step), (before, after) in STEPS.items():
        change, *moved = (rates[after] - rates[before]).tolist()
        rows.append((price, step, change, *map(float, percentile_interval(np.array(moved)))))
    return pd.DataFrame(rows, columns=["price", "step", "change", "low", "high"])


#: Each step and the rates between which it lies, by their names in `decomposition`.
STEPS = {(DENSE_PRICE, "rounding no longer counts (LCDB 1.0)"): ("published", "rounding"),
         (DENSE_PRICE, "every anchor in its place (LCDB 1.0)"): ("rounding", "anchors"),
         (DENSE_PRICE, GRID_STEP): ("sparse", "dense"),
         (OWN_PRICE, GRID_STEP): ("sparse own", "dense")}


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
    bend = values_at(stderr, i) ** 2 + (weight * values_at(stderr, h)) ** 2 + (
        (1 - weight) * values_at(stderr, j)) ** 2
    rise = values_at(stderr, found["mono_i"]) ** 2 + values_at(stderr, found["mono_j"]) ** 2
    with np.errstate(divide="ignore"):
        return xr.Dataset({"mono": found["violation_mono"] / np.sqrt(rise),
                           "conv": found["violation_conv"] / np.sqrt(bend),
                           "n_anchors": found["n_anchors"]})


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
        How many anchors the correction allows for; as many as there are, unless given.

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

    As the paper does with LCDB 1.0, the correction is for all of LCDB 1.1's anchors between the
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
        A row: ``curves``, those called ill-behaved ``by_repeats``, ``by_means`` and by ``both``.
    """
    truth = detect_shapes(valid, "corrected_independent")["ill_behaved"]
    ratios = violation_ratios(valid.mean(["outer", "inner"]), standard_error(valid))
    shares = calibrated_shares(ratios, 100 * truth.mean("dataset").to_series())
    guess = reconstructed(ratios, shares)
    counts = {"by_repeats": truth, "by_means": guess, "both": truth & guess}
    return pd.DataFrame([{"curves": truth.size} | {k: int(v.sum()) for k, v in counts.items()}])


#: What is kept, as it needs LCDB 1.1's means.
KEPT = {"da1_decomposition": lambda: decomposition(both_verdicts()),
        "da1_reconstruction_check": lambda: reconstruction_check(old_curves())}
