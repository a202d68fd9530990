"""Choose where the fits run: this machine, a running Dask scheduler, or a cluster's queue."""

from collection.running.job import Workers
from collection.running.local import LocalWorkers
from collection.settings import Settings


def make_workers(settings: Settings) -> Workers:
    """Return the workers that the settings ask for; nothing runs until they are entered."""
    if settings.scheduler or settings.cluster:
        from collection.running.dask_workers import DaskWorkers  # takes a while to load

        return DaskWorkers(settings)
    return LocalWorkers(settings.workers)
