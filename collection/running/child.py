"""The process that fits: takes jobs from a connection, sends each fit back as it is done.

Started by `collection.running.supervisor` as ``python -m collection.running.child CONN LIFE``,
with the numbers of two inherited sockets. It dies with whoever holds the other end of the
second, so a killed collection leaves no process behind.
"""

import fcntl
import os
import select
import signal
import sys
import warnings
from contextlib import suppress
from functools import lru_cache
from multiprocessing.connection import Connection

from threadpoolctl import threadpool_limits

from collection.curve import curve_fits
from collection.datasets import load_dataset
from collection.learners import find_learner
from collection.running.job import Job

load = lru_cache(maxsize=2)(load_dataset)  # jobs come dataset by dataset


def die_with(lifeline: int) -> None:
    """Have the kernel end this process when the other end of the socket closes.

    By signal, because a thread that watches the socket could not run while C code holds the
    interpreter.
    """
    signal.signal(signal.SIGIO, signal.SIG_DFL)  # its default is to end the process
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([lifeline], [], [], 0)[0]:  # it closed before we listened
        sys.exit(1)


def serve(connection: Connection) -> None:
    """Answer each job with ``("loaded", None)``, ``("fit", Fit)`` per anchor, ``("done", None)``.

    Time counts from ``loaded`` on: reading the dataset and importing the learner's library are
    no part of the first fit. A dataset that cannot be read, or a job that makes no sense, is
    answered with ``("refused", message)``. What a learner raises is already a fit with a status.
    """
    while True:
        try:
            job: Job = connection.recv()
        except EOFError:
            return
        try:
            dataset = load(job.task.dataset)
            with suppress(ImportError):  # which the fits report
                find_learner(job.task.learner).load()  # importing is not the first fit's time
            connection.send(("loaded", None))
            for fit in curve_fits(dataset, job.task, job.anchors, predictions=job.predictions):
                connection.send(("fit", fit))
        except Exception as error:  # noqa: BLE001 - the reason is what the supervisor reports
            connection.send(("refused", f"{type(error).__name__}: {error}"))
        else:
            connection.send(("done", None))


def main() -> None:
    """Serve the connection named on the command line until it closes."""
    connection, lifeline = (int(number) for number in sys.argv[1:3])
    die_with(lifeline)
    warnings.simplefilter("ignore")  # a learner's warnings have no reader here
    with threadpool_limits(1):
        serve(Connection(connection))


if __name__ == "__main__":
    main()
