"""The families of TabRepo: search spaces (its Appendix E), configs by name, each config's learner.

What AutoGluon's models do before and around the library is done here too where it bears on the
predictions; where it is left out, the family's function says so.
"""

import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from itertools import islice
from math import inf, prod

import numpy as np

from collection.learners.learner import SEED, Learner
from collection.project.naming import UnknownNameError, check_known

TREES = 40  # of a forest, in each of eight bags: together as many as AutoGluon's 300


@dataclass(frozen=True)
class Real:
    """A number between two ends, uniform or uniform in its logarithm."""

    low: float
    high: float
    default: float
    log: bool = False

    def draw(self, generator: np.random.Generator) -> float:
        """Return a random value."""
        if self.log:  # twelve digits, on which processors agree
            drawn = np.exp(generator.uniform(np.log(self.low), np.log(self.high)))
            return float(f"{drawn:.12g}")
        return float(generator.uniform(self.low, self.high))


@dataclass(frozen=True)
class Int:
    """A whole number from one end to the other, both included."""

    low: int
    high: int
    default: int | None = None

    def draw(self, generator: np.random.Generator) -> int:
        """Return a random value."""
        return int(generator.integers(self.low, self.high + 1))


@dataclass(frozen=True)
class Choice:
    """One of some values; the first is the default."""

    values: tuple

    @property
    def default(self) -> object:
        """The first value."""
        return self.values[0]

    def draw(self, generator: np.random.Generator) -> object:
        """Return a random value."""
        return self.values[int(generator.integers(len(self.values)))]


@dataclass(frozen=True)
class ConfigFamily:
    """A learner and its search space.

    Attributes
    ----------
    name : str
        What its configs' names begin with, as in TabRepo.
    space : mapping of str to dimension
    defaults : mapping of str to object, optional
        The default config; without it, the defaults of the space. Where the paper prints no
        defaults, it is empty: the library's own.
    """

    name: str
    space: Mapping[str, Real | Int | Choice]
    defaults: Mapping[str, object] | None = None

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
    ConfigFamily("LinearModel", {  # E.8
        "C": Real(0.1, 1e3, 1),
        "proc.skew_threshold": Choice((0.99, 0.9, 0.999, None)),
        "proc.impute_strategy": Choice(("median", "mean")),
        "penalty": Choice(("L2", "L1")),
    }),
    ConfigFamily("KNeighbors", {  # E.9
        "n_neighbors": Choice((3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 20, 30, 40, 50)),
        "weights": Choice(("uniform", "distance")),
        "p": Choice((2, 1)),
    }, {}),
    ConfigFamily("RandomForest", _FOREST, {}),  # E.7
    ConfigFamily("ExtraTrees", _FOREST, {}),  # E.6
    ConfigFamily("LightGBM", {  # E.4
        "learning_rate": Real(5e-3, 0.1, 0.05, log=True),
        "feature_fraction": Real(0.4, 1.0, 1.0),
        "min_data_in_leaf": Int(2, 60, 20),
        "num_leaves": Int(16, 255, 31),
        "extra_trees": Choice((False, True)),
    }),
    ConfigFamily("XGBoost", {  # E.5
        "learning_rate": Real(5e-3, 0.1, 0.1, log=True),
        "max_depth": Int(4, 10, 6),
        "min_child_weight": Real(0.5, 1.5, 1.0),
        "colsample_bytree": Real(0.5, 1.0, 1.0),
        "enable_categorical": Choice((True, False)),
    }),
    ConfigFamily("CatBoost", {  # E.3
        "learning_rate": Real(5e-3, 0.1, 0.05, log=True),
        "depth": Int(4, 8, 6),
        "l2_leaf_reg": Real(1, 5, 3),
        "max_ctr_complexity": Int(1, 5, 4),
        "one_hot_max_size": Choice((2, 3, 5, 10)),
        "grow_policy": Choice(("SymmetricTree", "Depthwise")),
    }),
    ConfigFamily("NeuralNetTorch", {  # E.2
        "learning_rate": Real(1e-4, 3e-2, 3e-4, log=True),
        "weight_decay": Real(1e-12, 0.1, 1e-6, log=True),
        "dropout_prob": Real(0.0, 0.4, 0.1),
        "use_batchnorm": Choice((False, True)),
        "num_layers": Int(1, 5, 2),
        "hidden_size": Int(8, 256, 128),
        "activation": Choice(("relu", "elu")),
    }),
)}


NAME = re.compile(r"(\w+)_(c1|r[1-9]\d*)")


