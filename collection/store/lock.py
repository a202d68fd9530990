"""One writer at a time: files that are locked while somebody works."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 10.0  # seconds to wait for a run that was just killed to let go of what it held


class LockedStoreError(RuntimeError):
    """Another run is writing to the store."""


@contextmanager
def held(path: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the lock `path` in the context; the system lets it go whenever its holder ends.

    Parameters
    ----------
    path : Path
        Created if absent, in a folder that exists.
    patience : float
        Seconds to wait for another holder to go away.

    Raises
    ------
    LockedStoreError
        Where it does not.
    """
    until = time.monotonic() + patience
    with path.open("w") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise LockedStoreError(
                        f"Another run is writing to {path.parent}. Wait for it to end or stop it; "
                        "or collect into another OUT.") from None
                time.sleep(0.1)
        yield
