"""Datasets and suites of OpenML: ``openml:ID``, ``openml:ID?target=…``, ``openml:suite/NAME``.

Its files are description, features, qualities, ARFF or Parquet. What was loaded once is read from
the on-disk cache of the ``openml`` package, without the network.
Everything is downloaded by that package into a folder of its own beside the cache, read and
checked there, and then moved in place in one step: whatever breaks, or is killed, or runs at the
same time, the cache holds no half of a dataset.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote
from xml.etree import ElementTree
from xml.parsers.expat import ExpatError

import arff
import minio.error
import numpy as np
import openml
import pandas as pd
import requests
import urllib3
from openml import exceptions as oml

from collection.datasets.dataset import NOT_STATED, Dataset, DatasetError, make_dataset
from collection.project.naming import UnknownNameError
from collection.project.paths import cache_dir
from collection.project.requirements import errors_of

DESCRIPTION, FEATURES, QUALITIES = "description.xml", "features.xml", "qualities.xml"
ARFF, PARQUET = "dataset.arff", "dataset_{}.pq"
OML = "{http://openml.org/openml}"


class DamagedFilesError(DatasetError):
    """Files that are incomplete or contradict each other; fetching them again may help."""


@dataclass(frozen=True)
class DataFiles:
    """What the files of one dataset say.

    Attributes
    ----------
    name, licence, default_target : str
        As described; empty where the description has none.
    left_out : tuple of str
        Columns that identify rows or are to be ignored.
    kinds : dict of column name to str
        ``numeric``, ``nominal``, ``string`` or ``date``, in the order of columns.
    frame : pandas.DataFrame
        All columns; missing is NaN or None.
    """

    name: str
    licence: str
    default_target: str
    left_out: tuple[str, ...]
    kinds: dict[str, str]
    frame: pd.DataFrame


def is_complete(folder: Path, openml_id: int) -> bool:
    """Tell whether `folder` holds all that `read_files` needs."""
    data = (ARFF, PARQUET.format(openml_id))
    return all((folder / f).is_file() for f in (DESCRIPTION, FEATURES)) and any(
        (folder / f).is_file() for f in data)


def read_files(folder: Path, openml_id: int) -> DataFiles:
    """Read and check the dataset in `folder`.

    An ARFF file is checked against the checksum in the description. Where that is missing, and
    for Parquet, the number of rows is checked against the qualities.

    Raises
    ------
    DamagedFilesError
        A file cannot be parsed, the checksum differs, or rows or columns are missing.
    """
    try:
        description = _parse(folder / DESCRIPTION)
        kinds = {_text(f, "name"): _text(f, "data_type")
                 for f in _parse(folder / FEATURES).iter(f"{OML}feature")}
        parquet = folder / PARQUET.format(openml_id)
        frame = pd.read_parquet(parquet) if parquet.is_file() else _read_arff(
            folder / ARFF, description)
    except (ElementTree.ParseError, arff.ArffException, ValueError,
            *errors_of("pyarrow", "ArrowException")) as error:
        raise DamagedFilesError(f"openml:{openml_id}: the data cannot be read; a file was cut "
                                f"short or is not what its name says ({error}).") from error
    frame = _name_columns(frame, list(kinds), openml_id)
    if parquet.is_file() or not _text(description, "md5_checksum"):
        _check_rows(frame, folder / QUALITIES, openml_id)
    left_out = [*_listed(description, "row_id_attribute", kinds),
                *_listed(description, "ignore_attribute", kinds)]
    return DataFiles(_text(description, "name"), _text(description, "licence"),
                     _text(description, "default_target_attribute"), tuple(left_out), kinds, frame)


def _parse(path: Path) -> ElementTree.Element:
    return ElementTree.parse(path).getroot()


def _text(element: ElementTree.Element, tag: str) -> str:
    return (element.findtext(f"{OML}{tag}") or "").strip()


def _listed(description: ElementTree.Element, tag: str, columns: Iterable[str]) -> list[str]:
    """Return the columns named under `tag`: one element each, or one with commas."""
    named = [e.text or "" for e in description.findall(f"{OML}{tag}")]
    split = [part.strip() for n in named for part in ([n] if n in columns else n.split(","))]
    return [c for c in split if c in columns]


def _read_arff(path: Path, description: ElementTree.Element) -> pd.DataFrame:
    content, md5 = path.read_bytes(), _text(description, "md5_checksum")
    if md5 and hashlib.md5(content, usedforsecurity=False).hexdigest() != md5:
        raise ValueError("its checksum is not the one that OpenML states")
    text = content.decode("utf-8")
    if _text(description, "format").lower() == "sparse_arff":
        return _dense(arff.loads(text, encode_nominal=True, return_type=arff.LOD))
    table = arff.loads(text)
    return pd.DataFrame(table["data"], columns=[name for name, _ in table["attributes"]])


def _dense(table: dict) -> pd.DataFrame:
    """Fill in what sparse ARFF leaves out: 0, or the first of a nominal attribute's values."""
    rows: list[dict[int, float | None]] = table["data"]
    i = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    j = np.fromiter(chain.from_iterable(rows), dtype=int)
    cells = np.zeros((len(rows), len(table["attributes"])))
    cells[i, j] = np.array([v for row in rows for v in row.values()], dtype=np.float64)
    named = {}
    for (name, kind), column in zip(table["attributes"], cells.T, strict=True):
        nominal = isinstance(kind, list)
        named[name] = pd.Categorical.from_codes(
            np.nan_to_num(column, nan=-1).astype(int), kind) if nominal else column
    return pd.DataFrame(named)


