"""The curves gathered here and shipped in ``data/``, as the common container.

The table of fits is one Parquet file, or one a dataset and part of its curves.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import xarray as xr

from analysis.databases.scattered import scattered
from analysis.published.computed import NotAtHandError
from collection.containers import curves
from collection.project.paths import shipped
from collection.protocol.splits import SEEDS
from collection.shipped.anew import DATASETS
from collection.shipped.columns import COLUMNS_ANEW, COLUMNS_OF_NUMBERS, columns_of, label_orders

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
    fits = _read(there, [*curves.FIT_DIMS, "status", "message"])
    orders = label_orders(datasets["dataset"], fits["learner"].unique().to_pylist())
    keys = {dim: fits[dim] for dim in curves.FIT_DIMS}
    if part == "distinct":
        keys["inner"] = pa.chunked_array([keys["inner"].to_numpy() % len(SEEDS)])
    labels, places = zip(*(_coordinate(key, orders.get(dim)) for dim, key in keys.items()),
                         strict=True)
    if not files and len(labels[0]) < len(datasets):
        raise missing
    coords = dict(zip(curves.FIT_DIMS, labels, strict=True)) | {"split": list(curves.SPLITS)}
    shape = tuple(len(label) for label in labels)
    position = np.ravel_multi_index(places, shape)
    described = datasets.set_index("dataset").loc[coords["dataset"]]
    held_out = [described[f"{split}_rows"].to_numpy()[places[0]] for split in curves.SPLITS[1:]]
    rows = [fits["anchor"].to_numpy(), *held_out]
    container = curves.build_container(
        coords, _metrics(there, shape, position, rows), database=database,
        **_outcomes(fits, shape, position))
    container = container.assign_coords(_described(described))
    return curves.with_inner_seeds(container) if part == "distinct" else container


def open_sample() -> xr.Dataset:
    """Open ``mini``: sixteen small tables of ``lcdb11-anew``, with all there is on them."""
    from collection.shipped.anew import FOLDER, sample_files

    return open_shipped(FOLDER, "mini", sample_files())


def _read(files: list[Path], columns: list[str]) -> pa.Table:
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
        order = np.sort(found.dictionary.to_numpy())
    labels = found.dictionary.to_numpy(zero_copy_only=False)
    if order is None:
        return labels, found.indices.to_numpy()
    there = np.array([label for label in order if label in labels], labels.dtype)
    place = {label: k for k, label in enumerate(there)}
    return there, np.array([place[label] for label in labels])[found.indices.to_numpy()]


def _metrics(files: list[Path], shape: tuple, position: np.ndarray, rows: list[np.ndarray]) -> dict:
    def column(name: str) -> np.ndarray:
        table = _read(files, [name])
        if name not in table.column_names:
            return np.full(len(position), np.nan)
        values = table[name].to_numpy().astype(float)
        in_parts = name in COLUMNS_ANEW and table[name].type == COLUMNS_ANEW[name].type
        return values / COLUMNS_ANEW[name].parts if in_parts else values

    def error_rate(k: int) -> np.ndarray:
        return column(f"errors_{curves.SPLITS[k]}") / rows[k]

    def read(name: str):
        columns = curves.METRICS[name].columns
        return error_rate if name == "error_rate" else lambda k: column(columns[k])

    kind = "numbers" if columns_of(files[0]) is COLUMNS_OF_NUMBERS else "classes"
    there = set().union(*(pq.read_schema(file).names for file in files)) | {"error_rate"}
    return {name: scattered(shape, lambda: position, read(name), np.float64("nan"),
                            len(curves.SPLITS) if of.dims == curves.DIMS else None)
            for name in curves.metrics_of(kind) for of in (curves.METRICS[name],)
            if there.intersection([*of.columns, name])}


def _outcomes(fits: pa.Table, shape: tuple, position: np.ndarray) -> dict:
    """Return status and message of each fit, and the messages, the empty one first."""
    names, codes = _coordinate(fits["status"])
    status = np.array([curves.Status[name] for name in names], np.int8)[codes]
    texts, numbers = _coordinate(fits["message"])
    messages = ["", NOT_THERE, *(text for text in texts if text)]
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
