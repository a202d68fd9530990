"""The folder of a run's results: put in place at once, whatever is killed, and of one run alone."""

import ctypes
import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LOCK, STAGE = ".results.lock", ".whole-"  # the stage as runs of before left it, too
HERE, EXCHANGE = -100, 2  # of Linux's renameat2


@contextmanager
def results_of_a_run(out: Path, names: Collection[str]) -> Iterator[Path]:
    """Give an empty folder to write results to; with them `out` is exchanged when they are whole.

    What fails or is killed leaves `out` as it was. Only where `out` is a mount or is worked in,
    or its parent cannot be written, are files moved one by one.

    Parameters
    ----------
    out : Path
        Created if absent. What lies in it and is none of `names` stays.
    names : collection of str
        All that a run of this kind may leave there: those of an earlier run go.

    Raises
    ------
    OSError
        Where `out` is a file, or one of the names a folder in it.
    LockedStoreError
        Where another run is writing its results there.
    """
    from collection.store.base import held  # which takes a while to load

    there = Path(out).resolve()
    new, old = (there.with_name(f".{there.name}.{kind}") for kind in ("new", "old"))
    if old.is_dir() and not there.exists():
        old.rename(there)  # of a run that was killed between two moves
    if there.exists() and not there.is_dir():
        raise NotADirectoryError(f"{out} is a file: name a folder for the results")
    if folders := [name for name in names if (there / name).is_dir()]:
        raise IsADirectoryError(f"{out / folders[0]} is a folder, where a file of results would "
                                "come: remove it, or name another folder")
    there.mkdir(parents=True, exist_ok=True)
    with held(there / LOCK):
        for left in (new, old, *there.glob(f"{STAGE}*")):
            shutil.rmtree(left, ignore_errors=True)
        stage = new if _may_exchange(there, new) else there / f"{STAGE}new"
        try:
            stage.mkdir(exist_ok=True)
            yield stage
            if stage == new:
                _take_over(there, stage, names)
                _exchange(stage, there, old)  # the lock goes with the folder of before
            else:
                for name in names:
                    (there / name).unlink(missing_ok=True)
                for file in stage.iterdir():
                    file.replace(there / file.name)
                (there / LOCK).unlink()
        except BaseException as error:
            (there / LOCK).unlink(missing_ok=True)
            if isinstance(error, OSError) and error.errno and error.filename is None:
                error.filename = str(out)  # a write that fails does not say where
            raise
        finally:
            shutil.rmtree(stage, ignore_errors=True)
            shutil.rmtree(old, ignore_errors=True)
            with suppress(OSError):  # what failed in a new folder leaves none
                there.rmdir()


def _may_exchange(there: Path, new: Path) -> bool:
    """Tell whether the folder may be another one from one moment to the next."""
    if os.path.ismount(there) or there in (Path.cwd(), *Path.cwd().parents):
        return False
    try:
        new.mkdir()
    except OSError:
        return False
    return True


def _take_over(there: Path, stage: Path, names: Collection[str]) -> None:
    """Have in the stage what else lies in the folder: the same files, by a second name."""
    def link(source: str, target: str) -> str:
        try:
            os.link(source, target, follow_symlinks=False)
        except OSError:  # a file system without
            shutil.copy2(source, target, follow_symlinks=False)
        return target

    for path in there.iterdir():
        if path.name in names or path.name == LOCK:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.copytree(path, stage / path.name, symlinks=True, copy_function=link)
        else:
            link(str(path), str(stage / path.name))


def _exchange(stage: Path, there: Path, old: Path) -> None:
    """Let the two folders change their names, at once where the system can."""
    try:
        swap = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        swap = None
    if swap and not swap(HERE, os.fsencode(stage), HERE, os.fsencode(there), EXCHANGE):
        return
    there.rename(old)
    stage.rename(there)
