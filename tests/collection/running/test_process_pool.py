"""Processes that compute for another end with it, and their own end is told."""

import signal
import subprocess
import sys
import time

import psutil
import pytest

from collection.project.paths import ROOT
from collection.running.engine import JobError
from collection.running.workers import spread

HOLDS_A_STORE = """
import os, sys, time
from pathlib import Path
from collection.running.workers import spread
from collection.project.locks import held
with held(Path(sys.argv[1])):
    print(flush=True)
    list(spread(time.sleep, [600, 600], 2))
"""


def test_a_killed_run_leaves_no_process_behind_that_holds_its_store(tmp_path):
    from collection.project.locks import held

    run = subprocess.Popen([sys.executable, "-c", HOLDS_A_STORE, tmp_path / "lock"], text=True,
                           stdout=subprocess.PIPE, cwd=ROOT)
    run.stdout.readline()
    until = time.monotonic() + 60
    while len(children := psutil.Process(run.pid).children()) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(1)  # they are at work
    run.kill()
    run.wait()
    assert len(children) == 2
    with held(tmp_path / "lock"):
        _, alive = psutil.wait_procs(children, timeout=10)
    assert not alive


def test_a_process_that_was_killed_is_one_message():
    with pytest.raises(JobError, match="One of 2 processes was ended from outside"):
        list(spread(signal.raise_signal, [signal.SIGKILL] * 2, 2))
