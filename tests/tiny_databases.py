"""Databases of a few made-up curves, as a reader's own may be: `DATABASES` says which."""

from pathlib import Path

import numpy as np
from stored_curves import write

from collection.containers.curves import CurveKey, Status
from collection.running.curve import Fit

ANCHORS = (16, 23, 32, 45, 64, 91)
FALLS = (0.5, 0.4, 0.33, 0.28, 0.25, 0.23)
PEAKS = (0.5, 0.3, 0.45, 0.3, 0.25, 0.23)
FLAT = (0.4,) * 6
#: Name → datasets, curves by learner, scaling.
DATABASES = {
    "one": (["iris"], {"KNN": FALLS}, "none"),
    "few": (["iris", "wine"], {"KNN": FALLS, "LDA": PEAKS, "QDA": PEAKS, "MLP": FALLS}, "none"),
    "flat": (["iris", "wine"], {"KNN": FLAT, "LDA": FLAT}, "none"),
    "scaled": (["iris", "wine"], {"KNN": FALLS, "LDA": PEAKS}, "standard")}


def tiny_database(name: str, folder: Path) -> str:
    """Write one of `DATABASES`, two outer and two inner seeds, and return its folder."""
    datasets, learners, scaling = DATABASES[name]
    noise = np.random.default_rng(0)
    curves = {CurveKey(dataset, learner, scaling, "no", outer, inner): [
        Fit(anchor, Status.ok, "", *((mean + noise.normal(0, 0.002 * (mean != FLAT[0])),) * 3,) * 4,
            0.1, (0.1,) * 3) for anchor, mean in zip(ANCHORS, means, strict=True)]
        for dataset in datasets for learner, means in learners.items()
        for outer in (0, 1) for inner in (0, 1)}
    return str(write(folder / name, curves))
