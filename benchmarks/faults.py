"""A seeded campaign of faults: every fault of a registry on every command of another.

``make faults`` (RUNS=300, SEED=0). After each fault the store has to open or say what is wrong with
it, hold nothing that the whole one has not, and be brought to the same numbers by running again.
Printed is how many of which kind there were, and what was lost.
"""

import argparse
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import psutil

from analysis.commands import COMMANDS as LISTED
from collection.command import Work, run_work
from collection.container import FIT_DIMS
from collection.store import evaluation_reader as evaluations
from collection.store import open_store, read_fits, read_predictions
from collection.store.connection import NoStoreError

LIMIT = 90.0  # seconds that a command may take


@dataclass(frozen=True)
class Command:
    """A command of ours, as the campaign knows it.

    Attributes
    ----------
    arguments : dict
        ``{}`` in a value stands for the campaign's folder.
    numbers : callable
        Returns what its folder holds as texts by key, without times; raises as readers do.
    sources : tuple of str
        Folders that it reads.
    without : tuple of str
        Those of `FAULTS` that cannot befall it.
    store : bool
        Whether it leaves a store; else files that are made anew whenever it runs.
    """

    arguments: dict[str, str]
    numbers: Callable[[Path], dict[str, str]]
    sources: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    store: bool = True


def of_curves(folder: Path) -> dict[str, str]:
    """Return all fits, with predictions and what is known of their datasets."""
    table, curves = read_fits(folder), open_store(folder)
    table = table.drop(columns=[name for name in table if "time" in name])
    return {str(row[:7]): repr((row, _known(curves.sel(dataset=row.dataset)), _digest(
        read_predictions(folder, row.anchor, **{k: getattr(row, k) for k in FIT_DIMS[:-1]}))))
        for row in table.itertuples(index=False)}


def of_evaluations(folder: Path) -> dict[str, str]:
    """Return all evaluations, with predictions, labels and what is known of tasks and learners."""
    table, runs = evaluations.read_evaluations(folder), evaluations.open_evaluations(folder)
    table = table.drop(columns=[name for name in table if "time" in name]
                       + ["seconds", "worker", "finished"])
    found = {}
    for row in table.itertuples(index=False):
        said = {}
        for split in ("valid", "test"):
            at = (folder, row.task, row.fold, split)
            part = evaluations.read_predictions(*at, [row.learner], row.repeat)
            said |= {f"{split} {name}": np.asarray(values) for name, values in (
                ("values", part), ("rows", part["row"]), ("kind", part["kind"].astype(str)),
                ("labels", evaluations.read_labels(*at, row.repeat)))}
        known = _known(runs.sel(task=row.task, learner=row.learner))
        found[str(row[:4])] = repr((row, known, _digest(said)))
    return found


def of_files(folder: Path) -> dict[str, str]:
    """Return the tables of a report."""
    if not (folder / "report.html").exists():
        raise NoStoreError("no report")
    return {file.name: file.read_text() for file in folder.glob("*.csv")}


def _known(container) -> dict[str, object]:
    return {name: c.item() for name, c in container.coords.items() if not c.dims}


def _digest(arrays: dict[str, np.ndarray]) -> str:
    return sha256(repr([(name, values.shape, values.tobytes())
                        for name, values in sorted(arrays.items())]).encode()).hexdigest()


LIMITS = {"WORKERS": "1", "MEMORY_LIMIT": "4GB", "PREDICTIONS": "yes"}
COMMANDS = {
    "collect": Command({
        "DATASETS": "sklearn:iris sklearn:wine", "LEARNERS": "KNN GaussianNB", "OUTER": "0",
        "INNER": "0 1", "ANCHORS": "16 32 64", **LIMITS}, of_curves),
    "evaluate": Command({
        "TASKS": "sklearn:iris sklearn:wine", "LEARNERS": "KNN GaussianNB", "FOLDS": "0 1 of 4",
        "BAGS": "2", **LIMITS}, of_evaluations),
    "merge": Command({"FROM": "{}/one {}/two"}, of_evaluations, ("one", "two"),
                     without=("worker gone", "scheduler gone")),
    "ensemble-curves": Command({"WHERE": "{}/collect", "WORKERS": "2"}, of_curves, ("collect",),
                               without=("scheduler gone",)),
    "report": Command({"POINTS": "{}/points.csv"}, of_files, without=("scheduler gone",),
                      store=False),
}
POINTS = "size,error\n16,.4\n32,.33\n64,.28\n128,.25\n256,.22\n"
NO_NOTEBOOK = {  # where a run would take most of its time to start a kernel
    "collect": ("collection.running.settings", "collection.running.plan"),
    "evaluate": ("collection.evaluation.settings", "collection.evaluation.plan")}
