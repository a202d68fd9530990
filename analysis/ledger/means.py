"""Published numbers that mean curves alone determine: missing, flat, best, crossing, fits.

Each function takes a container and returns a row per number: ``database`` (as the paper calls
it), ``scaling``, ``learner``, ``property``, ``computed``.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.lcdb11.files import LEARNER_SETS, datasets_table, official_files
from analysis.published.printed import CC18, FULL
from analysis.shapes.detect import is_flat
from collection.containers.learner_names import CLASSIC, MIXED, NOT_COUNTED
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


#: Section 3, Appendix G: sizes per doubling beside LCDB 1.0's, the 1st, the 8th, the 16th size.
GRID = {"anchors_denser": None, "anchor_1": 0, "anchor_8": 7, "anchor_16": 15}


def grid_facts(curves: xr.Dataset) -> pd.DataFrame:
    """How much denser training-set sizes are than LCDB 1.0's, and three of them, in rows."""
    sizes, before = curves["anchor"].values, lcdb10_grid()
    per_doubling = [(len(grid) - 1) / np.log2(grid[-1] / grid[0]) for grid in (sizes, before)]
    return pd.DataFrame(
        [("LCDB 1.1", "", "all", name,
          per_doubling[0] / per_doubling[1] if k is None else float(sizes[k]))
         for name, k in GRID.items() if k is None or k < len(sizes)], columns=COLUMNS)


def listed_counts(curves: xr.Dataset) -> pd.DataFrame:
    """Learners that the official files are named for, datasets that have a mean."""
    learners = {name for file in official_files() for name in LEARNER_SETS[file.learners]}
    there = curves["error_rate"].notnull().any([d for d in curves["error_rate"].dims
                                                if d != "dataset"])
    return pd.DataFrame([("LCDB 1.1", "", "all", "learners", float(len(learners))),
                         ("LCDB 1.1", "", "all", "datasets", float(there.sum()))], columns=COLUMNS)


def sizes_of_datasets(curves: xr.Dataset) -> pd.DataFrame:
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
    return pd.DataFrame([("LCDB 1.1", "", "all", "datasets_of_that_size",
                          float((last == expected).sum()))], columns=COLUMNS)


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
