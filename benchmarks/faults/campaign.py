"""The campaign: runs of commands, what befalls them, and whether anything was lost."""

import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from benchmarks.faults.commands import COMMANDS, HALVES, POINTS, RESULTS, whole_rows
from collection.commands.command import STOPPED
from collection.store.connection import NoStoreError
from commands import main

LIMIT = 120.0  # seconds that a command may take
HUNG = 124  # status of one that took longer
#: What a command loads, by its name: its forks have it.
NOTEBOOK = "collection.commands.notebook"
PRELOADED = {"collect": (NOTEBOOK, "collection.running.curve_plan"),
             "evaluate": (NOTEBOOK, "collection.running.evaluation_plan"),
             "merge": (NOTEBOOK, "collection.running.evaluation_plan", "collection.store.merge"),
             "ensemble-curves": ("commands.ensemble_curves",),
             "report": ("commands.report.written",), "order": ("analysis.leaderboards.order_page",),
             "portfolio": ("commands.portfolio",)}
REFUSED = "written by no run known here"  # of a file of results that was changed
BYSTANDERS = {"own.txt": "mine\n", "mine/own.txt": "mine\n"}
MODE = 0o2750  # of OUT
OTHERS_MODE = 0o640  # of the files of others in it
ENDED = (STOPPED, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT)  # of a run that was killed


class TooSlowError(RuntimeError):
    """The machine is too busy for a campaign."""


@dataclass(frozen=True)
class Said:
    """How a run ended: its exit status, and what it said to whoever ran it."""

    status: int
    out: str
    err: str

    @property
    def wrong(self) -> str:
        """What is wrong with how it ended; empty: nothing."""
        if "Traceback (most recent call" in self.err + self.out:
            return "a traceback"
        if self.status in (0, *ENDED):
            return ""
        told = re.findall(rf"({'|'.join(COMMANDS)}): (?!note: )", self.err)
        return "" if self.status == 1 and len(told) == 1 else (
            f"status {self.status} with {len(told)} messages that say why")


class Run:
    """A command in a fork of this process, which has loaded the libraries already.

    It runs as it does for a person: its notebook in a kernel, its work in further processes.
    """

    def __init__(self, folder: Path, name: str, arguments: dict[str, str], room: int | None,
                 limit: float = LIMIT):
        self._limit = limit
        self._files = [folder / f"{time.monotonic_ns()}.{stream}" for stream in ("out", "err")]
        self._given = (name, arguments, room)
        self._process = get_context("fork").Process(target=self._do)
        self._process.start()
        self.pid = self._process.pid

    def _do(self) -> None:
        name, arguments, room = self._given
        os.setsid()
        for stream, file in zip((1, 2), self._files, strict=True):
            os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream)
        if room is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
        if name == "portfolio":  # which writes where results go
            import_module("analysis.drawing.tables").RESULTS = Path(arguments.pop("OUT"))
        sys.exit(main([name, *(f"{key}={value}" for key, value in arguments.items())]))

    def runs(self) -> bool:
        """Tell whether it has not ended."""
        return self._process.is_alive()

    def end(self) -> Said:
        """Wait for it, and return what it said."""
        self._process.join(self._limit)
        hung = self.runs()
        self._process.kill()
        self._process.join()
        texts = [f.read_text(errors="replace") if f.exists() else "" for f in self._files]
        for file in self._files:
            file.unlink(missing_ok=True)
        return Said(HUNG if hung else self._process.exitcode, *texts)


@dataclass(frozen=True)
class State:
    """What a command's folder holds: whole, part of it, nothing stored, told, other numbers."""

    what: str
    stamps: dict[tuple, str]