def _name_columns(frame: pd.DataFrame, names: list[str], openml_id: int) -> pd.DataFrame:
    """Give columns the names that OpenML lists, which follow the file's order."""
    if set(names) == set(frame.columns):
        return frame[names]
    if len(names) != frame.shape[1]:
        raise DamagedFilesError(f"openml:{openml_id}: the data have {frame.shape[1]} columns where "
                                f"OpenML lists {len(names)}.")
    return frame.set_axis(names, axis="columns")


def _check_rows(frame: pd.DataFrame, qualities: Path, openml_id: int) -> None:
    if not qualities.is_file():
        return
    stated = {_text(q, "name"): _text(q, "value") for q in _parse(qualities).iter(f"{OML}quality")}
    expected = stated.get("NumberOfInstances")
    if expected and float(expected) != len(frame):
        raise DamagedFilesError(f"openml:{openml_id}: the data have {len(frame)} rows where OpenML "
                                f"counts {float(expected):.0f}; a file was cut short.")


# The first row whose types fit says what went wrong.
MEANINGS = (
    ((oml.OpenMLHashException,),
     "the file that came does not have the checksum that the server states",
     "Try again; if that does not help, the server's copy is damaged"),
    ((oml.OpenMLPrivateDatasetError, oml.OpenMLNotAuthorizedError),
     "the server keeps it private", "Set your API key in OpenML's configuration"),
    ((oml.OpenMLServerException,),
     "the server refused", "Check the number or name on the server's pages"),
    ((oml.OpenMLServerError,),
     "the server failed", "Try again later"),
    ((requests.exceptions.ChunkedEncodingError, requests.exceptions.ContentDecodingError,
      urllib3.exceptions.ProtocolError, urllib3.exceptions.DecodeError),
     "the connection broke before the whole file had come", "Try again"),
    ((requests.exceptions.ReadTimeout,),
     "the server has fallen silent", "Try again later"),
    ((requests.exceptions.RequestException, urllib3.exceptions.HTTPError),
     "the server cannot be reached",
     "Check the connection; what was loaded before can be read without it"),
    ((oml.PyOpenMLError, minio.error.MinioException, ExpatError, KeyError, TypeError,
      ValueError, NotImplementedError),
     "the answer of the server is not what OpenML sends",
     "Try again later; a proxy may have answered in its place"),
)
KINDS = tuple(kind for kinds, _, _ in MEANINGS for kind in kinds)


@contextmanager
def explained(source: str) -> Iterator[None]:
    """Turn what the ``openml`` package and its libraries raise into `DatasetError`.

    Parameters
    ----------
    source : str
        The spec that was asked for.
    """
    try:
        yield
    except KINDS as error:
        if isinstance(error, DatasetError):
            raise
        _, what, advice = next(m for m in MEANINGS if isinstance(error, m[0]))
        raise DatasetError(f"{source}: {what} ({openml.config.server}: {_shortly(error)}). "
                           f"Nothing was kept. {advice}.") from error


