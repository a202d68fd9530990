"""Fits made in this process; own tables measured so by few folds, long before the budget ends."""

from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager

import pytest

from analysis.report import report
from collection.own_table import gather
from collection.protocol.rows import rounds

AMPLE = "10h"


class Here(AbstractContextManager):
    """Workers that do a job as it is asked for; see `collection.running.engine.Workers`."""

    count, failures, loading = 1, (), ()

    def __init__(self, count: int):
        pass

    def submit(self, job) -> Future:
        done = Future()
        results = [result for result in job.run(job.load()) if result is not None]
        done.set_result(job.result(results, 1.0, "here"))
        return done

    def __exit__(self, *exception: object):
        pass


@contextmanager
def fit_here():
    """Let what is collected or evaluated be fitted here, where no process has to start."""
    with pytest.MonkeyPatch.context() as patch:
        yield patch.setattr("collection.running.workers.LocalWorkers", Here)


def measure_here(monkeypatch: pytest.MonkeyPatch, folds: int = 5):
    """Let what is measured of a table be measured here, on so many folds."""
    monkeypatch.setattr(gather, "rounds", lambda: rounds()[:folds])
    monkeypatch.setattr(report, "OwnWorkers", Here)
    monkeypatch.setattr("commands.report.command.OwnWorkers", Here)
