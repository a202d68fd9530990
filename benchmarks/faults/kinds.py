"""The kinds of faults: each befalls a run of a command, and returns what its runs said."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress

import psutil

from benchmarks.faults.campaign import MODE, Campaign, Said
from benchmarks.faults.commands import COMMANDS


def killed(here: Campaign, name: str) -> list[Said]:
    """End the command by a signal, when a drawn share of its work is done."""
    run = here.start(name)
    here.wait(run, name)
    with suppress(ProcessLookupError):
        os.kill(run.pid, here.rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
    return [run.end()]


def disk_full(here: Campaign, name: str) -> list[Said]:
    """Give OUT a file system of a drawn size; or else let no file grow beyond a drawn byte."""
    sizes = [f.stat().st_size for f in (here.folder / name).rglob("*") if f.is_file()]
    here.out.mkdir(exist_ok=True)
    size = int(here.rng.integers(4096, 2 * sum(sizes) + 8192))
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "full", here.out],
                             capture_output=True, check=False)
    if mounted.returncode:
        return [here.start(name, int(here.rng.integers(1, 1.3 * max(sizes)))).end()]
    said = here.start(name).end()
    subprocess.run(["mount", "-o", "remount,size=64m", here.out], check=True)  # room was made
    return [said]


def byte_flipped(here: Campaign, name: str) -> list[Said]:
    """Flip a bit of what the command left, or of what it reads; SQLite half of the times."""
    whose = str(here.rng.choice([name, *COMMANDS[name].sources]))
    folder = here.folder / whose
    if whose == name:
        subprocess.run(["cp", "-r", f"{folder}/.", here.out], check=True)
        folder = here.out
    files = sorted(f for f in folder.rglob("*") if f.is_file() and f.stat().st_size
                   and f.name != "own.txt")
    here.out.chmod(MODE)  # which cp made that of the folder
    stores = [f for f in files if f.suffix == ".sqlite"]
    some = stores if stores and here.rng.random() < 0.5 else files
    file = some[here.rng.integers(len(some))]
    here.flipped, content = file, bytearray(file.read_bytes())
    content[here.rng.integers(len(content))] ^= 1 << int(here.rng.integers(8))
    file.write_bytes(content)
    return []


def worker_gone(here: Campaign, name: str) -> list[Said]:
    """Kill every process that the command has started."""
    run = here.start(name)
    here.wait(run, name)
    if run.runs():
        for child in psutil.Process(run.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                child.kill()
    return [run.end()]


def scheduler_gone(here: Campaign, name: str) -> list[Said]:
    """Kill the scheduler of Dask, or its one worker, or both."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        place = free.getsockname()
    address = f"tcp://{place[0]}:{place[1]}"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [subprocess.Popen([sys.executable, "-m", "dask", *words, "--no-dashboard"], **quiet)
            for words in (("scheduler", "--host", address),
                          ("worker", address, "--nthreads", "1", "--no-nanny"))]
    try:
        for _ in range(600):
            with suppress(OSError):
                socket.create_connection(place).close()
                break
            time.sleep(0.1)
        run = here.start(name, SCHEDULER=address)
        here.wait(run, name)
        gone = [[0], [1], [0, 1]][here.rng.integers(3)]
        for one in gone:
            dask[one].kill()
        if gone == [1]:  # without any worker the jobs would wait for one
            dask.append(subprocess.Popen(dask[1].args, **quiet))
        return [run.end()]
    finally:
        for one in dask:
            one.kill()
            one.wait()


def two_at_once(here: Campaign, name: str) -> list[Said]:
    """Run the command twice into one folder."""
    first = here.start(name)
    here.wait(first, name)
    second = here.start(name)
    return [first.end(), second.end()]


def input_in_out(here: Campaign, name: str) -> list[Said]:
    """Give the command an input that lies in OUT, under the name of one of its results."""
    parameter, source, result = INPUTS[name]
    path = here.out / result
    path.write_text(here.inputs[source])
    said = here.start(name, **{parameter: str(path)}).end()
    if not path.is_file() or path.read_text() != here.inputs[source]:
        here.lose(f"{name}: its input {result}, which lies in OUT, is not what it was")
    path.unlink(missing_ok=True)
    return [said]


#: Parameter, file and the name of a result, for commands that read a file.
INPUTS = {"report": ("POINTS", "points.csv", "points.csv"),
          "order": ("CSV", "results.csv", "pairs.csv")}
FAULTS = {"killed": killed, "disk full": disk_full, "byte flipped": byte_flipped,
          "worker gone": worker_gone, "scheduler gone": scheduler_gone,
          "two at once": two_at_once, "input in OUT": input_in_out}
OFTEN = {"killed": 3, "byte flipped": 3, "scheduler gone": 1, "two at once": 1}
PAIRS = [(kind, name) for name in COMMANDS for kind in FAULTS if kind not in COMMANDS[name].without
         and (kind != "input in OUT" or name in INPUTS)
         for _ in range(OFTEN.get(kind, 2) if COMMANDS[name].store else 1)]