def _shortly(error: Exception) -> str:
    """Return the error's text without the pages of HTML that a failing server may send."""
    text = str(error)
    if status := re.search(r"Status code: (\d+)", text):
        return f"HTTP status {status[1]}"
    line = " ".join(text.split())
    return f"{type(error).__name__}: {line[:200]}{'…' if len(line) > 200 else ''}"


NO_QUALITIES = 362  # the server's code for a dataset that it has not measured
SILENCE = 60.0  # s without a byte after which a server is given up


def cache_root() -> Path:
    """Return the root of the ``openml`` package's cache.

    The one that the user chose (``OPENML_CACHE_DIR``, OpenML's configuration file, or
    `openml.config.set_root_cache_directory`); otherwise ``openml`` in the project's cache.
    """
    if chosen := os.environ.get(openml.config.OPENML_CACHE_DIR_ENV_VAR):
        return Path(chosen).expanduser()
    configured = Path(openml.config.get_config_as_dict()["cachedir"])
    default = Path(openml.config._defaults["cachedir"]).expanduser().resolve()
    return cache_dir() / "openml" if configured == default else configured


def is_at_hand(openml_id: int) -> bool:
    """Tell whether a dataset is in the cache, so that no server is asked."""
    folder = server_folder(cache_root()) / "datasets" / str(openml_id)
    return is_complete(folder, openml_id)


def get_files(openml_id: int) -> DataFiles:
    """Return dataset `openml_id` from the cache, or from the server if it is not there whole.

    Raises
    ------
    DatasetError
        What went wrong with the server or the files, and what to do.
    """
    folder = server_folder(cache_root()) / "datasets" / str(openml_id)
    if found := is_complete(folder, openml_id):
        try:
            return read_files(folder, openml_id)
        except DamagedFilesError:
            pass  # by a disk fault, or whoever else wrote here: fetch it again
    with staging() as stage, explained(f"openml:{openml_id}"):
        _download(openml_id)
        fetched = server_folder(stage) / "datasets" / str(openml_id)
        files = read_files(fetched, openml_id)
        if found or not is_complete(folder, openml_id):
            _install(fetched, folder, openml_id, stage)
    return files


def get_suite(name: str) -> list[str]:
    """Return the specs of the datasets of the suite called `name` (or numbered so).

    One per task, in the suite's order, each once. Where a task's target is not its dataset's
    default, the spec names it. Delete the suite's file in the cache to ask the server anew.

    Raises
    ------
    DatasetError
        The server cannot be asked, knows no such suite, or a task is not a classification.
    """
    file = server_folder(cache_root()) / "suites" / f"{quote(name, safe='')}.json"
    if file.is_file():
        return json.loads(file.read_text(encoding="utf-8"))
    source = f"openml:suite/{name}"
    with staging() as stage, explained(source):
        tasks = openml.study.get_suite(name).tasks or []
        specs = list(dict.fromkeys(_task_spec(task, source) for task in tasks))
        if not specs:
            raise DatasetError(f"{source} has no tasks.")
        written = stage / file.name
        written.write_text(json.dumps(specs), encoding="utf-8")
        file.parent.mkdir(parents=True, exist_ok=True)
        written.replace(file)
    return specs


def _download(openml_id: int) -> None:
    parts = {"download_data": True, "download_features_meta_data": True}
    try:
        openml.datasets.get_dataset(openml_id, download_qualities=True, **parts)
    except openml.exceptions.OpenMLServerException as error:
        if error.code != NO_QUALITIES:
            raise
        openml.datasets.get_dataset(openml_id, **parts)


def _task_spec(task_id: int, source: str) -> str:
    task = openml.tasks.get_task(task_id)
    if not isinstance(task, openml.tasks.OpenMLClassificationTask):
        raise DatasetError(f"{source}: task {task_id} is a {task.task_type}; learning curves here "
                           "are of classifiers. Name the datasets one by one.")
    default = openml.datasets.get_dataset(task.dataset_id).default_target_attribute
    other = "" if task.target_name == default else f"?target={task.target_name}"
    return f"openml:{task.dataset_id}{other}"


