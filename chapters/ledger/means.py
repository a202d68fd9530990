"""Published numbers that mean curves alone determine: missing, flat, best, crossing, fits.

Each function takes a container and returns a row per number: ``database`` (as the paper calls
it), ``scaling``, ``learner``, ``property``, ``computed``.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

from analysis.databases.lcdb11.files import (
    CLASSIC,
    MIXED,
    NOT_COUNTED,
    datasets_table,
    without_stray,
)
from analysis.fitting import fit_curves
from analysis.published.printed import CC18, FOLDER, FULL, LCDB10
from analysis.selection.crossing import crossing_probabilities, crossings
from analysis.shapes import detect_shapes
from analysis.shapes.detect import is_flat
from analysis.shapes.leakage import leakage_differences
from analysis.shapes.verdicts import VERDICTS
from collection.protocol.anchors import FIRST

# --- The paper's numbers as one tidy table, a row per number.

KEYS = ["source", "database", "scaling", "learner", "property"]
PRINTED_COLUMNS = [*KEYS, "value", "unit", "qualifier"]
TABLES = tuple(f"table{n}" for n in range(2, 10))



def load_published(folder: Path = FOLDER) -> pd.DataFrame:
    """Return every published number that is not a property of a dataset (Table 10).

    Parameters
    ----------
    folder : Path
        Where the CSV files are.

    Returns
    -------
    DataFrame
        All text: ``source`` (Table 4, Section 5.2, …), ``database`` (as the paper calls it),
        ``scaling``, ``learner``, ``property``, ``value`` (as printed), ``unit``, ``qualifier``
        (about, more than, at most, fewer than, or empty).
    """
    parts = [_read(folder, name).rename(columns={"table": "source"}) for name in TABLES]
    text = _read(folder, "text")
    parts.append(text.assign(source="Section " + text["section"]))
    parts += [_read(folder, name) for name in ("figure7", "notebooks")]
    return pd.concat([p.reindex(columns=PRINTED_COLUMNS, fill_value="") for p in parts],
                     ignore_index=True)


def load_inconsistencies(folder: Path = FOLDER) -> pd.DataFrame:
    """Return where numbers of the paper disagree with each other, values as printed.

    Returns
    -------
    DataFrame
        All text: ``one_place, one_value, other_place, other_value, note``.
    """
    return _read(folder, "inconsistencies")


def _read(folder: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(folder / f"{name}.csv", dtype=str, keep_default_na=False)


# --- What mean curves alone determine: missing, flat, best.

DUMMY = "DummyClassifier"
# Learners that the published analyses of crossing and fitting leave out (Section 5.1).
LEFT_OUT = ("QDA", DUMMY)
COLUMNS = ["database", "scaling", "learner", "property", "computed"]


def mean_curves(curves: xr.Dataset, skipna: bool = True) -> xr.DataArray:
    """Return validation error rates over dataset, learner, scaling and anchor, without leakage.

    The mean over the repeats that there are, or the means as they come; NaN where none, or, without
    `skipna`, where one is missing. The mixed
    naive Bayes learners are left out, as Section 5.1 does.
    """
    valid = curves["error_rate"].sel(split="valid", leakage="no", drop=True)
    valid = valid.sel(learner=[x for x in valid["learner"].values if x not in MIXED])
    repeats = [d for d in ("outer", "inner") if d in valid.dims]
    mean = valid.mean(repeats, skipna=skipna) if repeats else valid
    return mean.transpose("dataset", "learner", "scaling", "anchor").compute()


def selections(curves: xr.DataArray) -> Iterator[tuple[str, xr.DataArray]]:
    """Yield the paper's two selections of datasets, as far as `curves` has them all."""
    table = datasets_table()
    for name, ids in ((FULL, table.index), (CC18, table.index[table["cc18"]])):
        if set(ids) <= set(curves["dataset"].values.tolist()):
            yield name, curves.sel(dataset=list(ids))


def flat_curves(mean: xr.DataArray) -> xr.DataArray:
    """Tell which mean curves are flat beside the learners that `mean` has (Section 5.1)."""
    return xr.apply_ufunc(
        lambda low, high: is_flat(low, high, -1, 0.0), mean.min("anchor"), mean.max("anchor"),
        input_core_dims=[["learner"]] * 2, output_core_dims=[["learner"]])


def missing_per_learner(curves: xr.Dataset) -> pd.DataFrame:
    """Share of datasets without a single mean, in % (Tables 6 to 8)."""
    return tidy_shares((name, _shares(_missing(mean)), "missing")
                 for name, mean in selections(mean_curves(curves)))


