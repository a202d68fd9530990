"""The small datasets that scikit-learn ships: ``sklearn:NAME``."""

from importlib.metadata import metadata

import pandas as pd

from collection.datasets.dataset import Dataset, make_dataset
from collection.naming import check_known

# Name → the OpenML dataset whose rows stand in the same order: learning curves on them equal the
# published ones. None: not checked (the paper has neither of the two).
NAMES = {"breast_cancer": 1510, "digits": None, "iris": 61, "wine": None}


def names() -> list[str]:
    """Return the names of the datasets."""
    return list(NAMES)


def load(name: str) -> Dataset:
    """Load the dataset that ``sklearn.datasets.load_NAME`` returns, labels by their names.

    All features are numeric.

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
                        openml_id=NAMES[name],
                        licence=f"{package['License']} (scikit-learn {package['Version']})")
