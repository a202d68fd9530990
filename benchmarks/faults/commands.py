"""The commands that faults befall: what they are given, and what their folders hold."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.faults import by_hand
from collection.containers.curves import FIT_DIMS
from collection.store import evaluation_reader as evaluations
from collection.store import open_store, read_curve_predictions, read_curves, read_fits
from collection.store.connection import NoStoreError

Numbers = dict[tuple, str]


@dataclass(frozen=True)
class Command:
    """A command of ours, as the campaign knows it.

    Attributes
    ----------
    arguments : dict
        ``{}`` in a value stands for the campaign's folder.
    numbers : callable
        Returns what its folder holds as texts by key, without times; raises as readers do.
    stamps : callable
        Returns when, where and in how many seconds each stored result was made, by key.
    by_hand : callable, optional
        Returns the errors that its numbers must be of, by key.
    errors : callable, optional
        Returns the errors that its folder holds, by the same keys.
    sources : tuple of str
        Folders that it reads.
    without : tuple of str
        Faults that cannot befall it.
    store : bool
        Whether it leaves a store; else files of one run, all or none.
    """

    arguments: dict[str, str]
    numbers: Callable[[Path], Numbers]
    stamps: Callable[[Path], Numbers] = lambda folder: {}
    by_hand: Callable[[], Mapping[tuple, float]] | None = None
    errors: Callable[[Path], Mapping[tuple, float]] | None = None
    sources: tuple[str, ...] = ()
    without: tuple[str, ...] = ("worker gone", "scheduler gone")
    store: bool = field(default=True)


def of_curves(folder: Path) -> Numbers:
    """Return all fits, with predictions and what is known of their datasets."""
    table, curves = read_fits(folder), open_store(folder)
    table = table.drop(columns=[name for name in table if "time" in name])
    return {tuple(row[:7]): repr((row, _known(curves.sel(dataset=row.dataset)), _digest(
        read_curve_predictions(folder, **{k: getattr(row, k) for k in FIT_DIMS[:-1]})[row.anchor])))
        for row in table.itertuples(index=False)}


def when_curves(folder: Path) -> Numbers:
    return {tuple(row[:6]): repr((row.seconds, row.worker, row.finished))
            for row in read_curves(folder).itertuples(index=False)}


def errors_of_curves(folder: Path) -> dict[tuple, float]:
    return {(r.dataset, r.learner, r.outer, r.inner, r.anchor): r.error_rate_valid
            for r in read_fits(folder).itertuples()}


def of_evaluations(folder: Path) -> Numbers:
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
        found[tuple(row[:4])] = repr((row, known, _digest(said)))
    return found


def when_evaluations(folder: Path) -> Numbers:
    return {(r.task, r.learner, r.repeat, r.fold): repr((r.seconds, r.worker, r.finished))
            for r in evaluations.read_evaluations(folder).itertuples()}


def errors_of_evaluations(folder: Path) -> dict[tuple, float]:
    return {(r.task, r.learner, r.repeat, r.fold): r.error_rate_test
            for r in evaluations.read_evaluations(folder).itertuples()}


def whole_rows(folder: Path) -> Numbers:
    """Return each evaluation with every metric and time, which a merge takes over as they are."""
    table = evaluations.read_evaluations(folder)
    return {tuple(row[:4]): repr(row) for row in table.itertuples(index=False)}


def of_files(folder: Path) -> Numbers:
    """Return the tables of a page, or of results."""
    found = {(str(file.relative_to(folder)),): file.read_text() for file in folder.rglob("*.csv")}
    if not found:
        raise NoStoreError("no results")
    return found


def _known(container) -> dict[str, object]:
    return {name: c.item() for name, c in container.coords.items() if not c.dims}


def _digest(arrays: dict[str, np.ndarray]) -> str:
    return sha256(repr([(name, values.shape, values.tobytes())
                        for name, values in sorted(arrays.items())]).encode()).hexdigest()


POINTS = "size,error\n16,.4\n32,.33\n64,.28\n128,.25\n256,.22\n"
RESULTS = "task,method,value\n" + "".join(
    f"t{task},m{method},{(task * 7 + method * 5) % 11}\n" for task in range(12)
    for method in range(4))


def points_by_hand() -> dict[tuple, float]:
    """Return the errors by size, as they stand in the text."""
    lines = [line.split(",") for line in POINTS.splitlines()[1:]]
    return {(int(size),): float(error) for size, error in lines}


def points_of_report(folder: Path) -> dict[tuple, float]:
    return {(int(row.size_),): row.error for row in pd.read_csv(folder / "measured.csv").rename(
        columns={"size": "size_"}).itertuples()}


def ranks_by_hand() -> dict[tuple, float]:
    """Return each method's mean rank, the highest value first, counted pair by pair."""
    values = {}
    for task, method, value in (line.split(",") for line in RESULTS.splitlines()[1:]):
        values.setdefault(task, {})[method] = float(value)
    return {(one,): float(np.mean([1 + sum(
        (other > own[one]) + (other == own[one]) / 2 for name, other in own.items()
        if name != one) for own in values.values()])) for one in values["t0"]}


def ranks_of_order(folder: Path) -> dict[tuple, float]:
    return {(row.method,): row.mean_rank for row in pd.read_csv(folder / "ranks.csv").itertuples()}


LIMITS = {"WORKERS": "1", "MEMORY_LIMIT": "4GB", "PREDICTIONS": "yes"}
TASKS = {"TASKS": "sklearn:iris sklearn:wine", "FOLDS": "0 1 of 4", "BAGS": "2", **LIMITS}
EVALUATED = (of_evaluations, when_evaluations, by_hand.evaluations, errors_of_evaluations)
COMMANDS = {
    "collect": Command({
        "DATASETS": "sklearn:iris sklearn:wine", "LEARNERS": "KNN GaussianNB", "OUTER": "0",
        "INNER": "0 1", "ANCHORS": "16 32 64", **LIMITS}, of_curves, when_curves, by_hand.curves,
        errors_of_curves, without=()),
    "evaluate": Command({"LEARNERS": "KNN GaussianNB", **TASKS}, *EVALUATED, without=()),
    "merge": Command({"FROM": "{}/one {}/two"}, *EVALUATED, ("one", "two")),
    "ensemble-curves": Command({"WHERE": "{}/collect", "WORKERS": "2"}, of_curves, when_curves,
                               sources=("collect",), without=("scheduler gone",)),
    "report": Command({"POINTS": "{}/points.csv"}, of_files, by_hand=points_by_hand,
                      errors=points_of_report, without=("scheduler gone",), store=False),
    "order": Command({"CSV": "{}/results.csv", "LOWER": "no"}, of_files, by_hand=ranks_by_hand,
                     errors=ranks_of_order, store=False),
    "portfolio": Command({"WHERE": "{}/evaluate", "SIZE": "2", "MEMBERS": "2"}, of_files,
                         sources=("evaluate",), store=False),
}
#: Made before the campaign: halves of what merge joins, by the learner each has.
HALVES = {"one": "KNN", "two": "GaussianNB"}
