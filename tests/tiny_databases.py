"""Databases of a few made-up curves, as a reader's own may be: `DATABASES` says which."""

from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
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


def plain_database(folder: Path, error: Callable, datasets: int = 24, anchors=ANCHORS, seeds=(1, 1),
                   learners=("KNN", "LDA", "MLP", "QDA", "SVM_RBF", "LogisticRegression"),
                   leakages=("no",), splits=("valid", "test"), words: bool = False) -> str:
    """Write curves as a table of a reader's own, in Parquet with a table of datasets beside it.

    Parameters
    ----------
    error : callable
        Of dataset (a number), learner (its place), anchor and leakage; noise is added to it.
    seeds : tuple of int
        Outer and inner ones.
    words : bool
        Whether columns of words are plain text, not categories.
    """
    names = [f"table {k}" for k in range(datasets)]
    rows, noise = [], np.random.default_rng(0)
    for d, k, leakage, *repeat, anchor in product(
            range(datasets), range(len(learners)), leakages, *map(range, seeds), anchors):
        mean = error(d, k, anchor, leakage)
        values = mean + noise.normal(0, 0.002, len(splits)) * (mean > 0)
        rows.append((names[d], learners[k], "none", leakage, *repeat, anchor, "ok", "", *values))
    labels = ["dataset", "learner", "scaling", "leakage", "outer", "inner", "anchor", "status",
              "message"]
    table = pd.DataFrame(rows, columns=[*labels, *(f"error_rate_{split}" for split in splits)])
    kinds = {} if words else dict.fromkeys([*labels[:4], *labels[7:]], "category")
    folder.mkdir()
    table.astype(kinds).to_parquet(folder / "fits.parquet", index=False)
    of_all = {"source": "own", "licence": "own", "openml_id": np.nan, "classes": 2, "features": 20}
    sizes = dict.fromkeys(["rows", "train_rows", "valid_rows", "test_rows"], 500)
    pd.DataFrame({"dataset": names, **of_all, **sizes}).to_csv(folder / "datasets.csv", index=False)
    return str(folder)
