"""A suite as one file: its tasks with their data and splits, checksums, no server needed.

A bundle is a zip archive of ``suite.toml``, per task a table (Parquet), what is known of it (JSON)
and its splits (ARFF, as OpenML's), and ``manifest.json`` with the SHA-256 of each. It is opened
into the cache, in a folder named by the archive's own SHA-256. Nothing of it is executed or
unpickled.
"""

import json
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

import numpy as np

from collection.datasets import bundled, load_dataset
from collection.datasets.bundled_table import META, TABLE, read_known, save_dataset
from collection.datasets.csv_file import outside, portable
from collection.project.opening import check_file
from collection.project.paths import cache_dir, sha256_of, written_whole
from collection.suites.suite import Suite, SuiteError, parse_suite, read_suite, suite_text
from collection.tasks import GivenSplits, Task, load_task
from collection.tasks.procedures import check_folds, folds_fingerprint
from collection.tasks.split_files import write_split_file

MANIFEST, SUITE, SPLITS = "manifest.json", "suite.toml", "splits.arff"
TIME = (1980, 1, 1, 0, 0, 0)  # of every entry: the same content gives the same archive
LARGEST = 64 * 2**30  # bytes of all files together
SMALL, MOST_RATIO = 100e6, 200  # bytes that any bundle may unpack to; else times its size
MOST_FILES = 10_000
BLOCK = 2**20  # bytes read at once
LINK = 0o120000  # the type of a symbolic link in a file's mode


def write_bundle(suite: Suite, path: str | Path) -> Path:
    """Write a suite with its data to one file, whole or not at all; return the path.

    Raises
    ------
    SuiteError
        Where a released suite names a file outside this folder.
    DatasetError, TaskError
        Where a task cannot be loaded, or is not what it was when the suite was made.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="bundle-") as made:
        folder = Path(made)
        tasks = []
        for number, task in enumerate(suite.tasks):
            loaded = load_task(task)
            tasks.append(task if suite.released else  # which does not change any more
                         replace(_without_folders(task), splits=folds_fingerprint(loaded.folds)))
            if place := _outside(tasks[-1]):
                raise SuiteError(f"{suite.label} was released with the path {place} in it, which "
                                 "a bundle does not carry. Make a new version with a path "
                                 "relative to your folder: make suite DO=subset … VERSION=…")
            place = folder / str(number)
            save_dataset(replace(loaded.dataset, source=portable(loaded.dataset.source)), place)
            write_split_file(place / SPLITS, loaded.folds)
        (folder / SUITE).write_text(suite_text(replace(suite, tasks=tuple(tasks))),
                                    encoding="utf-8")
        files = sorted(str(f.relative_to(folder).as_posix()) for f in folder.rglob("*.*"))
        manifest = {name: sha256_of(folder / name) for name in files}
        (folder / MANIFEST).write_text(json.dumps(manifest, indent=1))
        with written_whole(path) as part:
            _pack(part, folder, [MANIFEST, *files])
    return path


def open_bundle(path: str | Path) -> Suite:
    """Return the suite in a bundle; its tasks read data and splits from the bundle alone.

    Tasks keep their names, so that results can be compared with those of other machines.

    Raises
    ------
    SuiteError
        The file is no bundle or damaged, was tampered with, or holds what would be written outside
        its folder.
    """
    folder = _opened(Path(path))
    suite = read_suite(folder / SUITE)
    return replace(suite, tasks=tuple(
        replace(task, dataset=f"bundle:{folder / str(number)}",
                procedure=GivenSplits(str(folder / str(number) / SPLITS)),
                name=task.name or str(read_known(folder / str(number))["name"]))
        for number, task in enumerate(suite.tasks)))


def _opened(path: Path) -> Path:
    """Return the folder in the cache that holds the bundle's files, checked."""
    check_file(path, SuiteError)
    try:
        target = cache_dir() / "bundles" / sha256_of(path)
    except OSError as error:
        raise SuiteError(f"The bundle {path} cannot be read: {error.strerror}.") from error
    if target.is_dir() and _is_whole(target):
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=target.parent, prefix=".opening-") as stage:
        fresh = Path(stage) / "files"
        _unpack(path, fresh)
        if target.exists():
            target.replace(Path(stage) / "damaged")
        fresh.replace(target)
    return target


def _unpack(path: Path, folder: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = _manifest(archive, path)
            for name, stated in manifest.items():
                place = folder / name
                place.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(name) as source, place.open("wb") as target:
                    shutil.copyfileobj(source, target, BLOCK)
                if sha256_of(place) != stated:
                    raise SuiteError(f"The bundle {path} is damaged or was tampered with: {name} "
                                     "has not the checksum that its manifest states.")
            (folder / MANIFEST).write_bytes(archive.read(MANIFEST))
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, KeyError, NotImplementedError,
            RuntimeError, OSError) as error:
        raise SuiteError(f"{path} is no bundle of a suite, or it is damaged ({error}).") from error
    _check_tasks(folder, path)


