"""What the chapters of the book share: the database they run on, and the curves they look at."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.load import DATABASES, find_learner, least_leakage, load_curves
from analysis.published.computed import NotAtHandError
from analysis.statistics.families import near_duplicates
from analysis.statistics.summary import REPEATS
from collection.containers.curves import METRICS, SCALINGS, Status, main_metric, only_dims
from collection.containers.learner_names import CLASSIC, EXTRA, MODERN, NOT_COUNTED
from collection.official.lcdb11 import datasets_table
from collection.project.naming import check_known
from collection.project.paths import ROOT
from collection.shipped.anew import FOLDER, NAME, cut_short, is_whole

MEASURES = ("error_rate", "f1", "auc", "log_loss")
#: Learners of ``lcdb11-anew`` that few of its datasets have.
NOT_IN_ALL = list(EXTRA)
#: What the registry of near-duplicates remarks of a pair that has the same rows and classes.
COPY = ("copy", "the same rows in the same order")


def database_title(database: str) -> str:
    """Return the name of a database in words; a folder's is its path, short within the project."""
    if database in DATABASES:
        return DATABASES[database].title
    path = Path(database)
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else database


def paper_curves(database: str) -> xr.Dataset:
    """Open the curves on which the paper's analyses run.

    Parameters
    ----------
    database : str
        Name or path, for `analysis.load_curves`.

    Returns
    -------
    xarray.Dataset, dims (dataset, learner, scaling, outer, inner, anchor[, split])
        The datasets that the paper uses; without leakage where the database has both. Of
        ``lcdb11-anew`` the learners that all datasets have.
    """
    curves = load_curves(database, selection="paper")
    if database == NAME:
        curves = curves.sel(learner=list(CLASSIC))
    return curves.sel(leakage=least_leakage(curves), drop=True)


def metric_of(curves: xr.Dataset, metric: str = "error_rate") -> xr.DataArray:
    """Return a metric of curves.

    Raises
    ------
    NotAtHandError
        Where they lack it, such as error rates where numbers are predicted: a page says so.
    """
    if metric not in curves:
        there = ", ".join(of.label for name, of in METRICS.items() if of.of and name in curves)
        raise NotAtHandError(f"These curves cannot tell: this takes their {METRICS[metric].label}, "
                             f"and what they have is {there or 'of no metric that is known'}.")
    return curves[metric]


def repeats_of(curves: xr.Dataset | xr.DataArray) -> int:
    """Return how many repeats there are; of one alone no test can tell a shape from chance."""
    return int(np.prod([curves.sizes.get(d, 1) for d in REPEATS]))


def with_anew(database: str) -> list[str]:
    """Return the database; and beside LCDB 1.0 the curves gathered anew, where they are at hand."""
    return [database, *([NAME] if database == "lcdb10" and is_whole() else [])]


def validation_errors(database: str, procedure: str = "corrected",
                      metric: str = "error_rate") -> xr.DataArray:
    """Return the validation error rates of `paper_curves`, without the dims leakage and split.

    Parameters
    ----------
    database : str
        Name or path, for `analysis.load_curves`.
    procedure : str
        Of LCDB 1.1, values past the end of a dataset are left out unless this is "published",
        which sees what was published: the rule of the ledger and of the lowest errors too.
    metric : str
        Another measure than the error rate, of `MEASURES`; turned so that less is better.

    Returns
    -------
    xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
    """
    errors = metric_of(paper_curves(database), metric).sel(split="valid", drop=True)
    if not METRICS[metric].lower_is_better:
        errors = 1 - errors
    if database.startswith("lcdb11") and procedure != "published":
        errors = without_stray(errors)
    errors.attrs["database"] = database
    return errors


def without_stray(curves: xr.DataArray) -> xr.DataArray:
    """Return a metric with NaN in place of stray values; none is of a dataset LCDB 1.1 lacks."""
    return curves.where(curves["anchor"] <= _ends(curves).fillna(np.inf))


def _ends(curves: xr.DataArray) -> xr.DataArray:
    """Return the largest training set of each dataset, in rows."""
    ids = curves["dataset"].values
    return xr.DataArray(datasets_table()["max_anchor"].reindex(ids).to_numpy(), dims="dataset",
                        coords={"dataset": ids})


def drop_copies(curves: xr.Dataset | xr.DataArray) -> xr.Dataset | xr.DataArray:
    """Return curves without the datasets that are copies of others among them, by the registry."""
    labels = {str(label): label for label in curves["dataset"].values.tolist()}
    pairs = near_duplicates().query("evidence == 'rows' and remark in @COPY")
    names = pairs[["one", "other"]].apply(lambda column: column.str.rpartition(":")[2])
    return curves.drop_sel(dataset=sorted({
        labels[other] for one, other in names.itertuples(index=False)
        if one != other and {one, other} <= set(labels)}, key=str))


