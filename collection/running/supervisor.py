"""Do one job: the results of all its steps, whatever the learner does to its process.

After a step that took its process down, by running out of time or memory or by itself, the job
says what is recorded of it and which steps are not worth trying; the others are tried in a new
process. But a process that was killed from outside is not the learner's doing, and its job is
given up, to be tried again by the next run. What earlier jobs left in a process's memory does not
count: a fit that passes the memory limit in a process that is not new is tried again in one that
is.
"""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from threading import Event, local
from typing import Any

from collection.container import Status
from collection.running.fitter import Fitter, LimitPassed, ProcessDied
from collection.running.job import Job, JobError


class Supervisor:
    """Does jobs one after another, in one process as long as that lives.

    Parameters
    ----------
    stop : threading.Event, optional
        Once set, the job in flight is given up with `Stopped`.
    """

    def __init__(self, stop: Event | None = None):
        self._stop = stop or Event()
        self._fitter: Fitter | None = None
        self._used = False  # by an earlier job

    def gather(self, job: Job) -> Any:
        """Return the job's result, made of one for every step, each with a status.

        Raises
        ------
        JobError
            Where the dataset cannot be read here or has changed, a library is absent, the process
            was killed from outside, or the job is at fault; the message says why.
        Stopped
            Where the supervisor was told to stop.
        """
        started = time.perf_counter()
        results: list[Any] = []
        with ExitStack() as unless_done:
            unless_done.callback(self.close)
            while len(results) < job.steps:
                results += self._attempt(job.rest(len(results)))
            unless_done.pop_all()
        self._used = True
        worker = f"{socket.gethostname()}:{os.getpid()}"
        return job.result(results, time.perf_counter() - started, worker)

    def close(self) -> None:
        """Stop the process, if there is one."""
        if self._fitter:
            self._fitter.close()
        self._fitter, self._used = None, False

    def _attempt(self, job: Job) -> list[Any]:
        """Return the results of a job's first steps: up to the failure of a process, or all."""
        results: list[Any] = []
        try:
            for result in self._stream(job):
                results.append(result)
        except LimitPassed as passed:
            used = self._used
            self.close()
            if not (used and passed.status == Status.memory):
                results += job.failed(len(results), passed.status, str(passed))
        except ProcessDied as died:
            self.close()
            if died.from_outside:
                raise JobError(f"{job}: {died}") from None
            results += job.failed(len(results), Status.error, str(died))
        return results

    def _stream(self, job: Job) -> Iterator[Any]:
        """Yield the results of steps as the process finishes them."""
        self._fitter = self._fitter or Fitter(self._stop)
        try:
            self._fitter.send(job)
            kind, answer = self._fitter.receive(job.limits, timed=False)
        except ProcessDied as died:
            loading = "" if died.from_outside else "while its data and learner were loaded, "
            raise JobError(f"{job}: {loading}{died}") from None
        while kind != "done":
            if kind == "refused":
                raise JobError(f"{job}: {answer}")
            if kind == "fit" and answer is not None:
                yield answer
            kind, answer = self._fitter.receive(job.limits, timed=True)


_of_thread = local()


def gather(job: Job) -> Any:
    """Do a job with the calling thread's own supervisor: what a Dask worker is sent."""
    if not hasattr(_of_thread, "supervisor"):
        _of_thread.supervisor = Supervisor()
    return _of_thread.supervisor.gather(job)
