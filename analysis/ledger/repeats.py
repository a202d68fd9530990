"""Published numbers that need every repeat: shapes, and what leakage changes."""

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

from analysis.databases.strays import without_stray
from analysis.fitting import fit_curves
from analysis.ledger import means
from analysis.published.printed import CC18, LCDB10
from analysis.selection.crossing import crossing_probabilities, crossings
from analysis.shapes import detect_shapes
from analysis.shapes.treatments import leakage_differences
from analysis.shapes.verdicts import VERDICTS
from collection.containers.learner_names import CLASSIC

LEARNERS = [name for name in CLASSIC if name not in means.LEFT_OUT]
WITH_QDA = [name for name in CLASSIC if name != means.DUMMY]
# The five that cross least and most with min-max scaling on CC-18, in the authors' notebook.
LEAST = ("SVM_Sigmoid", "Decision Tree", "ExtraTree", "ens.ExtraTrees", "ens.RandomForest")
MOST = ("SVM_RBF", "Perceptron", "LDA", "KNN", "NearestCentroid")
MODEL = "POW4"
CROSSING = "crossing_probability"
NOT_FLAT = tuple(s for s in VERDICTS if s != "flat")
HOLM_SHARES = (*NOT_FLAT, "ill_behaved_holm")
CLAIMED = 246  # datasets of LCDB 1.0, as Table 2 has it


def shapes_of_lcdb10(curves: xr.Dataset, procedure: str) -> pd.DataFrame:
    """Shares of all curves of the paper's subset of LCDB 1.0, in % (Table 4)."""
    shapes = detect_shapes(_settled(curves), procedure)
    return pd.DataFrame([(LCDB10, "none", "all", s, 100 * float(shapes[s].mean()))
                         for s in VERDICTS], columns=means.COLUMNS)


def missing_of_lcdb10(curves: xr.Dataset) -> pd.DataFrame:
    """Curves that LCDB 1.0 misses of 196 datasets and of the 246 claimed, in % (Table 2)."""
    missing = detect_shapes(_settled(curves), "published")["missing"]
    claimed = CLAIMED * missing.sizes["learner"]
    return pd.DataFrame([
        (LCDB10, "", "all", "learners", missing.sizes["learner"]),
        (LCDB10, "", "all", "datasets", missing.sizes["dataset"]),
        (LCDB10, "", "all", "missing", 100 * float(missing.mean())),
        (LCDB10, "", "all", "missing in parentheses", 100 * (1 - int((~missing).sum()) / claimed)),
    ], columns=means.COLUMNS)


def shapes_of_lcdb11(curves: xr.Dataset, procedure: str) -> pd.DataFrame:
    """Shares of curves without leakage, in %, per learner and in all (Tables 3, 4, 6 to 9).

    Flat is left to `analysis.ledger.means`, where the learners to compare with are chosen. The
    corrected procedure leaves stray values out.
    """
    valid = curves["error_rate"].sel(split="valid", leakage="no", drop=True)
    valid = without_stray(valid) if procedure == "corrected" else valid
    by_scaling = [detect_shapes(valid.sel(scaling=[s]), procedure)[list(NOT_FLAT)]
                  for s in valid["scaling"].values]
    shapes = xr.concat(by_scaling, "scaling")
    return means.tidy_shares(
        (name, shares, shape) for shape in NOT_FLAT for name, verdicts
                             in means.selections(shapes[shape])
        for shares in (100 * verdicts.mean("dataset"), means.counted(verdicts)))


def holm_shares(curves: xr.Dataset) -> pd.DataFrame:
    """Shares with the published Holm over the 23 classic learners but Dummy, in % (Table 9)."""
    table = shapes_of_lcdb11(curves.sel(learner=[*CLASSIC]), "holm_published")
    ill = table[(table["learner"] == "all") & (table["property"] == "ill_behaved")]
    return pd.concat([table, ill.assign(property="ill_behaved_holm")], ignore_index=True)


def leakage_changes(curves: xr.Dataset) -> pd.DataFrame:
    """Share of the 24 learners' curves that leakage changes, in % (Appendix B, Table 5).

    A curve changes where at any anchor a paired t-test over the repeats, its p-value times the
    number of anchors, is significant; see `analysis.shapes.leakage.leakage_differences`.
    """
    valid = curves["error_rate"].sel(split="valid", learner=[*CLASSIC])
    changed = xr.concat([leakage_differences(valid.sel(scaling=s), test="paired")["different"]
                         for s in valid["scaling"].values], valid["scaling"])
    return means.tidy_shares(
        (name, 100 * verdicts.mean(["dataset", "learner"]).expand_dims(learner=["all"]),
         "leakage_changes")
        for name, verdicts in means.selections(changed))


