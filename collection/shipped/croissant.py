"""The columns of the shipped files, one table for writing, reading and describing; Croissant.

Croissant is a metadata format of machine-learning datasets:
https://docs.mlcommons.org/croissant/docs/croissant-spec.html, version 1.0.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from collection.containers.curves import LEAKAGES, METRICS, SCALINGS, SPLITS, metrics_of
from collection.containers.learner_names import LEARNERS
from collection.project.paths import repository_url, sha256_of

FITS = "fits.parquet"
DATASETS = "datasets.csv"
CROISSANT = "croissant.json"
LABEL = pa.dictionary(pa.int16(), pa.string())


@dataclass(frozen=True)
class Column:
    """A column of the table of fits.

    Attributes
    ----------
    name, about : str
    type : pyarrow.DataType
    unit : str
        "1" for a pure number, empty for a label.
    digits : int, optional
        Significant digits that are kept; by default all of single precision.
    parts : int
        Whole numbers of 1 / parts are stored, which takes less room; 1 but for `COLUMNS_ANEW`.
    """

    name: str
    about: str
    type: pa.DataType
    unit: str = ""
    digits: int | None = None
    parts: int = 1

    @property
    def is_label(self) -> bool:
        """Whether its values are words."""
        return pa.types.is_dictionary(self.type)

    @property
    def described(self) -> str:
        """What it holds, with its unit."""
        return self.about + (f" [{self.unit}]" if self.unit not in ("", "1") else "")


KEYS = (
    Column("dataset", "name of the dataset; the table of datasets describes it", LABEL),
    Column("learner", "name of the learner, as in the paper's Table 3", LABEL),
    Column("scaling", "feature scaling: none, minmax or standard", LABEL),
    Column("leakage", "whether the preprocessing was fitted on all data: no or yes", LABEL),
    Column("outer", "seed of the split that sets the test rows aside", pa.int8()),
    Column("inner", "seed of the split that sets the validation rows aside", pa.int8()),
    Column("anchor", "training-set size", pa.int32(), "rows"),
)
OUTCOMES = (
    Column("status", "what became of the fit: ok, timeout, memory or error", LABEL),
    Column("message", "why, where the status is not ok or a metric has no value", LABEL),
)


def _values(name: str, column: str) -> Column:
    split = column.removeprefix(name).strip("_")
    about = METRICS[name].label + (f", {split} split" if split else "")
    digits = DIGITS.get(name)
    about += f", to {digits} significant digits" if METRICS[name].of == "numbers" else ""
    return Column(column, about, pa.float32(), METRICS[name].unit, digits)


# Significant digits: of times, a repetition moves the third.
DIGITS = {"train_time": 2, "predict_time": 2, "relative_rmse": 5, "mae": 3, "r2": 3}
ERRORS = tuple(
    Column(f"errors_{split}", f"rows of the {split} split whose class is predicted wrongly; "
           "divided by the split's rows it is the error rate", pa.int32(), "rows")
    for split in SPLITS)


def _columns(kind: str, *first: Column) -> dict[str, Column]:
    values = (_values(name, column) for name in metrics_of(kind) if name != "error_rate"
              for column in METRICS[name].columns)
    return {c.name: c for c in (*KEYS, *OUTCOMES, *first, *values)}


COLUMNS = _columns("classes", *ERRORS)
COLUMNS_OF_NUMBERS = _columns("numbers")

def _anew(column: Column) -> Column:
    if not column.name.startswith(("f1", "auc", "log_loss")):
        return column
    return replace(column, type=pa.int32(), parts=10_000, about=column.about + ", times 10,000")


#: Of curves gathered anew: what the official files have but for F1 on the training rows, to the
#: four decimals that their authors gave.
COLUMNS_ANEW = {
    name: _anew(column) for name, column in COLUMNS.items()
    if not name.startswith("predict_time")
    and name not in ("f1_train", "auc_train", "log_loss_train")}

#: Of the table of datasets.
DATASET_COLUMNS = {
    "dataset": "name",
    "source": "where it was loaded from, as DATASETS= takes it",
    "licence": "as its source states it",
    "openml_id": "OpenML's number, where the rows are OpenML's in the same order",
    "rows": "rows with a label",
    "features": "columns without the target",
    "categorical": "how many of the features are categorical",
    "classes": "distinct labels; 0 where numbers are to be predicted",
    "missing_values": "cells of the features without a value",
    "train_rows": "rows of the whole training set",
    "valid_rows": "rows of a validation set",
    "test_rows": "rows of a test set",
    "curves": "curves gathered",
    "fits": "fits gathered",
    "seconds": "computing, preprocessing and measuring included [s]",
    "started": "when the first of its curves was finished (UTC)",
    "finished": "when the last was (UTC)",
    "versions": "Python and the packages that were installed",
    "platform": "what it ran on",
    "sha256": "of the rows as loaded",
}


VERSION = "1.0.0"
PROJECT = "Learning Curves, Re-examined"
TYPES = {pa.int8(): "cr:Int8", pa.int32(): "cr:Int32", pa.float32(): "cr:Float32"}
TITLE = "{name}: learning curves gathered by the protocol of LCDB 1.1"
PROSE = (
    "{what} trained on ever larger parts of {datasets} {kind} datasets: {curves:,} learning "
    "curves, {fits:,} fits, by the protocol of LCDB 1.1 (two nested stratified splits with {seeds}"
    ", anchors at 16*2^(k/8) rows). Failed fits are listed with status and message.")
WHAT = {
    "classes": "Error rate, weighted F1, AUC, log-loss and times of {learners} classifiers",
    "numbers": "Root mean squared error relative to the target's standard deviation, mean "
               "absolute error, R2 and times of {learners} regressors",
}
SEEDED = {"": "5 x 5 seeds", "distinct": "5 outer seeds and 25 inner seeds, none of them twice"}
KINDS = {"lcdb11-anew": "classification", "regression": "regression",
         "large_numbers": "large regression", "large_classes": "large classification"}
CONTEXT = {
    "@language": "en", "@vocab": "https://schema.org/", "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/", "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    **{term: f"cr:{term}" for term in (
        "citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject",
        "fileSet", "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField",
        "path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate",
        "separator", "source", "subField", "transform")},
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
}


def describe(folder: Path, name: str, part: str = "") -> None:
    """Write ``croissant.json`` for the shipped files in `folder`, which have to be there.

    Fits in many files are a set of files.

    Parameters
    ----------
    folder : Path
    name : str
        The database's, a key of `KINDS`.
    part : {"", "distinct"}
        The part of it that has a folder of its own.
    """
    datasets = pd.read_csv(folder / DATASETS)
    files = sorted(folder.glob("*.parquet"))
    learners = {name for file in files for name in parquet.read_table(
        file, columns=["learner"])["learner"].unique().to_pylist()}
    columns = columns_of(files[0])
    what = WHAT["numbers" if columns is COLUMNS_OF_NUMBERS else "classes"]
    fits = {"fileObject": {"@id": FITS}}
    listed = [_file(path, "application/x-parquet") for path in files]
    if len(files) > 1:
        fits = {"fileSet": {"@id": "all-fits"}}
        listed.append({"@type": "cr:FileSet", "@id": "all-fits", "name": "all-fits",
                       "encodingFormat": "application/x-parquet", "includes": "*.parquet"})
    prose = PROSE.format(what=what.format(learners=len(learners)), kind=KINDS[name],
                         datasets=len(datasets), curves=datasets["curves"].sum(),
                         fits=datasets["fits"].sum(), seeds=SEEDED[part])
    name = f"{name}-{part}" if part else name
    metadata = {
        "@context": CONTEXT, "@type": "sc:Dataset", "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": f"{name}-learning-curves", "alternateName": TITLE.format(name=name),
        "description": prose,
        "license": "https://spdx.org/licenses/MIT",
        **({"url": repository_url()} if repository_url() else {}),
        "citeAs": f"{PROJECT}: an executable companion to LCDB 1.1, database {name}",
        "creator": {"@type": "sc:Organization", "name": f"the maintainers of {PROJECT}"},
        "datePublished": str(datasets["finished"].max()), "version": VERSION,
        "distribution": [_file(folder / DATASETS, "text/csv"), *listed],
        "recordSet": [
            _records("datasets", {"fileObject": {"@id": DATASETS}},
                     "A row per dataset, with what was spent on it.",
                     _dataset_fields(datasets), key=["dataset"]),
            _records("fits", fits, "A row per fit: one learner trained on one training set.",
                     {n: (TYPES.get(c.type, "sc:Text"), c.described) for n, c in columns.items()},
                     key=["dataset", "learner", "scaling", "leakage", "outer", "inner", "anchor"]),
        ],
    }
    (folder / CROISSANT).write_text(json.dumps(metadata, indent=1, ensure_ascii=False) + "\n")


def columns_of(fits: Path) -> dict[str, Column]:
    """Return the columns of a shipped table of fits, by what has to be predicted."""
    there = parquet.read_schema(fits).names
    if ERRORS[0].name not in there:
        return COLUMNS_OF_NUMBERS
    return COLUMNS if "f1_train" in there else COLUMNS_ANEW


def label_orders(datasets: Iterable[str], learners: Iterable[str]) -> dict[str, Sequence[str]]:
    """Return the order of the labels of a database along each of the dims that has words.

    Parameters
    ----------
    datasets : iterable of str
        As the table of datasets has them.
    learners : iterable of str
        Names; those of the paper come first, in its order.
    """
    others = sorted(set(learners) - set(LEARNERS))
    return {"dataset": list(datasets), "learner": [*LEARNERS, *others], "scaling": SCALINGS,
            "leakage": LEAKAGES}


def _file(path: Path, kind: str) -> dict:
    return {"@type": "cr:FileObject", "@id": path.name, "name": path.name, "contentUrl": path.name,
            "contentSize": f"{path.stat().st_size} B", "encodingFormat": kind,
            "sha256": sha256_of(path)}


def _records(name: str, source: dict, about: str, fields: dict[str, tuple[str, str]],
             key: list[str]) -> dict:
    return {
        "@type": "cr:RecordSet", "@id": name, "name": name, "description": about,
        "key": [{"@id": f"{name}/{column}"} for column in key],
        "field": [{
            "@type": "cr:Field", "@id": f"{name}/{column}", "name": column, "description": about,
            "dataType": kind,
            "source": source | {"extract": {"column": column}},
        } for column, (kind, about) in fields.items()],
    }


def _dataset_fields(datasets: pd.DataFrame) -> dict[str, tuple[str, str]]:
    def kind(column: str) -> str:
        if column == "openml_id":  # absent for some
            return "cr:Float64"
        return "cr:Int64" if datasets[column].dtype.kind in "iu" else "sc:Text"

    return {column: (kind(column), about) for column, about in DATASET_COLUMNS.items()}
