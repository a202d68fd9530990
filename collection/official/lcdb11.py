"""The official files of LCDB 1.1: which there are, where, and with which checksum.

The list is `data/lcdb11.json`, taken from the Croissant metadata that the authors published.
"""

import errno
import hashlib
import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd
from tqdm import tqdm

from collection.containers.curves import METRICS
from collection.containers.learner_names import CLASSIC, MIXED
from collection.project.naming import check_known
from collection.project.paths import DATA, cache_dir, shipped, written_whole

REGISTRY = DATA / "lcdb11.json"
DATASETS_TABLE = DATA / "lcdb11_datasets.csv"

# The part of a file's name that says which learners it holds, and these in the file's order.
LEARNER_SETS = {"24": CLASSIC, "4mixNB": MIXED, "catboost": ("CatBoost",),
                "realmlp": ("RealMLP",), "tabnet": ("TabNet",), "tabpfn": ("TabPFNv2",)}
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
        A metric of `collection.containers.curves.METRICS`, or ``message``.
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
    known = json.loads(shipped(REGISTRY).read_text(encoding="utf-8"))
    return tuple(OfficialFile(**f) for f in known["files"])


def select_files(metrics: Iterable[str] = (), datasets: Iterable[str] = (),
                 learners: Iterable[str] = ()) -> list[OfficialFile]:
    """Return the files of some metrics, dataset selections and learners.

    Parameters
    ----------
    metrics, datasets, learners : iterables of str
        Names as in `OfficialFile`; an empty one selects all.

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
        f for f in official_files()
        if all(not names or getattr(f, kind) in names for kind, names in wanted.items())
    ]
    if not chosen:
        asked = "; ".join(f"{kind}: {' '.join(names)}" for kind, names in wanted.items() if names)
        raise ValueError(f"LCDB 1.1 has no file for {asked}. `make lcdb11 LIST=yes` shows all.")
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
    table = pd.read_csv(shipped(DATASETS_TABLE), index_col="openml_id")
    return table.astype({"cc18": bool})


def dataset_ids(datasets: str) -> list[int]:
    """Return the OpenML ids of ``FULL`` (265) or ``CC18`` (72), in the files' order."""
    check_known("selection of datasets", [datasets], DATASET_SETS)
    table = datasets_table()
    return list(table.index if datasets == "FULL" else table.index[table["cc18"]])


def default_folder() -> Path:
    """Return where the official files lie once downloaded."""
    return cache_dir() / "lcdb11"


class LayoutError(ValueError):
    """A file that is not what its name promises; the message names the file and what to do."""

    def __init__(self, path: Path, problem: str):
        super().__init__(f"{path}: {problem} Remove the file and fetch it again with "
                         "`make lcdb11`, or check where it came from.")


RECORD = "verified.json"  # name → size and time of change of the files that were looked at
PIECE = 2**24  # bytes


def verify(path: Path, sha256: str) -> None:
    """Compare a file's content with its published checksum, unless that was done before.

    Parameters
    ----------
    path : Path
        The file. What was found is remembered in `RECORD` in its folder, where that can be
        written, until the file changes.
    sha256 : str
        The checksum as published, hexadecimal.

    Raises
    ------
    LayoutError
        Where the content is another.
    """
    if _record(path).get(path.resolve().name) == _state(path):
        return
    found = _hash(path)
    if found != sha256:
        raise LayoutError(path, f"its content is not what was published: its sha256 is {found}, "
                                f"not {sha256}. It was damaged, or is another file.")
    remember(path)


def remember(path: Path) -> None:
    """Note that a file holds what was published; `verify` does not look again."""
    record = _record(path) | {path.resolve().name: _state(path)}
    place = path.resolve().with_name(RECORD)
    try:
        with written_whole(place) as being_written:
            being_written.write_text(json.dumps(record, indent=1))
    except OSError as error:  # then it is looked at again the next time
        if error.errno not in (errno.EROFS, errno.EACCES, errno.EPERM):
            raise


def _record(path: Path) -> dict[str, list[int]]:
    place = path.resolve().with_name(RECORD)
    try:
        return json.loads(place.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return {}


def _state(path: Path) -> list[int]:
    now = path.stat()
    return [now.st_size, now.st_mtime_ns]


def _hash(path: Path) -> str:
    digest = hashlib.sha256()
    with (path.open("rb") as file,
          tqdm(total=path.stat().st_size, unit="B", unit_scale=True, leave=False,
               desc=f"checking {path.name}, once", disable=not sys.stderr.isatty()) as bar):
        while piece := file.read(PIECE):
            digest.update(piece)
            bar.update(len(piece))
    return digest.hexdigest()