def _settled(curves: xr.Dataset) -> xr.DataArray:
    """Return validation error rates without the dims that LCDB 1.0 has one label of."""
    return curves["error_rate"].sel(split="valid", drop=True).squeeze(
        ["scaling", "leakage"], drop=True)


def crossing_of_sets(curves: xr.Dataset) -> pd.DataFrame:
    """Mean crossing probability of all pairs within each set of learners, diagonal included.

    An anchor that lacks one repeat has no mean. In % without scaling, as a share with min-max, as
    each is printed.
    """
    return pd.DataFrame(
        [(CC18, scaling, label, CROSSING, (100 if scaling == "none" else 1) * share)
         for scaling, mean in _on_cc18(curves, LEARNERS, skipna=False)
         for label, share in crossing_by_set(mean).items()], columns=means.COLUMNS)


def crossing_by_set(mean: xr.DataArray) -> dict[str, float]:
    """Return the mean crossing probability within each set of learners, as far as they are there.

    Parameters
    ----------
    mean : xarray.DataArray, dims (dataset, learner, anchor)
        Validation errors; with dims of repeats they are averaged as published.
    """
    there = [x for x in LEARNERS if x in mean["learner"].values]
    chance = crossing_probabilities(crossings(mean.sel(learner=there), "published"))["crosses"]
    sets = {"; ".join(LEAST): LEAST, "; ".join(MOST): MOST, "all": LEARNERS}
    sets = {label: [x for x in learners if x in there] for label, learners in sets.items()}
    return {label: float(chance.sel(learner_a=own, learner_b=own).fillna(0).mean())
            for label, own in sets.items()}


def fits_and_shapes(curves: xr.Dataset) -> pd.DataFrame:
    """Violations and verdicts against the MSE of fits of mean curves; see `fit_numbers`."""
    rows = []
    for scaling, mean in _on_cc18(curves, WITH_QDA):
        valid = curves["error_rate"].sel(split="valid", leakage="no", scaling=scaling, drop=True)
        valid = valid.sel(dataset=mean["dataset"], learner=mean["learner"])
        found = fit_numbers(mean, detect_shapes(valid, "published"))
        rows += [(CC18, scaling, "all", what, value) for what, value in found.items()]
    return pd.DataFrame(rows, columns=means.COLUMNS)


def fit_numbers(mean: xr.DataArray, shapes: xr.Dataset) -> dict[str, float]:
    """Relate curves' shapes to the MSE of their fits (POW4), for monotone and for convex.

    Parameters
    ----------
    mean : xarray.DataArray, dims (dataset, learner, anchor)
        Flat curves are left out (Section 5.1), QDA is not.
    shapes : xarray.Dataset, dims (dataset, learner)
        As of `detect_shapes`.

    Returns
    -------
    dict
        Of significant violations against the MSE: ``spearman``, and the ``slope`` and ``intercept``
        of the natural logarithm of the MSE; of well- against ill-behaved curves: Welch's p of the
        log MSE, the ratio of geometric means. What there is nothing to compare for is left out.
    """
    mse = fit_curves(mean, [MODEL])["mse"].sel(model=MODEL).transpose("dataset", "learner")
    kept = (~means.flat_curves(mean).transpose("dataset", "learner") & (mse > 0)).values
    found = {}
    for kind, word in (("mono", "monotone"), ("conv", "convex")):
        ill, size = (shapes[name].transpose("dataset", "learner").values
                     for name in (f"non_{word}", f"violation_{kind}"))
        bad, good = (np.log(mse.values[kept & group]) for group in (ill, ~ill))
        if len(set(size[kept & ill])) > 1:  # otherwise there is no line and no rank
            line = stats.linregress(size[kept & ill], bad)
            found |= {f"spearman_{word}": stats.spearmanr(size[kept & ill], bad).statistic,
                      f"slope_{word}": line.slope, f"intercept_{word}": line.intercept}
        if min(len(bad), len(good)) > 1:
            found |= {f"welch_p_{word}": stats.ttest_ind(bad, good, equal_var=False).pvalue,
                      f"mse_ratio_{word}": np.exp(bad.mean() - good.mean())}
    return found


def _on_cc18(curves: xr.Dataset, learners: list[str], skipna: bool = True):
    """Yield each scaling and its mean curves (dataset, learner, anchor) of some learners."""
    for name, mean in means.selections(means.mean_curves(curves, skipna)):
        if name == CC18:
            for scaling in mean["scaling"].values:
                yield str(scaling), mean.sel(scaling=scaling, learner=learners, drop=True)
