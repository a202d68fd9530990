"""The curves gathered here and shipped in ``data/``, as the common container.

The table of fits is one Parquet file, or one a dataset and part of its curves.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import xarray as xr
from xarray.backends import BackendArray
from xarray.core import indexing

from analysis.published.computed import NotAtHandError
from collection.containers import curves
from collection.project.paths import shipped
from collection.protocol.splits import SEEDS
from collection.shipped.anew import DATASETS
from collection.shipped.columns import COLUMNS_ANEW, ERRORS, label_orders

NOT_THERE = "not shipped: larger than the training set, or a combination that was not gathered"


def open_shipped(folder: Path, database: str, files: Sequence[Path] = (),
                 part: str = "") -> xr.Dataset:
    """Open shipped curves; arrays are made when they are read.

    Parameters
    ----------
    folder : Path
        Where the shipped files are.
    database : str
        Name of the database that is shipped in these files.
    files : sequence of Path
        Only these; by default all.
    part : {"", "distinct"}
        A folder in it whose files are opened instead: "distinct" holds curves no two repeats of
        which share an inner seed (`curves.with_inner_seeds`).

    Returns
    -------
    xarray.Dataset
        The container of `collection.containers.curves`. ``dataset`` holds names, from the fewest
        rows to the most, with coordinates ``name`` (without the folder it has in its source),
        ``source`` (spec), ``licence``, ``openml_id`` (NaN where OpenML does not have the rows in
        this order), ``rows``, ``features``, ``classes``, ``train_size``, ``valid_size`` and
        ``test_size``. Metrics are NaN where a fit gave no value, and ``status`` and ``message``
        say why: ``not_run`` where there is no such fit.

    Raises
    ------
    NotAtHandError
        Where files are not there, or not those of all datasets.
    """
    missing = NotAtHandError(
        f"{folder} lacks curves. The repository's folder data/{database} has all and opens by its "
        f"path; `make {database.replace('_', '-')}` makes them anew, which takes long.")
    folder = folder / part
    there = sorted(files or folder.glob("*.parquet"))
    if not there:
        raise missing
    datasets = pd.read_csv(shipped(folder / DATASETS))
    fits = read_fits(there)
    if part == "distinct":
        inner = pa.array(fits["inner"].to_numpy() % len(SEEDS))
        fits = fits.set_column(fits.column_names.index("inner"), "inner", inner)
    orders = label_orders(datasets["dataset"], fits["learner"].unique().to_pylist())
    datasets = datasets.set_index("dataset")
    container = container_of(there, fits, orders, NOT_THERE, database, datasets)
    if not files and container.sizes["dataset"] < len(datasets):
        raise missing
    container = container.assign_coords(_described(datasets.loc[container["dataset"].values]))
    return curves.with_inner_seeds(container) if part == "distinct" else container


def read_fits(files: Sequence[Path]) -> pa.Table:
    """Return what fits are of and what became of them, a row each."""
    return _read(files, [*curves.FIT_DIMS, "status", "message"])


def container_of(files: Sequence[Path], fits: pa.Table, orders: Mapping[str, Sequence[str]],
                 reason: str, database: str, datasets: pd.DataFrame | None = None) -> xr.Dataset:
    """Return the container of tables of fits; arrays are made when they are read.

    Parameters
    ----------
    files : sequence of Path
        The tables, as Parquet.
    fits : pyarrow.Table
        From `read_fits`.
    orders : mapping of str to sequence of str
        Of dims that have words: all labels in their order.
    reason : str
        Why there is no fit where there is none.
    database : str
        Its name.
    datasets : pandas.DataFrame, optional
        By dataset the rows of splits, where tables count errors instead of telling the rate.
    """
    labels, places = zip(*(_coordinate(fits[dim], orders.get(dim)) for dim in curves.FIT_DIMS),
                         strict=True)
    coords = dict(zip(curves.FIT_DIMS, labels, strict=True)) | {"split": list(curves.SPLITS)}
    shape = tuple(len(label) for label in labels)
    position = np.ravel_multi_index(places, shape)
    rows = []
    if datasets is not None:
        described = datasets.loc[coords["dataset"]]
        rows = [fits["anchor"].to_numpy(), *(described[f"{split}_rows"].to_numpy()[places[0]]
                                             for split in curves.SPLITS[1:])]
    return curves.build_container(
        coords, _metrics(files, shape, position, rows), database=database,
        **_outcomes(fits, shape, position, reason))


def open_sample() -> xr.Dataset:
    """Open ``mini``: sixteen small tables of ``lcdb11-anew``, with all there is on them."""
    from collection.shipped.anew import FOLDER, sample_files

    return open_shipped(FOLDER, "mini", sample_files())


def _read(files: Sequence[Path], columns: list[str]) -> pa.Table:
    """Return columns of all files; null where a file has not a column."""
    tables = [pq.ParquetFile(shipped(file)) for file in files]
    parts = [table.read([c for c in columns if c in table.schema_arrow.names]) for table in tables]
    return pa.concat_tables(
        [part.replace_schema_metadata() for part in parts], promote_options="default",
    ).unify_dictionaries().combine_chunks()


def _coordinate(column: pa.ChunkedArray, order: Sequence[str] | None = None
                ) -> tuple[np.ndarray, np.ndarray]:
    """Return distinct labels, numbers ascending, words in this order; and each fit's place."""
    found = column.combine_chunks()
    if not pa.types.is_dictionary(found.type):
        found = found.dictionary_encode()
        order = order or np.sort(found.dictionary.to_numpy(zero_copy_only=False))
    labels = found.dictionary.to_numpy(zero_copy_only=False)
    if order is None:
        return labels, found.indices.to_numpy()
    there = np.array([label for label in order if label in labels], labels.dtype)
    place = {label: k for k, label in enumerate(there)}
    return there, np.array([place[label] for label in labels])[found.indices.to_numpy()]


