"""``make evaluations``: evaluate what the recipe lists and the store lacks, then ship whole tasks.

``python -m collection.repository [--export] [--store FOLDER] [--to FOLDER]``. Stopped, it goes on
where it was when run again. Task after task, so that whatever is stopped leaves whole ones.
"""

import argparse
import os
import socket
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from collection.evaluation.job import Result
from collection.evaluation.plan import EvaluationPlan, make_plan
from collection.evaluation.run import store_settings
from collection.evaluation.settings import check_settings
from collection.repository import FOLDER
from collection.repository.recipe import TASKS, settings_of, store
from collection.repository.ship import NothingToShipError, ship, shipped_bytes
from collection.running.provenance import provenance
from collection.store.evaluation_writer import EvaluationKey, EvaluationWriter


def main(arguments: Sequence[str]) -> int:
    """Gather and export; return the exit status."""
    parser = argparse.ArgumentParser("python -m collection.repository", description=__doc__)
    parser.add_argument("--export", action="store_true", help="write the files, evaluate nothing")
    parser.add_argument("--store", type=Path, default=store(), help="folder to gather in")
    parser.add_argument("--to", type=Path, default=FOLDER, help="where the shipped files go")
    given = parser.parse_args(arguments)
    if not given.export:
        for task in TASKS:
            gather(task, given.store)
    try:
        left = ship(given.store, given.to)
    except NothingToShipError as error:
        print(f"evaluations: {error}", file=sys.stderr)
        return 1
    print(f"{given.to} holds {shipped_bytes(given.to) / 1e6:.1f} MB."
          + (f" Not whole, and left out: {', '.join(left)}." if left else ""))
    return 0


def gather(task: str, folder: Path) -> None:
    """Make the evaluations of a task that the store lacks.

    In this process, one after another: the fits take milliseconds, so that watching a process
    would cost more than they do, and configs that train step by step hold to their own limit.
    """
    settings = check_settings(settings_of(task, folder))
    plan = make_plan(settings)
    with EvaluationWriter(folder, store_settings(settings), provenance()) as store:
        plan.register(store)
        started, count = time.perf_counter(), 0
        for key, result in _missing(plan, store.finished()):
            store.add(key, result)
            count += 1
    print(f"{task}: {count} evaluations in {time.perf_counter() - started:.0f} s, "
          f"{len(plan.jobs) - count} were there.", flush=True)


def _missing(plan: EvaluationPlan,
             finished: set[EvaluationKey]) -> Iterator[tuple[EvaluationKey, Result]]:
    worker = f"{socket.gethostname()}:{os.getpid()}"
    for key, job in plan.jobs.items():
        if key not in finished:
            started = time.perf_counter()
            *_, evaluation = job.run(job.load())
            yield key, job.result([evaluation], time.perf_counter() - started, worker)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
