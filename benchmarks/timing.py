"""One comparison of two times, and how a time is taken."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple


class Timing(NamedTuple):
    """What took how long here, and what the same takes the rival (`rival_seconds`)."""

    what: str
    seconds: float
    against: str
    rival_seconds: float


class Clock:
    """Seconds that passed within a ``with timed() as clock`` block: `clock.seconds`."""

    seconds = float("nan")


@contextmanager
def timed(clock: Callable[[], float] = time.perf_counter) -> Iterator[Clock]:
    """Time a block; `time.process_time` for clocks that say little on a shared machine."""
    taken, started = Clock(), clock()
    yield taken
    taken.seconds = clock() - started


def seconds(call: Callable, times: int = 1,
            clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the shortest time of some calls."""
    taken = []
    for _ in range(times):
        with timed(clock) as block:
            call()
        taken.append(block.seconds)
    return min(taken)
