"""Open a database of learning curves by its name or path, and take one curve out of it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import xarray as xr

from collection.containers.curves import METRICS
from collection.containers.learner_names import learner_name
from collection.project.arguments import checked
from collection.project.naming import UnknownNameError, check_known
from collection.project.paths import DATA
from collection.project.requirements import absence_named


@dataclass(frozen=True)
class Database:
    """A database that `load_curves` knows by name.

    Attributes
    ----------
    name, title : str
        Short name, and name in words.
    open : callable
        Returns its container.
    in_paper : str
        What the paper's tables call it; empty where it is not in them.
    paper_datasets : callable, optional
        Returns the labels of the datasets that analyses use, where these are only some.
    """

    name: str
    title: str
    open: Callable[[], xr.Dataset]
    in_paper: str = ""
    paper_datasets: Callable[[], list] | None = None


def _opener(function: str, **given: object) -> Callable[[], Any]:
    """Return what calls a function of a module that is loaded when it is first called."""
    return lambda: resolve_name(function)(**given)


def _shipped(folder: Path, **given: object) -> Callable[[], xr.Dataset]:
    return _opener("analysis.databases.shipped:open_shipped",
                   **{"folder": folder, "database": folder.name, **given})


LCDB11 = "analysis.databases.lcdb11.open:open_lcdb11"
SHIPPED = {"regression": "regression, numbers to predict",
           "large_numbers": "large tables, numbers to predict",
           "large_classes": "large tables, classes",
           "ensemble_curves": "ensembles and their members"}
DATABASES = {d.name: d for d in (
    Database("lcdb10", "LCDB 1.0", _opener("analysis.databases.lcdb10:open_lcdb10"), "LCDB 1.0",
             _opener("analysis.databases.lcdb10:paper_subset")),
    Database("lcdb11-anew", "LCDB 1.1's protocol anew", _shipped(DATA / "lcdb11-anew"),
             paper_datasets=_opener("collection.shipped.anew:suite_datasets")),
    Database("lcdb11-anew-distinct", "LCDB 1.1's protocol anew, distinct seeds",
             _shipped(DATA / "lcdb11-anew", part="distinct")),
    Database("mini", "mini, small tables", _opener("analysis.databases.shipped:open_sample")),
    *(Database(name, title, _shipped(DATA / name)) for name, title in SHIPPED.items()),
    Database("lcdb11", "LCDB 1.1", _opener(LCDB11), "LCDB 1.1 FULL"),
    Database("lcdb11-cc18", "LCDB 1.1, OpenML-CC18", _opener(LCDB11, datasets="CC18"),
             "LCDB 1.1 CC-18"),
    Database("lcdb11-summary", "LCDB 1.1, means only",
             _opener("analysis.databases.lcdb11.summary:open_lcdb11_summary")),
)}


@checked
def load_curves(database: str | Path, selection: str = "all") -> xr.Dataset:
    """Open the learning curves of a database.

    Parameters
    ----------
    database : str or path
        A name in `DATABASES`, or the folder that a collection wrote, or of a shipped database:
        an installed package has of ``lcdb11-anew`` only ``mini``; the repository has its folder.
        ``lcdb11-anew-distinct`` is the experiment, eight learners on forty datasets, whose 25
        repeats have 25 inner seeds, the coordinate ``inner_seed``.
    selection : {"all", "paper"}
        Every dataset, or those that the paper's analyses use: 196 of the 248 of LCDB 1.0, of
        ``lcdb11-anew`` those of the suite of that name.

    Returns
    -------
    xarray.Dataset
        The container of `collection.containers.curves`. Dims: ``dataset`` (name, OpenML id in LCDB
        1.0 and 1.1), ``learner`` (as in the paper's Table 3, or import path with parameters),
        ``scaling`` (none; minmax: to [0, 1]; standard: mean 0, variance 1), ``leakage`` (no:
        preprocessing fitted on the training set; yes: on all data), ``outer`` and ``inner`` (seeds
        of the splits that set test and validation rows aside), ``anchor`` (rows of the training
        set), ``split`` (train, valid, test). Metrics are NaN where a fit gave no value (F1, AUC
        and log-loss have four decimals in what ships). F1, AUC and R² are scores: what judges
        errors takes ``1 - curves["auc"]``. ``status`` says what became of it: ok,
        timeout or memory (stopped when it passed its limit), error (the learner raised one, or its
        process died), invalid (what it gave for probabilities are none), not_run (there is no such
        fit); ``message`` is the position in ``message_text`` of what there is to say.

    Raises
    ------
    UnknownNameError
        If there is neither such a database nor such a folder, or no such selection.
    ValueError
        For a file of another kind, or a folder's tables whose columns are of no metric or hold
        what it cannot be, such as error rates in percent.
    MissingLibraryError
        Where the database needs a library that is not installed.

    Examples
    --------
    >>> import analysis
    >>> curves = analysis.load_curves("mini")
    >>> lda = curves["error_rate"].sel(split="valid", learner=analysis.find_learner(curves, "LDA"))
    >>> lda.sel(dataset="vehicle", scaling="none", leakage="no", anchor=64).dims
    ('outer', 'inner')
    """
    check_known("selection", [selection], ["all", "paper"])
    known = DATABASES.get(str(database))
    if known is None and all(any(Path(database).glob(of)) for of in ("*.parquet", "datasets.csv")):
        known = Database(str(database), "", _shipped(Path(database)))
    if known is None:
        from collection.store import open_store

        if not Path(database).exists():
            kind = "database (and no folder has that name)"
            raise UnknownNameError(kind, str(database), DATABASES)
        if Path(database).is_file() and Path(database).suffix != ".sqlite":
            raise ValueError(f"{database} is a file, and curves open by the folder they are in. A "
                             "table of sizes and errors opens by analysis.from_table.")
        return open_store(Path(database))
    with absence_named():
        curves = known.open()
    if selection == "paper" and known.paper_datasets is not None:
        curves = curves.sel(dataset=known.paper_datasets())
    return curves


@checked
def find_dataset(curves: xr.Dataset | xr.DataArray, dataset: int | str) -> int | str:
    """Return the label that `curves` gives a dataset, known by label, name or OpenML id.

    Parameters
    ----------
    curves : xarray.Dataset or DataArray
        With a dim ``dataset``, and coordinates ``name`` or ``openml_id`` along it.
    dataset : int or str
        What to look for.

    Raises
    ------
    UnknownNameError
        With the close labels and names.
    """
    labels, names, numbers = (curves[coord].values.tolist() if coord in curves.coords else []
                              for coord in ("dataset", "name", "openml_id"))
    numbers = [None if n != n else n for n in numbers]  # NaN where OpenML has not the data
    wanted = str(dataset).removesuffix(".0")  # ids are floats beside missing ones
    for known in (labels, names, numbers):
        for label, other in zip(labels, known, strict=False):
            if other is not None and str(other).removesuffix(".0") == wanted:
                return label
    raise UnknownNameError("dataset", dataset, [*labels, *filter(None, names)])


@checked
def find_learner(curves: xr.Dataset | xr.DataArray, learner: str) -> str:
    """Return the name that `curves` gives a learner; abbreviations of Table 3 are understood.

    Parameters
    ----------
    curves : xarray.Dataset or DataArray
        With a dim ``learner``.
    learner : str
        What to look for.

    Raises
    ------
    UnknownNameError
        With the close names.
    """
    return learner_name(learner, curves["learner"].values.tolist())


def least_leakage(curves: xr.Dataset | xr.DataArray) -> str:
    """Return the leakage that analyses use: "no" where there is the choice, else what there is.

    LCDB 1.0 has "yes" alone: its imputer was fitted on all data.
    """
    labels = curves["leakage"].values.tolist()
    return "no" if "no" in labels else labels[0]


@checked
def get_curve(curves: xr.Dataset, dataset: int | str, learner: str, metric: str = "error_rate",
              scaling: str = "none", leakage: str | None = None) -> xr.DataArray:
    """Return one learning curve, only at the anchors where it has a value.

    Parameters
    ----------
    curves : xarray.Dataset
        A database, as `analysis.load_curves` opens it.
    dataset : int or str
        Name or OpenML id.
    learner : str
        The paper's name or abbreviation (Table 3).
    metric : str
        A name in `collection.containers.curves.METRICS` that the database has.
    scaling : str
        "none", "minmax" or "standard".
    leakage : str, optional
        "no" or "yes"; "no" by default where the database has both.

    Returns
    -------
    xarray.DataArray, dims (outer, inner, anchor[, split])
        NaN where a repeat has no value. Empty along ``anchor`` for a missing curve.

    Raises
    ------
    UnknownNameError
        For a dataset, learner, metric or setting that the database lacks.
    """
    check_known("metric", [metric], [name for name in METRICS if name in curves])
    leakage = least_leakage(curves) if leakage is None else leakage
    for dim, label in (("scaling", scaling), ("leakage", leakage)):
        check_known(dim, [label], curves[dim].values.tolist())
    curve = curves[metric].sel(
        dataset=find_dataset(curves, dataset),
        learner=find_learner(curves, learner),
        scaling=scaling,
        leakage=leakage,
    )
    return curve.dropna("anchor", how="all")


def one_setting(curves: xr.Dataset | xr.DataArray) -> xr.Dataset | xr.DataArray:
    """Return the curves without the dims ``scaling`` and ``leakage``, which must be settled.

    Raises
    ------
    ValueError
        If one of them has several labels left.
    """
    for dim in ("scaling", "leakage"):
        if curves.sizes.get(dim, 1) > 1:
            raise ValueError(
                f"The curves still have {curves.sizes[dim]} labels along {dim!r} "
                f"({', '.join(map(str, curves[dim].values))}); choose one with "
                f".sel({dim}=...)."
            )
    return curves.squeeze([d for d in ("scaling", "leakage") if d in curves.dims], drop=True)
