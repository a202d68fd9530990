"""Where the fits run: processes of this machine, a running Dask scheduler."""

import os
import socket
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import parent_process
from threading import Event, Thread, local
from urllib.parse import urlsplit

from collection.project.requirements import library
from collection.running.curve_settings import WorkSettings
from collection.running.engine import CONNECT, Job, JobError, Workers, unreachable
from collection.running.supervisor import Supervisor


class LocalWorkers:
    """Does jobs on processes of this machine; see `collection.running.engine.Workers`.

    Parameters
    ----------
    count : int
        Jobs done at the same time.
    """

    failures = ()

    def __init__(self, count: int):
        self.count = count
        self._stop = Event()
        self._of_thread = local()
        self._supervisors: list[Supervisor] = []
        self._threads = ThreadPoolExecutor(count, "worker", initializer=self._start)

    def submit(self, job: Job) -> Future:
        """Queue a job for whichever process is free first."""
        return self._threads.submit(lambda: self._of_thread.supervisor.gather(job))

    def __enter__(self) -> "LocalWorkers":
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop.set()
        self._threads.shutdown(cancel_futures=True)
        for supervisor in self._supervisors:
            supervisor.close()

    def _start(self) -> None:
        self._of_thread.supervisor = Supervisor(self._stop)
        self._supervisors.append(self._of_thread.supervisor)


def make_workers(settings: WorkSettings) -> Workers:
    """Return the workers that the settings ask for; nothing runs until they are entered."""
    if settings.scheduler:
        # Which takes a while to load.
        return library("collection.running.dask_workers").DaskWorkers(settings)
    return LocalWorkers(settings.workers)


def check_workers(settings: WorkSettings) -> None:
    """See that the workers that are asked for can be had from here, before anything is written.

    Raises
    ------
    ConnectionError
        Where no scheduler listens at the address.
    """
    if settings.scheduler:
        place = urlsplit(settings.scheduler)
        try:
            socket.create_connection((place.hostname, place.port or 8786), CONNECT).close()
        except OSError as error:
            raise unreachable(settings.scheduler, error) from error


def spread(job: Callable, items: Iterable, workers: int) -> Iterator:
    """Yield the job's result for each item, in order, worked out by some processes.

    These are sent the job once, and end with this one however it ends: otherwise those of a killed
    run would hold its store for ever.

    Raises
    ------
    JobError
        Where one of them was ended from outside.
    """
    if workers <= 1:
        yield from map(job, items)
        return
    try:
        with ProcessPoolExecutor(workers, initializer=_begin, initargs=(job,)) as pool:
            yield from pool.map(_run, items)
    except BrokenProcessPool as error:
        raise JobError(f"One of {workers} processes was ended from outside (Linux does that when "
                       "memory runs out: fewer WORKERS). What is stored stays; run the same "
                       "command again to go on.") from error


def _run(item: object) -> object:
    return _JOB(item)


def _begin(job: Callable) -> None:
    global _JOB
    _JOB = job
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent_process().join()
    os._exit(1)
