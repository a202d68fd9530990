"""The learners that one would use on a table: scikit-learn pipelines, and the code that makes them.

What is measured is what is recommended: the code to copy is the pipeline's own description.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pprint import pformat
from typing import TYPE_CHECKING

import pandas as pd

from collection.learners.learner import Estimator
from collection.project.naming import check_known

if TYPE_CHECKING:  # the list of learners is there without the libraries
    from sklearn.base import BaseEstimator
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline

SEED = 42
MANY_NAMES = 20  # columns of a kind from which on the code to copy says "all others"
TABLE = "table"  # a source that may hold columns that are not used
MOST_LEVELS = 20  # columns that one categorical feature may become
PENALTIES = (0.01, 0.1, 1.0, 10.0)  # inverse strengths tried for logistic regression
RIDGES = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)


@dataclass(frozen=True)
class OwnLearner:
    """A learner for a table of one's own.

    Attributes
    ----------
    name, title : str
        Key in `LEARNERS`; in words.
    like : str
        The learner of LCDB 1.0 whose curves tell most of its own; for forecasts.
    classify, regress : Estimator or None
        What is made; None where it has none of that kind.
    form : {"scaled", "plain", "codes"}
        Of the features: gaps filled, numbers held to the range trained on and standardised,
        categories one-hot; numbers as they are, too; gaps left, categories as codes.
    requires : str
        A package beyond the core, empty for none.
    """

    name: str
    title: str
    like: str
    classify: Estimator | None
    regress: Estimator | None
    form: str
    requires: str = ""


def _of(path: str, **settings: object) -> Estimator:
    return Estimator(path, settings)


LIGHTGBM = {"random_state": SEED, "n_jobs": 1, "verbose": -1}
CATBOOST = {"random_seed": SEED, "thread_count": 1, "verbose": False, "allow_writing_files": False}
# A learner more is an entry here; the first that fit the task are measured unless others are named.
LEARNERS = {learner.name: learner for learner in (
    OwnLearner("LogisticRegression", "tuned logistic regression", "LogisticRegression",
               _of("sklearn.model_selection.GridSearchCV", param_grid={"C": list(PENALTIES)}, cv=3,
                   estimator=_of("sklearn.linear_model.LogisticRegression", max_iter=500)),
               None, "scaled"),
    OwnLearner("Ridge", "tuned ridge regression", "RidgeClassifier", None,
               _of("sklearn.linear_model.RidgeCV", alphas=list(RIDGES)), "scaled"),
    OwnLearner("KNN", "k nearest neighbours", "KNN", _of("sklearn.neighbors.KNeighborsClassifier"),
               _of("sklearn.neighbors.KNeighborsRegressor"), "scaled"),
    OwnLearner("ens.RandomForest", "random forest", "ens.RandomForest",
               _of("sklearn.ensemble.RandomForestClassifier", random_state=SEED),
               _of("sklearn.ensemble.RandomForestRegressor", min_samples_leaf=2, max_features=0.5,
                   random_state=SEED), "plain"),
    OwnLearner("HistGradientBoosting", "boosted trees", "ens.GradientBoosting",
               _of("sklearn.ensemble.HistGradientBoostingClassifier", random_state=SEED),
               _of("sklearn.ensemble.HistGradientBoostingRegressor", random_state=SEED), "codes"),
    OwnLearner("LightGBM", "boosted trees (LightGBM)", "ens.GradientBoosting",
               _of("lightgbm.LGBMClassifier", **LIGHTGBM),
               _of("lightgbm.LGBMRegressor", **LIGHTGBM), form="codes", requires="lightgbm"),
    OwnLearner("CatBoost", "boosted trees (CatBoost)", "ens.GradientBoosting",
               _of("catboost.CatBoostClassifier", **CATBOOST),
               _of("catboost.CatBoostRegressor", **CATBOOST), form="codes", requires="catboost"),
)}


def default_learners(regression: bool) -> tuple[str, ...]:
    """Return the names of those that are measured unless others are asked for, quick ones first."""
    return tuple(name for name, one in LEARNERS.items()
                 if not one.requires and (one.regress if regression else one.classify))


def check_learners(names: Sequence[str], regression: bool) -> tuple[str, ...]:
    """Return the names, or those of `default_learners` where there are none.

    Raises
    ------
    UnknownNameError
        For a name that is not in `LEARNERS`, is for the other kind of target, or whose package is
        not installed.
    """
    able = [name for name, one in LEARNERS.items()
            if (one.regress if regression else one.classify)
            and (not one.requires or find_spec(one.requires))]
    check_known("learner of the report", names, able)
    return tuple(dict.fromkeys(names)) or default_learners(regression)


def make_model(name: str, features: pd.DataFrame, regression: bool) -> Pipeline:
    """Return the pipeline of a learner for these columns, not fitted.

    Parameters
    ----------
    name : str
        In `LEARNERS`.
    features : pandas.DataFrame
        Numeric columns are numbers, all others categories; NaN where missing.
    regression : bool
    """
    from sklearn.pipeline import Pipeline

    learner = LEARNERS[name]
    estimator = learner.regress if regression else learner.classify
    return Pipeline([("columns", prepare_columns(features, learner.form)),
                     ("learner", estimator.make())])


def prepare_columns(features: pd.DataFrame, form: str) -> ColumnTransformer:
    """Return what brings columns into a form (see `OwnLearner`), not fitted."""
    from sklearn.compose import ColumnTransformer

    numeric = [c for c in features if pd.api.types.is_numeric_dtype(features[c])]
    categorical = [c for c in features if c not in set(numeric)]
    parts = [("numbers", _numbers(form), numeric), ("categories", _categories(form), categorical)]
    return ColumnTransformer([part for part in parts if part[2]])


def _numbers(form: str) -> BaseEstimator | str:
    if form == "codes":
        return "passthrough"
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import MinMaxScaler, StandardScaler

    fill = SimpleImputer(strategy="median", keep_empty_features=True)
    return Pipeline([("fill", fill), ("hold", MinMaxScaler(clip=True)),
                     ("scale", StandardScaler())]) if form == "scaled" else fill


def _categories(form: str) -> BaseEstimator:
    from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

    if form == "codes":
        return OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    return OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=MOST_LEVELS,
                         sparse_output=False)


def code_of(model: Pipeline, target: str, source: str) -> str:
    """Return Python code that makes and trains the model, ready to copy.

    Parameters
    ----------
    model : sklearn.pipeline.Pipeline
        Not fitted; from `make_model`.
    target : str
        The column to predict.
    source : str
        Of the table, an expression such as ``pd.read_csv("my.csv")``.
    """
    from sklearn.base import clone

    parts = [model, *(value for value in model.get_params(deep=True).values()
                      if hasattr(value, "get_params"))]
    classes = sorted({(_public(type(part)), type(part).__name__) for part in parts})
    imports = "\n".join(f"from {module} import {name}" for module, name in classes)
    steps = model.named_steps["columns"].transformers
    ordered = sorted(steps, key=lambda step: len(step[2]))
    lists = {kind: pformat(names, width=96, compact=True) for kind, _, names in ordered}
    most, _, names = ordered[-1]
    if len(names) > MANY_NAMES and source != TABLE:
        others = ", ".join([repr(target), *(f"*{kind}" for kind in lists if kind != most)])
        lists[most] = f"[name for name in table if name not in [{others}]]"
    lists = "".join(f"{kind} = {own}\n" for kind, own in lists.items())
    model = clone(model).set_params(columns__transformers=[
        (kind, made, _Name(kind)) for kind, made, _ in steps])
    if source.startswith("read_own_table"):
        imports = ("from pathlib import Path\n" + imports
                   + "\nfrom collection.own_table.read import read_own_table")
    return (f"import pandas as pd\n{imports}\n\ntable = {source}\n{lists}model = "
            f"{model.__repr__(N_CHAR_MAX=10**9)}\n"
            f"table = table[table[{target!r}].notna()]\n"
            f"model.fit(table[{' + '.join(kind for kind, _, _ in steps)}], table[{target!r}])\n")


class _Name(str):
    """Columns by the name of a variable, which a model's description shows as it is."""

    __slots__ = ()
    __repr__ = str.__str__


def _public(kind: type) -> str:
    """Return the module that a class is imported from."""
    parts = kind.__module__.split(".")
    return ".".join(parts[:next((k for k, p in enumerate(parts) if p.startswith("_")), len(parts))])
