"""The official files of LCDB 1.1: which there are, where, and with which checksum.

The list is `data/lcdb11.json`, taken from the Croissant metadata that the authors published.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd

from analysis.databases.counted import CLASSIC, MIXED
from collection.container import METRICS
from collection.naming import check_known
from collection.paths import DATA, cache_dir

REGISTRY = DATA / "lcdb11.json"
DATASETS_TABLE = DATA / "lcdb11_datasets.csv"

# The part of a file's name that says which learners it holds, and these in the file's order.
LEARNER_SETS = {
    "24": CLASSIC,
    "4mixNB": MIXED,
    "catboost": ("CatBoost",),
    "realmlp": ("RealMLP",),
    "tabnet": ("TabNet",),
    "tabpfn": ("TabPFNv2",),
}
DATASET_SETS = ("FULL", "CC18")
MESSAGE = "message"  # the file of statuses and error messages, beside those of the metrics


@dataclass(frozen=True)
class OfficialFile:
    """One published HDF5 file.

    Attributes
    ----------
    name : str
        File name, ``LCDB11_<metric>_<datasets>_<learners>.hdf5``.
    metric : str
        A metric of `collection.container.METRICS`, or ``message``.
    datasets : str
        ``FULL`` (265 datasets) or ``CC18`` (72).
    learners : str
        A key of `LEARNER_SETS`.
    url, sha256 : str
        Address and checksum as published.
    """

    name: str
    metric: str
    datasets: str
    learners: str
    url: str
    sha256: str


@cache
def official_files() -> tuple[OfficialFile, ...]:
    """Return all published files, in the published order."""
    return tuple(OfficialFile(**f) for f in json.loads(REGISTRY.read_text())["files"])


def select_files(
    metrics: Iterable[str] = (),
    datasets: Iterable[str] = (),
    learners: Iterable[str] = (),
    files: Iterable[OfficialFile] | None = None,
) -> list[OfficialFile]:
    """Return the files of some metrics, dataset selections and learners.

    Parameters
    ----------
    metrics, datasets, learners : iterables of str
        Names as in `OfficialFile`; an empty one selects all.
    files : iterable of OfficialFile, optional
        Where to select from; by default what was published.

    Raises
    ------
    UnknownNameError
        For a name that no published file bears.
    ValueError
        Where nothing was published for the combination.
    """
    wanted = {"metric": tuple(metrics), "datasets": tuple(datasets), "learners": tuple(learners)}
    known = {"metric": [*METRICS, MESSAGE], "datasets": DATASET_SETS, "learners": LEARNER_SETS}
    for kind, names in wanted.items():
        check_known(f"LCDB 1.1 {kind}", names, known[kind])
    chosen = [
        f for f in (official_files() if files is None else files)
        if all(not names or getattr(f, kind) in names for kind, names in wanted.items())
    ]
    if not chosen:
        asked = "; ".join(f"{kind}: {' '.join(names)}" for kind, names in wanted.items() if names)
        raise ValueError(f"LCDB 1.1 has no file for {asked}. "
                         "`python -m analysis.databases.lcdb11 --list` shows all.")
    return chosen


@cache
def datasets_table() -> pd.DataFrame:
    """Return the 265 datasets in the files' order.

    Returns
    -------
    DataFrame
        Index ``openml_id``; columns ``name``, ``cc18`` (bool: in the OpenML-CC18 selection),
        ``max_anchor`` (rows of the largest training set), ``features``, ``samples``,
        ``classes``, ``max_class_ratio``. From the metadata published with the files.
    """
    table = pd.read_csv(DATASETS_TABLE, index_col="openml_id")
    return table.astype({"cc18": bool})


def dataset_ids(datasets: str) -> list[int]:
    """Return the OpenML ids of ``FULL`` (265) or ``CC18`` (72), in the files' order."""
    check_known("selection of datasets", [datasets], DATASET_SETS)
    table = datasets_table()
    return list(table.index if datasets == "FULL" else table.index[table["cc18"]])


def default_folder() -> Path:
    """Return where the official files lie once downloaded."""
    return cache_dir() / "lcdb11"
