"""How alike datasets are, by their meta-features."""

import numpy as np
from scipy.stats import rankdata

WIDTH = 0.5  # of the density, in median distances


def similar_weights(
    features: np.ndarray | None, query: np.ndarray | None, tasks: int | None = None
) -> np.ndarray:
    """Return a weight per task: the higher, the more it is like the query.

    Each feature is replaced by its rank among tasks and query, as a share, so that features of any
    scale count the same; the distance is the mean absolute difference over the features that both
    have; the weight falls off as a normal density whose width is half the median distance.

    Parameters
    ----------
    features : ndarray, shape (task, feature)
        Meta-features, for example rows, features and classes; NaN where unknown.
    query : ndarray, shape (feature,)
        Those of the dataset that the weights are for.
    tasks : int, optional
        How many tasks there have to be.

    Returns
    -------
    ndarray of float, shape (task,)
        Between 0 and 1; 1 for a task with the query's very features. Where all tasks are equally
        far, all 1.

    Raises
    ------
    ValueError
        If features or query lack, or do not fit.
    """
    if features is None or query is None:
        raise ValueError("Weights by similar datasets need meta-features: pass features and query.")
    features, query = np.asarray(features, float), np.asarray(query, float)
    if features.ndim != 2 or query.shape != features.shape[1:] or (
            tasks is not None and len(features) != tasks):
        raise ValueError("Meta-features have the shape (task, feature), the query (feature,); "
                         f"these have {features.shape} and {query.shape}"
                         + (f", for {tasks} tasks." if tasks is not None else "."))
    together = rankdata(np.vstack([features, query]), axis=0, nan_policy="omit")
    together /= np.maximum(np.nanmax(np.nan_to_num(together), axis=0), 1)
    apart = np.abs(together[:-1] - together[-1])
    known = ~np.isnan(apart)
    distance = np.where(known, apart, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    distance[~known.any(axis=1)] = distance.max(initial=0)  # nothing in common: the farthest
    width = WIDTH * (np.median(distance) or distance.max()) or 1.0
    return np.exp(-0.5 * (distance / width) ** 2)
