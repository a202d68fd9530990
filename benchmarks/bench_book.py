"""The book side by side and again, against one chapter at a time; commands, against all loaded."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from benchmarks.timing import Timing, seconds
from collection.project.paths import ROOT


def copy_into(folder: Path) -> None:
    """Copy what git tracks, so that no book of the checkout is touched."""
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, text=True, check=True,
                             capture_output=True).stdout
    for name in filter(None, tracked.split("\0")):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)


def build(folder: Path, processes: int) -> None:
    """Build the book of a copy, with the conversions of this checkout."""
    from collection.project.paths import cache_dir

    subprocess.run([sys.executable, "book/build.py"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL,
                   env={**os.environ, "PYTHONPATH": str(folder), "BOOK_PROCESSES": str(processes),
                        "LEARNING_CURVES_CACHE": str(cache_dir())})


def book(folder: Path) -> Iterator[Timing]:
    """Time builds of a copy of the project."""
    cores = psutil.cpu_count()
    alone = seconds(lambda: build(folder, 1))
    for made in ("_build", "results"):
        shutil.rmtree(folder / made)
    beside = seconds(lambda: build(folder, cores))
    yield Timing(f"the book, {cores} chapters at a time", beside, "one at a time", alone)
    yield Timing("the book again, nothing changed", seconds(lambda: build(folder, cores)),
                 "built anew", beside)


def command(*arguments: str, **environment: str) -> None:
    subprocess.run([sys.executable, "-m", "analysis", *arguments], check=True,
                   stdout=subprocess.DEVNULL, env={**os.environ, **environment})


def of_children() -> float:
    """Return the processor time of commands that have ended."""
    return sum(os.times()[2:4])


def main() -> Iterator[Timing]:
    with TemporaryDirectory() as folder:
        examples, out = ROOT / "examples", f"OUT={folder}/out"
        for told, *arguments in (["--help"], ["order", f"CSV={examples / 'results.csv'}", out],
                                 ["report", f"POINTS={examples / 'points.csv'}", out]):
            took = [seconds(lambda e=e, a=(told, *arguments): command(*a, **e), 3, of_children)
                    for e in ({}, {"EAGER_IMPORT": "1"})]
            yield Timing(f"learning-curves {told}", took[0], "with all rooms loaded", took[1])
    with TemporaryDirectory() as folder:
        copy_into(Path(folder))
        yield from book(Path(folder))
