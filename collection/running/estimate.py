"""How long a collection will take, from a few small fits and from curves already stored.

Rough on purpose: for every dataset and learner a few fits of at most 1,024 rows are timed and
extrapolated by the power law through them. Expect to be off by a factor of two or three, more
where datasets are large or few pairs could be timed; the time left is corrected as curves finish
(`collection.running.estimate`). A fit that was held up for some milliseconds must not become
hours: each size is timed by two neighbouring anchors, of which the quicker counts (of fits that
take a second, their mean), and growth within `HELD_UP` seconds is no growth. Workers that share a
machine slow each other down: where there are fewer pairs than workers, all time them at once.
"""

import sys
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass, replace
from statistics import fmean, median
from time import monotonic
from typing import Any, TextIO

import numpy as np
from tqdm import tqdm

from collection.containers.curves import CurveKey, Status
from collection.running.curve import CurveJob, CurveResult
from collection.running.engine import JobError, JobPlan, Limits, Workers

PROBES = (16, 128, 1024)  # rows, where the dataset has them
PROBE_LIMIT = 10.0  # seconds for one of these fits
HELD_UP = 1e-3  # seconds by which fits differ for no reason of theirs
LONG = 1.0  # seconds from which on fits vary more than they are held up
NEIGHBOURS = 1.2  # ratio of sizes that cost about the same
STEEPEST = 3.0  # exponent of a fit's cost in rows: kernel machines

Pair = tuple[str, str]  # dataset's name, learner


@dataclass(frozen=True)
class CostEstimate:
    """What the curves still to gather cost.

    Attributes
    ----------
    seconds : mapping of Pair to float
        Of one curve of the pair, on one worker.
    curves : mapping of Pair to int
        How many of the pair are to be gathered.
    timed, assumed : int
        Pairs of dataset and learner that were timed, and those judged by the others.
    """

    seconds: Mapping[Pair, float]
    curves: Mapping[Pair, int]
    timed: int
    assumed: int

    @property
    def missing(self) -> int:
        """Curves of all pairs."""
        return sum(self.curves.values())

    @property
    def total(self) -> float:
        """Seconds on one worker."""
        return sum(self.seconds[pair] * count for pair, count in self.curves.items())


def estimate(plan: JobPlan, missing: Iterable[CurveKey], stored: Mapping[Pair, float],
             workers: Workers, budget: float) -> CostEstimate:
    """Estimate what the `missing` curves cost.

    Parameters
    ----------
    plan : JobPlan
    missing : iterable of CurveKey
    stored : mapping of (dataset, learner) to float
        Mean seconds of the curves that are there already; these pairs are not timed again.
    workers : Workers
        Where the timing runs.
    budget : float
        Seconds after which no further pair is timed.
    """
    curves, keys = Counter(), {}
    for key in missing:
        curves[key.pair] += 1
        keys.setdefault(key.pair, key)
    first = {pair: plan.jobs[key] for pair, key in keys.items()}
    timed = {pair: stored[pair] for pair in first if pair in stored}
    timed |= _time_pairs({pair: job for pair, job in first.items() if pair not in stored},
                         workers, budget)
    judged = _by_others(first, timed)
    return CostEstimate(timed | judged, curves, len(timed), len(judged))


