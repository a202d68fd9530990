"""What runs a notebook passes an interruption on, and waits for what its processes write."""

import signal
import subprocess
import sys

import pytest

from collection.commands import notebook
from commands import gathering

WAITS = """
import signal, sys, time
signal.signal(signal.SIGINT, lambda *_: (open(sys.argv[1], "w").write("whole"), sys.exit())[1])
print("ready", flush=True)
time.sleep(60)
"""


def test_an_interruption_reaches_the_process_that_writes(tmp_path, monkeypatch):
    """As of `kill`, which, unlike a key, does not reach those below."""
    started = []

    def run(*_):
        started.append(subprocess.Popen([sys.executable, "-c", WAITS, str(tmp_path / "said")],
                                        stdout=subprocess.PIPE))
        assert started[0].stdout.readline() == b"ready\n"
        raise KeyboardInterrupt

    monkeypatch.setattr(notebook, "run_notebook", run)
    with pytest.raises(KeyboardInterrupt):
        gathering._run_alone(gathering.NOTEBOOK, tmp_path, "curves.lock", {})
    try:
        assert started[0].wait(20) == 0 and (tmp_path / "said").read_text() == "whole"
    finally:
        started[0].send_signal(signal.SIGKILL)
        started[0].stdout.close()
