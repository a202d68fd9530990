"""What gathering costs beyond the fits when there are many: up to ten million of them, simulated.

Every step is measured at sizes ten times each other: its seconds stand against ten times those of
the size before, so a ratio of at least 1 (but for noise) says that it grows no faster than the
work. Steps of one process are its CPU time, which other work on the machine does not lengthen; the
workers' row is wall time. The plan has the shape of LCDB 1.1 (`benchmarks.simulated`). The largest
needs 4 GB of disk for some minutes.
"""

import tempfile
import time
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import psutil

from analysis.databases.load import load_curves
from benchmarks.simulated import dask_processes, simulated_plan, simulated_settings
from benchmarks.timing import Timing, seconds, timed
from collection.running.curve import CurveResult
from collection.running.curve_plan import CurvePlan
from collection.running.dask_workers import DaskWorkers
from collection.running.engine import collect
from collection.running.estimate import estimate
from collection.running.workers import LocalWorkers
from collection.store.connection import WHOLE
from collection.store.merge import merge
from collection.store.shards import SHARDED_FROM, open_writer

SIZES = (10**4, 10**5, 10**6, 10**7)  # fits
ALL = 6 * 10**7  # those of LCDB 1.1, planned but not run
N_WORKERS = 8
THROUGH_DASK = 2 * 10**5
BATCH = 8  # curves that come while others are stored
_cpu = partial(seconds, clock=time.process_time)


def main() -> Iterator[Timing]:
    before: dict[str, float] = {}
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            for step, took in _steps(size, Path(folder)):
                if step in before:
                    yield Timing(f"{size:,} fits: {step}", took,
                                 f"10 times that of {size // 10:,}", 10 * before[step])
                before[step] = took
    with tempfile.TemporaryDirectory() as folder:
        yield from _whole_plan(Path(folder))
        yield from _through_dask(Path(folder))


def _steps(size: int, folder: Path) -> Iterator[tuple[str, float]]:
    """Yield what is done with so many fits, and the seconds scaled to exactly that number."""
    plan = simulated_plan(size, folder / "all")
    scale = size / plan.fits
    yield "planned", scale * _cpu(lambda: sum(1 for _ in plan.jobs))
    half = len(plan.jobs) // 2
    with timed(time.process_time) as clock:
        _write(plan, folder / "all", half)
    simulating = _cpu(lambda: [_result(plan, key) for key in islice(plan.jobs, half)])
    yield "written", scale * len(plan.jobs) / half * (clock.seconds - simulating)
    WHOLE.clear()  # as a new process begins
    yield "gone on with, half of them there", scale * _cpu(lambda: _go_on(plan, folder / "all"))
    _write(plan, folder / "all")
    WHOLE.clear()
    yield "merged into a new folder", scale * _cpu(
        lambda: merge([folder / "all"], folder / "merged"))
    WHOLE.clear()
    yield "opened", scale * _cpu(lambda: load_curves(folder / "all"))
    curves = load_curves(folder / "all")
    yield "one learner's error rates read", scale * _cpu(
        lambda: curves["error_rate"].isel(learner=0).load())


def _result(plan: CurvePlan, key) -> CurveResult:
    job = plan.jobs[key]
    return CurveResult(tuple(job.run(None)), 0.1, "simulated")


def _write(plan: CurvePlan, folder: Path, count: int | None = None) -> None:
    """Store the first curves that are not there, in batches as the engine does."""
    with open_writer(folder, {}, {}, plan.fits) as store:
        plan.register(store)
        finished = store.finished()
        missing = (key for key in islice(plan.jobs, count) if key not in finished)
        while batch := {key: _result(plan, key) for key in islice(missing, BATCH)}:
            store.add_all(batch)


def _go_on(plan: CurvePlan, folder: Path) -> None:
    """Do what a run does before its first fit, but for timing some of them."""
    with open_writer(folder, {}, {}, plan.fits) as store, LocalWorkers(1) as workers:
        finished = store.finished()
        missing = (key for key in plan.jobs if key not in finished)
        estimate(plan, missing, store.mean_seconds(), workers, budget=0.0)
        plan.register(store)
        finished = store.finished()
        next(key for key in plan.jobs if key not in finished)


def _whole_plan(folder: Path) -> Iterator[Timing]:
    """Plan all of LCDB 1.1; its seconds against the 60 that it may take."""
    with timed() as clock:
        plan = simulated_plan(ALL * 2, folder)
        count = sum(1 for _ in plan.jobs)
    held = psutil.Process().memory_info().rss / 1e9
    yield Timing(f"all of LCDB 1.1 planned: {count:,} curves, {plan.fits:,} fits, "
                 f"{held:.2g} GB held", clock.seconds, "what it may take", 60.0)


def _through_dask(folder: Path) -> Iterator[Timing]:
    """Gather through workers that are processes; against the time at 3,000 fits a second."""
    plan = simulated_plan(THROUGH_DASK, folder / "dask")
    with dask_processes(N_WORKERS) as (address, scheduler):
        held, settings = [], simulated_settings(folder, scheduler=address)
        with (DaskWorkers(settings) as workers,
              open_writer(folder / "dask", {}, {}, SHARDED_FROM + 1) as store, timed() as clock):
            collect(plan, store, workers,
                    lambda key, result: held.append(scheduler.memory_info().rss / 1e9))
    yield Timing(f"{plan.fits:,} fits through {N_WORKERS} Dask workers on "
                 f"{psutil.cpu_count()} cores, scheduler's memory {held[len(held) // 5]:.3g} GB "
                 f"at a fifth of them, {held[-1]:.3g} GB at the end",
                 clock.seconds, "at 3,000 fits a second", plan.fits / 3000)

