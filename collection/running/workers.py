"""Choose where the fits run: this machine, a running Dask scheduler, or a cluster's queue."""

import shutil
import socket
from urllib.parse import urlsplit

from collection.running.job import Workers
from collection.running.local import LocalWorkers
from collection.settings import Settings, SettingsError

CONNECT = 30.0  # seconds to reach the scheduler


def make_workers(settings: Settings) -> Workers:
    """Return the workers that the settings ask for; nothing runs until they are entered."""
    if settings.scheduler or settings.cluster:
        from collection.running.dask_workers import DaskWorkers  # takes a while to load

        return DaskWorkers(settings)
    return LocalWorkers(settings.workers)


def check_workers(settings: Settings) -> None:
    """See that the workers that are asked for can be had from here, before anything is written.

    Raises
    ------
    ConnectionError
        Where no scheduler listens at the address.
    SettingsError
        Where jobs are to be submitted to Slurm, and this machine cannot.
    """
    if settings.cluster == "slurm" and shutil.which("sbatch") is None:
        raise SettingsError("CLUSTER: there is no command sbatch here. Run make collect on a "
                            "machine that submits Slurm jobs, often the login node; or leave "
                            "CLUSTER out.")
    if settings.scheduler:
        place = urlsplit(settings.scheduler)
        try:
            socket.create_connection((place.hostname, place.port or 8786), CONNECT).close()
        except OSError as error:
            raise unreachable(settings.scheduler, error) from error


def unreachable(address: str, error: Exception) -> ConnectionError:
    """Return what to raise where no scheduler answers at `address`."""
    return ConnectionError(f"No Dask scheduler answers at {address}: {error}. Start one (dask "
                           "scheduler), or correct the address.")
