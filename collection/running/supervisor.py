"""Gather one curve: a fit for every anchor, whatever the learner does to its process.

After a fit that ran out of time or memory the curve's larger anchors are not tried; they get the
same status and a message that says so. After a fit that took its process down, the next anchor
is tried in a new process. What earlier curves left in a process's memory does not count: a fit
that passes the memory limit in a process that is not new is tried again in one that is.
"""

import os
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from threading import Event, local

from collection.container import Status
from collection.curve import Fit
from collection.running.fitter import Fitter, LimitPassed, ProcessDied
from collection.running.job import CurveResult, Job, JobError

NOT_TRIED = {
    Status.timeout: "not tried: {anchor} training rows already ran out of time",
    Status.memory: "not tried: {anchor} training rows already ran out of memory",
}


class Supervisor:
    """Gathers curves one after another, in one process as long as that lives.

    Parameters
    ----------
    stop : threading.Event, optional
        Once set, the curve in flight is given up with `Stopped`.
    """

    def __init__(self, stop: Event | None = None):
        self._stop = stop or Event()
        self._fitter: Fitter | None = None
        self._used = False  # by an earlier curve

    def gather(self, job: Job) -> CurveResult:
        """Return the curve with a fit per anchor of the job, each with a status.

        Raises
        ------
        JobError
            Where the dataset cannot be read here, or the job is at fault; the message says why.
        Stopped
            Where the supervisor was told to stop.
        """
        started = time.perf_counter()
        fits: list[Fit] = []
        try:
            while len(fits) < len(job.anchors):
                fits += self._attempt(replace(job, anchors=job.anchors[len(fits):]))
        except BaseException:
            self.close()
            raise
        self._used = True
        worker = f"{socket.gethostname()}:{os.getpid()}"
        return CurveResult(job.task, tuple(fits), time.perf_counter() - started, worker)

    def close(self) -> None:
        """Stop the process, if there is one."""
        if self._fitter:
            self._fitter.close()
        self._fitter, self._used = None, False

    def _attempt(self, job: Job) -> list[Fit]:
        """Return the fits of a job's first anchors: up to the failure of a process, or all."""
        fits: list[Fit] = []
        try:
            for fit in self._stream(job):
                fits.append(fit)
        except LimitPassed as passed:
            used = self._used
            self.close()
            if used and passed.status == Status.memory:
                return fits
            first, *rest = job.anchors[len(fits):]
            not_tried = NOT_TRIED[passed.status].format(anchor=first)
            fits.append(Fit(first, passed.status, str(passed)))
            fits += [Fit(anchor, passed.status, not_tried) for anchor in rest]
        except ProcessDied as died:
            self.close()
            fits.append(Fit(job.anchors[len(fits)], Status.error, str(died)))
        return fits

    def _stream(self, job: Job) -> Iterator[Fit]:
        """Yield fits as the process finishes them."""
        self._fitter = self._fitter or Fitter(self._stop)
        try:
            self._fitter.send(job)
            kind, answer = self._fitter.receive(job.limits, timed=False)
        except ProcessDied as died:
            raise JobError(f"{job.task.dataset} or {job.task.learner} could not be loaded: "
                           f"{died}") from None
        while kind != "done":
            if kind == "refused":
                raise JobError(f"{job.task}: {answer}")
            if kind == "fit":
                yield answer
            kind, answer = self._fitter.receive(job.limits, timed=True)


_of_thread = local()


def gather(job: Job) -> CurveResult:
    """Gather a curve with the calling thread's own supervisor: what a Dask worker is sent."""
    if not hasattr(_of_thread, "supervisor"):
        _of_thread.supervisor = Supervisor()
    return _of_thread.supervisor.gather(job)
