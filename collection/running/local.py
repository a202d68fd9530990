"""Workers of this machine: threads, each of which supervises one process that fits."""

from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event, local

from collection.running.job import Job
from collection.running.supervisor import Supervisor


class LocalWorkers:
    """Does jobs on processes of this machine; see `collection.running.job.Workers`.

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
