"""Workers of a Dask cluster: a scheduler that is running, or one started for a cluster's queue.

A Dask worker's thread supervises one process that fits, as a thread does on one machine, so a fit
has the same limits. A worker that dies loses the curves it was at; the scheduler gives them to
others.
"""

import logging
import subprocess
import sys
import tempfile
import time
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack
from typing import Any

from dask_jobqueue import SLURMCluster
from distributed import Client, KilledWorker
from distributed.client import FutureCancelledError

from collection.project.opening import parse_toml, read_text
from collection.project.requirements import curve_versions
from collection.running.curve_settings import Settings, SettingsError
from collection.running.engine import CONNECT, Job, JobError, unreachable
from collection.running.supervisor import gather

ANSWER = 120.0  # seconds to wait for sbatch
CHATTY = ("asyncio", "distributed", "distributed.client", "distributed.utils",
          "tornado.application")  # loggers, with a traceback where a scheduler goes away
RECOUNT = 5.0  # seconds between two questions to the scheduler how many workers it has


class DaskWorkers:
    """Does jobs on a Dask cluster; see `collection.running.engine.Workers`.

    Parameters
    ----------
    settings : Settings
        With a scheduler's address, or the kind of cluster to start.
    """

    failures = (KilledWorker, CancelledError, FutureCancelledError)

    def __init__(self, settings: Settings):
        self._settings = settings
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
        self._address = self._settings.scheduler
        if self._address is None:
            cluster = self._opened.enter_context(slurm_cluster(self._settings))
            check_jobs(cluster)
            cluster.scale(jobs=self._settings.workers)
            self._address = cluster.scheduler_address
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


def check_jobs(cluster: SLURMCluster) -> None:
    """Ask Slurm whether it would take the jobs; else a collection would wait for them for ever.

    Raises
    ------
    SettingsError
        With what Slurm says.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".sh") as script:
        script.write(cluster.job_script())
        script.flush()
        try:
            answer = subprocess.run(["sbatch", "--test-only", script.name], capture_output=True,
                                    text=True, check=False, timeout=ANSWER)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SettingsError(f"CLUSTER: Slurm does not answer: {error}") from error
    if answer.returncode:
        raise SettingsError("CLUSTER_TEMPLATE: Slurm does not take such jobs: "
                            f"{(answer.stderr or answer.stdout).strip()}")


def slurm_cluster(settings: Settings) -> SLURMCluster:
    """Return a cluster whose workers are Slurm jobs, as the template file describes them.

    Raises
    ------
    SettingsError
        Where the template cannot be read, or has a key that dask-jobqueue does not know.
    """
    path = settings.cluster_template
    try:
        template = parse_toml(read_text(path, ValueError), ValueError, "it")
        return SLURMCluster(**{"log_directory": str(settings.out / "slurm_logs"), **template})
    except (TypeError, ValueError) as error:
        raise SettingsError(f"CLUSTER_TEMPLATE: {path}: {error}") from error