def _metrics(files: Sequence[Path], shape: tuple, position: np.ndarray,
             rows: list[np.ndarray]) -> dict:
    types = {field.name: field.type for file in files for field in pq.read_schema(file)}
    _check_columns(files, types)
    counted = {"error_rate"} if ERRORS[0].name in types else set()

    def column(name: str) -> np.ndarray:
        table = _read(files, [name])
        if name not in table.column_names:
            return np.full(len(position), np.nan)
        values = table[name].to_numpy()
        in_parts = name in COLUMNS_ANEW and table[name].type == COLUMNS_ANEW[name].type
        return values / COLUMNS_ANEW[name].parts if in_parts else values

    def error_rate(k: int) -> np.ndarray:
        return column(f"errors_{curves.SPLITS[k]}") / rows[k]

    def read(name: str):
        columns = curves.METRICS[name].columns
        return error_rate if name in counted else lambda k: column(columns[k])

    def fill(name: str) -> np.generic:
        told = np.float64 if rows else types[curves.METRICS[name].columns[0]].to_pandas_dtype()
        return told("nan")

    return {name: scattered(shape, lambda: position, read(name), fill(name),
                            len(curves.SPLITS) if of.dims == curves.DIMS else None)
            for name, of in curves.METRICS.items() if name in counted or types.keys() & of.columns}


def _check_columns(files: Sequence[Path], types: Mapping[str, pa.DataType]) -> None:
    """Raise where tables have no column of a metric, or one of what it cannot be."""
    known = {column: of for of in curves.METRICS.values() for column in of.columns}
    if not types.keys() & {*known, *(column.name for column in ERRORS)}:
        raise ValueError(f"{files[0]} has no column of a metric, such as error_rate_valid (of an "
                         "accuracy, 1 less it), error_rate_test or relative_rmse_valid.")
    for file in files:
        table = pq.ParquetFile(file).metadata
        for group, k in product(range(table.num_row_groups), range(table.num_columns)):
            told = table.row_group(group).column(k)
            of, most = known.get(told.path_in_schema), told.statistics
            if of and pa.types.is_floating(types[told.path_in_schema]) and (
                    most is not None and most.has_min_max and not
                    of.low <= most.min <= most.max <= of.high):
                raise ValueError(f"{file}: {told.path_in_schema} goes from {most.min:g} to "
                                 f"{most.max:g}, and {of.label} lies between {of.low:g} and "
                                 f"{of.high:g}; divide by 100 what is in percent.")


