"""The process that fits: takes jobs from a connection, sends each fit back as it is done.

Started by `collection.running.supervisor` as ``python -m collection.running.child CONN LIFE``,
with the numbers of two inherited sockets. It dies with whoever holds the other end of the
second, so a killed collection leaves no process behind.
"""

import ctypes
import fcntl
import os
import select
import signal
import sys
import warnings
from multiprocessing.connection import Connection

from threadpoolctl import threadpool_limits

from collection.running.engine import Job


def die_with(lifeline: int) -> None:
    """Have the kernel end this process when the other end of the socket closes.

    By signal, because a thread that watches the socket could not run while C code holds the
    interpreter. The signal's handler is C's own ``_exit``, for the same reason, and because
    the default, which ends the process on Linux, is to discard the signal on BSD and macOS.
    """
    libc = ctypes.CDLL(None)
    libc.signal.argtypes = (ctypes.c_int, ctypes.c_void_p)
    libc.signal.restype = ctypes.c_void_p
    libc.signal(signal.SIGIO, ctypes.cast(libc._exit, ctypes.c_void_p))
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    watched = select.poll()  # select.select() knows no number above 1,023
    watched.register(lifeline, select.POLLIN)
    if watched.poll(0):  # it closed before we listened
        sys.exit(1)


def serve(connection: Connection) -> None:
    """Answer each job with ``("loaded", None)``, ``("fit", result)`` per fit, ``("done", None)``.

    Time counts from ``loaded`` on: reading the dataset and importing the learner's library are
    no part of the first fit. A dataset that cannot be read, or a job that makes no sense, is
    answered with ``("refused", message)``. What a learner raises is already a result with a status.
    """
    while True:
        try:
            job: Job = connection.recv()
        except EOFError:
            return
        try:
            loaded = job.load()
            connection.send(("loaded", None))
            for result in job.run(loaded):
                connection.send(("fit", result))
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
