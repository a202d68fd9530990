"""Which properties of a machine decide whether our means equal the published ones, tried out.

The same curves are gathered in processes of their own that differ in one setting: threads, the
kernels that OpenBLAS chooses by the processor, and NumPy's instructions. The last decide how the
logarithm of the class shares, from which gradient boosting starts, is rounded. The published curves
were gathered on processors of ten kinds (the paper's Appendix J). Nearest neighbours depend on
threads: scikit-learn searches in chunks of 256 rows, with a heap per thread, and merges the heaps;
which of several training rows at equal distance are kept depends on the merging.
"""

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import xarray as xr
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from analysis.databases.load import load_curves
from analysis.statistics.repeats import REPEATS
from collection.container import SEEDS
from collection.curve import curve_anchors, gather
from collection.datasets import Dataset, load_dataset
from collection.learners.registry import SEED
from collection.protocol import split_rows

EQUAL = 5.1e-5  # the published means have four decimals
SOURCE, OPENML_ID = "keel:vehicle", 54  # where nearest neighbours are asked
#: As NumPy names them; of those that a processor lacks, it warns.
AVX512 = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL"
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
ONE, TWO = (dict.fromkeys(THREADS, n) for n in ("1", "2"))
#: What is set in the environment of the process, by the name of the setting.
SETTINGS = {
    "one thread": ONE,
    "two threads": TWO,
    "OpenBLAS as for Haswell": ONE | {"OPENBLAS_CORETYPE": "Haswell"},
    "OpenBLAS as for Haswell, two threads": TWO | {"OPENBLAS_CORETYPE": "Haswell"},
    "NumPy without AVX-512": ONE | {"NPY_DISABLE_CPU_FEATURES": AVX512},
}
LINEAR = tuple(SETTINGS)[:4]
#: Source, OpenML id, learner, how many anchors (from the first on), and which settings.
TRIALS = (
    ("keel:vehicle", 54, "QDA", 44, LINEAR),
    ("keel:vehicle", 54, "LogisticRegression", 12, LINEAR),
    ("keel:vehicle", 54, "ens.GradientBoosting", 4, ("one thread", "NumPy without AVX-512")),
    ("sklearn:iris_uci", 61, "ens.GradientBoosting", 24, ("one thread", "NumPy without AVX-512")),
)


def means_by_setting(trials: tuple[tuple, ...] = TRIALS) -> pd.DataFrame:
    """Hold means that were gathered under each setting against the published ones.

    Parameters
    ----------
    trials : tuple of tuple
        As `TRIALS`.

    Returns
    -------
    pandas.DataFrame
        ``dataset, learner, setting, anchors, equal`` (to four decimals), ``largest`` difference
        (error rate).

    Raises
    ------
    NotAtHandError
        Where the published means are not at hand.
    """
    summary = load_curves("lcdb11-summary")["error_rate"].sel(
        split="valid", scaling="none", leakage="no", drop=True)
    rows = []
    for source, openml_id, learner, count, settings in trials:
        theirs = summary.sel(dataset=openml_id, learner=learner).dropna("anchor")[:count]
        anchors = theirs["anchor"].values.tolist()
        for setting in settings:
            away = np.abs(_means_elsewhere(source, learner, anchors, setting) - theirs.values)
            rows.append((source.partition(":")[2], learner, setting, len(anchors),
                         int((away < EQUAL).sum()), float(away.max())))
    return pd.DataFrame(rows, columns=["dataset", "learner", "setting", "anchors", "equal",
                                       "largest"])


def one_bit(dataset: Dataset, anchors: tuple[int, ...], outer: tuple[int, ...] = SEEDS,
            inner: tuple[int, ...] = SEEDS) -> pd.DataFrame:
    """Move the class shares that gradient boosting starts from by one bit, and count what changes.

    Parameters
    ----------
    dataset : Dataset
        Its features are numbers.
    anchors : tuple of int
        Training-set sizes, in rows.
    outer, inner : tuple of int
        Seeds.

    Returns
    -------
    pandas.DataFrame
        A row per anchor: ``anchor, fits, changed`` (percent of the fits that predict another class
        for some validation row), ``largest_shift`` (of a fit's validation error rate).
    """
    features, target = dataset.features.to_numpy(float), np.asarray(dataset.target)
    rows = []
    for anchor in anchors:
        changed, shifts = [], []
        for split in (split_rows(target, a, b) for a in outer for b in inner):
            train = split.train[:anchor]
            told = [_boosted(init).fit(features[train], target[train]).predict(
                features[split.valid]) for init in (None, OneBitMore())]
            changed.append((told[0] != told[1]).any())
            wrong = [(said != target[split.valid]).mean() for said in told]
            shifts.append(abs(wrong[0] - wrong[1]))
        rows.append((anchor, len(shifts), 100 * np.mean(changed), max(shifts)))
    return pd.DataFrame(rows, columns=["anchor", "fits", "changed", "largest_shift"])


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


class OneBitMore(DummyClassifier):
    """The class shares of the training set, each the next larger floating-point number."""

    def __init__(self):
        super().__init__(strategy="prior")

    def predict_proba(self, X):
        """Return the shares, shape (n_rows, n_classes); they add up to 1 but for rounding."""
        return np.nextafter(super().predict_proba(X), 1)


def _boosted(init) -> GradientBoostingClassifier:
    return GradientBoostingClassifier(random_state=SEED, init=init)


def _means_elsewhere(source: str, learner: str, anchors: list[int], setting: str) -> np.ndarray:
    """Return mean validation errors that a process with the setting gathers."""
    told = subprocess.run(
        [sys.executable, "-m", "chapters.database.machines", source, learner,
         json.dumps(anchors)], env=os.environ | SETTINGS[setting], capture_output=True, check=True)
    return np.array(json.loads(told.stdout.splitlines()[-1]))


def main() -> None:
    """Gather one curve and print its means: what such a process runs."""
    source, learner, anchors = sys.argv[1:4]
    curves = gather(load_dataset(source), [learner], anchors=json.loads(anchors))
    means = curves["error_rate"].sel(split="valid").mean(REPEATS).squeeze()
    print(json.dumps(means.values.tolist()))


#: What is kept: two for those who lack the means, the last because it takes a minute.
KEPT = {"knn_by_threads": knn_by_threads, "means_by_setting": means_by_setting,
        "boosting_one_bit": lambda: one_bit(load_dataset("keel:vehicle"), (16, 64, 256), (0, 1))}

if __name__ == "__main__":
    main()