def missing_of_all(curves: xr.Dataset) -> pd.DataFrame:
    """Share of curves without a single mean, in % (Table 4); see `counted`."""
    return tidy_shares((name, counted(_missing(mean)), "missing")
                 for name, mean in selections(mean_curves(curves)))


def flat_of_all(curves: xr.Dataset) -> pd.DataFrame:
    """Share of flat curves, in % (Table 4): beside all learners that a scaling was run with."""
    return tidy_shares((name, counted(_flat_by_scaling(mean)), "flat")
                 for name, mean in selections(mean_curves(curves)))


def flat_beside_classic(curves: xr.Dataset) -> pd.DataFrame:
    """Share of flat curves per learner, in %, beside the 24 learners of Table 8."""
    return tidy_shares((name, _shares(flat_curves(mean.sel(learner=[*CLASSIC]))), "flat")
                 for name, mean in selections(mean_curves(curves)))


def flat_beside_all(curves: xr.Dataset) -> pd.DataFrame:
    """Share of flat curves per learner, in %, beside all 28 learners, as Table 4 has it."""
    return tidy_shares((name, _shares(flat_curves(mean).sel(learner=[*CLASSIC])), "flat")
                 for name, mean in selections(mean_curves(curves)))


def smallest_errors(curves: xr.Dataset) -> pd.DataFrame:
    """Mean over datasets of the smallest mean validation error of each curve (Figure 7)."""
    return tidy_shares((name, mean.min("anchor").mean("dataset"), "smallest_error")
                 for name, mean in selections(mean_curves(curves)))


def dataset_counts(curves: xr.Dataset) -> pd.DataFrame:
    """How many datasets TabPFN v2 has, and how many have more than 10,000 training rows."""
    rows = []
    for name, mean in selections(mean_curves(curves)):
        has = int((~_missing(mean)).sel(learner="TabPFNv2", scaling="none").sum())
        largest = datasets_table()["max_anchor"].loc[mean["dataset"].values]
        rows += [(name, "none", "TabPFNv2", "datasets", has),
                 (name, "", "all", "datasets_up_to_10k", int((largest <= 10_000).sum())),
                 (name, "", "all", "datasets_beyond_10k", int((largest > 10_000).sum()))]
    return pd.DataFrame(rows, columns=COLUMNS)


def few_features(curves: xr.Dataset) -> pd.DataFrame:
    """Share of datasets with fewer features than the first anchor has rows, in % (E.4)."""
    features = datasets_table()["features"]
    return pd.DataFrame(
        [(name, "", "all", "datasets_below_16_features",
          100 * float((features.loc[selected["dataset"].values] < FIRST).mean()))
         for name, selected in selections(curves["error_rate"])], columns=COLUMNS)


def counted(verdicts: xr.DataArray) -> xr.DataArray:
    """Return the share over the learners that Table 4 counts, in %, by scaling.

    All but the Dummy and the mixed ones; with scaled features none of the four modern ones.
    """
    everyone = [x for x in verdicts["learner"].values if x not in NOT_COUNTED]
    shares = [
        100 * verdicts.sel(scaling=s, learner=[
            x for x in everyone if s == "none" or x in CLASSIC]).mean(["dataset", "learner"])
        for s in verdicts["scaling"].values]
    return xr.concat(shares, "scaling").expand_dims(learner=["all"])


def _flat_by_scaling(mean: xr.DataArray) -> xr.DataArray:
    """Flatness beside the learners that Table 4 counts for each scaling, and the Dummy."""
    parts = [flat_curves(mean.sel(scaling=[s]) if s == "none" else
                         mean.sel(scaling=[s], learner=[*CLASSIC])).reindex(
                             learner=mean["learner"].values, fill_value=False)
             for s in mean["scaling"].values]
    return xr.concat(parts, "scaling")


def _missing(mean: xr.DataArray) -> xr.DataArray:
    return mean.isnull().all("anchor")


def _shares(verdicts: xr.DataArray) -> xr.DataArray:
    return 100 * verdicts.mean("dataset")


def tidy_shares(parts: Iterable[tuple[str, xr.DataArray, str]]) -> pd.DataFrame:
    """Return tidy rows of arrays over scaling and learner, each with its database and property."""
    tables = [
        array.rename("computed").to_dataframe().reset_index().assign(database=name, property=what)
        for name, array, what in parts]
    return pd.concat(tables, ignore_index=True)[COLUMNS] if tables else pd.DataFrame(
        columns=COLUMNS)


