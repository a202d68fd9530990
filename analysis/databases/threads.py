"""Whether the number of threads explains where nearest neighbours differ from the published means.

scikit-learn searches neighbours in chunks of 256 rows, with a heap per thread, and merges the
heaps. Of training rows at equal distance, which ones are kept depends on the merging.
"""

import numpy as np
import pandas as pd
import xarray as xr
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from analysis.databases.load import load_curves
from collection.container import SEEDS
from collection.curve import curve_anchors
from collection.datasets import load_dataset
from collection.protocol import split_rows

SOURCE, OPENML_ID = "keel:vehicle", 54
EQUAL = 5.1e-5  # the published means have four decimals


def knn_by_threads(threads: tuple[int, ...] = (1, 2),
                   anchors: np.ndarray | None = None) -> pd.DataFrame:
    """Count the anchors of KNN's curve on *vehicle* that equal the published means.

    Parameters
    ----------
    threads : tuple of int
        How many threads to search with.
    anchors : array of int, optional
        Some of the curve's; all unless given.

    Returns
    -------
    pandas.DataFrame
        ``threads, anchors, equal`` (to four decimals), ``largest`` difference (error rate).

    Raises
    ------
    NotAtHandError
        Where the published means are not at hand.
    """
    summary = load_curves("lcdb11-summary")["error_rate"].sel(
        split="valid", scaling="none", leakage="no", learner="KNN", dataset=OPENML_ID, drop=True)
    data = load_dataset(SOURCE)
    anchors = np.asarray(curve_anchors(data) if anchors is None else anchors)
    rows = []
    for n in threads:
        with threadpool_limits(n):
            away = abs(_knn_means(data, anchors) - summary.sel(anchor=anchors))
        rows.append((n, len(anchors), int((away < EQUAL).sum()), float(away.max())))
    return pd.DataFrame(rows, columns=["threads", "anchors", "equal", "largest"])


def _knn_means(data, anchors: np.ndarray) -> xr.DataArray:
    """Return mean validation errors over all repeats; the dataset has numbers only."""
    features, target = data.features.to_numpy(float), np.asarray(data.target)
    errors = np.empty((len(SEEDS), len(SEEDS), len(anchors)))
    for outer, inner in np.ndindex(errors.shape[:2]):
        split = split_rows(target, outer, inner)
        for k, n in enumerate(anchors):
            train = split.train[:n]
            model = KNeighborsClassifier().fit(features[train], target[train])
            errors[outer, inner, k] = (
                model.predict(features[split.valid]) != target[split.valid]).mean()
    return xr.DataArray(errors.mean((0, 1)), dims="anchor", coords={"anchor": anchors})


#: What is kept for those who lack the means.
KEPT = {"knn_by_threads": knn_by_threads}
