"""One comparison of two times, how a time is taken, of a command too, and a benchmark run."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

OWN = """
import sys, time
from commands import main
status = main()
print(time.process_time())
sys.exit(status)
"""


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


class Ran(NamedTuple):
    """What a command took: seconds to its first line, of the clock, of its own processor; GB."""

    first: float
    wall: float
    own: float
    peak: float


def run_command(folder: Path, *arguments: str) -> Ran:
    """Run a command of `analysis` in a folder; fail as it does."""
    began = time.monotonic()
    with subprocess.Popen(
            [sys.executable, "-uc", OWN, *arguments], cwd=folder, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}) as process:
        said = process.stdout.readline()
        first = time.monotonic() - began
        said += process.stdout.read()
    if process.returncode:
        raise RuntimeError(said)
    return Ran(first, time.monotonic() - began, float(said.split()[-1]),
               resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6)
