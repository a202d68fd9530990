"""Published numbers that curves determine, computed anew.

Mean curves alone determine what is missing, flat, best; every repeat is needed for shapes, and for
what leakage changes. Each function takes a container and returns a row per number, as a table or
one after the other, with `COLUMNS`: ``database`` is as the paper calls it.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

from analysis.databases.chapter_curves import without_stray
from analysis.fitting import fit_curves
from analysis.published.printed import CC18, FULL, LCDB10
from analysis.selection.crossing import crossing_probabilities, crossings
from analysis.shapes import detect_shapes
from analysis.shapes.detect import is_flat
from analysis.shapes.treatments import leakage_differences
from analysis.shapes.verdicts import VERDICTS
from analysis.statistics.summary import REPEATS
from collection.containers.learner_names import CLASSIC, MIXED, NOT_COUNTED
from collection.official.lcdb11 import LEARNER_SETS, datasets_table, official_files
from collection.protocol.anchors import FIRST, lcdb10_grid
from collection.protocol.splits import MOST_HELD_OUT

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
    mean = valid.mean([d for d in REPEATS if d in valid.dims], skipna=skipna)
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
    return _of_means(curves, "missing", lambda mean: _shares(_missing(mean)))


def missing_of_all(curves: xr.Dataset) -> pd.DataFrame:
    """Share of curves without a single mean, in % (Table 4); see `counted`."""
    return _of_means(curves, "missing", lambda mean: counted(_missing(mean)))


def flat_of_all(curves: xr.Dataset) -> pd.DataFrame:
    """Share of flat curves, in % (Table 4): beside all learners that a scaling was run with."""
    return _of_means(curves, "flat", lambda mean: counted(_flat_by_scaling(mean)))


def flat_beside_classic(curves: xr.Dataset) -> pd.DataFrame:
    """Share of flat curves per learner, in %, beside the 24 learners of Table 8."""
    return _of_means(curves, "flat",
                     lambda mean: _shares(flat_curves(mean.sel(learner=[*CLASSIC]))))


def flat_beside_all(curves: xr.Dataset) -> pd.DataFrame:
    """Share of flat curves per learner, in %, beside all 28 learners, as Table 4 has it."""
    return _of_means(curves, "flat",
                     lambda mean: _shares(flat_curves(mean).sel(learner=[*CLASSIC])))


def smallest_errors(curves: xr.Dataset) -> pd.DataFrame:
    """Mean over datasets of the smallest mean validation error of each curve (Figure 7)."""
    return _of_means(curves, "smallest_error", lambda mean: mean.min("anchor").mean("dataset"))


def _of_means(curves: xr.Dataset, what: str,
              share: Callable[[xr.DataArray], xr.DataArray]) -> pd.DataFrame:
    return tidy_shares((name, share(mean), what) for name, mean in selections(mean_curves(curves)))


def dataset_counts(curves: xr.Dataset) -> Iterator[tuple]:
    """How many datasets TabPFN v2 has, and how many have more than 10,000 training rows."""
    for name, mean in selections(mean_curves(curves)):
        has = int((~_missing(mean)).sel(learner="TabPFNv2", scaling="none").sum())
        largest = datasets_table()["max_anchor"].loc[mean["dataset"].values]
        yield name, "none", "TabPFNv2", "datasets", has
        yield name, "", "all", "datasets_up_to_10k", int((largest <= 10_000).sum())
        yield name, "", "all", "datasets_beyond_10k", int((largest > 10_000).sum())


def few_features(curves: xr.Dataset) -> Iterator[tuple]:
    """Share of datasets with fewer features than the first anchor has rows, in % (E.4)."""
    for name, selected in selections(curves["error_rate"]):
        few = datasets_table()["features"].loc[selected["dataset"].values] < FIRST
        yield name, "", "all", "datasets_below_16_features", 100 * float(few.mean())


#: Section 3, Appendix G: sizes per doubling beside LCDB 1.0's, the 1st, the 8th, the 16th size.
GRID = {"anchors_denser": None, "anchor_1": 0, "anchor_8": 7, "anchor_16": 15}


def grid_facts(curves: xr.Dataset) -> Iterator[tuple]:
    """How much denser training-set sizes are than LCDB 1.0's, and three of them, in rows."""
    sizes, before = curves["anchor"].values, lcdb10_grid()
    own, theirs = ((len(grid) - 1) / np.log2(grid[-1] / grid[0]) for grid in (sizes, before))
    for name, k in GRID.items():
        if k is None or k < len(sizes):
            yield "LCDB 1.1", "", "all", name, own / theirs if k is None else float(sizes[k])


