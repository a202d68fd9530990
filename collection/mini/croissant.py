"""Describe the shipped files in Croissant, the metadata format of machine-learning datasets.

https://docs.mlcommons.org/croissant/docs/croissant-spec.html, version 1.0.
"""

import hashlib
import json
from pathlib import Path

import pandas as pd
import pyarrow as pa

from collection.mini import CROISSANT, DATASETS, FITS, TITLE
from collection.mini.columns import COLUMNS, DATASET_COLUMNS

VERSION = "1.0.0"
PROJECT = "Learning Curves, Re-examined"
TYPES = {pa.int8(): "cr:Int8", pa.int32(): "cr:Int32", pa.float32(): "cr:Float32"}
PROSE = (
    "Error rate, weighted F1, AUC, log-loss and times of {learners} classifiers trained on "
    "ever larger parts of {datasets} small classification datasets: {curves:,} learning curves, "
    "{fits:,} fits, by the protocol of LCDB 1.1 (two nested stratified splits with 5 x 5 seeds, "
    "anchors at 16*2^(k/8) rows). Failed fits are listed with status and message.")
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


def describe(folder: Path) -> None:
    """Write ``croissant.json`` for the shipped files in `folder`, which have to be there."""
    datasets = pd.read_csv(folder / DATASETS)
    learners = pa.parquet.read_table(folder / FITS, columns=["learner"])["learner"]
    prose = PROSE.format(learners=len(learners.unique()), datasets=len(datasets),
                         curves=datasets["curves"].sum(), fits=datasets["fits"].sum())
    metadata = {
        "@context": CONTEXT, "@type": "sc:Dataset", "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": "mini-learning-curves", "alternateName": TITLE, "description": prose,
        "license": "https://spdx.org/licenses/MIT",
        "url": "https://github.com/learning-curve-research/learning-curves-reexamined",
        "citeAs": f"{PROJECT}: an executable companion to LCDB 1.1, database mini",
        "creator": {"@type": "sc:Organization", "name": f"the maintainers of {PROJECT}"},
        "datePublished": str(datasets["finished"].max()), "version": VERSION,
        "distribution": [_file(folder / DATASETS, "text/csv"),
                         _file(folder / FITS, "application/x-parquet")],
        "recordSet": [
            _records("datasets", DATASETS, "A row per dataset, with what was spent on it.",
                     _dataset_fields(datasets), key=["dataset"]),
            _records("fits", FITS, "A row per fit: one learner trained on one training set.",
                     {n: (_type(c.type), _about(c)) for n, c in COLUMNS.items()},
                     key=["dataset", "learner", "scaling", "leakage", "outer", "inner", "anchor"]),
        ],
    }
    (folder / CROISSANT).write_text(json.dumps(metadata, indent=1, ensure_ascii=False) + "\n")


def _file(path: Path, kind: str) -> dict:
    with path.open("rb") as stream:
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    return {"@type": "cr:FileObject", "@id": path.name, "name": path.name, "contentUrl": path.name,
            "contentSize": f"{path.stat().st_size} B", "encodingFormat": kind, "sha256": sha256}


def _records(name: str, file: str, about: str, fields: dict[str, tuple[str, str]],
             key: list[str]) -> dict:
    return {
        "@type": "cr:RecordSet", "@id": name, "name": name, "description": about,
        "key": [{"@id": f"{name}/{column}"} for column in key],
        "field": [{
            "@type": "cr:Field", "@id": f"{name}/{column}", "name": column, "description": about,
            "dataType": kind,
            "source": {"fileObject": {"@id": file}, "extract": {"column": column}},
        } for column, (kind, about) in fields.items()],
    }


def _dataset_fields(datasets: pd.DataFrame) -> dict[str, tuple[str, str]]:
    def kind(column: str) -> str:
        if column == "openml_id":  # absent for some
            return "cr:Float64"
        return "cr:Int64" if datasets[column].dtype.kind in "iu" else "sc:Text"

    return {column: (kind(column), about) for column, about in DATASET_COLUMNS.items()}


def _type(kind: pa.DataType) -> str:
    return TYPES.get(kind, "sc:Text")


def _about(column) -> str:
    unit = f" [{column.unit}]" if column.unit not in ("", "1") else ""
    return column.about + unit
