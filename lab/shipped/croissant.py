"""What the shipped files hold, for machines: Croissant.

Croissant is a metadata format of machine-learning datasets:
https://docs.mlcommons.org/croissant/docs/croissant-spec.html, version 1.0.
"""

import json
from pathlib import Path

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from collection.project.paths import repository_url, sha256_of
from collection.shipped.anew import DATASETS
from collection.shipped.columns import COLUMNS_OF_NUMBERS, DATASET_COLUMNS, FITS, columns_of

CROISSANT = "croissant.json"
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
SEEDED = {"": "5 x 5 seeds", "opened": "5 x 5 seeds, of families that were sealed for the trial",
          "distinct": "5 outer seeds and 25 inner seeds, none of them twice"}
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
