"""Kernels that come with the usual libraries loaded: forked from a process that has them.

To start a kernel and import what every chapter imports takes it some 2.5 seconds, a fork none.
Each chapter has a process of its own all the same. On Linux only: elsewhere libraries that are
loaded may not outlive a fork.
"""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from tempfile import gettempdir
from threading import Lock
from uuid import uuid4

from jupyter_client import AsyncKernelClient, AsyncKernelManager
from jupyter_client.provisioning import LocalProvisioner
from nbclient.exceptions import DeadKernelError

#: What most chapters import.
LOADED = ("ipykernel.kernelapp", "matplotlib.pyplot", "scipy.stats", "sklearn.ensemble", "seaborn",
          "dask.array", "pandas.io.formats.style", "analysis.notebook",
          "analysis.databases.chapter_curves", "analysis.leaderboards.tables",
          "analysis.selection.crossing", "analysis.shapes.treatments", "analysis.statistics")


class Manager(AsyncKernelManager):
    """The manager of a kernel that ends with all that it opened, which nbclient leaves to us."""

    _client: AsyncKernelClient | None = None

    def client(self, **given) -> AsyncKernelClient:
        """Return what talks with the kernel."""
        self._client = super().client(**given)
        return self._client

    def kill(self) -> None:
        """End the kernel, which has a session of its own and would outlive the notebook's run."""
        if self.has_kernel:
            self.provisioner.process.kill()
            self.cleanup_connection_file()
            self.cleanup_ipc_files()

    def close(self) -> None:
        """End the kernel, if it runs yet, and close the sockets on which it was talked with."""
        self.kill()
        if self._client:
            self._client.stop_channels()
        self.context.destroy(linger=0)


class Nursery:
    """The process that kernels are forked from; a context, at whose end it ends."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            # As a kernel of its own would have it, before matplotlib is imported.
            env={**os.environ, "MPLBACKEND": "module://matplotlib_inline.backend_inline"})

    def __enter__(self) -> "Nursery":
        return self

    def __exit__(self, *_) -> None:
        self._process.communicate()

    def manager(self, kernel_name: str) -> Manager:
        """Return the manager of a kernel that will be forked.

        It is talked with by files: a port that is free may be another's when it is opened.
        """
        manager = Manager(kernel_name=kernel_name, transport="ipc")
        manager.ip = f"{gettempdir()}/kernel-{uuid4().hex[:12]}"
        manager.provisioner = Provisioner(parent=manager, kernel_spec=manager.kernel_spec,
                                          kernel_id=manager.kernel_id)
        manager.provisioner.nursery = self
        return manager

    def fork(self, file: str, folder: str, environment: dict[str, str]) -> int:
        """Return the number of a process that becomes the kernel of a connection file.

        Raises
        ------
        DeadKernelError
            Where what chapters import cannot be loaded, of which the process has told.
        """
        with self._lock:
            try:
                print(json.dumps([file, folder, environment]), file=self._process.stdin, flush=True)
                return int(self._process.stdout.readline())
            except (BrokenPipeError, ValueError) as error:
                raise DeadKernelError("What chapters import cannot be loaded.") from error


class Provisioner(LocalProvisioner):
    """Has a nursery fork the kernel instead of starting Python anew."""

    async def launch_kernel(self, cmd: list[str], **given) -> dict:
        """Start the kernel that a command line names."""
        self.process = Forked(self.nursery.fork(
            cmd[cmd.index("-f") + 1], given.get("cwd") or os.getcwd(), given["env"]))
        self.pid = self.pgid = self.process.pid
        return self.connection_info


@dataclass
class Forked:
    """What jupyter_client asks of a process, for one that is not our child."""

    pid: int
    stdin = stdout = stderr = None

    def poll(self) -> int | None:
        """Return None while it runs."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    def wait(self) -> int:
        """Wait for its end."""
        while self.poll() is None:
            time.sleep(0.05)
        return 0

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it is there yet."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)


def serve() -> None:
    """Load what chapters need; then fork a kernel for each order, and say its process."""
    del sys.path[0]  # this folder, whose modules no chapter is to find
    os.environ["JPY_PARENT_PID"] = str(os.getpid())  # with whose end kernels end
    for name in LOADED:
        import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # none is waited for
    while order := sys.stdin.readline():
        if not (pid := os.fork()):
            return _become_kernel(*json.loads(order))
        print(pid, flush=True)


def _become_kernel(file: str, folder: str, environment: dict[str, str]) -> None:
    """Go on as the kernel of a connection file, which ends when the nursery does."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["ipykernel_launcher", "-f", file, "--log-level=ERROR"]  # it warns of TCP each time
    from ipykernel import kernelapp

    kernelapp.launch_new_instance()


if __name__ == "__main__":
    serve()
