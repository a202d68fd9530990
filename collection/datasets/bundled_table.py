"""A dataset kept in a folder of a suite's bundle: ``bundle:FOLDER``."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from collection.datasets.dataset import Dataset, DatasetError
from collection.project.requirements import absence_named, errors_of

TABLE, META = "table.parquet", "dataset.json"
# What has to be known of a dataset, and as what: attributes of it, and what its features are.
OWN = {"name": str, "source": str, "licence": str, "openml_id": int | None,
       "empty_columns": list, "target_name": str}
KNOWN = OWN | {"columns": list, "categories": dict}
TARGET = "the target"  # name of the last column


def save_dataset(dataset: Dataset, folder: Path) -> None:
    """Write a dataset to a folder: the rows exactly, and what is known of them."""
    folder.mkdir(parents=True)
    features = dataset.features.set_axis([f"x{i}" for i in range(dataset.features.shape[1])],
                                         axis="columns")
    target = dataset.target if dataset.is_regression else dataset.target.astype(object)
    with absence_named():
        features.assign(**{TARGET: target}).to_parquet(folder / TABLE, index=False)
    known = {name: getattr(dataset, name) for name in OWN} | {
        "columns": list(dataset.features.columns),
        "categories": {c: list(dataset.features[c].cat.categories) for c in dataset.categorical}}
    (folder / META).write_text(json.dumps(known, indent=1, ensure_ascii=False), encoding="utf-8")


def load(name: str) -> Dataset:
    """Load the dataset in the folder `name`, as it was when it was saved.

    Its source is that of the original. Rows without a label, which were left out before, are not
    counted any more.

    Raises
    ------
    DatasetError
        The folder lacks a file, or one is damaged.
    """
    folder = Path(name)
    known = read_known(folder)
    try:
        with absence_named():
            frame = pd.read_parquet(folder / TABLE)
        target = frame.pop(TARGET)
        features = frame.set_axis(known["columns"], axis="columns")
        for column, categories in known["categories"].items():
            features[column] = pd.Categorical(features[column], categories=categories)
    except (OSError, ValueError, TypeError, KeyError,
            *errors_of("pyarrow", "ArrowException")) as error:
        raise _damaged(folder, error) from error
    values = target.to_numpy(np.float64 if target.dtype.kind == "f" else str)
    values.flags.writeable = False
    known["empty_columns"] = tuple(known["empty_columns"])
    return Dataset(features=features, target=values, **{name: known[name] for name in OWN})


def read_known(folder: Path) -> dict[str, object]:
    """Return what is known of the dataset in a folder.

    Raises
    ------
    DatasetError
        Where the file is absent, damaged, or lacks something.
    """
    try:
        known = json.loads((folder / META).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _damaged(folder, error) from error
    if not isinstance(known, dict):
        raise _damaged(folder, f"{META} holds no record but {str(known)[:40]!r}")
    if lacking := [name for name in KNOWN if not isinstance(known.get(name), KNOWN[name])]:
        raise _damaged(folder, f"{META} has no {lacking[0]}, or something else in its place")
    return known


def _damaged(folder: Path, why: object) -> DatasetError:
    return DatasetError(f"bundle:{folder}: {folder} holds no dataset of a bundle, or it is "
                        f"damaged ({why}). Open the bundle again.")
