"""Greedy covering: pick the config that lowers the mean over tasks of the least value so far most.

What a config gains never grows as others are picked (a mean of minima is supermodular), so gains
found earlier bound those of now, and most configs need not be looked at again at each pick.
"""

import numpy as np

BATCH = 16  # configs whose values are worked out together at first; doubled while more are needed
SLACK = 1e-9  # relative; well above the rounding of a mean


def cover(
    values: np.ndarray, size: int, costs: np.ndarray | None = None, stop_unchanged: bool = True
) -> tuple[list[int], list[float]]:
    """Pick configs one after the other, none twice.

    Parameters
    ----------
    values : ndarray, shape (task, config)
        What is to be low, weights included.
    size : int
        At most so many picks.
    costs : ndarray, shape (config,), optional
        What each config costs. The pick is then the largest gain per cost: by how much it lowers
        the mean, the first from the mean of every task's largest value.
    stop_unchanged : bool
        Whether to stop once no config lowers the mean, or to go on with the first ones left.

    Returns
    -------
    order : list of int
        Of equal ones, the first goes first.
    trace : list of float
        The mean over tasks of the least value among the picks so far. Sums run from the first task
        to the last, as the published code's do, so that the same means compare equal.
    """
    search = _Search(values, costs)
    order: list[int] = []
    trace: list[float] = []
    while len(order) < min(size, values.shape[1]):
        pick, mean = search.best()
        if stop_unchanged and trace and mean == trace[-1]:
            break
        order.append(pick)
        trace.append(mean)
        search.take(pick, mean)
    return order, trace


def mean_over_tasks(values: np.ndarray) -> np.ndarray:
    """Return means along the last axis, summed from the first to the last."""
    return values.cumsum(axis=-1)[..., -1] / values.shape[-1]


class _Search:
    """The least values so far, and an upper bound of what each config still gains."""

    def __init__(self, values: np.ndarray, costs: np.ndarray | None):
        self.values = np.ascontiguousarray(values.T, float)
        self.by_cost = costs is not None
        self.costs = np.ones(len(self.values)) if costs is None else costs
        self.least = self.values.max(axis=0)
        self.mean = float(mean_over_tasks(self.least))
        self.gain = np.full(len(self.values), np.inf)
        self.left = np.ones(len(self.values), bool)

    def best(self) -> tuple[int, float]:
        """Return the config to pick next, and the mean with it."""
        bound = (self.gain + SLACK * abs(self.mean)) / self.costs
        order = np.flatnonzero(self.left)
        order = order[np.argsort(-bound[order], kind="stable")]
        means, ratio = np.full(len(bound), np.inf), np.full(len(bound), -np.inf)
        start, step, highest = 0, BATCH, -np.inf
        while start < len(order) and bound[order[start]] >= highest:
            configs = order[start:start + step]
            means[configs] = mean_over_tasks(np.minimum(self.values[configs], self.least))
            self.gain[configs] = self.mean - means[configs]
            ratio[configs] = self.gain[configs] / self.costs[configs]
            start, step, highest = start + step, 2 * step, ratio.max()
        pick = int(ratio.argmax() if self.by_cost else means.argmin())
        return pick, float(means[pick])

    def take(self, pick: int, mean: float) -> None:
        """Pick a config."""
        self.left[pick] = False
        np.minimum(self.least, self.values[pick], out=self.least)
        self.mean = mean