PRELOADED = (*NO_NOTEBOOK["collect"], *NO_NOTEBOOK["evaluate"], "collection.store.merge",
             "collection.notebook", "analysis.ensemble_curves.command")


def do(name: str, arguments: list[str]) -> int:
    """Run a command in this process, without its notebook where it gathers."""
    if name not in NO_NOTEBOOK:
        return LISTED[name].run(arguments)
    settings, plan = map(import_module, NO_NOTEBOOK[name])

    def gather(asked: object, values: object) -> int:
        return bool(plan.run(asked, plan.make_plan(asked)).lost)

    return run_work(Work(name, "", settings.PARAMETERS, gather, settings.check_settings), arguments)


class Run:
    """A command in a fork of this process, which has loaded the libraries already."""

    def __init__(self, said: Path, name: str, room: int | None, arguments: list[str]):
        self._said, self._given = said, (name, room, arguments)
        self._process = get_context("fork").Process(target=self._do)
        self._process.start()
        self.pid = self._process.pid

    def _do(self) -> None:
        name, room, arguments = self._given
        os.setsid()
        for stream in (1, 2):
            os.dup2(os.open(self._said, os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream)
        if room is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
        sys.exit(do(name, arguments))

    def runs(self) -> bool:
        """Tell whether it has not ended."""
        return self._process.is_alive()

    def end(self) -> str:
        """Wait for it, and return what it said."""
        self._process.join(LIMIT)
        hung = self.runs()
        self._process.kill()
        self._process.join()
        said = self._said.read_text(errors="replace") if self._said.exists() else ""
        self._said.unlink(missing_ok=True)
        return f"hung for {LIMIT:g} s. {said}" if hung else said


class Campaign:
    """Faults in a folder, each against the whole results of its command.

    Parameters
    ----------
    folder : Path
    seed : int
    """

    def __init__(self, folder: Path, seed: int):
        self.folder, self.seed, self.out = folder, seed, folder / "out"
        self.count: Counter[str] = Counter()
        self.lost: list[str] = []
        self.whole, self.seconds = {}, {}
        for module in PRELOADED:  # so that its forks have them
            import_module(module)
        (folder / "points.csv").write_text(POINTS)
        for name, command in COMMANDS.items():
            for source in {"one", "two"}.intersection(command.sources):
                shutil.copytree(folder / "evaluate", folder / source)
            began = time.monotonic()
            self.start(name, out=folder / name).end()
            self.seconds[name] = time.monotonic() - began
            self.whole[name] = command.numbers(folder / name)
            print(f"{name}: {self.seconds[name]:.1f} s, {len(self.whole[name])} results",
                  file=sys.stderr)
            for source in command.sources:  # which a flipped byte may spoil
                shutil.copytree(folder / source, folder / f"{source}.kept", dirs_exist_ok=True)

    def run(self, number: int) -> None:
        """Bring one fault about, and see what is left."""
        kind, name = PAIRS[number % len(PAIRS)]
        self.rng = np.random.default_rng([self.seed, number])
        said = FAULTS[kind](self, name)
        state = self.look(name)
        said += self.start(name).end()
        again = self.look(name)
        if kind == "byte flipped" and again not in ("whole", "other numbers"):
            self.put_back(name)  # a copy, as the message says
            said += self.start(name).end()
            again = f"{again}, with a copy {self.look(name)}"
        self.put_back(name)
        what = f"{kind}, {name}: {state}, then {again}"
        if ("Traceback" in said or "hung" in said or not again.endswith("whole")
                or (state == "other numbers" and COMMANDS[name].store)):
            self.lost.append(f"{number}: {what}. {said[-1500:]}")
            print(f"\n{self.lost[-1]}", file=sys.stderr)
        self.count[what] += 1

    def put_back(self, name: str) -> None:
        """Take away what a command has left, and put back what it reads."""
        shutil.rmtree(self.out, ignore_errors=True)
        for source in COMMANDS[name].sources:
            shutil.rmtree(self.folder / source, ignore_errors=True)
            shutil.copytree(self.folder / f"{source}.kept", self.folder / source)

    def look(self, name: str) -> str:
        """Say what a command's folder holds."""
        try:
            found = COMMANDS[name].numbers(self.out)
        except NoStoreError:
            return "nothing stored"
        except (OSError, ValueError) as error:
            return f"told ({type(error).__name__})"
        if not found.items() <= self.whole[name].items():
            return "other numbers"
        return "whole" if len(found) == len(self.whole[name]) else "part of it"

    def start(self, name: str, room: int | None = None, out: Path | None = None,
              **more: str) -> "Run":
        """Start a command in a process of its own, whose files may not grow beyond `room`."""
        given = {**COMMANDS[name].arguments, **more, "OUT": str(out or self.out)}
        return Run(self.folder / f"said {time.monotonic_ns()}", name, room, [
            f"{key}={value.replace('{}', str(self.folder))}" for key, value in given.items()])

    def wait(self, name: str, first: float = 0.3, last: float = 1.1) -> None:
        """Wait for a random share of the time that a command takes."""
        time.sleep(self.rng.uniform(first, last) * self.seconds[name])


def killed(here: Campaign, name: str) -> str:
    """End the command by a signal."""
    run = here.start(name)
    here.wait(name)
    with suppress(ProcessLookupError):
        os.kill(run.pid, here.rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
    return run.end()


def full_disk(here: Campaign, name: str) -> str:
    """Let no file grow beyond a random byte of the largest."""
    largest = max(f.stat().st_size for f in (here.folder / name).rglob("*") if f.is_file())
    return here.start(name, int(here.rng.integers(1, 1.3 * largest))).end()


def byte_flipped(here: Campaign, name: str) -> str:
    """Flip a bit of what the command left, or of what it reads; SQLite half of the times."""
    folder = here.folder / str(here.rng.choice([name, *COMMANDS[name].sources]))
    if folder == here.folder / name:
        folder = shutil.copytree(folder, here.out)
    files = sorted(f for f in folder.rglob("*") if f.is_file() and f.stat().st_size)
    stores = [f for f in files if f.suffix == ".sqlite"]
    some = stores if stores and here.rng.random() < 0.5 else files
    file = some[here.rng.integers(len(some))]
    content = bytearray(file.read_bytes())
    content[here.rng.integers(len(content))] ^= 1 << int(here.rng.integers(8))
    file.write_bytes(content)
    return f"{file}\n"


def worker_gone(here: Campaign, name: str) -> str:
    """Kill every process that the command has started."""
    run = here.start(name)
    here.wait(name, 0.5, 1.0)
    if run.runs():
        for child in psutil.Process(run.pid).children(recursive=True):
            child.kill()
    return run.end()


def scheduler_gone(here: Campaign, name: str) -> str:
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
        here.wait(name, 0.5, 2.0)
        gone = [[0], [1], [0, 1]][here.rng.integers(3)]
        for one in gone:
            dask[one].kill()
        if gone == [1]:  # without any worker the jobs would wait for one
            dask.append(subprocess.Popen(dask[1].args, **quiet))
        return run.end()
    finally:
        for one in dask:
            one.kill()
            one.wait()


def two_at_once(here: Campaign, name: str) -> str:
    """Run the command twice into one folder."""
    first = here.start(name)
    here.wait(name, 0, 0.5)
    second = here.start(name)
    return first.end() + second.end()


FAULTS = {"killed": killed, "disk full": full_disk, "byte flipped": byte_flipped,
          "worker gone": worker_gone, "scheduler gone": scheduler_gone,
          "two at once": two_at_once}
PAIRS = [(kind, name) for name in COMMANDS for kind in FAULTS if kind not in COMMANDS[name].without
         for _ in range(1 if name == "report" or kind == "scheduler gone" else 2)]


def main() -> int:
    """Run the campaign; return 1 where something was lost."""
    parser = argparse.ArgumentParser("python -m benchmarks.faults", description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, nargs="*", help="numbers of faults to try again")
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder), given.seed)
        for number in given.only or range(given.runs):
            campaign.run(number)
            print(f"\r{number + 1} of {given.runs}, {len(campaign.lost)} lost", end="",
                  file=sys.stderr, flush=True)
    print(file=sys.stderr)
    for kind in FAULTS:
        found = {what: n for what, n in sorted(campaign.count.items()) if what.startswith(kind)}
        print(f"{sum(found.values()):5d}  {kind}")
        print(*(f"{n:11d}  {what.partition(', ')[2]}" for what, n in found.items()), sep="\n")
    print(f"{sum(campaign.count.values())} faults; lost: {len(campaign.lost) or 'nothing'}")
    return 1 if campaign.lost else 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
