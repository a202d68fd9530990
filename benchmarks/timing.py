"""One comparison of two times, how a time is taken, and a benchmark run."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
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


def timings(name: str) -> list[Timing]:
    """Run a benchmark, printing each comparison when it is made."""
    print(f"== {name}", flush=True)
    rows = []
    for row in import_module(f"benchmarks.bench_{name}").main():
        print(f"   {row.what}: {row.seconds:.3g} s; {row.against}: {row.rival_seconds:.3g} s",
              flush=True)
        rows.append(row)
    return rows
