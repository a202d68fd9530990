"""Workers of a Dask cluster whose scheduler is running: of a queue's jobs, if it has made them.

A Dask worker's thread supervises one process that fits, as a thread does on one machine, so a fit
has the same limits. A worker that dies loses the curves it was at; the scheduler gives them to
others.
"""

import logging
import sys
import time
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack
from typing import Any

from distributed import Client, KilledWorker
from distributed.client import FutureCancelledError

from collection.project.requirements import curve_versions
from collection.running.curve_settings import WorkSettings
from collection.running.engine import CONNECT, Job, JobError, unreachable
from collection.running.supervisor import gather

CHATTY = ("asyncio", "distributed", "distributed.client", "distributed.utils",
          "tornado.application")  # loggers, with a traceback where a scheduler goes away
RECOUNT = 5.0  # seconds between two questions to the scheduler how many workers it has


class DaskWorkers:
    """Does jobs on a Dask cluster; see `collection.running.engine.Workers`.

    Parameters
    ----------
    settings : WorkSettings
        With the scheduler's address.
    """

    failures = (KilledWorker, CancelledError, FutureCancelledError)

    def __init__(self, settings: WorkSettings):
        self._address = settings.scheduler
        self._versions = curve_versions()
        self._opened = ExitStack()
        self._count, self._counted = 1, -RECOUNT

    @property
    def count(self) -> int:
        """Threads of all workers at the moment; at least 1, which waits for the first worker."""
        self._check()
        if time.monotonic() - self._counted > RECOUNT:
            self._count = max(1, sum(self._client.nthreads().values()))
            self._counted = time.monotonic()
        return self._count

    def submit(self, job: Job) -> Future:
        """Send a job to the scheduler."""
        self._check()
        return self._executor.submit(gather_alike, job, self._versions)

    def __enter__(self) -> "DaskWorkers":
        for name in CHATTY:
            logger = logging.getLogger(name)
            self._opened.callback(logger.setLevel, logger.level)
            logger.setLevel(logging.CRITICAL + 1)
        try:
            self._client = self._opened.enter_context(Client(self._address, timeout=CONNECT))
        except OSError as error:
            raise unreachable(self._address, error) from error
        self._executor = self._client.get_executor(pure=False)
        print(f"The Dask scheduler at {self._address} has {sum(self._client.nthreads().values())} "
              "worker threads now; curves wait until there is one.", file=sys.stderr)
        return self

    def __exit__(self, *exception: object) -> None:
        self._executor.shutdown(wait=False)
        self._opened.close()

    def _check(self) -> None:
        """Raise `ConnectionError` where the scheduler is gone, rather than queue jobs for it."""
        if self._client.status != "running":
            raise ConnectionError(f"The Dask scheduler at {self._address} is gone. Start it and "
                                  "run again: the curves that are stored stay.")


def gather_alike(job: Job, versions: dict[str, str]) -> Any:
    """Do a job, where the libraries are those of the collection: others move curves.

    Raises
    ------
    JobError
        Where they differ; see also `collection.running.supervisor.Supervisor.gather`.
    """
    here = curve_versions()
    if here != versions:
        differ = ", ".join(f"{name} {here[name]} instead of {versions[name]}"
                           for name in versions if here[name] != versions[name])
        raise JobError(f"A Dask worker has other versions of libraries that move curves: {differ}. "
                       "Start the workers from the environment that the collection runs in.")
    return gather(job)
