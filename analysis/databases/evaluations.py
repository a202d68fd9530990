"""Open evaluations, their predictions and what is true, by the folder that they lie in."""

from collections.abc import Sequence
from pathlib import Path

import xarray as xr

from analysis.databases.tabrepo import (
    as_evaluations,
    as_labels,
    as_predictions,
    find_tabrepo,
)
from collection.repository import FOLDER
from collection.store.evaluation_reader import open_evaluations, read_labels, read_predictions
from collection.store.evaluation_schema import EVALUATIONS

# Repositories that the book knows by name.
SHIPPED = {"evaluations": FOLDER}


def _place(where: str | Path) -> str | Path:
    """Return the folder of a repository known by name; anything else as it is."""
    return SHIPPED.get(where, where) if isinstance(where, str) else where


def is_repository(where: str | Path) -> bool:
    """Tell whether there are evaluations at a place that `load_evaluations` takes."""
    return (where in SHIPPED or (Path(where) / EVALUATIONS.file).is_file()
            or find_tabrepo(where) is not None)


def load_evaluations(where: str | Path) -> xr.Dataset:
    """Open the evaluations in a folder that ``make evaluate`` wrote, or in one of TabRepo's.

    Parameters
    ----------
    where : str or Path
        ``"evaluations"`` (the project's own), a folder, or the name of an official context of
        TabRepo that has been downloaded.

    Returns
    -------
    xarray.Dataset
        Dims ``task, learner, repeat, fold, split`` (train, valid, test). Variables: the metrics
        (``error_rate``, ``f1``, ``auc``, ``log_loss``; ``rmse``, ``mae``, ``r2`` of regression
        tasks), ``error`` (the task's own metric as an error; the coordinate ``metric`` along
        ``task`` names it), ``train_time`` and ``predict_time`` (s), ``status`` and ``message``
        (position in ``message_text``), ``chosen`` (hyperparameters that a learner's own tuning
        chose, JSON). NaN where there is no value; valid is NaN where nothing was bagged.

    Raises
    ------
    NoStoreError
        Where there are none.
    UnreadableStoreError
        Where the store is damaged or of a later version.
    """
    if found := find_tabrepo(where):
        return as_evaluations(*found)
    return open_evaluations(_place(where))


def load_predictions(where: str | Path, task: str, fold: int, split: str,
                     learners: Sequence[str] | None = None, repeat: int = 0) -> xr.DataArray:
    """Open what learners predicted on a fold, without reading what others did.

    Parameters
    ----------
    where : str or Path
        As for `load_evaluations`.
    task : str
    fold, repeat : int
    split : {"valid", "test"}
        Out-of-fold predictions on the training rows (where there are bags), or on the test rows.
    learners : sequence of str, optional
        By default all.

    Returns
    -------
    xarray.DataArray
        Dims ``learner, row``: of two classes the probability of the second, which the attribute
        ``class`` names; for regression the prediction. Dims ``learner, row, class`` for more
        classes. The coordinate ``kind`` along ``learner`` tells probabilities from decision
        scores, labels and values.

    Raises
    ------
    UnknownNameError
        For an unknown task, learner or split.
    NoPredictionsError
        Where they were not stored.
    UnreadableStoreError
        Where their file is cut short or absent.
    """
    if found := find_tabrepo(where):
        return as_predictions(found.repository, task, fold, split, learners, repeat)
    return read_predictions(_place(where), task, fold, split, learners, repeat)


def load_labels(where: str | Path, task: str, fold: int, split: str,
                repeat: int = 0) -> xr.DataArray:
    """Open what is true of the rows that `load_predictions` is of.

    Parameters
    ----------
    where, task, fold, split, repeat
        As for `load_predictions`.

    Returns
    -------
    xarray.DataArray
        Dim ``row``: class codes, by position in the attribute ``classes``, or numbers to predict.
        Raises what `load_predictions` does.
    """
    if found := find_tabrepo(where):
        return as_labels(found.repository, task, fold, split, repeat)
    return read_labels(_place(where), task, fold, split, repeat)