def _time_pairs(first: Mapping[Pair, CurveJob], workers: Workers,
                budget: float) -> dict[Pair, float]:
    """Time small fits of as many pairs as the budget allows, in a seeded random order.

    Of fewer pairs than workers each is timed as often as keeps all workers at work.
    """
    pairs = list(first)
    pairs = [pairs[i] for i in np.random.default_rng(0).permutation(len(pairs))]
    pairs *= max(1, -(-workers.count // max(len(pairs), 1)))
    started, running, timed = monotonic(), {}, defaultdict(list)
    while running or pairs:
        while pairs and len(running) < workers.count and monotonic() - started < budget:
            pair = pairs.pop()
            running[workers.submit(_probe(first[pair]))] = pair
        if not running:
            break
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            pair = running.pop(future)
            try:
                seconds = extrapolate(future.result(), first[pair])
            except (JobError, *workers.failures):
                continue  # the collection itself will say so
            timed[pair].append(seconds)
    return {pair: fmean(own) for pair, own in timed.items()}


def _probe(job: CurveJob) -> CurveJob:
    """Return a job of the anchors next to `PROBES`, and their lower neighbours."""
    anchors: set[int] = set()
    for size in PROBES:
        below = [a for a in job.anchors if a <= max(size, job.anchors[0])]
        near = below[-2:] if len(below) > 1 else job.anchors[:2]
        anchors |= {a for a in near if 1 / NEIGHBOURS <= a / below[-1] <= NEIGHBOURS}
    limits = Limits(min(job.limits.time, PROBE_LIMIT), job.limits.memory)
    return replace(job, anchors=tuple(sorted(anchors)), limits=limits, predictions=False)


def extrapolate(probe: CurveResult, job: CurveJob) -> float:
    """Return a whole curve's seconds, from fits at a few of its anchors.

    A constant plus a power of the training-set size is put through the quickest and the two
    largest sizes of the probe. A fit that was stopped took the probe's limit; others that failed
    cost what the slowest one did. After the first fit that would pass the time limit, the rest
    costs nothing.
    """
    sizes, seconds = _quickest(probe, min(job.limits.time, PROBE_LIMIT))
    growth = seconds - seconds.min()
    exponent = 1.0
    if len(sizes) > 2:
        steeper = (growth[-1] + HELD_UP) / (growth[-2] + HELD_UP)
        exponent = np.log(steeper) / np.log(sizes[-1] / sizes[-2])
    exponent = np.clip(exponent, 0.5, STEEPEST)
    anchors = np.array(job.anchors, float)
    per_fit = seconds.min() + growth[-1] * (anchors / sizes[-1]) ** exponent
    late = np.flatnonzero(per_fit > job.limits.time)
    if len(late):
        per_fit[late[0]:] = 0
        per_fit[late[0]] = job.limits.time
    return float(per_fit.sum())


def _quickest(probe: CurveResult, limit: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the sizes that were timed and the seconds of each: of two neighbours the quicker's.

    Where that is `LONG` or more, their mean; not of the first, which may load a library.
    """
    sizes = np.array([fit.anchor for fit in probe.fits], float)
    seconds = np.array([fit.train_time + sum(fit.predict_time) for fit in probe.fits])
    seconds[[fit.status == Status.timeout for fit in probe.fits]] = limit
    seconds = np.where(np.isfinite(seconds), seconds, np.nanmax(seconds, initial=1e-3))
    starts = np.flatnonzero(np.r_[True, sizes[1:] > NEIGHBOURS * sizes[:-1]])
    quick = np.minimum.reduceat(seconds, starts)
    mean = np.add.reduceat(seconds, starts) / np.diff(np.r_[starts, len(seconds)])
    later = (quick >= LONG) & (np.arange(len(quick)) > 0)
    return np.maximum.reduceat(sizes, starts), np.where(later, mean, quick)


def _by_others(first: Mapping[Pair, CurveJob],
               timed: Mapping[Pair, float]) -> dict[Pair, float]:
    """Judge the other pairs by those timed: same learner if possible, in proportion to rows."""
    rates: dict[str, list[float]] = defaultdict(list)
    for pair, seconds in timed.items():
        rates[pair[1]].append(seconds / sum(first[pair].anchors))
    of_learner = {learner: median(alike) for learner, alike in rates.items()}
    of_all = median([rate for alike in rates.values() for rate in alike] or [0.0])
    return {pair: of_learner.get(pair[1], of_all) * sum(job.anchors)
            for pair, job in first.items() if pair not in timed}


LINES = 30  # seconds between two lines of progress in a log
PAUSE = 0.5  # seconds between two corrections of what is shown
NOTHING = 1.0  # seconds by which a curve may be off without saying anything of larger ones
RECENT = 25  # curves of a pair that say what the next one takes


def bar_settings(stream: TextIO, shown: str) -> dict[str, object]:
    """Return a bar's format and pace: in place on a terminal, else a line now and then."""
    return {"mininterval": 1, "bar_format": shown} if stream.isatty() else {
        "mininterval": LINES, "bar_format": shown + "\n"}


class Progress:
    """A progress bar over jobs; call it with each one (see `collection.running.engine.collect`).

    Parameters
    ----------
    estimate : CostEstimate
        With keys that say by `pair` which of them cost about the same.
    found : int
        Jobs that were done before.
    workers : Workers
        Whose number may change while they run.
    unit : str
        What a job is called.
    """

    def __init__(self, estimate: CostEstimate, found: int, workers: Workers, unit: str = "curve"):
        self._expected = {pair: estimate.seconds[pair] for pair in estimate.curves}
        self._left = Counter(estimate.curves)
        self._recent: dict[Pair, deque[float]] = defaultdict(lambda: deque(maxlen=RECENT))
        self._took: dict[Pair, float] = {}
        self._workers = workers
        self._shown = -PAUSE
        self._bar = tqdm(
            total=found + estimate.missing, initial=found, unit=unit, file=sys.stderr,
            dynamic_ncols=True, **bar_settings(
                sys.stderr,
                "{percentage:3.0f}% {n_fmt}/{total_fmt} " + unit + "s, {elapsed} gone, {desc}"))
        self._show()

    def __call__(self, key: Any, result: Any) -> None:
        """Count a job; correct the time left by what it really took."""
        self._left[key.pair] -= 1
        if result is not None:
            self._recent[key.pair].append(result.seconds)
            self._took[key.pair] = median(self._recent[key.pair])
        if monotonic() - self._shown > PAUSE:
            self._show()
        self._bar.update()

    def time_left(self) -> float:
        """Return the seconds until the last curve, as far as one can tell by now.

        A pair of dataset and learner of which curves are finished costs what the latest took (the
        median: the first may have started a process). Other pairs cost what was estimated, times
        what finished pairs of the learner, or where there are none of all learners, took over
        what was estimated for them.
        """
        ratios: dict[str, list[float]] = defaultdict(list)
        for pair, seconds in self._took.items():
            ratios[pair[1]].append((seconds + NOTHING) / (self._expected[pair] + NOTHING))
        slower = {learner: median(own) for learner, own in ratios.items()}
        others = median([ratio for own in ratios.values() for ratio in own] or [1.0])
        cost = {pair: self._took.get(pair, seconds * slower.get(pair[1], others))
                for pair, seconds in self._expected.items()}
        return sum(n * cost[pair] for pair, n in self._left.items()) / self._workers.count

    def close(self) -> None:
        """Show how far it came, and leave the bar as it is."""
        self._show()
        self._bar.close()

    def _show(self) -> None:
        self._shown = monotonic()
        self._bar.set_description_str(f"about {duration(self.time_left())} left", refresh=False)


def duration(seconds: float) -> str:
    """Return a duration in words, to one unit: ``40 s``, ``12 min``, ``3.5 h``, ``2.1 days``."""
    for unit, size, digits in (("days", 86400, 1), ("h", 3600, 1), ("min", 60, 0)):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.{digits}f} {unit}"
    return f"{seconds:.0f} s"
