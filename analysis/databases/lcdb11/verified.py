"""Whether an official file holds what was published: looked at once, and remembered beside it.

A flipped byte is noticed by nobody otherwise: HDF5 returns it as a value.
"""

import errno
import hashlib
import json
import os
import sys
from pathlib import Path

from tqdm import tqdm

from analysis.databases.lcdb11.layout import LayoutError

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
    being_written = place.with_name(f"{RECORD}.{os.getpid()}")
    try:
        being_written.write_text(json.dumps(record, indent=1))
        being_written.replace(place)
    except OSError as error:  # then it is looked at again the next time
        if error.errno not in (errno.EROFS, errno.EACCES, errno.EPERM):
            raise


def _record(path: Path) -> dict[str, list[int]]:
    place = path.resolve().with_name(RECORD)
    try:
        return json.loads(place.read_text())
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
