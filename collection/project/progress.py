"""What takes long is said to, on standard error: a line after some seconds, and one a minute."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

FIRST, NEXT = 3.0, 60.0  # seconds


@contextmanager
def said_if_slow(what: str) -> Iterator[None]:
    """Say what is done in the context, where that takes longer than `FIRST` seconds.

    Parameters
    ----------
    what : str
        Such as "reading results.csv".
    """
    began, ended = time.monotonic(), threading.Event()

    def say() -> None:
        wait = FIRST
        while not ended.wait(wait):
            print(f"{what} … ({time.monotonic() - began:.0f} s)", file=sys.stderr, flush=True)
            wait = NEXT

    thread = threading.Thread(target=say, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
