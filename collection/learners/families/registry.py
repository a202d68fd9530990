"""The families of TabRepo with their search spaces (its Appendix E)."""

from collections.abc import Mapping
from dataclasses import dataclass

from collection.learners.families.space import Choice, Dimension, Int, Real


@dataclass(frozen=True)
class Family:
    """A learner and its search space.

    Attributes
    ----------
    name : str
        What its configs' names begin with, as in TabRepo.
    section : str
        Of the paper's appendix.
    space : mapping of str to dimension
    defaults : mapping of str to object, optional
        The default config; without it, the defaults of the space. Where the paper prints no
        defaults, it is empty: the library's own.
    random : int
        Random configs in the paper.
    """

    name: str
    section: str
    space: Mapping[str, Dimension]
    defaults: Mapping[str, object] | None = None
    random: int = 200

    @property
    def default(self) -> dict[str, object]:
        """The default config's hyperparameters."""
        if self.defaults is not None:
            return dict(self.defaults)
        return {name: dimension.default for name, dimension in self.space.items()}


_FOREST = {
    "max_leaf_nodes": Int(5000, 50000),
    "min_samples_leaf": Choice((1, 2, 3, 4, 5, 10, 20, 40, 80)),
    "max_features": Choice(("sqrt", "log2", 0.5, 0.75, 1.0)),
}

FAMILIES = {f.name: f for f in (
    Family("LinearModel", "E.8", {
        "C": Real(0.1, 1e3, 1),
        "proc.skew_threshold": Choice((0.99, 0.9, 0.999, None)),
        "proc.impute_strategy": Choice(("median", "mean")),
        "penalty": Choice(("L2", "L1")),
    }, random=50),
    Family("KNeighbors", "E.9", {
        "n_neighbors": Choice((3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 20, 30, 40, 50)),
        "weights": Choice(("uniform", "distance")),
        "p": Choice((2, 1)),
    }, {}, random=50),
    Family("RandomForest", "E.7", _FOREST, {}),
    Family("ExtraTrees", "E.6", _FOREST, {}),
    Family("LightGBM", "E.4", {
        "learning_rate": Real(5e-3, 0.1, 0.05, log=True),
        "feature_fraction": Real(0.4, 1.0, 1.0),
        "min_data_in_leaf": Int(2, 60, 20),
        "num_leaves": Int(16, 255, 31),
        "extra_trees": Choice((False, True)),
    }),
    Family("XGBoost", "E.5", {
        "learning_rate": Real(5e-3, 0.1, 0.1, log=True),
        "max_depth": Int(4, 10, 6),
        "min_child_weight": Real(0.5, 1.5, 1.0),
        "colsample_bytree": Real(0.5, 1.0, 1.0),
        "enable_categorical": Choice((True, False)),
    }),
    Family("CatBoost", "E.3", {
        "learning_rate": Real(5e-3, 0.1, 0.05, log=True),
        "depth": Int(4, 8, 6),
        "l2_leaf_reg": Real(1, 5, 3),
        "max_ctr_complexity": Int(1, 5, 4),
        "one_hot_max_size": Choice((2, 3, 5, 10)),
        "grow_policy": Choice(("SymmetricTree", "Depthwise")),
    }),
    Family("NeuralNetTorch", "E.2", {
        "learning_rate": Real(1e-4, 3e-2, 3e-4, log=True),
        "weight_decay": Real(1e-12, 0.1, 1e-6, log=True),
        "dropout_prob": Real(0.0, 0.4, 0.1),
        "use_batchnorm": Choice((False, True)),
        "num_layers": Int(1, 5, 2),
        "hidden_size": Int(8, 256, 128),
        "activation": Choice(("relu", "elu")),
    }),
)}