class Campaign:
    """Faults in a folder, each against the whole results of its command.

    Parameters
    ----------
    folder : Path
    seed : int
    names : sequence of str, optional
        Commands, by default all; with them those whose folders they read.
    limit : float
        Seconds after which a command counts as hanging.

    Raises
    ------
    TooSlowError
        Where a command takes longer than that without any fault.
    """

    def __init__(self, folder: Path, seed: int, names=tuple(COMMANDS), limit: float = LIMIT):
        self.folder, self.seed, self.out, self.limit = folder, seed, folder / "out", limit
        self.count: Counter[str] = Counter()
        self.lost: list[str] = []
        self.whole, self.seconds, self.stored = {}, {}, {}
        self.inputs = {"points.csv": POINTS, "results.csv": RESULTS}
        for name, text in self.inputs.items():
            (folder / name).write_text(text)
        sources = {source for name in names for source in COMMANDS[name].sources}
        for name in (name for name in PRELOADED if name in {*names, *sources}):
            for module in PRELOADED[name]:
                import_module(module)
        if "merge" in names:
            for half, learner in HALVES.items():
                self.start("evaluate", out=folder / half, LEARNERS=learner).end()
        for name in (name for name in COMMANDS if name in {*names, *sources}):
            self.make_whole(name)
        for source in sources:  # which a flipped byte may spoil
            shutil.copytree(folder / source, folder / f"{source}.kept")

    def make_whole(self, name: str) -> None:
        """Run a command without any fault, and hold it against what is known by hand."""
        command, began = COMMANDS[name], time.monotonic()
        said = self.start(name, out=self.folder / name).end()
        self.seconds[name] = time.monotonic() - began
        if said.status == HUNG:  # of which nothing can be told, least of all that a plant is caught
            raise TooSlowError(
                f"{name} without a fault took more than {self.limit:g} s. Wait until the machine "
                "is less busy, or give more by --limit.")
        try:
            self.whole[name] = command.numbers(self.folder / name)
            self.stored[name] = len(command.stamps(self.folder / name))
            errors = command.errors(self.folder / name) if command.errors else {}
        except (OSError, ValueError) as error:
            self.lose(f"{name} without a fault: {error} {said}")
            self.whole[name], self.stored[name], errors = {}, 0, {}
        expected = command.by_hand() if command.by_hand else {}
        if name == "merge" and self.whole[name]:
            merged = whole_rows(self.folder / name)
            sources = {key: row for half in command.sources
                       for key, row in whole_rows(self.folder / half).items()}
            if off := [key for key in sources.keys() | merged.keys()
                       if sources.get(key) != merged.get(key)]:
                self.lose(f"{name} has other metrics or times than its sources: {off[:3]}")
        if said.status or said.wrong:
            self.lose(f"{name} without a fault: status {said.status}, {said.wrong}. {said.err}")
        if errors.keys() != expected.keys():
            self.lose(f"{name} has {len(errors)} results, by hand there are {len(expected)}: "
                      f"{sorted(errors.keys() ^ expected.keys())[:3]}")
        elif off := [key for key in expected if abs(errors[key] - expected[key]) > 1e-12]:
            self.lose(f"{name} has other numbers than come by hand: {off[:3]}")

    def lose(self, what: str) -> None:
        """Put on record what was lost."""
        self.lost.append(what)
        print(f"\n{what}", file=sys.stderr)

    def run(self, number: int, kind: str, name: str, fault) -> None:
        """Bring one fault about, and see what is left, and what another run makes of it."""
        self.rng = np.random.default_rng([self.seed, number])
        for left in self.folder.glob("*.whole*"):
            shutil.rmtree(left, ignore_errors=True)
        self.lay_bystanders()
        said = fault(self, name)
        state, harmed = self.look(name), self.harmed()
        then = self.start(name).end()
        again = self.look(name)
        wrong = self.judge(kind, name, said, state, then, again) + harmed + self.harmed()
        if kind == "byte flipped" and (again.what.startswith("told") or REFUSED in then.err):
            self.put_back(name)  # a copy, as the message says
            then = self.start(name).end()
            again = self.look(name)
            wrong += [] if again.what == "whole" else ["a copy put back did not help"]
        what = f"{kind}, {name}: {state.what}, then {again.what}"
        if wrong:
            self.lose(f"{number}: {what}: {'; '.join(wrong)}.\n{said}"[:1500] + f"\n{then}"[-1500:])
        self.count[what] += 1
        self.put_back(name)

    def judge(self, kind: str, name: str, said: list[Said], state: State, then: Said,
              again: State) -> list[str]:
        """Return what is wrong with what a fault left, and with what came of another run."""
        wrong = [one.wrong for one in (*said, then) if one.wrong]
        if any(one.status == 0 for one in said) and state.what != "whole":
            wrong.append(f"it ended well and left: {state.what}")
        fit = {"whole", "nothing stored"}
        source = kind == "byte flipped" and self.out not in self.flipped.parents
        if kind == "byte flipped":  # told, or whole: never a part, or nothing
            fit = {"nothing stored"} if source else {"whole", "told"}
            fit |= set() if COMMANDS[name].store else {"other numbers"}  # of text, made anew
        elif COMMANDS[name].store:
            fit |= {"part of it"}
        if state.what.partition(" (")[0] not in fit:
            wrong.append(f"it left: {state.what}")
        told = kind == "byte flipped" and (
            again.what.startswith("told") or source or REFUSED in then.err)
        unread = told and self.flipped.suffix == ".dat"  # predictions, which no further run reads
        if (again.what != "whole" or then.status) and not unread and not (
                told and then.status == 1):
            wrong.append(f"run again, with status {then.status}: {again.what}")
        if refitted := [key for key, stamp in state.stamps.items()
                        if again.stamps.get(key, stamp) != stamp]:
            wrong.append(f"what was stored was made again: {refitted[:3]}")
        if kind != "byte flipped" and (gone := state.stamps.keys() - again.stamps.keys()):
            wrong.append(f"what was stored is gone: {sorted(gone)[:3]}")
        return wrong

    flipped = Path()  # the file in which a bit was flipped

    def lay_bystanders(self) -> None:
        """Put files that are none of the command's where it writes to, in a folder with a mode."""
        for file, text in BYSTANDERS.items():
            path = self.out / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(OTHERS_MODE)
        self.out.chmod(MODE)

    def harmed(self) -> list[str]:
        """Return what was done to files that are none of the command's, or to its folder."""
        there = {self.folder / file: text for file, text in self.inputs.items()}
        if not os.path.ismount(self.out):
            there |= {self.out / file: text for file, text in BYSTANDERS.items()}
        wrong = [f"{path.name} is not what it was" for path, text in there.items()
                 if not path.is_file() or path.read_text() != text]
        if not os.path.ismount(self.out):
            wrong += [f"{file} has another mode: {mode:o}" for file in BYSTANDERS
                      if (self.out / file).is_file() and (mode := stat.S_IMODE(
                          (self.out / file).stat().st_mode)) != OTHERS_MODE]
        if not os.path.ismount(self.out) and stat.S_IMODE(self.out.stat().st_mode) != MODE:
            wrong.append(f"the folder has another mode: {self.out.stat().st_mode:o}")
        return wrong

    def put_back(self, name: str) -> None:
        """Take away what a command has left, and put back what it reads."""
        if os.path.ismount(self.out):
            subprocess.run(["umount", "--lazy", self.out], check=True)
        shutil.rmtree(self.out, ignore_errors=True)
        for source in COMMANDS[name].sources:
            shutil.rmtree(self.folder / source, ignore_errors=True)
            shutil.copytree(self.folder / f"{source}.kept", self.folder / source)

    def look(self, name: str) -> State:
        """Say what a command's folder holds."""
        command = COMMANDS[name]
        try:
            found = command.numbers(self.out)
            stamps = command.stamps(self.out)
        except NoStoreError:
            return State("nothing stored", {})
        except (OSError, ValueError) as error:
            return State(f"told ({type(error).__name__})", {})
        if not found.items() <= self.whole[name].items():
            return State("other numbers", stamps)
        whole = len(found) == len(self.whole[name])
        return State("whole" if whole else "part of it", stamps)

    def start(self, name: str, room: int | None = None, out: Path | None = None,
              **more: str) -> Run:
        """Start a command in a process of its own, whose files may not grow beyond `room`."""
        given = {**COMMANDS[name].arguments, **more, "OUT": str(out or self.out)}
        return Run(self.folder, name, {
            key: value.replace("{}", str(self.folder)) for key, value in given.items()}, room,
            self.limit)

    def wait(self, run: Run, name: str) -> None:
        """Wait for a drawn share of the command's own progress: results stored, else seconds."""
        command, until = COMMANDS[name], time.monotonic() + 2 * self.seconds[name]
        share = self.rng.random()
        if not command.store or share < 0.3:  # before there is any result, too
            until = time.monotonic() + share / (0.3 if command.store else 1) * self.seconds[name]
            while run.runs() and time.monotonic() < until:
                time.sleep(0.01)
            return
        wanted = int((share - 0.3) / 0.7 * self.stored[name])
        while run.runs() and time.monotonic() < until:
            with suppress(OSError, ValueError, KeyError):
                if len(command.stamps(self.out)) > wanted:
                    return
            time.sleep(0.03)