# --- Published numbers that need every repeat: shapes, and what leakage changes.

LEARNERS = [name for name in CLASSIC if name not in LEFT_OUT]
WITH_QDA = [name for name in CLASSIC if name != DUMMY]
# The five that cross least and most with min-max scaling on CC-18, in the authors' notebook.
LEAST = ("SVM_Sigmoid", "Decision Tree", "ExtraTree", "ens.ExtraTrees", "ens.RandomForest")
MOST = ("SVM_RBF", "Perceptron", "LDA", "KNN", "NearestCentroid")
MODEL = "POW4"
NOT_FLAT = tuple(s for s in VERDICTS if s != "flat")
CLAIMED = 246  # datasets of LCDB 1.0, as Table 2 has it


def shapes_of_lcdb10(curves: xr.Dataset, procedure: str) -> pd.DataFrame:
    """Shares of all curves of the paper's subset of LCDB 1.0, in % (Table 4)."""
    shapes = detect_shapes(_settled(curves), procedure)
    return pd.DataFrame([(LCDB10, "none", "all", s, 100 * float(shapes[s].mean()))
                         for s in VERDICTS], columns=COLUMNS)


def missing_of_lcdb10(curves: xr.Dataset) -> pd.DataFrame:
    """Curves that LCDB 1.0 misses of 196 datasets and of the 246 claimed, in % (Table 2)."""
    missing = detect_shapes(_settled(curves), "published")["missing"]
    claimed = CLAIMED * missing.sizes["learner"]
    return pd.DataFrame([
        (LCDB10, "", "all", "learners", missing.sizes["learner"]),
        (LCDB10, "", "all", "datasets", missing.sizes["dataset"]),
        (LCDB10, "", "all", "missing", 100 * float(missing.mean())),
        (LCDB10, "", "all", "missing in parentheses", 100 * (1 - int((~missing).sum()) / claimed)),
    ], columns=COLUMNS)


def shapes_of_lcdb11(curves: xr.Dataset, procedure: str) -> pd.DataFrame:
    """Shares of curves without leakage, in %, per learner and in all (Tables 3, 4, 6 to 9).

    Flat is left to `flat_of_all` and its like, where the learners to compare with are chosen. The
    corrected procedure leaves stray values out.
    """
    valid = curves["error_rate"].sel(split="valid", leakage="no", drop=True)
    valid = without_stray(valid) if procedure == "corrected" else valid
    by_scaling = [detect_shapes(valid.sel(scaling=[s]), procedure)[list(NOT_FLAT)]
                  for s in valid["scaling"].values]
    shapes = xr.concat(by_scaling, "scaling")
    return tidy_shares(
        (name, shares, shape) for shape in NOT_FLAT for name, verdicts
                             in selections(shapes[shape])
        for shares in (100 * verdicts.mean("dataset"), counted(verdicts)))


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
    changed = xr.concat([leakage_differences(valid.sel(scaling=s))["different"]
                         for s in valid["scaling"].values], valid["scaling"])
    return tidy_shares(
        (name, 100 * verdicts.mean(["dataset", "learner"]).expand_dims(learner=["all"]),
         "leakage_changes")
        for name, verdicts in selections(changed))


def _settled(curves: xr.Dataset) -> xr.DataArray:
    """Return validation error rates without the dims that LCDB 1.0 has one label of."""
    return curves["error_rate"].sel(split="valid", drop=True).squeeze(
        ["scaling", "leakage"], drop=True)


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
    for scaling, mse, shapes, kept in _fitted(curves):
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
    for scaling, mse, shapes, kept in _fitted(curves):
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


def _fitted(curves: xr.Dataset):
    """Yield each scaling, the errors of fits, the curves' shapes, and which are not flat."""
    for scaling, mean in _on_cc18(curves, WITH_QDA):
        mse = fit_curves(mean, [MODEL])["mse"].sel(model=MODEL)
        valid = curves["error_rate"].sel(split="valid", leakage="no", scaling=scaling, drop=True)
        valid = valid.sel(dataset=mean["dataset"], learner=mean["learner"])
        yield scaling, mse, detect_shapes(valid, "published"), ~flat_curves(mean) & (mse > 0)


def _within(chance: xr.DataArray, learners: tuple[str, ...] | list[str]) -> float:
    chosen = list(learners)
    return float(chance.sel(learner_a=chosen, learner_b=chosen).fillna(0).mean())
