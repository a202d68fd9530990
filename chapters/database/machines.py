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

from analysis.databases.load import load_curves
from analysis.statistics.repeats import REPEATS
from collection.datasets import load_dataset
from collection.running.curve import gather

EQUAL = 5.1e-5  # the published means have four decimals
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
    ("keel:vehicle", 54, "KNN", 44, ("one thread", "two threads")),
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


#: What is kept for those who lack the means.
KEPT = {"means_by_setting": means_by_setting}

if __name__ == "__main__":
    main()
