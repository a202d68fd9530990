"""Measure a handful of learners on a table within a time budget."""

import pickle
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from statistics import median

import pandas as pd
from tqdm import tqdm

from collection.containers.curves import Status
from collection.own_table.learners import LEARNERS
from collection.own_table.measure import GROWTH, Measurable, OwnCurve, OwnCurveJob, expected_seconds
from collection.protocol.rows import LEAST, rounds, sizes_up_to
from collection.running.engine import JobError, Limits, Workers
from collection.running.estimate import bar_settings
from collection.running.workers import LocalWorkers

MEMORY = 3.5e9  # bytes of one process
FIRST_SHARE = 0.75  # of the budget, for the first fold of every learner
SAFETY = 1.5  # times what a learner's folds took so far must be left for another
LEAST_LIMIT = 2.0  # seconds that a fit may always take
START = 120.0  # seconds that a worker may take to load its libraries, which is not measured
BEHIND = 4  # times the rows that a learner reached: who is further ahead leaves it behind


class TimeBudgetError(ValueError):
    """The budget was too small for any curve, or no learner worked; the message says what to do."""


class OwnWorkers(LocalWorkers):
    """Workers that load their libraries once they are entered, while this process goes on.

    Attributes
    ----------
    loading : list of Future
        Done where they have: the budget is for fits.
    """

    def __enter__(self) -> "OwnWorkers":
        job = OwnCurveJob(None, "ens.RandomForest", 0, 0, (LEAST,), Limits(START, MEMORY))
        self.loading = [self.submit(job) for _ in range(self.count)]
        return self


@dataclass
class Gathered:
    """What was measured within a budget.

    Attributes
    ----------
    curves : list of OwnCurve
    sizes : tuple of int
        Rows trained on, ascending.
    seconds : float
        Wall time.
    lost : dict of str to str
        Learners without any curve, or left behind, and why.
    needed : float
        Budget in seconds with which the quickest learner is expected to reach the largest size;
        NaN where one has.
    """

    curves: list[OwnCurve]
    sizes: tuple[int, ...]
    seconds: float
    lost: dict[str, str] = field(default_factory=dict)
    needed: float = float("nan")

    def fits(self) -> pd.DataFrame:
        """Return a row per fit: ``learner, outer, inner, size, status, message, seconds``."""
        return pd.DataFrame([
            {"learner": curve.learner, "outer": curve.outer, "inner": curve.inner,
             "size": fit.size, "status": Status(fit.status).name, "message": fit.words,
             "seconds": fit.seconds} for curve in self.curves for fit in curve.fits])


def gather_within(table: Measurable, budget: float, workers: Workers, learners: Sequence[str],
                  now: Callable[[], float] = time.monotonic, *,
                  show: bool = True) -> Gathered:
    """Measure until the budget is spent: each learner on one fold, then on the others in turn.

    The next fold is of the learner with the fewest so far, the first named of several, among those
    whose folds take no longer than the time left.

    Parameters
    ----------
    table : Measurable
    budget : float
        Seconds.
    workers : Workers
        Entered.
    learners : sequence of str
        Names in `collection.own_table.learners.LEARNERS`, quick ones first.
    now : callable
        The clock, in seconds, that the budget is measured by.
    show : bool
        Whether progress is shown.

    Raises
    ------
    TimeBudgetError
        Where not one curve of two sizes came out, or the table is too small to be split.
    """
    largest = table.rows.largest()
    if largest < 2 * LEAST:
        raise TimeBudgetError(
            f"Some fold would leave {largest} rows to train on, too few for a curve: "
            f"{2 * LEAST} are the least. Give more rows, or other groups or times.")
    sizes = sizes_up_to(largest)
    order = rounds()
    share = FIRST_SHARE * workers.count / len(learners)
    found: list[OwnCurve] = []
    lost: dict[str, str] = {}
    took, started, running = defaultdict(list), dict.fromkeys(learners, 0), {}
    with tempfile.TemporaryDirectory() as folder, tqdm(
            total=max(round(budget), 1), unit="s", desc="measuring", file=sys.stderr, leave=False,
            disable=not show, **bar_settings(sys.stderr, "{percentage:3.0f}% {desc}")) as bar:
        path = Path(folder) / "table.pickle"
        path.write_bytes(pickle.dumps(table))
        end = now() + budget
        while True:
            while len(running) < workers.count and (
                    learner := _next(started, took, lost, end - now(), running.values())):
                outer, inner = order[started[learner]]
                started[learner] += 1
                left = end - now() if took[learner] else min(share * budget, end - now())
                job = OwnCurveJob(path=path, learner=learner, outer=outer, inner=inner, sizes=sizes,
                                  limits=Limits(max(left, LEAST_LIMIT), MEMORY), seconds=left)
                running[workers.submit(job)] = learner
            if not running:
                break
            _show(bar, end - now(), running.values(), sizes[-1], len(found))
            late = max(end - now(), 0) + LEAST_LIMIT if any(map(_is_curve, found)) else None
            if not (done := wait(running, late, FIRST_COMPLETED).done):
                break  # what is still running, on a busy machine, is given up
            for future in done:
                _take(future, running.pop(future), found, lost, took, workers)
    return _gathered(found, lost, budget - (end - now()), sizes, share)


