"""Read a store of evaluations: as the container, as a table, predictions and labels."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from collection.containers.curves import SPLITS, Status
from collection.containers.evaluations import COLUMNS, FIT_DIMS, label_evaluations
from collection.containers.learner_names import LEARNERS
from collection.project.naming import UnknownNameError, check_known
from collection.store import connection, evaluations
from collection.store.reader import in_order


class NoPredictionsError(KeyError, ValueError):
    """Predictions or labels that are not there; the message says what is and why."""

    def __str__(self) -> str:
        return str(self.args[0])


def open_evaluations(path: str | Path) -> xr.Dataset:
    """Open the evaluations in a folder as the container of `collection.containers.evaluations`.

    Parameters
    ----------
    path : str or Path
        The OUT folder, or the ``evaluations.sqlite`` in it. It may still be written to.

    Returns
    -------
    xarray.Dataset
        See `collection.containers.evaluations.label_evaluations`.

    Raises
    ------
    NoStoreError
        Where there is no store, or not one evaluation in it.
    """
    with connection.read_store(path, evaluations.EVALUATIONS) as db:
        table = _table(db)
        columns = ", ".join(evaluations.TASK_COLUMNS)
        tasks = pd.read_sql(f"SELECT {columns} FROM tasks ORDER BY id", db)
        learners = pd.read_sql("SELECT name, family, hyperparameters FROM learners", db)
        settings = dict(db.execute("SELECT name, value FROM settings"))
    if table.empty:
        raise connection.NoStoreError(f"{path} holds no evaluation yet.")
    order = in_order(learners["name"], LEARNERS)
    return label_evaluations(table, tasks.drop(columns=["fingerprint", "class_names"]),
                             learners.set_index("name").loc[order].reset_index(),
                             database="evaluated", settings=json.dumps(settings))


def read_evaluations(path: str | Path) -> pd.DataFrame:
    """Return one row per evaluation: what it is of, status, message, a column per metric and split.

    Columns ``task, learner, repeat, fold, status, message``, those of
    `collection.containers.evaluations.COLUMNS`, ``chosen`` (JSON: the hyperparameters that tuning
    chose, per fit), ``seconds``, ``worker``, ``finished``; sorted by the first four. Raises
    `NoStoreError` where there is no store.
    """
    with connection.read_store(path, evaluations.EVALUATIONS) as db:
        table = _table(db)
    return table.sort_values(list(FIT_DIMS), ignore_index=True)


def _table(db: sqlite3.Connection) -> pd.DataFrame:
    table = pd.read_sql(
        "SELECT s.name AS task, l.name AS learner, repeat, fold, status, m.text AS message, "
        f"{', '.join(COLUMNS)}, chosen, seconds, worker, finished {evaluations.ROWS}", db)
    table[COLUMNS] = table[COLUMNS].astype(float)  # a column of NULLs is no number to pandas
    return table.assign(status=table["status"].map({s.value: s.name for s in Status}))


def read_predictions(path: str | Path, task: str, fold: int, split: str,
                     learners: Sequence[str] | None = None, repeat: int = 0) -> xr.DataArray:
    """Return what learners predicted on a fold, without touching the others' predictions.

    Parameters
    ----------
    path : str or Path
        As for `open_evaluations`.
    task : str
        Name.
    fold, repeat : int
    split : {"valid", "test"}
        Out-of-fold predictions on the training rows, or those on the test rows.
    learners : sequence of str, optional
        Names, by default all whose predictions are there, in the order they were evaluated.

    Returns
    -------
    xarray.DataArray
        Dims ``learner, row`` (two classes: the score of the second; regression: the prediction) or
        ``learner, row, class``. Coordinates: ``row`` (position in the dataset), ``class`` (names),
        ``kind`` along ``learner``: probability, score (a decision score, where a learner has no
        probabilities), label (shares of votes, where it has neither) or value (regression). For
        two classes the attribute ``class`` names the one that is meant.

    Raises
    ------
    UnknownNameError
        For an unknown task, learner or split.
    NoPredictionsError
        Where there are none, or not of that learner.
    UnreadableStoreError
        Where the file of predictions is cut short or absent.
    """
    with connection.read_store(path, evaluations.EVALUATIONS, whole=False) as db:
        array = _array(db, path, task, repeat, fold, split)
        connection.check_rows(db, "predictions", array["id"])
        where, chosen = _chosen(db, path, learners)
        found = pd.DataFrame(db.execute(
            "SELECT l.name, p.position, p.kind, p.checksum FROM predictions p "
            "JOIN evaluations e ON e.id = p.evaluation JOIN learners l ON l.id = e.learner "
            f"WHERE p.array = ?{where} ORDER BY p.position", (array["id"], *chosen)).fetchall(),
            columns=["learner", "position", "kind", "checksum"], dtype=object).set_index("learner")
    if learners is not None:
        lacking = [name for name in chosen if name not in found.index]
        if lacking:
            raise NoPredictionsError(
                f"{path} holds no {split} predictions of {', '.join(lacking)} on {task}, repeat "
                f"{repeat}, fold {fold}: it was not evaluated there, or failed.")
        found = found.loc[chosen]
    root = Path(path) if Path(path).is_dir() else Path(path).parent
    file = evaluations.PredictionFile(
        evaluations.prediction_path(root, task, repeat, fold, split), array["dtype"],
        array["rows"], array["classes"])
    values = file.read(found["position"].to_numpy(int), found["checksum"].tolist())
    return _labelled(values, found, array)


def read_labels(path: str | Path, task: str, fold: int, split: str,
                repeat: int = 0) -> xr.DataArray:
    """Return what is true of the rows that `read_predictions` is of.

    Returns
    -------
    xarray.DataArray
        Dim ``row`` (coordinate: position in the dataset): class codes, or numbers to predict. The
        attribute ``classes`` has the classes' names by code. Raises as `read_predictions` does.
    """
    with connection.read_store(path, evaluations.EVALUATIONS, whole=False) as db:
        array = _array(db, path, task, repeat, fold, split)
        connection.check_rows(db, "labels", array["task"])
        (archive,) = db.execute("SELECT archive FROM labels WHERE task = ?",
                                (array["task"],)).fetchone()
    rows = evaluations.unpack_array(array["row_numbers"])
    return xr.DataArray(evaluations.unpack_array(archive)[rows], dims="row", coords={"row": rows},
                        name="label", attrs={"classes": json.loads(array["class_names"])})


def _array(db: sqlite3.Connection, path: str | Path, task: str, repeat: int, fold: int,
           split: str) -> dict:
    """Return what the index says of the predictions of a fold."""
    names = [name for (name,) in db.execute("SELECT name FROM tasks ORDER BY id")]
    if task not in names:
        connection.see_whole(path, evaluations.EVALUATIONS)
        raise UnknownNameError(f"task of {path}", task, names)
    check_known("split with predictions", [split], SPLITS[1:])
    cursor = db.execute("SELECT a.*, t.class_names FROM arrays a JOIN tasks t ON t.id = a.task "
                        "WHERE t.name = ? AND repeat = ? AND fold = ? AND split = ?",
                        (task, int(repeat), int(fold), split))
    row = cursor.fetchone()
    if row is None:
        connection.see_whole(path, evaluations.EVALUATIONS)
        raise NoPredictionsError(
            f"{path} holds no {split} predictions of {task}, repeat {repeat}, fold {fold}. They "
            "are stored where make evaluate ran with PREDICTIONS=yes"
            + (", and out of fold with BAGS=8 or another number of bags." if split == "valid"
               else "."))
    array = dict(zip([column[0] for column in cursor.description], row, strict=True))
    connection.check_rows(db, "arrays", array["id"])
    connection.check_rows(db, "tasks", array["task"])
    return array


def _chosen(db: sqlite3.Connection, path: str | Path,
            learners: Sequence[str] | None) -> tuple[str, list[str]]:
    """Return a condition on the learners' names, and the names; all learners need none."""
    if learners is None:
        return "", []
    chosen = [learners] if isinstance(learners, str) else list(learners)
    check_known(f"learner of {path}", chosen, sorted(
        name for (name,) in db.execute("SELECT name FROM learners")))
    return f" AND l.name IN ({', '.join('?' * len(chosen))})", chosen


def _labelled(values: np.ndarray, found: pd.DataFrame, array: dict) -> xr.DataArray:
    names: Iterable[str] = json.loads(array["class_names"])
    dims = ("learner", "row", "class")[:values.ndim]
    coords = {"learner": found.index.to_numpy(object),
              "row": evaluations.unpack_array(array["row_numbers"]),
              "kind": ("learner", found["kind"].to_numpy(object))}
    if values.ndim == 3:
        coords["class"] = list(names)
    attrs = {"class": names[1]} if len(names) == 2 else {}
    return xr.DataArray(values, dims=dims, coords=coords, name="prediction", attrs=attrs)
