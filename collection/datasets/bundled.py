"""The small datasets that scikit-learn ships: ``sklearn:NAME``."""

from importlib.metadata import metadata

import numpy as np
import pandas as pd

from collection.datasets.dataset import Dataset, make_dataset
from collection.project.naming import check_known

# Name → the OpenML dataset that has the very same rows in the same order: learning curves on them
# equal the published ones. None: no such dataset, or not checked.
NAMES = {"breast_cancer": 1510, "digits": None, "iris": None, "iris_uci": 61, "wine": None}
REGRESSION = ("diabetes",)
DUMMY = "dummy"  # made here, to try a learner out in seconds
# OpenML's iris is the UCI repository's, which copied two rows wrongly from Fisher's paper;
# scikit-learn's is Fisher's. Row → its values at UCI.
IRIS_AT_UCI = {34: (4.9, 3.1, 1.5, 0.1), 37: (4.9, 3.1, 1.5, 0.1)}


def names() -> list[str]:
    """Return the names of the datasets with classes."""
    return list(NAMES)


def load(name: str) -> Dataset:
    """Load the dataset that ``sklearn.datasets.load_NAME`` returns, labels by their names.

    All features are numeric. ``iris_uci`` is scikit-learn's iris with the two rows in which the
    UCI repository's, and with it OpenML's, differs. ``diabetes`` is a regression problem.
    ``dummy`` is made up: 60 rows, two classes.

    Raises
    ------
    UnknownNameError
        With the close names.
    """
    check_known("scikit-learn dataset", [name], [*NAMES, *REGRESSION, DUMMY])
    from sklearn import datasets

    bunch = _dummy() if name == DUMMY else getattr(datasets, f"load_{name.removesuffix('_uci')}")()
    frame = pd.DataFrame(bunch.data, columns=[str(c) for c in bunch.feature_names])
    if name == "iris_uci":
        frame.iloc[list(IRIS_AT_UCI)] = list(IRIS_AT_UCI.values())
    regression = name in REGRESSION
    target = "target" if regression else "class"
    frame[target] = bunch.target if regression else bunch.target_names[bunch.target]
    package = metadata("scikit-learn")
    # Older metadata have the one field, newer the other.
    licence = (package.get("License") or package.get("License-Expression")
               or "as stated by its makers")
    return make_dataset(frame, target, name=name, source=f"sklearn:{name}",
                        openml_id=NAMES.get(name), regression=regression,
                        licence=f"{licence} (scikit-learn {package['Version']})")


def _dummy():
    from sklearn.datasets import make_classification
    from sklearn.utils import Bunch

    X, y = make_classification(60, 4, flip_y=0.1, random_state=0)
    return Bunch(data=X, target=y, feature_names=[f"x{k}" for k in range(1, 5)],
                 target_names=np.array(["no", "yes"]))