def listed_counts(curves: xr.Dataset) -> Iterator[tuple]:
    """Learners that the official files are named for, datasets that have a mean."""
    learners = {name for file in official_files() for name in LEARNER_SETS[file.learners]}
    yield "LCDB 1.1", "", "all", "learners", float(len(learners))
    errors = curves["error_rate"]
    there = errors.notnull().any([d for d in errors.dims if d != "dataset"])
    yield "LCDB 1.1", "", "all", "datasets", float(there.sum())


def sizes_of_datasets(curves: xr.Dataset) -> Iterator[tuple]:
    """Datasets whose curves end where Table 10's number of rows has them end.

    Of the rows a tenth is for testing, of the rest a tenth for validation, at most 5,000 each; the
    last size is the last of the grid up to what is left. It is the last that a third of the
    learners reach: values past it are stray.
    """
    samples = datasets_table()["samples"].loc[curves["dataset"].values].to_numpy()
    rest = samples - np.minimum(np.ceil(samples / 10), MOST_HELD_OUT)
    train = rest - np.minimum(np.ceil(rest / 10), MOST_HELD_OUT)
    sizes = curves["anchor"].values
    expected = sizes[np.searchsorted(sizes, train, side="right") - 1]
    reach = mean_curves(curves).sel(scaling="none").notnull().mean("learner") > 1 / 3
    last = np.where(reach.transpose("dataset", "anchor").values, sizes, 0).max(axis=1)
    yield "LCDB 1.1", "", "all", "datasets_of_that_size", float((last == expected).sum())


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


LEARNERS = [name for name in CLASSIC if name not in LEFT_OUT]
WITH_QDA = [name for name in CLASSIC if name != DUMMY]
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
                         for s in VERDICTS], columns=COLUMNS)


def missing_of_lcdb10(curves: xr.Dataset) -> Iterator[tuple]:
    """Curves that LCDB 1.0 misses of 196 datasets and of the 246 claimed, in % (Table 2)."""
    missing = detect_shapes(_settled(curves), "published")["missing"]
    claimed = CLAIMED * missing.sizes["learner"]
    yield LCDB10, "", "all", "learners", missing.sizes["learner"]
    yield LCDB10, "", "all", "datasets", missing.sizes["dataset"]
    yield LCDB10, "", "all", "missing", 100 * float(missing.mean())
    yield LCDB10, "", "all", "missing in parentheses", 100 * (1 - int((~missing).sum()) / claimed)


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
    changed = xr.concat([leakage_differences(valid.sel(scaling=s), test="paired")["different"]
                         for s in valid["scaling"].values], valid["scaling"])
    return tidy_shares(
        (name, 100 * verdicts.mean(["dataset", "learner"]).expand_dims(learner=["all"]),
         "leakage_changes")
        for name, verdicts in selections(changed))


def _settled(curves: xr.Dataset) -> xr.DataArray:
    """Return validation error rates without the dims that LCDB 1.0 has one label of."""
    return curves["error_rate"].sel(split="valid", drop=True).squeeze(
        ["scaling", "leakage"], drop=True)


def crossing_of_sets(curves: xr.Dataset) -> Iterator[tuple]:
    """Mean crossing probability of all pairs within each set of learners, diagonal included.

    An anchor that lacks one repeat has no mean. In % without scaling, as a share with min-max, as
    each is printed.
    """
    for scaling, mean in _on_cc18(curves, LEARNERS, skipna=False):
        for label, share in crossing_by_set(mean).items():
            yield CC18, scaling, label, CROSSING, (100 if scaling == "none" else 1) * share


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


def fits_and_shapes(curves: xr.Dataset) -> Iterator[tuple]:
    """Violations and verdicts against the MSE of fits of mean curves; see `fit_numbers`."""
    for scaling, mean in _on_cc18(curves, WITH_QDA):
        valid = curves["error_rate"].sel(split="valid", leakage="no", scaling=scaling, drop=True)
        valid = valid.sel(dataset=mean["dataset"], learner=mean["learner"])
        for what, value in fit_numbers(mean, detect_shapes(valid, "published")).items():
            yield CC18, scaling, "all", what, value


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
    kept = (~flat_curves(mean).transpose("dataset", "learner") & (mse > 0)).values
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
    for name, mean in selections(mean_curves(curves, skipna)):
        if name == CC18:
            for scaling in mean["scaling"].values:
                yield str(scaling), mean.sel(scaling=scaling, learner=learners, drop=True)
