"""A dataset kept in a folder of a suite's bundle: ``bundle:FOLDER``."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from collection.datasets.dataset import Dataset, DatasetError, make_dataset
from collection.project.requirements import absence_named, errors_of

TABLE, META = "table.parquet", "dataset.json"
# What has to be known of a dataset, and as what: attributes of it, and what its features are.
OWN = {"name": str, "source": str, "licence": str, "openml_id": int | None, "target_name": str}
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


def keep_tables(tables: Mapping[str, tuple], folder: Path) -> list[str]:
    """Keep tables that are in memory in a folder, and return their specs.

    Parameters
    ----------
    tables : mapping of str to tuple
        Name → (X, y): a data frame or array of features and the labels; or a data frame and the
        name of its target.
    folder : Path
        Each table has a folder of its own in it, called by its content, so that the same table is
        the same dataset when a study goes on.

    Raises
    ------
    DatasetError
        A table that is no such pair, or of which no dataset can be made; nothing is kept then.
    """
    made = {name: _from_memory(str(name), table) for name, table in tables.items()}
    specs = []
    for name, dataset in made.items():
        rows = dataset.features.assign(**{TARGET: dataset.target})
        content = pd.util.hash_pandas_object(rows, index=False).to_numpy().tobytes()
        key = hashlib.sha256(content + "\0".join(rows.columns).encode()).hexdigest()[:12]
        place = folder.resolve() / f"{re.sub(r'[^A-Za-z0-9_-]+', '_', str(name))}-{key}"
        if not (place / META).exists():
            save_dataset(dataset, place)
        specs.append(f"bundle:{place}")
    return specs


def _from_memory(name: str, table: object) -> Dataset:
    if not isinstance(table, tuple | list) or len(table) != 2:
        raise DatasetError(f"{name!r} is {type(table).__name__}. Give (X, y), or a data frame and "
                           "the name of its target.")
    features, target = table
    frame = pd.DataFrame(features)
    if isinstance(target, str):
        if target not in frame:
            raise DatasetError(f"{name!r} has no column {target!r}; it has "
                               f"{', '.join(map(repr, frame.columns[:10]))}.")
        return make_dataset(frame, target, name=name, source=name)
    labels = pd.Series(np.asarray(target).ravel())
    if len(labels) != len(frame):
        raise DatasetError(f"{name!r} has {len(frame)} rows and {len(labels)} labels.")
    frame = frame.reset_index(drop=True).rename(columns=str).assign(**{TARGET: labels})
    return make_dataset(frame, TARGET, name=name, source=name)


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
