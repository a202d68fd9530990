"""Own tables measured in this process, by few folds: whole long before the budget ends."""

from concurrent.futures import Future
from contextlib import AbstractContextManager

import pytest

from analysis.report import report
from collection.own_table import gather
from collection.protocol.rows import rounds

AMPLE = "10h"


class Here(AbstractContextManager):
    """Workers that do a job as it is asked for; see `collection.running.engine.Workers`."""

    count, failures = 1, ()

    def __init__(self, count: int):
        pass

    def submit(self, job) -> Future:
        done = Future()
        done.set_result(job.result(list(job.run(job.load())), 1.0, "here"))
        return done

    def __exit__(self, *exception: object):
        pass


def measure_here(monkeypatch: pytest.MonkeyPatch, folds: int = 5):
    """Let what is measured of a table be measured here, on so many folds."""
    monkeypatch.setattr(gather, "rounds", lambda: rounds()[:folds])
    monkeypatch.setattr(report, "LocalWorkers", Here)
