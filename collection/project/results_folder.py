"""The folder of a run's results: put in place at once, whatever is killed, and of one run alone.

A manifest in the folder, as ``sha256sum`` writes it, says which files are a run's. Those alone are
replaced or removed: whatever else lies there stays, and where it has the name of a result, nothing
is begun.
"""

import ctypes
import os
import re
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from tempfile import mkdtemp

from collection.project.locks import held
from collection.project.paths import sha256_of, written_whole

#: What commands wrote beside stores before there were manifests.
BESIDE_STORES = ("collect.ipynb", "evaluate.ipynb", "runs.csv", "leaderboard.csv")
LOCK, MANIFEST, MARK = ".results.lock", ".results.sha256", ".results.stage"
STAGE = ".results-"  # how a folder begins that results are written to
MADE = re.compile(rf"{re.escape(STAGE)}[a-z0-9_]{{8}}$")  # as one is named that mkdtemp makes
NEW, OLD = "new", "old"  # what the mark says: not yet in place, or not any more
HERE, EXCHANGE = -100, 2  # of Linux's renameat2


class ForeignFileError(FileExistsError):
    """A file that no run here wrote lies where results would come; the message names it."""


def check_results(out: Path, names: Collection[str], *inputs: Path | None) -> None:
    """See that results may come into a folder, before anything is computed.

    Parameters
    ----------
    out : Path
    names : collection of str
        What a run may write there.
    *inputs : Path or None
        Files that the run reads.

    Raises
    ------
    ForeignFileError
        Where an input lies in `out`, or a file of one of the names that no run wrote, or that was
        changed since.
    NotADirectoryError, IsADirectoryError, PermissionError
        Where `out` is a file or cannot be written, or one of the names is a folder in it.
    """
    there = Path(out).resolve()
    place = next(path for path in (there, *there.parents) if path.exists())
    if not place.is_dir():
        raise NotADirectoryError(f"{out if place == there else place} is a file: name a folder for "
                                 "the results")
    if not os.access(place, os.W_OK | os.X_OK):
        raise PermissionError(f"{place} cannot be written to: name another folder for the results")
    for path in (path for path in inputs if path is not None):
        if there in (path.absolute().parent.resolve(), path.resolve().parent):
            raise ForeignFileError(f"{path} is read, and lies in the folder of the results, {out}: "
                                   "name another folder for them, such as OUT=my_results")
    if folders := [name for name in names if (there / name).is_dir()]:
        raise IsADirectoryError(f"{out / folders[0]} is a folder, where a file of results would "
                                "come: remove it, or name another folder")
    try:
        _check_own(out, names)
    except ForeignFileError:  # or another run is just putting its own in place
        with _alone(there):
            _check_own(out, names)


def _check_own(out: Path, names: Collection[str]) -> None:
    there = Path(out).resolve()
    own = own_files(there)
    for name in names:
        if name not in own and os.path.lexists(there / name):
            raise ForeignFileError(f"{out / name} was written by no run known here, or was changed "
                                   "since, and results would replace it: move it away, or name "
                                   "another folder")


@contextmanager
def _alone(there: Path) -> Iterator[None]:
    """Hold the lock of a folder, which is there only while it is held."""
    with held(there / LOCK):
        try:
            yield
        finally:
            (there / LOCK).unlink(missing_ok=True)


def own_files(folder: Path) -> set[str]:
    """Return the names of files in a folder that are as a run wrote them."""
    return {name for name, stated in _manifest(folder)
            if (folder / name).is_file() and not (folder / name).is_symlink()
            and sha256_of(folder / name) == stated}


@contextmanager
def written_as_own(path: Path) -> Iterator[Path]:
    """Give a path beside `path` to write to; what is there takes its place and is a run's own.

    Raises
    ------
    ForeignFileError
        Where `path` is no run's.
    """
    check_results(path.parent, [path.name])
    path.parent.mkdir(parents=True, exist_ok=True)
    with _alone(path.parent), written_whole(path) as part:
        yield part
        note_written(path.parent, {path.name: part})


