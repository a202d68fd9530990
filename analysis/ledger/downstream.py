"""Published numbers on crossing curves (DA4) and on fits (DA3), as the authors' notebooks do.

All of them need the repeats. Crossing compares means that are missing where one repeat is; the
published means skip missing repeats. The regressions are over significant violations.
"""

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

from analysis.crossing.crossing import crossing_probabilities, crossings
from analysis.databases.counted import CLASSIC
from analysis.fitting import fit_curves
from analysis.ledger.means import (
    COLUMNS,
    DUMMY,
    LEFT_OUT,
    flat_curves,
    mean_curves,
    selections,
)
from analysis.ledger.published import CC18
from analysis.shapes import detect_shapes

LEARNERS = [name for name in CLASSIC if name not in LEFT_OUT]
WITH_QDA = [name for name in CLASSIC if name != DUMMY]
# The five that cross least and most with min-max scaling on CC-18, in the authors' notebook.
LEAST = ("SVM_Sigmoid", "Decision Tree", "ExtraTree", "ens.ExtraTrees", "ens.RandomForest")
MOST = ("SVM_RBF", "Perceptron", "LDA", "KNN", "NearestCentroid")
MODEL = "POW4"


def crossing_of_sets(curves: xr.Dataset) -> pd.DataFrame:
    """Mean crossing probability of all pairs within each set of learners, diagonal included.

    An anchor that lacks one repeat has no mean. In % without scaling, as a share with min-max, as
    each is printed.
    """
    rows = []
    for scaling, mean in _on_cc18(curves, LEARNERS, skipna=False):
        chance = crossing_probabilities(crossings(mean, "published"))["crosses"]
        unit = 100 if scaling == "none" else 1
        rows += [(CC18, scaling, label, "crossing_probability", unit * _within(chance, learners))
                 for label, learners in (("; ".join(LEAST), LEAST), ("; ".join(MOST), MOST),
                                         ("all", LEARNERS))]
    return pd.DataFrame(rows, columns=COLUMNS)


def violations_and_fits(curves: xr.Dataset) -> pd.DataFrame:
    """Significant violations against the MSE of their fits (POW4): rank correlation and line.

    Flat curves are left out (Section 5.1), QDA is not; the line is of the natural logarithm of the
    MSE.
    """
    rows = []
    for scaling, mean in _on_cc18(curves, WITH_QDA):
        mse = fit_curves(mean, [MODEL])["mse"].sel(model=MODEL)
        shapes = detect_shapes(_repeats(curves, scaling, mean), "published")
        kept = ~flat_curves(mean) & (mse > 0)
        for kind, word in (("mono", "monotone"), ("conv", "convex")):
            called = (kept & shapes[f"non_{word}"]).transpose(*mse.dims).values
            size = shapes[f"violation_{kind}"].transpose(*mse.dims).values[called]
            error = mse.values[called]
            if len(set(size)) > 1:  # otherwise there is no line and no rank
                rows += [(CC18, scaling, "all", f"{what}_{word}", value)
                         for what, value in _relation(size, error).items()]
    return pd.DataFrame(rows, columns=COLUMNS)


def fits_by_verdict(curves: xr.Dataset) -> pd.DataFrame:
    """Log MSE of well- against ill-behaved curves (POW4): Welch's p, ratio of geometric means.

    Needs the repeats, which decide what is ill-behaved. Flat curves are left out.
    """
    rows = []
    for scaling, mean in _on_cc18(curves, WITH_QDA):
        mse = fit_curves(mean, [MODEL])["mse"].sel(model=MODEL)
        shapes = detect_shapes(_repeats(curves, scaling, mean), "published")
        kept = ~flat_curves(mean) & (mse > 0)
        for verdict, word in (("non_monotone", "monotone"), ("non_convex", "convex")):
            ill = shapes[verdict].transpose(*mse.dims)
            bad, good = (np.log(mse.values[(kept & group).values]) for group in (ill, ~ill))
            if min(len(bad), len(good)) > 1:  # otherwise there is nothing to compare
                p = stats.ttest_ind(bad, good, equal_var=False).pvalue
                rows += [(CC18, scaling, "all", f"welch_p_{word}", p),
                         (CC18, scaling, "all", f"mse_ratio_{word}",
                          np.exp(bad.mean() - good.mean()))]
    return pd.DataFrame(rows, columns=COLUMNS)


def _relation(size: np.ndarray, error: np.ndarray) -> dict[str, float]:
    line = stats.linregress(size, np.log(error))
    return {"spearman": stats.spearmanr(size, error).statistic, "slope": line.slope,
            "intercept": line.intercept}


def _on_cc18(curves: xr.Dataset, learners: list[str], skipna: bool = True):
    """Yield each scaling and its mean curves (dataset, learner, anchor) of some learners."""
    for name, mean in selections(mean_curves(curves, skipna)):
        if name == CC18:
            for scaling in mean["scaling"].values:
                yield str(scaling), mean.sel(scaling=scaling, learner=learners, drop=True)


def _repeats(curves: xr.Dataset, scaling: str, mean: xr.DataArray) -> xr.DataArray:
    """Return the repeats behind mean curves."""
    valid = curves["error_rate"].sel(split="valid", leakage="no", scaling=scaling, drop=True)
    return valid.sel(dataset=mean["dataset"], learner=mean["learner"])


def _within(chance: xr.DataArray, learners: tuple[str, ...] | list[str]) -> float:
    chosen = list(learners)
    return float(chance.sel(learner_a=chosen, learner_b=chosen).fillna(0).mean())
