"""Turn stores of gathered curves into the files that are shipped.

The same curves give the same bytes, whatever order they were gathered in.
"""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from collection.containers.curves import FIT_DIMS, SPLITS, Status
from collection.project.paths import written_whole
from collection.protocol.splits import split_sizes
from collection.shipped import columns as schema
from collection.shipped.anew import DATASETS
from collection.store import read_curves, read_fits
from collection.store.curves import FILE

CURVE = list(FIT_DIMS[:-1])
GROUP = CURVE[:4]  # what all repeats of a curve share

ALL = schema.COLUMNS | schema.COLUMNS_OF_NUMBERS
OUTSIDE = "not in the recipe"  # why curves that the stores have are not shipped


class ExportError(ValueError):
    """Stores that do not fit together, or values that are not what a store should hold."""


def export(stores: Sequence[Path], wanted: set[tuple], folder: Path) -> pd.DataFrame:
    """Write the table of fits and the table of datasets.

    Curves are shipped by groups (dataset, learner, scaling, leakage), and only those of which
    every wanted repeat is there.

    Parameters
    ----------
    stores : sequence of Path
        Those that exist are read.
    wanted : set of tuple
        (spec, learner, scaling, leakage, outer, inner) of each curve.
    folder : Path
        Where the files go.

    Returns
    -------
    pandas.DataFrame
        What was not shipped: ``dataset, learner, scaling, leakage, reason``.

    Raises
    ------
    ExportError
        No complete group; a curve that is there twice; datasets of both kinds.
    """
    there = [store for store in stores if (store / FILE).exists()]
    if not there:
        raise ExportError(f"There are no curves in {' or '.join(map(str, stores))}.")
    found = list(map(read_curves, there))
    curves = pd.concat([some for some in found if len(some)] or found[:1])
    if curves.duplicated(CURVE).any():
        raise ExportError(f"{' and '.join(map(str, there))} hold the same curves.")
    described = pd.concat(map(_described, there))
    names = dict(zip(described["spec"], described["name"], strict=True))
    complete, left = _complete(curves, {(names.get(spec, spec), *rest) for spec, *rest in wanted})
    if complete.empty:
        raise ExportError(f"No curve of the recipe has all its repeats in {there[0]}.")
    curves = curves.merge(complete)
    fits = pd.concat([read_fits(store).merge(complete) for store in there], ignore_index=True)
    datasets = _datasets(described, curves, fits, there)
    fits = _in_schema(fits, datasets)
    folder.mkdir(parents=True, exist_ok=True)
    _write(_as_table(_sorted(fits, datasets)), folder / schema.FITS)
    datasets.to_csv(folder / DATASETS, index=False, float_format="%.10g")
    return left


def export_portion(store: Path, wanted: set[tuple], file: Path) -> None:
    """Write curves of one dataset to a file of their own, which also says what they are of.

    Parameters
    ----------
    store : Path
    wanted : set of tuple
        (spec, learner, scaling, leakage, outer, inner) of each curve; all have to be there.
    file : Path
        A Parquet file in the columns `schema.COLUMNS_ANEW`; its schema's metadata hold the
        dataset's row of `schema.DATASET_COLUMNS`.

    Raises
    ------
    ExportError
        A wanted curve is not in the store.
    """
    curves, described = read_curves(store), _described(store)
    names = dict(zip(described["spec"], described["name"], strict=True))
    complete, left = _complete(curves, {(names.get(spec, spec), *rest) for spec, *rest in wanted})
    if len(left) and (left["reason"] != OUTSIDE).any():
        raise ExportError(f"{store} lacks curves of {file.name}.")
    fits = read_fits(store).merge(complete)
    datasets = _datasets(described, curves.merge(complete), fits, [store])
    fits = _in_schema(fits, datasets, schema.COLUMNS_ANEW)
    file.parent.mkdir(parents=True, exist_ok=True)
    _write(_as_table(_sorted(fits, datasets), schema.COLUMNS_ANEW).replace_schema_metadata(
        {DATASETS: datasets.to_csv(index=False, float_format="%.10g")}), file)


