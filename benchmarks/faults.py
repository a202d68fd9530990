"""A seeded campaign of faults: runs killed, disks full, bytes flipped, workers gone, two at once.

``make faults`` (RUNS=300, SEED=0). After each fault the store has to open or say what is wrong with
it, hold nothing that the whole one has not, and be brought to the same numbers by running again.
Printed is how many of which kind there were, and what was lost.
"""

import argparse
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import psutil

from collection.store import NoStoreError, UnreadableStoreError, read_fits
from collection.store.evaluation_reader import read_evaluations, read_predictions

GIVEN = {
    "evaluate": {"TASKS": "sklearn:iris keel:tae", "LEARNERS": "KNN GaussianNB",
                 "FOLDS": "0 1 of 4", "BAGS": "2", "PREDICTIONS": "yes", "WORKERS": "1",
                 "MEMORY_LIMIT": "4GB"},
    "collect": {"DATASETS": "sklearn:iris", "LEARNERS": "KNN LDA", "OUTER": "0 1", "INNER": "0 1",
                "ANCHORS": "16 32 64", "PREDICTIONS": "yes", "WORKERS": "1",
                "MEMORY_LIMIT": "4GB"},
}
TOLD = (ValueError, OSError, RuntimeError, KeyboardInterrupt)  # each one message to the user


def do(work: str, out: Path) -> None:
    """Do a piece of work in this process, or go on with it."""
    if work == "merge":
        from collection.store.merge import merge

        merge([out.parent / "one", out.parent / "two"], out)
    elif work == "evaluate":
        from collection.evaluation.plan import make_plan, run
        from collection.evaluation.settings import check_settings

        settings = check_settings({**GIVEN[work], "OUT": out})
        run(settings, make_plan(settings))
    else:
        from collection.running.plan import make_plan, run
        from collection.running.settings import check_settings

        settings = check_settings({**GIVEN[work], "OUT": out})
        run(settings, make_plan(settings))


def start(work: str, out: Path, room: int | None = None) -> subprocess.Popen:
    """Start a piece of work in a process of its own, whose files may not grow beyond `room`."""
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))

    return subprocess.Popen([sys.executable, "-m", "benchmarks.faults", "--do", work, str(out)],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                            preexec_fn=None if room is None else limited)


def numbers(work: str, out: Path) -> pd.DataFrame:
    """Return all that a store says but for times, predictions among it; raises as readers do."""
    table = read_fits(out) if work == "collect" else read_evaluations(out)
    times = [c for c in table if "time" in c or c in ("seconds", "worker", "finished")]
    table = table.drop(columns=times)
    if work == "collect":
        return table
    sums = []
    for row in table.itertuples():
        said = [read_predictions(out, row.task, row.fold, split, [row.learner]).values
                for split in ("valid", "test")]
        sums.append(tuple(float(part.sum(dtype=float)) for part in said))
    return table.assign(valid=[a for a, _ in sums], test=[b for _, b in sums])


def subset(part: pd.DataFrame, whole: pd.DataFrame) -> bool:
    """Tell whether every row of a table is one of the whole's."""
    return len(part.merge(whole, how="inner")) == len(part)


class Campaign:
    """Faults in a folder, each against the whole results of its work.

    Parameters
    ----------
    folder : Path
    seed : int
    """

    def __init__(self, folder: Path, seed: int):
        self.folder, self.rng = folder, np.random.default_rng(seed)
        self.count: Counter[str] = Counter()
        self.lost: list[str] = []
        self.whole, self.seconds, self.size = {}, {}, {}
        for work in ("evaluate", "collect", "merge"):
            if work == "merge":
                for name in ("one", "two"):
                    shutil.copytree(folder / "evaluate", folder / name)
            began = time.monotonic()
            self._finish(start(work, folder / work))
            self.seconds[work] = time.monotonic() - began
            self.whole[work] = numbers(work, folder / work)
            self.size[work] = sum(f.stat().st_size for f in (folder / work).glob("*.sqlite"))

    def run(self, number: int) -> None:
        """Bring one fault about, and see what is left."""
        work = str(self.rng.choice(list(self.whole)))
        kind = str(self.rng.choice(["killed", "full disk", "byte flipped", "worker gone",
                                    "two at once"]))
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        told = getattr(self, f"_{kind.replace(' ', '_')}")(work, out)
        state = self._look(work, out)
        if kind == "byte flipped" and state != "other numbers":
            self.count[f"{kind}, {work}: {state}"] += 1
            return
        again = self._finish(start(work, out))
        whole = self._look(work, out)
        if "Traceback" in told + again or state == "other numbers" or whole != "whole":
            self.lost.append(f"{number}: {kind}, {work}: {state}, then {whole}. "
                             f"{(told + again)[-600:]}")
        self.count[f"{kind}, {work}: {state}, then {whole}"] += 1

    def _look(self, work: str, out: Path) -> str:
        try:
            found = numbers(work, out)
        except NoStoreError:
            return "nothing stored"
        except (UnreadableStoreError, ValueError) as error:
            return f"told ({type(error).__name__})"
        if not subset(found, self.whole[work]):
            return "other numbers"
        return "whole" if len(found) == len(self.whole[work]) else "part of it"

    def _finish(self, process: subprocess.Popen) -> str:
        return process.communicate(timeout=600)[1]

    def _killed(self, work: str, out: Path) -> str:
        process = start(work, out)
        time.sleep(self.rng.uniform(0.3, 1.1) * self.seconds[work])
        process.send_signal(self.rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
        return self._finish(process)

    def _full_disk(self, work: str, out: Path) -> str:
        return self._finish(start(work, out, int(self.rng.integers(1, 2 * self.size[work]))))

    def _byte_flipped(self, work: str, out: Path) -> str:
        shutil.copytree(self.folder / work, out)
        files = sorted(f for f in out.rglob("*") if f.is_file() and f.stat().st_size)
        file = files[self.rng.integers(len(files))]
        content = bytearray(file.read_bytes())
        content[self.rng.integers(len(content))] ^= 1 << int(self.rng.integers(8))
        file.write_bytes(content)
        return ""

    def _worker_gone(self, work: str, out: Path) -> str:
        process = start(work, out)
        time.sleep(self.rng.uniform(0.5, 1.0) * self.seconds[work])
        if process.poll() is None:
            for child in psutil.Process(process.pid).children(recursive=True):
                child.kill()
        return self._finish(process)

    def _two_at_once(self, work: str, out: Path) -> str:
        first = start(work, out)
        time.sleep(self.rng.uniform(0, 0.5) * self.seconds[work])
        second = start(work, out)
        return self._finish(first) + self._finish(second)


def main() -> int:
    """Run the campaign, or with ``--do`` one piece of work; return 1 where something was lost."""
    parser = argparse.ArgumentParser("python -m benchmarks.faults", description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--do", nargs=2)
    given = parser.parse_args()
    if given.do:
        try:
            do(given.do[0], Path(given.do[1]))
        except TOLD as error:
            print(f"{given.do[0]}: {error}", file=sys.stderr)
            return 1
        return 0
    with TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder), given.seed)
        for number in range(given.runs):
            campaign.run(number)
            print(f"\r{number + 1} of {given.runs}, {len(campaign.lost)} lost", end="",
                  file=sys.stderr, flush=True)
    print(file=sys.stderr)
    for kind, count in sorted(campaign.count.items()):
        print(f"{count:5d}  {kind}")
    print(f"{sum(campaign.count.values())} faults; lost: {len(campaign.lost) or 'nothing'}")
    print(*campaign.lost, sep="\n")
    return 1 if campaign.lost else 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
