"""Kernels that are forked end as jupyter_client ends any other."""

import asyncio
import subprocess
import sys

import psutil
import pytest
from notebook_runs import run


@pytest.fixture
def forked():
    return pytest.importorskip("forked", reason="it serves Linux")


def manager_of(forked, pid):
    """Return a provisioner that has forked the process of a number."""
    made = forked.Provisioner(kernel_id="one")
    made.process = forked.Forked(pid)
    made.pid = made.pgid = pid
    return made


@pytest.mark.parametrize("way", ["terminate", "kill"])
def test_a_kernel_that_has_ended_meanwhile_is_ended_without_a_word(forked, way):
    """jupyter_client asks so whoever takes over 2.5 s, which may end before the signal comes."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    made = manager_of(forked, ended.pid)
    asyncio.run(getattr(made, way)())
    assert made.process.poll() == 0 and made.process.wait() == 0


@pytest.mark.parametrize("way", ["terminate", "kill"])
def test_a_kernel_that_does_not_end_is_ended(forked, way):
    running = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"],
                               start_new_session=True)
    made = manager_of(forked, running.pid)
    assert made.process.poll() is None
    asyncio.run(getattr(made, way)())
    assert running.wait(10) < 0
    assert made.process.poll() == 0


def test_a_kernel_that_is_closed_leaves_no_file_open(tmp_path):
    def run_one():
        run("about", tmp_path)  # without a cell
        return psutil.Process().num_fds()

    assert run_one() == run_one()