def note_written(folder: Path, files: dict[str, Path]) -> None:
    """Enter into a folder's manifest what comes there, by name; what it had of them counts too."""
    entries = dict.fromkeys([*_manifest(folder), *((n, sha256_of(f)) for n, f in files.items())])
    kept = [(name, stated) for name, stated in entries if name in files or (folder / name).exists()]
    _state(folder, kept)


def adopt(store: Path) -> None:
    """Take what lies beside a store for a run's where no manifest is: of before there were any."""
    there = {name: path for name in BESIDE_STORES if (path := store.parent / name).is_file()}
    if there and store.is_file() and not (store.parent / MANIFEST).exists():
        note_written(store.parent, there)


def check_beside(store: Path, *names: str) -> None:
    """See, before anything is computed, that files may come beside a store; see `check_results`."""
    adopt(store)
    check_results(store.parent, names)


def _manifest(folder: Path) -> list[tuple[str, str]]:
    """Return names and SHA-256 that a folder's manifest states; a name may have several."""
    try:
        lines = (folder / MANIFEST).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return [(name, stated) for stated, mark, name in (line.partition("  ") for line in lines)
            if mark]


def _state(folder: Path, entries: Collection[tuple[str, str]]) -> None:
    with written_whole(folder / MANIFEST) as part:
        part.write_text("".join(f"{stated}  {name}\n" for name, stated in entries),
                        encoding="utf-8")


@contextmanager
def results_of_a_run(out: Path, names: Collection[str]) -> Iterator[Path]:
    """Give an empty folder to write results to; with them `out` is exchanged when they are whole.

    What fails or is killed leaves `out` as it was. The folder keeps its mode, owner, group and
    access list. Where it cannot be exchanged so (it is a mount or worked in, its parent cannot be
    written, something in it cannot have a second name), files are moved one by one.

    Parameters
    ----------
    out : Path
        Created if absent.
    names : collection of str
        All that a run of this kind may leave there: those of an earlier run go, what else lies
        there stays.

    Raises
    ------
    ForeignFileError, OSError
        As `check_results`.
    LockedStoreError
        Where another run is writing its results there.
    """
    check_results(out, names)
    there = Path(out).resolve()
    there.mkdir(parents=True, exist_ok=True)
    try:
        with _alone(there):
            _tidy(there)
            stage = _stage(there)
            try:
                yield stage
                _put_in_place(out, stage, names)
            except OSError as error:
                if error.errno and error.filename is None:
                    error.filename = str(out)  # a write that fails does not say where
                raise
            finally:
                _tidy(there)
    finally:
        with suppress(OSError):  # what failed in a new folder leaves none
            there.rmdir()


def _put_in_place(out: Path, stage: Path, names: Collection[str]) -> None:
    there = Path(out).resolve()
    _check_own(out, names)  # nobody has put a file there meanwhile
    made = {path.name: path for path in stage.iterdir() if path.name != MARK}
    entries = [(name, stated) for name, stated in _manifest(there) if name not in names]
    entries += [(name, sha256_of(path)) for name, path in made.items()]
    gone = own_files(there) & set(names)
    if not _exchanged(there, stage, gone, entries):
        _move(there, made, gone, entries)


def _stage(there: Path) -> Path:
    """Return a new folder, beside the one of the results where it may take its place."""
    beside = not (os.path.ismount(there) or there in (Path.cwd(), *Path.cwd().parents)
                  or not os.access(there.parent, os.W_OK | os.X_OK))
    stage = Path(mkdtemp(prefix=f".{there.name}{STAGE}" if beside else STAGE,
                         dir=there.parent if beside else there))
    (stage / MARK).write_text(NEW, encoding="utf-8")
    if beside:
        with suppress(OSError):  # then it is not exchanged
            os.chown(stage, there.stat().st_uid, there.stat().st_gid)
        shutil.copystat(there, stage)
    return stage


