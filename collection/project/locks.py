"""A lock that one process holds at a time, and that the system lets go whenever that ends."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

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
    """
    with _locked(path):
        yield


def _locked(path: Path) -> IO[str]:
    """Return the lock's file, open, once it is ours and still the one that others find."""
    until = time.monotonic() + PATIENCE
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.exists() and os.path.samestat(os.fstat(lock.fileno()), path.stat()):
                return lock
            lock.close()  # another has taken it away, with what it failed to make
        except BlockingIOError:
            lock.close()
            if time.monotonic() > until:
                raise LockedStoreError(
                    f"Another run is writing to {path.parent}. Wait for it to end or stop it; "
                    "or collect into another OUT.") from None
            time.sleep(0.1)
