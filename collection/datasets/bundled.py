"""The small datasets that scikit-learn ships: ``sklearn:NAME``."""

from importlib.metadata import metadata

import pandas as pd

from collection.datasets.dataset import Dataset, make_dataset
from collection.naming import check_known

NAMES = ("breast_cancer", "digits", "iris", "wine")


def names() -> list[str]:
    """Return the names of the datasets."""
    return list(NAMES)


def load(name: str) -> Dataset:
    """Load the dataset that ``sklearn.datasets.load_NAME`` returns, labels by their names.

    All features are numeric. No OpenML id is claimed: iris and wine are known to differ from
    OpenML's copies or are not checked against them.

    Raises
    ------
    UnknownNameError
        With the close names.
    """
    check_known("scikit-learn dataset", [name], NAMES)
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    frame = pd.DataFrame(bunch.data, columns=[str(c) for c in bunch.feature_names])
    frame["class"] = bunch.target_names[bunch.target]
    package = metadata("scikit-learn")
    return make_dataset(frame, "class", name=name, source=f"sklearn:{name}",
                        licence=f"{package['License']} (scikit-learn {package['Version']})")
