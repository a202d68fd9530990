"""Where things lie: the one module that knows the project's folders, and its address.

In a checkout, data and the papers' tables lie in it, and results are written to it. Installed
from a wheel, they lie in the package ``learning_curves_data`` beside this one, nothing is written
there, and results go to the folder that the command is called in.
"""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import file_digest
from pathlib import Path
from secrets import token_hex

CODE = Path(__file__).resolve().parent.parent
IN_CHECKOUT = (CODE.parent / "data" / "lcdb10_files.csv").exists()
ROOT = CODE.parent if IN_CHECKOUT else Path.cwd()
_INSTALLED = CODE.parent / "learning_curves_data"
DATA = ROOT / "data" if IN_CHECKOUT else _INSTALLED
#: The papers' own tables, and results of ours that are kept.
PRINTED = ROOT / "book" / "published" if IN_CHECKOUT else _INSTALLED / "published"
COMPUTED = ROOT / "book" / "computed" if IN_CHECKOUT else _INSTALLED / "computed"
RESULTS = ROOT / "results"
#: Environment variable that names a folder while the book is built: of the numbers of figures.
FIGURE_NUMBERS = "FIGURE_NUMBERS"
FIGURE_HOOK = "FIGURE_HOOK"


CHECKSUMS = DATA / "checksums.sha256"  # of all that is shipped, as sha256sum writes them


class DamagedFileError(ValueError):
    """A shipped file that is not what was shipped; the message names it."""


def shipped(path: Path) -> Path:
    """Return the path of a shipped file, which is looked at when a process first uses it.

    Raises
    ------
    DamagedFileError
        Where its SHA-256 is not the one stated. A file that is not shipped passes.
    """
    if path.is_file() and DATA in path.parents:
        at = path.stat()
        _check(path, at.st_size, at.st_mtime_ns)
    return path


@cache
def _check(path: Path, *_: int) -> None:
    name = path.relative_to(DATA).as_posix()
    before, stated, _ = CHECKSUMS.read_text(encoding="utf-8").partition(f"  {name}\n")
    if stated and sha256_of(path) != before.rpartition("\n")[2]:
        raise DamagedFileError(
            f"{path} is damaged: it is not what was shipped. Get it back (git checkout, or "
            "install the package anew); if you changed it on purpose, run python -m "
            "collection.project.paths.")


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's content (hexadecimal)."""
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()


def state_shipped() -> None:
    """State anew what is shipped, after it was gathered or changed on purpose."""
    files = sorted(path for path in DATA.rglob("*") if path.is_file() and path != CHECKSUMS
                   and path.relative_to(DATA).parts[0] != "cache")
    CHECKSUMS.write_text("".join(f"{sha256_of(path)}  {path.relative_to(DATA).as_posix()}\n"
                                 for path in files))
    _check.cache_clear()


class LinkError(OSError):
    """A link lies where a file is to be written; the message names it."""


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Give a path beside `path` to write to; what is there takes its place when it is whole."""
    part = path.with_name(f".{path.name}-{token_hex(6)}")  # where nobody has laid a link
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def unlinked(path: str | Path, flags: int) -> int:
    """Open a file to be written, as the ``opener`` of `open`.

    Raises
    ------
    LinkError
        Where a link lies there: what it points to is not ours.
    """
    try:
        return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise LinkError(f"{path} is a link, and what it points to would be written to: remove "
                            "it, or name another folder.") from None
        raise


def cache_dir() -> Path:
    """Return the folder for downloads and conversions, created if absent.

    The environment variable ``LEARNING_CURVES_CACHE`` names it; otherwise it is ``data/cache`` in
    a checkout, and the user's cache folder where the package is installed. Everything in it can
    be made again.

    Raises
    ------
    OSError
        Where it cannot be created; the message names it and the variable.
    """
    named = os.environ.get("LEARNING_CURVES_CACHE")
    folder = Path(named) if named else _own_cache()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OSError(f"The cache folder {folder} cannot be created ({error.strerror}): name "
                      "another with the environment variable LEARNING_CURVES_CACHE.") from error
    return folder


def _own_cache() -> Path:
    if IN_CHECKOUT:
        return DATA / "cache"
    import pooch

    return Path(pooch.os_cache("learning-curves"))


def published_dir() -> Path | None:
    """Return the folder with data that others published, outside the project; None without one.

    The environment variable ``LEARNING_CURVES_PUBLISHED`` names it, and nothing else does: no
    module looks elsewhere. ``lcdb11/`` in it has the means of LCDB 1.1 (``meta.json``, ``er/``).
    """
    named = os.environ.get("LEARNING_CURVES_PUBLISHED")
    return Path(named).absolute() if named else None


def repository_url() -> str:
    """Return the address that the code is published at, from ``REPOSITORY_URL``; else empty."""
    return os.environ.get("REPOSITORY_URL", "").strip().rstrip("/")


if __name__ == "__main__":
    sys.exit(state_shipped())
