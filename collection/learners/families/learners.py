"""The learner of a config: which class its family is, and what its hyperparameters become there.

What AutoGluon's models do before and around the library is done here too where it bears on the
predictions; where it is left out, the family's function says so.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module

from collection.learners.families.registry import Config, find_config
from collection.learners.learner import SEED, Learner

PACKAGE = "collection.learners.families"
TREES = 40  # of a forest, in each of eight bags: together as many as AutoGluon's 300


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
    return {"path": f"{PACKAGE}.linear.Linear", "settings": settings}


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
        return {"path": f"{PACKAGE}.{path}", "requires": (library,), "form": form(space),
                "scaling": scaling,
                "settings": {"space": dict(space), "regression": regression}}
    return make


maker("LightGBM")(_early_stopped("boosting.LightGBM", "lightgbm", lambda space: "native"))
maker("XGBoost")(_early_stopped(
    "boosting.XGBoost", "xgboost",
    lambda space: "native" if space["enable_categorical"] else "onehot"))
maker("CatBoost")(_early_stopped("boosting.CatBoost", "catboost", lambda space: "native"))
maker("NeuralNetTorch")(_early_stopped(
    "network.NeuralNetTorch", "torch", lambda space: "onehot", "standard"))
