"""What ``make tabrepo`` runs: an official context of TabRepo comes."""

import re
import sys
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path

import pooch
import requests
from tqdm import tqdm

from collection.commands.command import Command
from collection.official import tabrepo as contexts
from collection.official.download import TIMEOUT, DownloadError, check_room, fetch, reason_of
from collection.project.parameters import BYTES, Parameter, folder, quantity, yes_or_no

THREADS = 8  # most files are small: waiting for the server is what takes time
MD5 = re.compile(r'^"([0-9a-f]{32})"$')  # an ETag that the bucket makes of a file in one piece


ABOUT = """\
Download a context of TabRepo, checked; run it again to go on where it broke off.

  make tabrepo                              # lists the contexts
  make tabrepo CONTEXT=D244_F3_C1530_10

Parameters (defaults in brackets):
"""
PARAMETERS = {p.name: p for p in (
    Parameter("CONTEXT", contexts.find_context, None,
              "its name; without one, they are listed"),
    Parameter("OUT", folder, None, "folder for it; the cache unless given"),
    Parameter("CHECK", yes_or_no, "no",
              "yes: compare the sha256 of what is there, and fetch what changed again"),
)}


def context_work() -> Command:
    """Return the command that fetches a context."""
    return Command("tabrepo", ABOUT, PARAMETERS, _context)


def _context(asked: Mapping[str, object], _: Mapping[str, str]) -> int:
    if asked["context"] is not None:
        out = asked["out"] or contexts.default_folder()
        return fetch_context(asked["context"], out, asked["check"])
    for context in contexts.official_contexts().values():
        print(f"{context.name:20} {len(context.datasets):4} datasets  {len(context.files):5} files "
              f" {context.size}")
    return 0


def fetch_context(context: contexts.Context, folder: Path, thorough: bool = False) -> int:
    """Fetch what lacks of a context, and keep each file's size and sha256.

    Parameters
    ----------
    context : Context
    folder : Path
    thorough : bool
        Compare the sha256 of what is there; else only sizes.

    Returns
    -------
    int
        0, or 1 where files could not be fetched: their reasons are on standard error. Files that
        the repository can be opened without do not count.
    """
    pooch.get_logger().setLevel("WARNING")
    record = contexts.read_record(folder)
    missing = [name for name in context.files
               if not contexts.is_whole(folder, name, record, thorough)]
    try:
        here = sum(record[name][0] for name in context.files if name in record)
        check_room(folder, quantity(context.size, BYTES, 0) - here, f" or so of {context.name}",
                   "a smaller context")
        for name in missing[:1]:
            _check_server(name, context.files[name])
    except DownloadError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    failures = []
    with ThreadPoolExecutor(THREADS) as threads:
        waiting = {threads.submit(_get, name, context.files[name], folder): name
                   for name in missing}
        for done in tqdm(as_completed(waiting), "files", len(waiting), disable=not waiting):
            failures += _settle(done, waiting.pop(done), folder, context)
            if failures:  # what has been asked for still comes, and nothing more is
                threads.shutdown(cancel_futures=True)
                break
    for done, name in waiting.items():
        if not done.cancelled():
            failures += _settle(done, name, folder, context)
    for failure in failures:
        print(f"error: {failure}", file=sys.stderr)
    here = sum((folder / name).is_file() for name in context.files)
    print(f"{here} of {len(context.files)} files of {context.name} "
          f"are in {folder}." + (" Run it again to go on." if failures else ""))
    return 1 if failures else 0


def _check_server(name: str, url: str) -> None:
    """Raise `DownloadError` where nothing answers at the address of the first file to come."""
    try:
        requests.head(url, allow_redirects=True, timeout=TIMEOUT).close()
    except requests.RequestException as error:
        raise DownloadError(f"{name}: {url}: {reason_of(error)}. Nothing more was tried; run it "
                            "again when the server can be reached.") from error


def _settle(done: Future, name: str, folder: Path,
            context: contexts.Context) -> list[DownloadError]:
    """Note a file that came; return what went wrong, if it matters."""
    try:
        done.result()
    except DownloadError as error:
        if name not in context.optional:
            return [error]
        print(f"note: {error} The repository opens without it.", file=sys.stderr)
        return []
    contexts.add_to_record(folder, name)
    return []


def _get(name: str, url: str, folder: Path) -> None:
    """Fetch one file, whatever is there of it; checked by the server's md5 where it tells one."""
    (folder / name).parent.mkdir(parents=True, exist_ok=True)  # pooch's own is no match for threads
    (folder / name).unlink(missing_ok=True)
    fetch(name, url, _told_checksum(url), folder, progress=False)


def _told_checksum(url: str) -> str | None:
    try:
        answer = requests.head(url, allow_redirects=True, timeout=TIMEOUT)
    except requests.RequestException:
        return None  # the download itself says what is wrong
    found = MD5.match(answer.headers.get("ETag", ""))
    return f"md5:{found[1]}" if found else None