def _outcomes(fits: pa.Table, shape: tuple, position: np.ndarray, reason: str) -> dict:
    """Return status and message of each fit, and the messages, the empty one first."""
    names, codes = _coordinate(fits["status"])
    status = np.array([curves.Status[name] for name in names], np.int8)[codes]
    texts, numbers = _coordinate(fits["message"])
    messages = ["", reason, *(text for text in texts if text)]
    number = np.array([messages.index(text) for text in texts], np.int16)[numbers]

    return {"status": scattered(shape, lambda: position, lambda _: status,
                                np.int8(curves.Status.not_run)),
            "message": scattered(shape, lambda: position, lambda _: number, np.int16(1)),
            "messages": messages}


def _described(table: pd.DataFrame) -> dict[str, tuple[str, np.ndarray]]:
    """Return the coordinates along ``dataset``."""
    named = {"source": "source", "licence": "licence", "rows": "rows", "features": "features",
             "classes": "classes", "train_size": "train_rows", "valid_size": "valid_rows",
             "test_size": "test_rows"}
    coords = {coord: ("dataset", table[column].to_numpy()) for coord, column in named.items()}
    short = [name.rpartition("/")[2] for name in table.index]
    return coords | {"name": ("dataset", np.array(short, object)),
                     "openml_id": ("dataset", table["openml_id"].to_numpy(float))}


def scattered(shape: tuple[int, ...], position: Callable[[], np.ndarray],
              read: Callable[[int], np.ndarray], fill: np.generic,
              n_last: int | None = None) -> indexing.LazilyIndexedArray:
    """Return a dense view of values scattered over an array, which is made when it is read.

    LCDB 1.0 fills 7 % of its container: each dataset has its own last anchor. Held dense, one
    metric is 600 MB.

    Parameters
    ----------
    shape : tuple of int
        Shape of the dense array, without the last axis where `n_last` gives it one.
    position : callable returning ndarray of int, shape (n_filled,)
        Flat position of each filled element in that shape.
    read : callable of int returning ndarray, shape (n_filled,)
        Values at one position of the last axis (called with 0 if there is none).
    fill : float or int
        Value elsewhere; its type is the dense array's.
    n_last : int, optional
        Length of the last axis, which is read position by position.
    """
    return indexing.LazilyIndexedArray(_ScatteredArray(shape, position, read, fill, n_last))


class _ScatteredArray(BackendArray):
    def __init__(self, shape, position, read, fill, n_last):
        self.shape = shape if n_last is None else (*shape, n_last)
        self.dtype = np.asarray(fill).dtype
        self._filled, self._position, self._read, self._fill = shape, position, read, fill

    def __getitem__(self, key: indexing.ExplicitIndexer) -> np.ndarray:
        once = all(np.unique(own).size == own.size for own in map(np.asarray, key.tuple)
                   if own.dtype.kind == "i")
        support = indexing.IndexingSupport.OUTER if once else indexing.IndexingSupport.BASIC
        return indexing.explicit_indexing_adapter(key, self.shape, support, self._dense)

    def _dense(self, key: tuple) -> np.ndarray:
        """Return what is asked for, no position twice; nothing more is held."""
        asked = [np.arange(n)[own] for n, own in zip(self.shape, key, strict=True)]
        *within, planes = asked if len(asked) > len(self._filled) else (*asked, np.array(0))
        dense = np.full((planes.size, *(own.size for own in within)), self._fill)
        filled, at = self._places(within)
        for plane, k in zip(dense, planes.flat, strict=True):
            values = self._read(int(k))
            plane.reshape(-1)[at] = values[filled] if np.ndim(values) else values
        gone = [axis for axis, own in enumerate([*within, planes]) if own.ndim == 0]
        return np.moveaxis(dense, 0, -1).squeeze(tuple(gone))  # a view: no second copy

    def _places(self, asked: list[np.ndarray]) -> tuple[np.ndarray | slice, np.ndarray]:
        """Return which filled positions are asked for, and their flat places among these."""
        left, stride = self._position(), math.prod(self._filled)
        whole = zip(self._filled, asked, strict=True)
        if all(np.array_equal(own, np.arange(n)) for n, own in whole):
            return slice(None), left  # where they are
        filled, at = np.arange(len(left)), np.zeros(len(left), int)
        for n, own in zip(self._filled, asked, strict=True):
            stride //= n
            index, left = np.divmod(left, stride)
            place = np.full(n, -1)
            place[own] = np.arange(own.size).reshape(own.shape)
            there = place[index] >= 0
            at = at * own.size + place[index]
            if not there.all():
                filled, at, left = filled[there], at[there], left[there]
        return filled, at
