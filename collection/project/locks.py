"""A lock that one process holds at a time, and that the system lets go whenever that ends."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from collection.project.paths import unlinked

PATIENCE = 10.0  # seconds to wait for a run that was just killed to let go of what it held


class LockedStoreError(RuntimeError):
    """Another run is writing to the store."""


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the lock `path` in the context; the system lets it go whenever its holder ends.

    Raises
    ------
    LockedStoreError
        Where another holds it for longer than `PATIENCE`.
    LinkError
        Where a link lies there.
    """
    with _locked(path):
        yield


def _locked(path: Path) -> IO[bytes]:
    """Return the lock's file, open, once it is ours and still the one that others find."""
    until = time.monotonic() + PATIENCE
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock = os.fdopen(unlinked(path, os.O_WRONLY | os.O_CREAT), "wb")
        except FileNotFoundError:  # another has just taken its folder away
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(lock.fileno()), path.lstat()):
                return lock
            lock.close()  # another has taken it away, with what it failed to make
        except FileNotFoundError:  # likewise
            lock.close()
        except BlockingIOError:
            lock.close()
            if time.monotonic() > until:
                raise LockedStoreError(
                    f"Another run is writing to {path.parent}. Wait for it to end or stop it; "
                    "or collect into another OUT.") from None
            time.sleep(0.1)