def export_described(folder: Path) -> None:
    """Write the table of the datasets of all files that `export_portion` has left in a folder.

    Raises
    ------
    ExportError
        There is none, or two are of different data by the same name.
    """
    said = [pq.read_schema(file).metadata[DATASETS.encode()].decode()
            for file in sorted(folder.glob("*.parquet"))]
    if not said:
        raise ExportError(f"There are no curves in {folder}.")
    with written_whole(folder / DATASETS) as part:
        _joined(pd.concat([pd.read_csv(StringIO(text)) for text in said])).to_csv(
            part, index=False, float_format="%.10g")


def _complete(curves: pd.DataFrame, wanted: set[tuple]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the complete groups, and the others with the reason why they are left out."""
    asked = pd.DataFrame(sorted(wanted), columns=CURVE).assign(asked=True)
    both = asked.merge(curves[CURVE].assign(there=True), how="outer", on=CURVE)
    state = both[["asked", "there"]].notna().groupby([both[c] for c in GROUP], sort=True)
    state = state.agg(["all", "any"])
    is_complete = state["asked", "all"] & state["there", "all"]
    reason = np.select([~state["asked", "all"], ~state["there", "any"]],
                       [OUTSIDE, "not gathered"], "some repeats are missing")
    left = pd.DataFrame({"reason": reason}, index=state.index)[~is_complete]
    return is_complete.index[is_complete].to_frame(index=False), left.reset_index()


def _described(store: Path) -> pd.DataFrame:
    with closing(sqlite3.connect(store / FILE)) as db:
        return pd.read_sql("SELECT * FROM datasets", db)


def _datasets(described: pd.DataFrame, curves: pd.DataFrame, fits: pd.DataFrame,
              stores: Sequence[Path]) -> pd.DataFrame:
    """Return the table of datasets: what they are, where from, what was spent on them."""
    if (described.groupby("name")["fingerprint"].nunique() > 1).any():
        raise ExportError("The stores hold different data under the same name.")
    table = described.drop_duplicates("name", ignore_index=True)
    spent = curves.groupby("dataset").agg(curves=("seconds", "size"), seconds=("seconds", "sum"),
                                          started=("finished", "min"), finished=("finished", "max"))
    spent["seconds"] = spent["seconds"].round()
    table = table.merge(spent.reset_index(names="name"), on="name")
    sizes = pd.DataFrame([split_sizes(n) for n in table["rows"]], index=table.index,
                         columns=[f"{split}_rows" for split in SPLITS])
    table = table.join(sizes).sort_values(["rows", "name"], ignore_index=True)
    table["openml_id"] = table["openml_id"].astype("Int64")
    table["fits"] = table["name"].map(fits.groupby("dataset").size())
    versions, platform = _provenance(stores)
    table = table.assign(versions=versions, platform=platform)
    table = table.drop(columns="source")
    table = table.rename(columns={"name": "dataset", "spec": "source", "fingerprint": "sha256"})
    return table[list(schema.DATASET_COLUMNS)]


def _provenance(stores: Sequence[Path]) -> tuple[str, str]:
    """Return the versions and the platforms of all runs, as text."""
    runs = []
    for store in stores:
        with closing(sqlite3.connect(store / FILE)) as db:
            runs += [json.loads(text) for (text,) in db.execute("SELECT provenance FROM runs")]
    versions = {f"{name} {version}" for run in runs
                for name, version in {"Python": run["python"], **run["libraries"]}.items()}
    return "; ".join(sorted(versions)), "; ".join(sorted({run["platform"] for run in runs}))


def _sorted(fits: pd.DataFrame, datasets: pd.DataFrame) -> pd.DataFrame:
    """Return the fits in the order of the container's dims, labels as categories in that order."""
    orders = schema.label_orders(datasets["dataset"], fits["learner"]) | {
        "status": [s.name for s in Status], "message": sorted(set(fits["message"]))}
    labels = {c: pd.Categorical(fits[c], categories=list(order)) for c, order in orders.items()}
    fits = fits.assign(**{c: label.remove_unused_categories() for c, label in labels.items()})
    return fits.sort_values(list(FIT_DIMS), ignore_index=True)


def _joined(datasets: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each dataset: what was spent, and on what, is of all its rows."""
    if (datasets.groupby("dataset")["sha256"].nunique() > 1).any():
        raise ExportError("What is shipped and the stores hold different data by the same name.")
    spent = datasets.groupby("dataset").agg(
        curves=("curves", "sum"), fits=("fits", "sum"), seconds=("seconds", "sum"),
        started=("started", "min"), finished=("finished", "max"))
    once = datasets.drop_duplicates("dataset").drop(columns=list(spent)).merge(
        spent.reset_index(), on="dataset")
    for column in ("versions", "platform"):
        once[column] = "; ".join(sorted(set("; ".join(datasets[column]).split("; "))))
    once["openml_id"] = once["openml_id"].astype("Int64")
    return once.sort_values(["rows", "dataset"], ignore_index=True)[list(schema.DATASET_COLUMNS)]


def _in_schema(fits: pd.DataFrame, datasets: pd.DataFrame,
                        columns: Mapping[str, schema.Column] | None = None) -> pd.DataFrame:
    """Return the fits in the columns that are shipped, with the digits that are."""
    rows = datasets.set_index("dataset")
    if (rows["classes"] == 0).nunique() > 1:
        raise ExportError("Some datasets have classes and some numbers to predict; ship them "
                          "apart.")
    columns = columns or (
        schema.COLUMNS if rows["classes"].all() else schema.COLUMNS_OF_NUMBERS)
    for column, split in zip(schema.ERRORS, SPLITS, strict=True):
        if column.name in columns:
            size = fits["anchor"] if split == "train" else fits["dataset"].astype(object).map(
                rows[f"{split}_rows"])
            fits[column.name] = _counts(fits[f"error_rate_{split}"], size)
    return pd.DataFrame({name: _as_shipped(fits[name], column) for name, column in columns.items()})


def _as_shipped(values: pd.Series, column: schema.Column) -> pd.Series:
    if column.parts > 1:
        return (values * column.parts).round().astype("Int32")
    return values if column.digits is None else _rounded(values, column.digits)


def _as_table(fits: pd.DataFrame, columns: Mapping[str, schema.Column] = ALL) -> pa.Table:
    """Return the fits in the shipped types."""
    arrays = {}
    for name in fits:
        column = columns[name]
        arrays[name] = pa.Array.from_pandas(fits[name],
                                            type=None if column.is_label else column.type)
        if column.is_label:
            arrays[name] = arrays[name].cast(column.type)
    return pa.table(arrays)


def _counts(rates: pd.Series, sizes: pd.Series) -> pd.Series:
    """Return error rates as counts of errors; raise where that would not give the same rates."""
    counts = (rates * sizes).round()
    if not np.array_equal(counts / sizes, rates, equal_nan=True):
        raise ExportError(f"{rates.name} holds rates that are no count divided by the rows.")
    return counts.astype("Int32")


def _rounded(values: pd.Series, digits: int) -> pd.Series:
    """Return the values with so many significant digits."""
    size = values.abs()
    scale = 10.0 ** (digits - 1 - np.floor(np.log10(size.where(size > 0, 1.0))))
    return (values * scale).round() / scale


def _write(table: pa.Table, path: Path) -> None:
    """Write Parquet; the file appears whole or not at all."""
    few = [name for name in table.column_names if ALL[name].is_label or ALL[name].digits]
    with written_whole(path) as part:
        pq.write_table(table, part, compression="zstd", compression_level=22, use_dictionary=few,
                       dictionary_pagesize_limit=1 << 24, row_group_size=len(table),
                       write_statistics=False)