def counted_curves(database: str, scaling: str, learners: Iterable[str] = (),
                   procedure: str = "corrected",
                   metric: str = "error_rate") -> tuple[xr.DataArray, xr.DataArray]:
    """Return the validation error rates whose shapes are counted, as the paper's Table 4 does.

    Parameters
    ----------
    database : str
        Name or path, for `analysis.load_curves`. Of ``lcdb11-anew`` copies of a dataset are left
        out.
    scaling : str
        "none", "minmax" or "standard".
    learners : iterable of str
        Names or abbreviations; by default all that Table 4 counts: not the dummy classifier, not
        the mixed naive Bayes, and with scaling not the modern ones, which have one of their own.
    procedure, metric : str
        By which they will be judged, and of what; see `validation_errors`.

    Returns
    -------
    valid : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        Loaded; NaN where there is no value.
    tried : xarray.DataArray of bool, dims (dataset, learner)
        Which of these curves were tried at all: no others are missing.

    Raises
    ------
    UnknownNameError
        For a database, scaling or learner that is not there.
    """
    errors = validation_errors(database, procedure, metric)
    check_known("scaling", [scaling], errors["scaling"].values.tolist())
    excluded = NOT_COUNTED if scaling == "none" else (*NOT_COUNTED, *MODERN)
    learners = [learners] if isinstance(learners, str) else learners
    named = [find_learner(errors, name) for name in learners]
    kept = [name for name in errors["learner"].values.tolist()
            if (name in named if named else name not in excluded)]
    valid = errors.sel(learner=kept, scaling=[scaling])
    valid = (drop_copies(valid) if database == NAME else valid).load()
    tried = attempted(paper_curves(database), valid)
    return tuple(part.squeeze("scaling", drop=True) for part in (valid, tried))


def main_scaling(errors: xr.DataArray) -> str:
    """Return the scaling that a chapter looks at most closely: none, or the first there is.

    The paper's choice, min-max, is not in every database.
    """
    there = errors["scaling"].values.tolist()
    return next(scaling for scaling in (*SCALINGS, *there) if scaling in there)


def contenders(database: str) -> xr.Dataset:
    """Open the curves that crossing and model selection are studied on.

    Parameters
    ----------
    database : str
        Name or path, for `analysis.load_curves`.

    Returns
    -------
    xarray.Dataset, dims (dataset, learner, outer, inner, anchor[, split])
        ``error_rate`` (splits valid and test) and, where the database has it, ``train_time``
        (CPU seconds), NaN where missing: the datasets that the paper uses, one scaling (none,
        where there is it), no leakage where there is the choice. Left out are the dummy
        classifier, which does not learn, the mixed naive Bayes methods, whose curves equal those
        of plain ones (both as in Section 5.1), learners with a curve on fewer than half of
        the datasets, and datasets of ``lcdb11-anew`` whose curves stop before all data.
        Attributes ``database`` and ``scaling``.
    """
    curves = paper_curves(database)
    metric_of(curves)
    curves = curves[[name for name in ("error_rate", "train_time") if name in curves]]
    scaling = main_scaling(curves)
    learners = [name for name in curves["learner"].values if name not in NOT_COUNTED]
    curves = curves.sel(scaling=scaling, learner=learners, drop=True)
    curves = curves.sel(split=["valid", "test"]).load()
    if database.startswith("lcdb11"):
        curves = curves.assign(error_rate=without_stray(curves["error_rate"]))
    there = curves["error_rate"].notnull().any(["outer", "inner", "anchor"]).all("split")
    curves = curves.isel(dataset=there.any("learner").values)
    if database == NAME:
        curves = curves.drop_sel(dataset=cut_short(), errors="ignore")
    held = there.sum("dataset") >= curves.sizes["dataset"] / 2
    return curves.isel(learner=held.values).assign_attrs(database=database, scaling=scaling)


def attempted(curves: xr.Dataset, errors: xr.DataArray) -> xr.DataArray:
    """Tell which curves were tried at all, so that no others count as missing.

    Parameters
    ----------
    curves : xarray.Dataset
        A database, restricted to one leakage. Where it has a coordinate ``tried`` (of bool, dims
        learner and scaling), that tells for every dataset alike, and no status is read.
    errors : xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
        Its validation error rates, of all or some datasets, learners and scalings.

    Returns
    -------
    xarray.DataArray of bool, dims (dataset, learner, scaling)
    """
    own = curves.sel({d: errors[d] for d in ("dataset", "learner", "scaling")})
    there = errors.notnull().any(["outer", "inner", "anchor"])
    told = own["tried"] if "tried" in own.coords else (
        own["status"] != Status.not_run).any(["outer", "inner", "anchor"])
    return only_dims((there | told).transpose("dataset", "learner", "scaling").compute())


