"""Do one job in a process that is watched: the results of all its steps, whatever becomes of it.

After a step that took its process down, by running out of time or memory or by itself, the job
says what is recorded of it and which steps are not worth trying; the others are tried in a new
process. But a process that was killed from outside is not the learner's doing, and its job is
given up, to be tried again by the next run. What earlier jobs left in a process's memory does not
count: a fit that passes the memory limit in a process that is not new is tried again in one that
is.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from multiprocessing.connection import Connection
from threading import Event, local
from typing import Any

import psutil

from collection.containers.curves import Status
from collection.project.requirements import machine
from collection.running.engine import Job, JobError, Limits

FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGXCPU)
OUT_OF_MEMORY = (" (Linux does that when memory runs out: fewer WORKERS, or a lower MEMORY_LIMIT, "
                 "which stops a fit before)")
LONGEST = 300  # bytes of what a process said last
POLL = 0.02  # seconds between two looks at the process's memory
ONE_THREAD = dict.fromkeys((
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS",
    "LOKY_MAX_CPU_COUNT"), "1")


class Stopped(RuntimeError):
    """The collection was told to stop."""


class LimitPassed(Exception):
    """A fit ran out of time or memory; `status` says of which."""

    def __init__(self, status: Status, message: str):
        self.status = status
        super().__init__(message)


class ProcessDied(Exception):
    """The process has ended; the message says how.

    Parameters
    ----------
    code : int
        Its exit code, or minus the signal that ended it.
    said : str
        The last line that it wrote to its standard error, if any.

    Attributes
    ----------
    from_outside : bool
        Whether something else than what it ran ended it: a person, a cluster's queue, or Linux
        where memory ran out.
    """

    def __init__(self, code: int, said: str = ""):
        self.from_outside = -code in FROM_OUTSIDE
        how = (f"ended with exit code {code}" if code >= 0 else
               f"was ended by signal {signal.Signals(-code).name}")
        hint = OUT_OF_MEMORY if -code == signal.SIGKILL else ""
        last = f"; the last that it said: {said}" if said else ""
        super().__init__(f"the process {how}{hint}{last}")


class Fitter:
    """One process running `collection.running.child`, with one thread.

    It does not outlive the process that started it. Its own children, which a learner may
    start, end with it when it is stopped.

    Parameters
    ----------
    stop : threading.Event
        Once set, waiting for the process raises `Stopped`.
    """

    def __init__(self, stop: Event):
        self._stop = stop
        ours, theirs = socket.socketpair()
        self._lifeline, life = socket.socketpair()
        self._said = tempfile.TemporaryFile("ab+")  # noqa: SIM115 - as long as the process
        with theirs, life:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "collection.running.child",
                 str(theirs.fileno()), str(life.fileno())],
                pass_fds=(theirs.fileno(), life.fileno()), env=_environment(),
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._said,
                start_new_session=True)  # Ctrl-C is for the collection alone
        self._connection = Connection(ours.detach())
        self._seen = psutil.Process(self._process.pid)

    def send(self, job: object) -> None:
        """Hand over a job; `ProcessDied` where the process is gone."""
        self._said.truncate(0)  # what earlier jobs said is neither kept nor blamed
        try:
            self._connection.send(job)
        except OSError:
            raise self._died() from None

    def receive(self, limits: Limits, timed: bool) -> tuple[str, object]:
        """Wait for the next answer.

        Parameters
        ----------
        limits : Limits
            What may be used until then; the time only where `timed`.

        Raises
        ------
        LimitPassed
            The process is still running then: `close` it.
        ProcessDied
            With the exit code or signal.
        Stopped
            Where the event was set.
        """
        started = time.monotonic()
        while True:
            try:
                if self._connection.poll(min(POLL, limits.time)):
                    return self._connection.recv()
            except (EOFError, OSError):
                raise self._died() from None
            if self._stop.is_set():
                raise Stopped("The collection was stopped.")
            if timed and time.monotonic() - started > limits.time:
                raise LimitPassed(Status.timeout, f"stopped after {round(limits.time, 2):g} s")
            if self.memory() > limits.memory:
                raise LimitPassed(
                    Status.memory,
                    f"stopped when it used more than {round(limits.memory / 1e9, 2):g} GB")

    def _died(self) -> ProcessDied:
        code = self._process.wait()
        self._said.seek(max(0, os.fstat(self._said.fileno()).st_size - LONGEST))
        lines = self._said.read().decode(errors="replace").split("\n")
        return ProcessDied(code, next(filter(None, (line.strip() for line in lines[::-1])), ""))

    def memory(self) -> int:
        """Return the resident memory of the process in bytes, 0 where it has ended."""
        try:
            return self._seen.memory_info().rss
        except psutil.NoSuchProcess:
            return 0

    def close(self) -> None:
        """Stop the process and whatever it started, at once and whatever they are doing."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for ours in (self._connection, self._lifeline, self._said):
            ours.close()


def _environment() -> dict[str, str]:
    """Return the environment of a process that fits: one thread, the same modules."""
    path = os.pathsep.join(folder or os.getcwd() for folder in sys.path)
    return {**os.environ, **ONE_THREAD, "PYTHONPATH": path, "PYTHONHASHSEED": "0"}


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
        worker = f"{machine()}:{os.getpid()}"
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
