"""Turn stores of gathered curves into the files that are shipped.

The same curves give the same bytes, whatever order they were gathered in.
"""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from collection.container import FIT_DIMS, LEAKAGES, SCALINGS, SPLITS, Status
from collection.learners.names import LEARNERS
from collection.protocol import split_sizes
from collection.shipped import croissant
from collection.store import read_curves, read_fits
from collection.store.schema import FILE

CURVE = list(FIT_DIMS[:-1])
GROUP = CURVE[:4]  # what all repeats of a curve share

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
        No complete group; a curve that two stores hold; or datasets of both kinds.
    """
    there = [store for store in stores if (store / FILE).exists()]
    if not there:
        raise ExportError(f"There are no curves in {' or '.join(map(str, stores))}.")
    curves = pd.concat(map(read_curves, there))
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
    folder.mkdir(parents=True, exist_ok=True)
    _write(_as_table(_sorted(fits, datasets), datasets), folder / croissant.FITS)
    datasets.to_csv(folder / croissant.DATASETS, index=False, float_format="%.10g")
    return left


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
    return table[list(croissant.DATASET_COLUMNS)]


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
    other = sorted(set(fits["learner"]) - set(LEARNERS))
    orders = {"dataset": datasets["dataset"], "learner": [*LEARNERS, *other],
              "scaling": SCALINGS, "leakage": LEAKAGES, "status": [s.name for s in Status],
              "message": sorted(set(fits["message"]))}
    labels = {c: pd.Categorical(fits[c], categories=list(order)) for c, order in orders.items()}
    fits = fits.assign(**{c: label.remove_unused_categories() for c, label in labels.items()})
    return fits.sort_values(list(FIT_DIMS), ignore_index=True)


def _as_table(fits: pd.DataFrame, datasets: pd.DataFrame) -> pa.Table:
    """Return the fits in the shipped columns and types."""
    rows = datasets.set_index("dataset")
    if (rows["classes"] == 0).nunique() > 1:
        raise ExportError("Some datasets have classes and some numbers to predict; ship them "
                          "apart.")
    columns = croissant.COLUMNS if rows["classes"].all() else croissant.COLUMNS_OF_NUMBERS
    for column, split in zip(croissant.ERRORS, SPLITS, strict=True):
        if column.name in columns:
            size = fits["anchor"] if split == "train" else fits["dataset"].astype(object).map(
                rows[f"{split}_rows"])
            fits[column.name] = _counts(fits[f"error_rate_{split}"], size)
    arrays = {}
    for name, column in columns.items():
        values = fits[name] if column.digits is None else _rounded(fits[name], column.digits)
        arrays[name] = pa.Array.from_pandas(values, type=None if column.is_label else column.type)
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
    columns = croissant.COLUMNS | croissant.COLUMNS_OF_NUMBERS
    few = [name for name in table.column_names if columns[name].is_label or columns[name].digits]
    part = path.with_suffix(".part")
    pq.write_table(table, part, compression="zstd", compression_level=22, use_dictionary=few,
                   dictionary_pagesize_limit=1 << 24, row_group_size=len(table),
                   write_statistics=False)
    part.replace(path)
