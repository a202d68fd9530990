"""The families of TabRepo: search spaces (its Appendix E), configs by name, each config's learner.

What AutoGluon's models do before and around the library is done here too where it bears on the
predictions; where it is left out, the family's function says so.
"""

import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from itertools import islice

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
        if self.log:
            return float(np.exp(generator.uniform(np.log(self.low), np.log(self.high))))
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


Dimension = Real | Int | Choice


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


NAME = re.compile(r"(\w+)_(c1|r[1-9]\d*)")


@dataclass(frozen=True)
class Config:
    """A family's learner with hyperparameters.

    Attributes
    ----------
    name : str
        ``<family>_c1`` for the default, ``<family>_r<number>`` for random ones, as in TabRepo.
    family : str
    hyperparameters : dict of str to object
    """

    name: str
    family: str
    hyperparameters: dict[str, object]


def draw_configs(family: str, random: int, seed: int = 0) -> list[Config]:
    """Return a family's default config and so many random ones, all different.

    Parameters
    ----------
    family : str
        A name in `FAMILIES`.
    random : int
    seed : int
        The same seed gives the same configs; asking for more adds to them.

    Raises
    ------
    UnknownNameError
        For an unknown family.
    ValueError
        If `random` is negative, or the space has not so many configs.
    """
    check_known("family", [family], FAMILIES)
    known = FAMILIES[family]
    room = _size(known)
    if random < 0 or random > room:
        raise ValueError(f"{family} has {room:g} different configs; {random} were asked for.")
    return [Config(f"{family}_c1", family, known.default),
            *(Config(f"{family}_r{number}", family, drawn)
              for number, drawn in enumerate(islice(_draws(known, seed), random), 1))]


def is_config(name: str) -> bool:
    """Tell whether a name is of the form of a known family's configs."""
    found = NAME.fullmatch(name)
    return bool(found) and found[1] in FAMILIES


def find_config(name: str, seed: int = 0) -> Config:
    """Return the config of a name.

    Raises
    ------
    UnknownNameError
        For a name that is not of a family.
    """
    if not is_config(name):
        raise UnknownNameError("config", name, [f"{family}_c1" for family in FAMILIES])
    found = NAME.fullmatch(name)
    number = 0 if found[2] == "c1" else int(found[2][1:])
    return draw_configs(found[1], number, seed)[-1]


def _draws(family: Family, seed: int) -> Iterator[dict[str, object]]:
    """Yield random configs without end, none twice."""
    generator = np.random.default_rng([seed, zlib.crc32(family.name.encode())])
    seen = set()
    while True:
        drawn = {name: dimension.draw(generator) for name, dimension in family.space.items()}
        key = tuple(drawn.values())
        if key not in seen:
            seen.add(key)
            yield drawn


def _size(family: Family) -> float:
    """Return how many configs a space has; infinite with a number in it."""
    if all(isinstance(dimension, Choice) for dimension in family.space.values()):
        return float(np.prod([len(dimension.values) for dimension in family.space.values()]))
    return np.inf


@dataclass(frozen=True)
class ConfigLearner(Learner):
    """A learner that is a family's config.

    Attributes
    ----------
    config : Config
        With the hyperparameters as the search space names them.
    """

    config: Config | None = None

    @property
    def hyperparameters(self) -> dict[str, object]:
        """The config's hyperparameters; empty: the default config of a library without others."""
        return dict(self.config.hyperparameters)

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


Maker = Callable[[Mapping[str, object], bool], dict[str, object]]
MAKERS: dict[str, Maker] = {}


def maker(family: str) -> Callable[[Maker], Maker]:
    """Enter the function that says of a family's hyperparameters which learner they make."""
    def enter(function: Maker) -> Maker:
        MAKERS[family] = function
        return function
    return enter


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
    config = find_config(name)
    made = MAKERS[config.family](config.hyperparameters, regression)
    return ConfigLearner(name=name, family=config.family, config=config, **made)


@maker("LinearModel")
def _linear(space: Mapping[str, object], regression: bool) -> dict:
    """Penalised linear model; gaps are filled with medians whatever ``proc.impute_strategy`` says.

    Imputation belongs to the data's preparation here, which is the same for all learners.
    """
    settings = {"C": space["C"], "penalty": space["penalty"],
                "skew_threshold": space["proc.skew_threshold"], "regression": regression}
    return {"path": f"{__name__}.linear.Linear", "settings": settings}


@maker("KNeighbors")
def _neighbours(space: Mapping[str, object], regression: bool) -> dict:
    """Nearest neighbours, of unscaled features as in AutoGluon (which drops the categories)."""
    kind = "Regressor" if regression else "Classifier"
    return {"path": f"sklearn.neighbors.KNeighbors{kind}", "settings": dict(space)}


def _forest(name: str) -> Maker:
    def make(space: Mapping[str, object], regression: bool) -> dict:
        kind = "Regressor" if regression else "Classifier"
        settings = {**space, "n_estimators": TREES, "random_state": SEED}
        return {"path": f"sklearn.ensemble.{name}{kind}", "settings": settings}
    return make


maker("RandomForest")(_forest("RandomForest"))
maker("ExtraTrees")(_forest("ExtraTrees"))


def _early_stopped(path: str, library: str, form: Callable[[Mapping], str],
                   scaling: str | None = None) -> Maker:
    def make(space: Mapping[str, object], regression: bool) -> dict:
        return {"path": f"{__name__}.{path}", "requires": (library,), "form": form(space),
                "scaling": scaling,
                "settings": {"space": dict(space), "regression": regression}}
    return make


maker("LightGBM")(_early_stopped("stepwise.LightGBM", "lightgbm", lambda space: "native"))
maker("XGBoost")(_early_stopped(
    "stepwise.XGBoost", "xgboost",
    lambda space: "native" if space["enable_categorical"] else "onehot"))
maker("CatBoost")(_early_stopped("stepwise.CatBoost", "catboost", lambda space: "native"))
maker("NeuralNetTorch")(_early_stopped(
    "stepwise.NeuralNetTorch", "torch", lambda space: "onehot", "standard"))