def draw_configs(family: str, random: int) -> dict[str, dict[str, object]]:
    """Return a family's default config and so many random ones, all different.

    Parameters
    ----------
    family : str
        A name in `FAMILIES`.
    random : int
        Asking for more adds to them.

    Returns
    -------
    dict of str to dict of str to object
        Hyperparameters by the config's name: ``<family>_c1`` for the default,
        ``<family>_r<number>`` for random ones, as in TabRepo.

    Raises
    ------
    UnknownNameError
        For an unknown family.
    ValueError
        If `random` is negative, or the space has not so many configs.
    """
    check_known("family", [family], FAMILIES)
    known = FAMILIES[family]
    room = prod(len(d.values) if isinstance(d, Choice) else inf for d in known.space.values())
    if random < 0 or random > room:
        raise ValueError(f"{family} has {room:g} different configs; {random} were asked for.")
    return {f"{family}_c1": known.default,
            **{f"{family}_r{number}": drawn
               for number, drawn in enumerate(islice(_draws(known), random), 1)}}


def is_config(name: str) -> bool:
    """Tell whether a name is of the form of a known family's configs."""
    found = NAME.fullmatch(name)
    return bool(found) and found[1] in FAMILIES


def _draws(family: ConfigFamily) -> Iterator[dict[str, object]]:
    """Yield random configs without end, none twice."""
    generator = np.random.default_rng([0, zlib.crc32(family.name.encode())])
    seen = set()
    while True:
        drawn = {name: dimension.draw(generator) for name, dimension in family.space.items()}
        key = tuple(drawn.values())
        if key not in seen:
            seen.add(key)
            yield drawn


@dataclass(frozen=True)
class ConfigLearner(Learner):
    """A learner that is a family's config.

    Attributes
    ----------
    config : mapping of str to object
        The hyperparameters as the search space names them; empty: the default config of a library
        without others.
    """

    config: Mapping[str, object] = field(default_factory=dict)

    @property
    def hyperparameters(self) -> dict[str, object]:
        """The config's hyperparameters."""
        return dict(self.config)

    def load(self) -> type:
        """Import and return the class, and what its fits import."""
        for name in self.requires:
            import_module(name)
        return super().load()

    def make(self, design):
        """Return an unfitted estimator; leaves that the rows cannot fill are no limit.

        For them scikit-learn would reserve memory, and take most of the time for that.
        """
        estimator = super().make(design)
        if getattr(estimator, "max_leaf_nodes", None) and estimator.max_leaf_nodes >= len(
                design.y[0]):
            estimator.set_params(max_leaf_nodes=None)
        return estimator


def config_learner(name: str, regression: bool = False) -> ConfigLearner:
    """Return the learner of a config.

    Parameters
    ----------
    name : str
        Such as ``LightGBM_c1`` (the default) or ``LightGBM_r12`` (a random one).
    regression : bool
        Whether it is to predict numbers.

    Raises
    ------
    UnknownNameError
        For a name that is no family's.
    """
    if not is_config(name):
        raise UnknownNameError("config", name, [f"{family}_c1" for family in FAMILIES])
    family, _, place = name.rpartition("_")
    config = draw_configs(family, 0 if place == "c1" else int(place[1:]))[name]
    return ConfigLearner(name=name, family=family, config=config,
                         **MAKERS[family](config, regression))


# Says of a family's hyperparameters, and of whether numbers are predicted, which learner they make.
Maker = Callable[[Mapping[str, object], bool], dict[str, object]]


def _linear(space: Mapping[str, object], regression: bool) -> dict:
    """Penalised linear model; gaps are filled with medians whatever ``proc.impute_strategy`` says.

    Imputation belongs to the data's preparation here, which is the same for all learners.
    """
    settings = {"C": space["C"], "penalty": space["penalty"],
                "skew_threshold": space["proc.skew_threshold"], "regression": regression}
    return {"path": f"{__name__}.linear.Linear", "settings": settings}


def _of_sklearn(path: str, **settings: object) -> Maker:
    def make(space: Mapping[str, object], regression: bool) -> dict:
        kind = "Regressor" if regression else "Classifier"
        return {"path": f"sklearn.{path}{kind}", "settings": {**space, **settings}}
    return make


def _early_stopped(name: str, library: str, form: str | None, scaling: str | None = None) -> Maker:
    """Return the maker of a class of `stepwise`; without a form, its hyperparameters say which."""
    def make(space: Mapping[str, object], regression: bool) -> dict:
        own = form or ("native" if space["enable_categorical"] else "onehot")
        return {"path": f"{__name__}.stepwise.{name}", "requires": (library,), "form": own,
                "scaling": scaling,
                "settings": {"space": dict(space), "regression": regression}}
    return make


_TREES = {"n_estimators": TREES, "random_state": SEED}
MAKERS = {
    "LinearModel": _linear,
    # Of unscaled features as in AutoGluon (which drops the categories).
    "KNeighbors": _of_sklearn("neighbors.KNeighbors"),
    "RandomForest": _of_sklearn("ensemble.RandomForest", **_TREES),
    "ExtraTrees": _of_sklearn("ensemble.ExtraTrees", **_TREES),
    "LightGBM": _early_stopped("LightGBM", "lightgbm", "native"),
    "XGBoost": _early_stopped("XGBoost", "xgboost", None),
    "CatBoost": _early_stopped("CatBoost", "catboost", "native"),
    "NeuralNetTorch": _early_stopped("NeuralNetTorch", "torch", "onehot", "standard"),
}
