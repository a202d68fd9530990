"""Boosted trees as plain arrays: taken out of scikit-learn, stored, and put back to predict.

Nothing is unpickled: a file holds arrays of numbers only. The trees have no categorical splits.
"""

from typing import NamedTuple

import numpy as np

#: What prediction needs of a node, and the type in which it is stored.
FIELDS = {"value": np.float32, "feature_idx": np.uint8, "num_threshold": np.float32,
          "missing_go_to_left": np.uint8, "left": np.uint16, "right": np.uint16,
          "is_leaf": np.uint8}
NO_BITSETS = np.zeros((0, 8), np.uint32)


class Trees(NamedTuple):
    """A sum of regression trees.

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

    def arrays(self, prefix: str) -> dict[str, np.ndarray]:
        """Return the arrays to store, their names beginning with `prefix`."""
        return {f"{prefix}.baseline": self.baseline, f"{prefix}.ends": self.ends} | {
            f"{prefix}.{name}": values for name, values in self.nodes.items()}

    @classmethod
    def from_arrays(cls, arrays: dict[str, np.ndarray], prefix: str) -> "Trees":
        """Return the trees that `arrays` gave."""
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
