"""Fetch files over HTTP: resumed where they broke off, checked against their sha256."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import disk_usage

import pooch
import requests
from pooch.hashes import hash_matches
from tqdm import tqdm

ATTEMPTS = 5  # of getting one file; each goes on where the one before broke off
PAUSE = 1.0  # seconds before the second attempt, twice that before the third, …
TIMEOUT = (10, 60)  # seconds to connect, and between two pieces
PIECE = 2**16  # at most so much is lost where a connection breaks off


class DownloadError(OSError):
    """A file that could not be fetched; the message says what to do."""


@dataclass(frozen=True)
class Offer:
    """What is known of a file before it is fetched.

    Attributes
    ----------
    name : str
        File name.
    size : int or None
        Bytes, as the server tells; None where it does not.
    here : int
        Bytes that are on disk already, whole or part of the file.
    done : bool
        Whether the whole file is there, its checksum as expected.
    problem : str
        Why the server would not tell; empty where it did.
    """

    name: str
    size: int | None
    here: int
    done: bool
    problem: str = ""


def offer(name: str, url: str, sha256: str, folder: Path) -> Offer:
    """Ask how large a file is, and look how much of it is there."""
    whole, part = folder / name, _part(folder, name)
    if whole.exists() and pooch.file_hash(whole) == sha256:
        return Offer(name, whole.stat().st_size, whole.stat().st_size, True)
    here = part.stat().st_size if part.exists() else 0
    try:
        with requests.head(url, allow_redirects=True, timeout=TIMEOUT) as answer:
            answer.raise_for_status()
            length = answer.headers.get("Content-Length")
    except requests.RequestException as error:
        return Offer(name, None, here, False, reason_of(error))
    return Offer(name, int(length) if length else None, here, False)


def check_room(folder: Path, size: float, of: str = "", choose: str = "fewer files") -> None:
    """Raise `DownloadError` where the disk has no room for so many bytes to come."""
    folder.mkdir(parents=True, exist_ok=True)
    free = disk_usage(folder).free
    if size > free:
        raise DownloadError(f"{folder} has {in_words(free)} free, but {in_words(size)}{of} are to "
                            f"come. Choose {choose}, or another folder with OUT=…")


def fetch(name: str, url: str, sha256: str | None, folder: Path,
          elsewhere: Mapping[str, str] | None = None, progress: bool = True) -> Path:
    """Fetch one file, unless it is there already.

    Parameters
    ----------
    name, url : str
        File name (may have folders in it) and address.
    sha256 : str or None
        The checksum that its content must have; with a prefix as ``md5:`` another than sha256.
        None where none is known: then only the length that the server tells is checked.
    folder : Path
        Where it goes. Until it is complete and checked it has the suffix ``.part``; what is
        there from before is gone on with where the server lets one.
    elsewhere : mapping of sha256 to str, optional
        Names of other files by checksum, to say what the address sent instead.
    progress : bool
        Whether to show a bar on standard error.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    DownloadError
        Where the server refuses, is gone, breaks off `ATTEMPTS` times, or sends something
        else. In the last case nothing is kept, otherwise the part that came.
    """
    resume = _Resumable(_part(folder, name), sha256, dict(elsewhere or {}), progress)
    shop = pooch.create(path=folder, base_url="", registry={name: sha256}, urls={name: url})
    return Path(shop.fetch(name, downloader=resume))


@dataclass(frozen=True)
class _Resumable:
    """A downloader for pooch, which calls it and moves what it leaves to the final name."""

    part: Path
    sha256: str | None
    elsewhere: dict[str, str]
    progress: bool

    def __call__(self, url: str, output_file: str, _pooch: pooch.Pooch) -> None:
        self.part.parent.mkdir(parents=True, exist_ok=True)
        from_before = self.part.exists()
        self._get(url)
        if from_before and not hash_matches(self.part, self.sha256):
            self.part.unlink()  # perhaps only the old part was bad
            self._get(url)
        self._check(url)
        self.part.replace(output_file)

    def _get(self, url: str) -> None:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._go_on(url)
            except (requests.RequestException, EOFError) as error:
                refused = isinstance(error, requests.HTTPError) and error.response.status_code < 500
                if attempt == ATTEMPTS or refused:  # asking again is of no use
                    raise self._failure(url, error) from error
                time.sleep(attempt * PAUSE)

    def _go_on(self, url: str) -> None:
        """Append what is missing to the part; raise EOFError where the server breaks off."""
        start = self.part.stat().st_size if self.part.exists() else 0
        headers = {"Range": f"bytes={start}-"} if start else {}
        headers["Accept-Encoding"] = "identity"  # lengths and ranges count the file's own bytes
        with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT) as answer:
            if answer.status_code == requests.codes.requested_range_not_satisfiable:
                return  # nothing is missing, or the part is not of this file: the checksum tells
            answer.raise_for_status()
            resumed = answer.status_code == requests.codes.partial_content
            length = answer.headers.get("Content-Length")
            start = start if resumed else 0
            self._write(answer, "ab" if resumed else "wb", start, length)
        if length and self.part.stat().st_size < start + int(length):
            raise EOFError("the connection was closed early")

    def _write(self, answer: requests.Response, mode: str, start: int, length: str | None) -> None:
        total = start + int(length) if length else None
        with self.part.open(mode) as out, tqdm(
            desc=self.part.stem, initial=start, total=total, unit="B", unit_scale=True,
            disable=not self.progress,
        ) as bar:
            for piece in answer.iter_content(PIECE):
                out.write(piece)
                bar.update(len(piece))

    def _check(self, url: str) -> None:
        if hash_matches(self.part, self.sha256):
            return
        came = pooch.file_hash(self.part)
        self.part.unlink()
        what = self.elsewhere.get(came)
        known = f" What came is {what}, by its sha256." if what else ""
        advice = ("The published list gives the same address for both; get the file from the "
                  "dataset's page by hand and put it there, or go without it." if what else
                  "Try again later, or get the file by hand and put it there.")
        raise DownloadError(
            f"{self.part.stem}: {url} sent something else: its sha256 is {came}, not "
            f"{self.sha256}.{known} Nothing was kept. {advice}")

    def _failure(self, url: str, error: Exception) -> DownloadError:
        here = self.part.stat().st_size if self.part.exists() else 0
        kept = f" {in_words(here)} are kept; the next call goes on from there." if here else ""
        return DownloadError(f"{self.part.stem}: {url} could not be fetched "
                             f"({reason_of(error)}).{kept}")


def _part(folder: Path, name: str) -> Path:
    return folder / f"{name}.part"


def reason_of(error: Exception) -> str:
    """Return in a few words why a request failed."""
    if isinstance(error, requests.HTTPError):
        return f"the server answers {error.response.status_code} {error.response.reason}"
    if isinstance(error, requests.ConnectionError):
        cause = getattr(error.args[0], "reason", error) if error.args else error
        return f"no connection: {str(cause).split(': ', 1)[-1]}"
    return str(error)


def in_words(size: float | None) -> str:
    """Return a number of bytes as text, ``unknown size`` for None."""
    if size is None:
        return "unknown size"
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