def _manifest(archive: zipfile.ZipFile, path: Path) -> dict[str, str]:
    """Return the manifest, after refusing entries that it lacks or that are no plain files."""
    names = []
    if len(archive.infolist()) > MOST_FILES:
        raise SuiteError(f"The bundle {path} is refused: it has {len(archive.infolist()):,} files,"
                         f" and {MOST_FILES:,} are the most.")
    for entry in archive.infolist():
        plain = PurePosixPath(entry.filename)
        outside = plain.is_absolute() or ".." in plain.parts or "\\" in entry.filename or (
            ":" in entry.filename) or entry.filename != str(plain)
        if outside or entry.is_dir() or (entry.external_attr >> 16) & 0o170000 == LINK:
            raise SuiteError(f"The bundle {path} is refused: its entry {entry.filename!r} is a "
                             "link or a folder, or would be written outside the bundle's folder.")
        names.append(entry.filename)
    size = sum(entry.file_size for entry in archive.infolist())
    if size > LARGEST or size > max(SMALL, MOST_RATIO * path.stat().st_size):
        raise SuiteError(f"The bundle {path} is refused: its {path.stat().st_size / 1e6:.1f} MB "
                         f"would unpack to {size / 1e6:,.0f} MB. Data do not compress like that; "
                         f"at most {LARGEST / 2**30:.0f} GiB are unpacked.")
    try:
        manifest = json.loads(archive.read(MANIFEST))
    except ValueError as error:
        raise SuiteError(f"The bundle {path} is damaged: its {MANIFEST} cannot be read.") from error
    if not isinstance(manifest, dict) or sorted(names) != sorted([MANIFEST, *manifest]):
        raise SuiteError(f"The bundle {path} was tampered with: its files are not those that its "
                         f"{MANIFEST} lists.")
    return manifest


def _check_tasks(folder: Path, path: Path) -> None:
    """Refuse a bundle that lacks a file of one of its tasks."""
    try:
        text = (folder / SUITE).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SuiteError(f"{path}, {SUITE} cannot be read: {error}.") from error
    suite = parse_suite(text, f"{path}, {SUITE}")
    for number, task in enumerate(suite.tasks):
        for name in (TABLE, META, SPLITS):
            if not (folder / str(number) / name).is_file():
                raise SuiteError(f"The bundle {path} lacks {name} of {task.dataset}.")
        if place := _outside(task):
            raise SuiteError(f"The bundle {path} is refused: its task {task.dataset} names "
                             f"{place}, which is outside the bundle. Make it anew from the "
                             "suite it was made from.")
        _check_content(task, folder / str(number), path)
        _check_splits(task, folder / str(number), path)


def _outside(task: Task) -> str:
    """Return the path that a task names outside the folder it is used in; empty: none."""
    procedure = task.procedure
    given = isinstance(procedure, GivenSplits) and not procedure.source.startswith("openml:")
    return outside(task.dataset) or (outside(f"csv:{procedure.source}") if given else "")


def _without_folders(task: Task) -> Task:
    """Return the task, files that it names outside the folder it is used in by their names."""
    if not _outside(task):
        return task
    procedure = task.procedure
    if isinstance(procedure, GivenSplits) and not procedure.source.startswith("openml:"):
        procedure = GivenSplits(Path(procedure.source).name)
    return replace(task, dataset=portable(task.dataset), procedure=procedure)


def _check_content(task: Task, folder: Path, path: Path) -> None:
    """Refuse a table that is not what its task names, where that is at hand without a network."""
    source, _, name = task.dataset.partition(":")
    spec = {f"openml:{number}": f"sklearn:{own}" for own, number in bundled.NAMES.items()
            if number}.get(task.dataset, task.dataset)
    if not spec.startswith("sklearn:"):
        if source != "openml" or not name.isdecimal():
            return
        from collection.datasets.openml_source import is_at_hand  # which takes a while to load

        if not is_at_hand(int(name)):
            return
    held, named = load_dataset(f"bundle:{folder}"), load_dataset(spec)
    if held.unordered_fingerprint != named.unordered_fingerprint:
        raise SuiteError(f"The bundle {path} was tampered with, or made with other libraries: what "
                         f"it has as {task.dataset} ({held.n_rows} rows) is not that dataset "
                         f"({named.n_rows} rows).")


def _check_splits(task: Task, folder: Path, path: Path) -> None:
    """Refuse splits that the stated procedure does not make; given ones that test rows unevenly.

    Of given splits each row is tested once a repeat, but where a repeat is one fold, a hold-out.
    """
    dataset = load_dataset(f"bundle:{folder}")
    given = list(GivenSplits(str(folder / SPLITS)).splits(dataset))
    check_folds(given, dataset.n_rows, f"The bundle {path}, {task.dataset}",
                task.procedure.overlaps)
    if not isinstance(task.procedure, GivenSplits):
        if folds_fingerprint(task.procedure.splits(dataset)) != folds_fingerprint(given):
            raise SuiteError(f"The bundle {path} was tampered with, or made with other libraries: "
                             f"the splits of {task.dataset} are not those of its procedure, "
                             f"{task.procedure}.")
        return
    for repeat in {fold.repeat for fold in given}:
        tests = [fold.test for fold in given if fold.repeat == repeat]
        times = np.bincount(np.concatenate(tests), minlength=dataset.n_rows)
        if len(tests) > 1 and (times != 1).any():
            raise SuiteError(f"The bundle {path} was tampered with: its splits of {task.dataset}, "
                             f"repeat {repeat}, test row {(times != 1).argmax()} "
                             f"{times[times != 1][0]} times; the folds of a repeat test each row "
                             "once.")


def _is_whole(folder: Path) -> bool:
    """Tell whether an opened bundle still is what was unpacked."""
    try:
        manifest = dict(json.loads((folder / MANIFEST).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):  # flipped, cut short or gone: it is unpacked anew
        return False
    return all((folder / name).is_file() and sha256_of(folder / name) == stated
               for name, stated in manifest.items())


def _pack(path: Path, folder: Path, names: list[str]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            entry = zipfile.ZipInfo(name, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            with (folder / name).open("rb") as source, archive.open(entry, "w") as target:
                shutil.copyfileobj(source, target, BLOCK)