def _alike(one: Path, other: Path) -> bool:
    """Tell whether two folders have the same mode, owner, group and access list."""
    def known(path: Path) -> tuple:
        at = path.stat()
        listed = os.listxattr(path) if hasattr(os, "listxattr") else []
        return (at.st_mode, at.st_uid, at.st_gid,
                {name: os.getxattr(path, name) for name in listed})

    return known(one) == known(other)


def _exchanged(there: Path, stage: Path, gone: Collection[str],
               entries: Collection[tuple[str, str]]) -> bool:
    """Let the stage take the folder's place, with all that stays in it; tell whether it did."""
    try:
        swap = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    if stage.parent == there:
        return False
    try:
        _link(there, stage, {*gone, MANIFEST, MARK})  # the lock too, which stays held so
    except (OSError, shutil.Error):  # what cannot have a second name stays where it is
        return False
    if not _alike(stage, there):
        return False
    _state(stage, entries)
    (there / MARK).write_text(OLD, encoding="utf-8")
    if swap(HERE, os.fsencode(stage), HERE, os.fsencode(there), EXCHANGE):
        (there / MARK).unlink()
        return False
    return True


def _link(there: Path, stage: Path, but: Collection[str] = ()) -> None:
    """Have in the stage what else lies in the folder: the same files, by a second name."""
    for path in there.iterdir():
        target = stage / path.name
        if path.name in but:
            continue
        if path.is_dir() and not path.is_symlink():
            if os.path.ismount(path):
                raise OSError(f"{path} is a mount")
            target.mkdir()
            _link(path, target)
            os.chown(target, path.stat().st_uid, path.stat().st_gid)
            shutil.copystat(path, target)
            if not _alike(path, target):
                raise OSError(f"{path} cannot be had twice")
        else:
            os.link(path, target, follow_symlinks=False)


def _move(there: Path, made: dict[str, Path], gone: Collection[str],
          entries: Collection[tuple[str, str]]) -> None:
    """Move results into the folder, one by one; whenever it ends, all of them are known as own."""
    note_written(there, made)
    for name, path in made.items():
        shutil.move(path, there / name)
    for name in gone - made.keys():
        (there / name).unlink(missing_ok=True)
    _state(there, entries)


def _tidy(there: Path) -> None:
    """Remove stages of this run and of killed ones; what came into the folder of before is kept."""
    for path in (there / MARK, *there.glob(f".{MANIFEST}-*")):
        path.unlink(missing_ok=True)
    for stage in (*there.parent.glob(f".{escape(there.name)}{STAGE}*"), *there.glob(f"{STAGE}*")):
        if (stage / MARK).is_file():
            if (stage / MARK).read_text(encoding="utf-8") == OLD:
                _bring_over(stage, there, {*own_files(stage), LOCK}, (MANIFEST, MARK))
                (stage / MANIFEST).unlink(missing_ok=True)
            else:  # results that are not in place, and second names
                for path in stage.iterdir():
                    if path.is_dir() and not path.is_symlink():
                        shutil.rmtree(path, ignore_errors=True)
                    elif path.name != MARK:
                        path.unlink()
            (stage / MARK).unlink()
        elif not MADE.search(stage.name):
            continue  # not ours
        (stage / LOCK).unlink(missing_ok=True)  # of a run that found the folder just before
        with suppress(OSError):  # where two files have one name now, both stay
            stage.rmdir()


def _bring_over(old: Path, there: Path, but: Collection[str], last: Collection[str]) -> None:
    """Empty the folder of before: second names go, anything that came there since is kept."""
    for path in (path for path in old.iterdir() if path.name not in last):
        target = there / path.name
        if path.is_dir() and not path.is_symlink():
            target.mkdir(exist_ok=True)
            _bring_over(path, target, (), ())
            with suppress(OSError):
                path.rmdir()
        elif path.name in but or (os.path.lexists(target) and os.path.samestat(
                path.lstat(), target.lstat())):
            path.unlink()
        elif not os.path.lexists(target):
            path.rename(target)
