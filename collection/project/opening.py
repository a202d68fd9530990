"""The one door for files that people give: opened, unpacked in blocks, and every error told.

Whatever reads a person's file opens it here, and names the error that it answers with.
"""

import bz2
import gzip
import io
import lzma
import os
import re
import stat
import tomllib
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any
from xml.etree.ElementTree import ParseError

BLOCK = 2**20  # bytes read at once
BYTES_MOST = 4_000_000_000  # of a file, unpacked
SMALL, MOST_RATIO = 100e6, 100  # bytes that may be unpacked of any file; else times what was read
TEXT_MOST = 50_000_000  # bytes of a text that is read whole: settings, suites, splits
DEEPEST = 100  # dots between two marks of TOML
PACKED = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
#: What a file that is cut or damaged raises as it is unpacked or opened.
DAMAGED = (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, IndexError,
           RuntimeError, NotImplementedError, lzma.LZMAError, zlib.error, zipfile.BadZipFile,
           ParseError)
Refusal = Callable[[str], Exception]


def check_file(path: str | Path, raises: Refusal) -> Path:
    """Return the path of a plain file; raise `raises` for a folder, a device, a pipe or none."""
    path = Path(path)
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError) as error:
        raise raises(f"There is no file {path}. Give its path, from the folder that the command is "
                     "run in.") from error
    except (OSError, ValueError) as error:
        raise raises(f"{str(path)!r} cannot be opened: {first_line(error)}.") from error
    if stat.S_ISDIR(mode):
        raise raises(f"{path} is a folder. Give the path of the file in it.")
    if not stat.S_ISREG(mode):
        raise raises(f"{path} is a device or a pipe, not a file. Write it to a file first.")
    return path


@contextmanager
def open_file(path: str | Path, raises: Refusal, most: float | None = None) -> Iterator[IO[bytes]]:
    """Open a person's file to read, unpacked by its name's ending (.gz, .bz2, .xz, .zip).

    Parameters
    ----------
    path : path
    raises : callable
        Makes an error of a message: what the caller answers a file with that cannot be read, now
        or at any later block.
    most : float, optional
        Bytes that are read, unpacked; by default `BYTES_MOST`.

    Yields
    ------
    binary file
        Read in blocks, so that no more memory is asked for than the file takes.
    """
    path, suffix, most = check_file(path, raises), Path(path).suffix.lower(), most or BYTES_MOST
    with ExitStack() as opened:
        try:
            file = opened.enter_context(path.open("rb"))
            archive = opened.enter_context(zipfile.ZipFile(file)) if suffix == ".zip" else None
            inside = ([entry for entry in archive.infolist() if not entry.is_dir()]
                      if archive else [path])
            stream = (None if len(inside) != 1 else archive.open(inside[0]) if archive
                      else PACKED[suffix](file) if suffix in PACKED else file)
        except DAMAGED as error:
            raise _broken(path, error, raises) from error
        if stream is None:
            raise raises(f"{path} holds {len(inside)} files, not one table. Unpack it and give the "
                         "file that is meant.")
        blocks = _Blocks(opened.enter_context(stream), file, path, raises, most)
        try:
            yield opened.enter_context(io.BufferedReader(blocks, BLOCK))
        except ValueError as error:  # pandas says of what befell its source only that it failed
            raise blocks.failed or error from error


def read_bytes(path: str | Path, raises: Refusal, most: float | None = None) -> bytes:
    """Return what a person's file holds, as `open_file` reads it."""
    try:
        with open_file(path, raises, most) as stream:
            return stream.read()
    except MemoryError as error:
        raise raises(f"{path} does not fit into the memory there is. Give a random part of its "
                     "rows.") from error


def read_text(path: str | Path, raises: Refusal, most: float = TEXT_MOST) -> str:
    """Return the text of a person's file, which has to be UTF-8, as `open_file` reads it."""
    try:
        return read_bytes(path, raises, most).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise raises(f"{path} is no text in UTF-8: {error}.") from error


def parse_toml(text: str, raises: Refusal, where: str | Path) -> dict[str, Any]:
    """Return what a person's TOML says; keys deeper than any of ours would take it minutes."""
    if any(part.count(".") > DEEPEST for part in re.split(r"[={},\[\]\n]", text)):
        raise raises(f"{where} is refused: its keys lie too deep in one another.")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise raises(f"{where} is refused: its values lie too deep in one another.") from None
    except ValueError as error:  # TOML that is none, or a number of thousands of digits
        raise raises(f"{where} is not valid TOML: {error}.") from error


def check_archive(path: Path, raises: Refusal) -> None:
    """Refuse a zip archive, as a workbook is one, that would unpack to what no table takes."""
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
    except DAMAGED:  # which is told when it is read
        return
    most = min(BYTES_MOST, max(SMALL, MOST_RATIO * path.stat().st_size))
    if size > most:
        raise _too_large(path, most, raises)


def first_line(error: Exception) -> str:
    """Return what an error says, in one line."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


class _Blocks(io.RawIOBase):
    """A stream that is read block by block; what goes wrong is told of its path."""

    def __init__(self, stream: IO[bytes], file: IO[bytes], path: Path, raises: Refusal,
                 most: float):
        self._stream, self._file, self._path, self._raises = stream, file, path, raises
        self._most, self._count = most, 0
        self.failed: Exception | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, into: memoryview) -> int:
        try:
            block = self._stream.read(min(len(into), BLOCK))
        except DAMAGED as error:
            self.failed = _broken(self._path, error, self._raises)
            raise self.failed from error
        self._count += len(block)
        most = self._most
        if self._stream is not self._file:
            most = min(most, max(SMALL, MOST_RATIO * self._file.tell()))
        if self._count > most:
            self.failed = _too_large(self._path, most, self._raises)
            raise self.failed
        into[:len(block)] = block
        return len(block)

    def readall(self) -> bytes:
        whole, block = io.BytesIO(), bytearray(BLOCK)
        while n := self.readinto(memoryview(block)):
            whole.write(memoryview(block)[:n])
        return whole.getvalue()


def _broken(path: Path, error: Exception, raises: Refusal) -> Exception:
    if isinstance(error, OSError) and error.errno:
        return raises(f"{path} cannot be read: {os.strerror(error.errno)}.")
    return raises(f"{path} cannot be unpacked: {first_line(error)}. It may be cut or damaged; get "
                  "it anew.")


def _too_large(path: Path, most: float, raises: Refusal) -> Exception:
    packed = path.suffix.lower() in (*PACKED, ".zip")
    way_out = ("Tables do not pack like that; if it is one, unpack it and give that file"
               if packed and most < BYTES_MOST else "Give a random part of its rows")
    return raises(f"{path} {'unpacks to' if packed else 'has'} more than {most / 1e6:,.0f} MB. "
                  f"{way_out}.")
