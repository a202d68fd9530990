"""Progress with time left, by what the curves still to come were estimated to cost."""

import sys

from tqdm import tqdm

from collection.running.estimate import Estimate
from collection.running.job import CurveResult, Workers
from collection.store.writer import CurveKey


class Progress:
    """A progress bar over curves; call it with each one (see `collection.running.engine.collect`).

    Parameters
    ----------
    estimate : Estimate
    found : int
        Curves that were there before.
    workers : Workers
        Whose number may change while they run.
    """

    def __init__(self, estimate: Estimate, found: int, workers: Workers):
        self._left = dict(estimate.seconds)
        self._sum = estimate.total
        self._prior = estimate.total / 20
        self._workers = workers
        self._expected = self._spent = 0.0
        self._bar = tqdm(
            total=found + len(self._left), initial=found, unit="curve", file=sys.stderr,
            mininterval=1, dynamic_ncols=True,
            bar_format="{percentage:3.0f}% {n_fmt}/{total_fmt} curves, {elapsed} gone, {desc}")
        self._show()

    def __call__(self, key: CurveKey, result: CurveResult | None) -> None:
        """Count a curve; correct the time left by what it really took."""
        expected = self._left.pop(key)
        self._sum -= expected
        if result is not None:
            self._expected += expected
            self._spent += result.seconds
        self._bar.update()
        self._show()

    def time_left(self) -> float:
        """Return the seconds until the last curve, as far as one can tell by now.

        The estimate, corrected by what finished curves took. It counts like a twentieth of the
        work itself, so that the first curves, which read datasets and start processes, do not
        overturn it.
        """
        slower = 1.0
        if self._prior > 0:
            slower = (self._spent + self._prior) / (self._expected + self._prior)
        return max(self._sum, 0.0) * slower / self._workers.count

    def close(self) -> None:
        """Leave the bar as it is."""
        self._bar.close()

    def _show(self) -> None:
        self._bar.set_description_str(f"about {duration(self.time_left())} left", refresh=False)


def duration(seconds: float) -> str:
    """Return a duration in words, to one unit: ``40 s``, ``12 min``, ``3.5 h``, ``2.1 days``."""
    for unit, size, digits in (("days", 86400, 1), ("h", 3600, 1), ("min", 60, 0)):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.{digits}f} {unit}"
    return f"{seconds:.0f} s"
