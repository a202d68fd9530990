"""What was learnt from LCDB 1.0, as shipped in ``data/extrapolation``: trees, other arrays."""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from analysis.extrapolation.gaussian import Gaussian
from analysis.extrapolation.seen import FOLDER, FOLDS
from collection.project.paths import shipped

#: What prediction needs of a node, and the type in which it is stored.
FIELDS = {"value": np.float32, "feature_idx": np.uint8, "num_threshold": np.float32,
          "missing_go_to_left": np.uint8, "left": np.uint16, "right": np.uint16,
          "is_leaf": np.uint8}
NO_BITSETS = np.zeros((0, 8), np.uint32)


class Trees(NamedTuple):
    """A sum of regression trees, taken out of scikit-learn and put back to predict.

    Nothing is unpickled: a file holds arrays of numbers only. No split is categorical.

    Attributes
    ----------
    baseline : ndarray, shape ()
    ends : ndarray of int, shape (n_trees,)
        Where each tree's nodes end.
    nodes : dict of str to ndarray, shape (n_nodes,)
        The fields of `FIELDS`.
    """

    baseline: np.ndarray
    ends: np.ndarray
    nodes: dict[str, np.ndarray]

    @classmethod
    def from_arrays(cls, arrays: dict[str, np.ndarray], prefix: str) -> "Trees":
        """Return the trees that were stored under names that begin with `prefix`."""
        return cls(arrays[f"{prefix}.baseline"], arrays[f"{prefix}.ends"],
                   {name: arrays[f"{prefix}.{name}"] for name in FIELDS})

    def predict(self, features: np.ndarray) -> np.ndarray:
        """Return the sum of the trees, shape (n_rows,).

        Parameters
        ----------
        features : ndarray, shape (n_rows, n_features)
            Of float; NaN where missing.
        """
        from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE
        from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor

        record = np.zeros(self.ends[-1], PREDICTOR_RECORD_DTYPE)
        for name, values in self.nodes.items():
            record[name] = values
        features = np.ascontiguousarray(features, np.float64)
        total = np.full(len(features), float(self.baseline))
        none = np.zeros(features.shape[1], np.uint32)
        for nodes in np.split(record, self.ends[:-1]):
            tree = TreePredictor(np.ascontiguousarray(nodes), NO_BITSETS, NO_BITSETS)
            total += tree.predict(features, NO_BITSETS, none, 1)
        return total


ALL = FOLDS  # the model that all folds trained


class NotTrainedError(FileNotFoundError):
    """A file of trained extrapolators is not there."""


def trained(path: Path) -> Path:
    """Return the path of a file that training wrote.

    Raises
    ------
    NotTrainedError
        If there is no such file.
    """
    if not path.exists():
        raise NotTrainedError(f"{path} is not there. It comes with the repository; "
                              "`make extrapolators` trains it anew.")
    return shipped(path)


@lru_cache(maxsize=8)
def read(name: str, folder: Path = FOLDER) -> dict[str, np.ndarray]:
    """Return the arrays of a file, read-only.

    Raises
    ------
    NotTrainedError
        If there is no such file.
    """
    with np.load(trained(folder / f"{name}.npz"), allow_pickle=False) as stored:
        arrays = dict(stored)
    for values in arrays.values():
        values.setflags(write=False)
    return arrays


def number(fold: int) -> int:
    """Return the number of the model that has not seen a fold; of all folds for an unseen one."""
    return ALL if fold < 0 else int(fold)


def unpack_gaussian(arrays: dict[str, np.ndarray], prefix: str) -> Gaussian:
    """Return the Gaussian that `pack_gaussian` packed."""
    mean = arrays[f"{prefix}.mean"].astype(float)
    covariance = np.zeros((len(mean), len(mean)))
    covariance[np.tril_indices(len(mean))] = arrays[f"{prefix}.lower"]
    covariance += np.tril(covariance, -1).T
    return Gaussian(tuple(arrays["learners"].tolist()), mean, covariance)


@lru_cache(maxsize=FOLDS + 1)
def shipped_gaussian(fold: int) -> Gaussian:
    """Return the Gaussian fitted without a fold, or with all (`folds.UNSEEN`)."""
    return unpack_gaussian(read("gaussians"), f"gaussian{number(fold)}")


def shipped_trees(part: str, fold: int) -> Trees:
    """Return the trees of "location" or "spread" grown without a fold, or with all."""
    return Trees.from_arrays(read("trees"), f"{part}{number(fold)}")