def comparable_curves(curves: xr.Dataset, dim: str) -> xr.DataArray:
    """Tell which curves were gathered under every label of a dim, failed or not.

    A curve was gathered where every repeat that its dataset has for any curve was tried: some
    anchor has a value, or a status other than ``not_run``.

    Parameters
    ----------
    curves : xarray.Dataset
        A database, restricted to the labels that are to be compared; possibly one still being
        gathered.
    dim : {"scaling", "leakage"}
        The setting to be compared.

    Returns
    -------
    xarray.DataArray of bool, dims (dataset, learner, scaling, leakage) without `dim`
        All False where the database has fewer than two labels of `dim`: nothing to compare.
    """
    errors = curves["error_rate"].sel(split="valid", drop=True)
    tried = ((curves["status"] != Status.not_run) | errors.notnull()).any("anchor").compute()
    repeats = [d for d in ("outer", "inner") if d in tried.dims]
    wanted = tried.any(["learner", "scaling", "leakage"])
    gathered = only_dims(tried.any(repeats) & (tried | ~wanted).all(repeats))
    return gathered.all(dim) & (gathered.sizes[dim] > 1)


def only_comparable(errors: xr.DataArray, comparable: xr.DataArray) -> xr.DataArray:
    """Return the error rates of comparable curves, NaN elsewhere, without what none of them has.

    Parameters
    ----------
    errors : xarray.DataArray, dims (dataset, learner, ..., anchor)
        Error rates.
    comparable : xarray.DataArray of bool
        From `comparable_curves`.

    Returns
    -------
    xarray.DataArray
        Datasets and learners with no comparable curve, and anchors without a value, are left out;
        where no curve is comparable, there are no datasets and no learners, and all anchors.
    """
    others = [d for d in comparable.dims if d not in ("dataset", "learner")]
    pairs = comparable.any(others)
    kept = errors.isel(dataset=pairs.any("learner").values, learner=pairs.any("dataset").values)
    kept = kept.where(comparable).transpose(*errors.dims)
    return kept.dropna("anchor", how="all") if kept.size else kept


def compared_errors(database: str, dim: str, metric: str = "error_rate") -> xr.DataArray:
    """Return the validation error rates of curves that there are under every label of a dim.

    Parameters
    ----------
    database : str
        Name or path, for `analysis.load_curves`; of ``lcdb11-anew`` all, those beside the suite
        included.
    dim : {"scaling", "leakage"}
        The setting to be compared; of the other, leakage, the curves without it are taken.
    metric : str
        Another metric of the same curves.

    Returns
    -------
    errors : xarray.DataArray, dims (dataset, learner, scaling, leakage, outer, inner, anchor)
        Loaded; what `only_comparable` returns.
    """
    curves = load_curves(database, selection="all" if database == NAME else "paper")
    own = curves if dim == "leakage" else curves.sel(leakage=[least_leakage(curves)])
    errors = metric_of(own, metric).sel(split="valid", drop=True)
    return only_comparable(errors, comparable_curves(own, dim)).load()


def feature_counts(database: str) -> pd.Series:
    """Return how many features the datasets of a database have, by dataset.

    Of ``lcdb10`` after one-hot encoding, by OpenML, NaN where it knows none; of ``lcdb11-anew``
    where all columns are numbers; else as the curves say it, empty where they do not.
    """
    if database == "lcdb10":
        from analysis.databases.lcdb10 import meta_features_table

        return meta_features_table()["NumberOfFeaturesAfterBinarization"]
    if database == NAME:
        table = pd.read_csv(FOLDER / "datasets.csv").set_index("dataset")
        return table.loc[table["categorical"] == 0, "features"]
    curves = load_curves(database)
    return curves["features"].to_series() if "features" in curves.coords else pd.Series(dtype=float)


def log_errors(errors: xr.DataArray) -> xr.DataArray:
    """Return the binary logarithm of validation errors; of an error of 0, none (NaN).

    Shapes of errors without an upper end, such as relative root mean squared errors, are judged
    on it.

    Parameters
    ----------
    errors : xarray.DataArray, dims (..., split)
    """
    valid = errors.sel(split="valid", drop=True)
    return np.log2(valid.where(valid > 0))


def describe_databases(databases: Iterable[str]) -> pd.DataFrame:
    """Return a row per database: its name, what is judged, and how much there is.

    Columns ``database``, ``judged by`` (a metric in words), ``datasets``, ``learners`` and
    ``curves``. A curve is a combination of dataset, learner, scaling and leakage with at least
    one value.
    """
    rows = []
    for database in databases:
        curves = load_curves(database)
        errors = curves[main_metric(curves)]
        there = errors.notnull().any([d for d in errors.dims if d in (*REPEATS, "anchor", "split")])
        rows.append({"database": database_title(database),
                     "judged by": METRICS[errors.name].label, "datasets": curves.sizes["dataset"],
                     "learners": curves.sizes["learner"], "curves": int(there.sum())})
    return pd.DataFrame(rows)
