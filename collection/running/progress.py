"""Progress with time left: an estimate before the work, corrected by what curves really took."""

import sys
from collections import Counter, defaultdict
from statistics import median
from time import monotonic
from typing import Any

from tqdm import tqdm

from collection.running.estimate import Estimate, Pair
from collection.running.job import Workers

PAUSE = 0.5  # seconds between two corrections of what is shown
NOTHING = 1.0  # seconds by which a curve may be off without saying anything of larger ones


class Progress:
    """A progress bar over jobs; call it with each one (see `collection.running.engine.collect`).

    Parameters
    ----------
    estimate : Estimate
        With keys that say by `pair` which of them cost about the same.
    found : int
        Jobs that were done before.
    workers : Workers
        Whose number may change while they run.
    unit : str
        What a job is called.
    """

    def __init__(self, estimate: Estimate, found: int, workers: Workers, unit: str = "curve"):
        self._expected = {key.pair: seconds for key, seconds in estimate.seconds.items()}
        self._left = Counter(key.pair for key in estimate.seconds)
        self._took: dict[Pair, list[float]] = defaultdict(list)
        self._workers = workers
        self._shown = -PAUSE
        self._bar = tqdm(
            total=found + len(estimate.seconds), initial=found, unit=unit, file=sys.stderr,
            mininterval=1, dynamic_ncols=True,
            bar_format="{percentage:3.0f}% {n_fmt}/{total_fmt} " + unit
                       + "s, {elapsed} gone, {desc}")
        self._show()

    def __call__(self, key: Any, result: Any) -> None:
        """Count a job; correct the time left by what it really took."""
        self._left[key.pair] -= 1
        if result is not None:
            self._took[key.pair].append(result.seconds)
        if monotonic() - self._shown > PAUSE:
            self._show()
        self._bar.update()

    def time_left(self) -> float:
        """Return the seconds until the last curve, as far as one can tell by now.

        A pair of dataset and learner of which curves are finished costs what they took (the
        median: the first may have started a process). Other pairs cost what was estimated, times
        what finished pairs of the learner, or where there are none of all learners, took over
        what was estimated for them.
        """
        took = {pair: median(seconds) for pair, seconds in self._took.items()}
        ratios: dict[str, list[float]] = defaultdict(list)
        for pair, seconds in took.items():
            ratios[pair[1]].append((seconds + NOTHING) / (self._expected[pair] + NOTHING))
        slower = {learner: median(own) for learner, own in ratios.items()}
        others = median([ratio for own in ratios.values() for ratio in own] or [1.0])
        cost = {pair: took.get(pair, seconds * slower.get(pair[1], others))
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