def _show(bar: tqdm, left: float, running: Sequence[str], largest: int, done: int) -> None:
    names = " and ".join(dict.fromkeys(LEARNERS[n].title if n in LEARNERS else n for n in running))
    bar.set_description_str(f"{names} on up to {largest:,} rows; {done} folds done, "
                        f"{max(left, 0):.0f} s left", refresh=not done)
    bar.update(bar.total - max(round(left), 0) - bar.n)


def _next(started: dict, took: dict, lost: dict, left: float, running: Sequence) -> str | None:
    """Return the learner whose fold is measured next, None where none fits into what is left."""
    if left <= 0:
        return None
    affordable = [learner for learner, n in started.items()
                  if n < len(rounds()) and learner not in lost
                  and (n == 0 or (took[learner] and SAFETY * median(took[learner]) <= left))
                  and not (n == 1 and not took[learner] and learner in running)]
    return min(affordable, default=None, key=started.get)  # of several, the first named


def _take(future: Future, learner: str, found: list, lost: dict, took: dict,
          workers: Workers) -> None:
    """Keep what a job brought, or why it brought nothing."""
    try:
        curve: OwnCurve = future.result()
    except (JobError, *workers.failures) as error:
        lost[learner] = str(error)
        return
    took[learner].append(curve.seconds)
    found.append(curve)
    if all(fit.status != Status.ok for fit in curve.fits):
        lost[learner] = curve.fits[0].words


def _is_curve(curve: OwnCurve) -> bool:
    return sum(fit.status == Status.ok for fit in curve.fits) >= 2


def _gathered(found: list[OwnCurve], lost: dict, seconds: float, sizes: tuple,
              share: float) -> Gathered:
    worked = list(filter(_is_curve, found))
    if not worked:
        messages = {fit.words for curve in found for fit in curve.fits} | set(lost.values())
        reasons = "; ".join(sorted(messages - {""})[:3])
        raise TimeBudgetError(
            f"Not one learning curve came out within the budget ({seconds:.0f} s): "
            f"{reasons or 'no fit was finished'}. Give more time, such as BUDGET=10min; the "
            f"largest training set has {sizes[-1]:,} rows.")
    by_size, last = attrgetter("size"), {}  # each learner's largest fit
    for curve in worked:
        fits = [fit for fit in curve.fits if fit.status == Status.ok]
        last[curve.learner] = max((*fits, last.get(curve.learner, fits[0])), key=by_size)
    most = by_size(max(last.values(), key=by_size))
    lost = {name: why for name, why in lost.items() if name not in last} | {
        name: f"left out: in its time it came to {fit.size:,} of {sizes[-1]:,} rows, others to "
              f"{most:,}; BUDGET with more time tries it." for name, fit in last.items()
        if BEHIND * fit.size <= most}
    needed = min(sum(GROWTH * expected_seconds(fit, n) for n in sizes) for fit in last.values())
    return Gathered([c for c in found if c.learner in last.keys() - lost.keys()], sizes,
                    seconds, lost, needed / share if most < sizes[-1] else float("nan"))