def server_folder(root: Path) -> Path:
    """Return the part of the cache at `root` that belongs to the configured server."""
    with _openml_root(root):
        return Path(openml.config.get_cache_directory())


@contextmanager
def _openml_root(root: Path) -> Iterator[None]:
    before = openml.config.get_config_as_dict()["cachedir"]
    openml.config.set_root_cache_directory(root)
    try:
        yield
    finally:
        openml.config.set_root_cache_directory(before)


@contextmanager
def staging() -> Iterator[Path]:
    """Make ``openml`` work in a folder of its own, on the cache's file system."""
    root = cache_root()
    root.mkdir(parents=True, exist_ok=True)
    with (TemporaryDirectory(dir=root, prefix=".fetching-") as stage, _openml_root(Path(stage)),
          _impatience()):
        yield Path(stage)


class _ImpatientSession(requests.Session):
    def request(self, *args, **options) -> requests.Response:
        return super().request(*args, **{"timeout": SILENCE, **options})


@contextmanager
def _impatience() -> Iterator[None]:
    """Set the time limit that ``openml`` lacks: it would wait for a silent server for ever."""
    patient, requests.Session = requests.Session, _ImpatientSession
    try:
        yield
    finally:
        requests.Session = patient


def _install(fetched: Path, folder: Path, openml_id: int, stage: Path) -> None:
    """Move the dataset in place, without what ``openml`` pickled beside it."""
    keep = {DESCRIPTION, FEATURES, QUALITIES,
            ARFF, PARQUET.format(openml_id)}
    for file in fetched.iterdir():
        if file.name not in keep:
            file.unlink()
    folder.parent.mkdir(parents=True, exist_ok=True)
    if folder.exists():
        folder.replace(stage / "replaced")
    try:
        fetched.replace(folder)
    except OSError:
        # Else another process has just put it there.
        if not is_complete(folder, openml_id):
            raise


SUITE = "suite/"


def load(name: str) -> Dataset:
    """Load the dataset with the id `name`, row identifiers and ignored columns left out.

    Kinds are those that OpenML declares: nominal, string and date columns are categorical.

    Parameters
    ----------
    name : str
        ``ID``, for the target that OpenML names as default, or ``ID?target=COLUMN``.

    Raises
    ------
    DatasetError
        The dataset cannot be fetched or is damaged; it has no default target, or several of them.
    UnknownNameError
        No such column.
    """
    source = f"openml:{name}"
    number, _, asked = name.partition("?target=")
    if name.startswith(SUITE):
        raise DatasetError(f"{source} stands for many datasets: expand_specs() lists them.")
    if not (number.isascii() and number.isdigit()):
        raise DatasetError(f"{source}: after 'openml:' comes a dataset's number, as in openml:54, "
                           f"or a suite, as in openml:{SUITE}OpenML-CC18.")
    files = get_files(int(number))
    target = _target(files, asked, source, f"Name another with openml:{number}?target=COLUMN.")
    left_out = [c for c in files.left_out if c != target]
    return make_dataset(
        files.frame.drop(columns=left_out), target, name=files.name, source=source,
        licence=files.licence or NOT_STATED, openml_id=int(number),
        categorical=[c for c, kind in files.kinds.items() if kind != "numeric"],
        regression=files.kinds[target] == "numeric")


def expand(name: str) -> list[str]:
    """Return the specs that `name` stands for: a suite's datasets, or the one dataset itself."""
    if not name.startswith(SUITE):
        return [f"openml:{name}"]
    return get_suite(name.removeprefix(SUITE))


def _target(files: DataFiles, asked: str, source: str, how: str) -> str:
    """Return the name of the target, after checking that it is one column."""
    target = asked or files.default_target
    if not target:
        raise DatasetError(f"{source} has no default target. {how}")
    if target not in files.kinds:
        if set(target.split(",")) <= set(files.kinds):
            raise DatasetError(f"{source} has several targets ({target}): multi-label problems "
                               f"have no learning curve here. {how}")
        raise UnknownNameError(f"column of {source}", target, files.kinds)
    return target
