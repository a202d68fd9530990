"""The registry: how each learner is made and what form of the data it takes.

The settings are the published ones: the libraries' defaults and random state 42.
"""

from collections.abc import Iterable

from collection.containers.learner_names import CLASSES, LEARNERS, learner_name
from collection.learners import learner as learners
from collection.learners.families import config_learner, is_config
from collection.learners.learner import SEED, Estimator, Learner, LearnerSpecError
from collection.project.naming import UnknownNameError
from collection.project.parameters import items, names
from collection.project.requirements import check_installed


def _seeded(name: str, path: str, requires: tuple[str, ...] = (), **settings) -> Learner:
    return Learner(name, path, {**settings, "random_state": SEED}, requires=requires)


CLASSIC = (
    _seeded("SVM_Linear", "sklearn.svm.LinearSVC"),
    _seeded("SVM_Poly", "sklearn.svm.SVC", kernel="poly"),
    _seeded("SVM_RBF", "sklearn.svm.SVC", kernel="rbf"),
    _seeded("SVM_Sigmoid", "sklearn.svm.SVC", kernel="sigmoid"),
    _seeded("Decision Tree", "sklearn.tree.DecisionTreeClassifier"),
    _seeded("ExtraTree", "sklearn.tree.ExtraTreeClassifier"),
    _seeded("LogisticRegression", "sklearn.linear_model.LogisticRegression"),
    _seeded("PassiveAggressive", "sklearn.linear_model.PassiveAggressiveClassifier"),
    _seeded("Perceptron", "sklearn.linear_model.Perceptron"),
    _seeded("RidgeClassifier", "sklearn.linear_model.RidgeClassifier"),
    _seeded("SGDClassifier", "sklearn.linear_model.SGDClassifier"),
    _seeded("MLP", "sklearn.neural_network.MLPClassifier"),
    Learner("LDA", "sklearn.discriminant_analysis.LinearDiscriminantAnalysis"),
    Learner("QDA", "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis"),
    Learner("BernoulliNB", "sklearn.naive_bayes.BernoulliNB"),
    Learner("MultinomialNB", "sklearn.naive_bayes.MultinomialNB"),
    Learner("ComplementNB", "sklearn.naive_bayes.ComplementNB"),
    Learner("GaussianNB", "sklearn.naive_bayes.GaussianNB"),
    Learner("KNN", "sklearn.neighbors.KNeighborsClassifier"),
    Learner("NearestCentroid", "sklearn.neighbors.NearestCentroid"),
    _seeded("ens.ExtraTrees", "sklearn.ensemble.ExtraTreesClassifier"),
    _seeded("ens.RandomForest", "sklearn.ensemble.RandomForestClassifier"),
    _seeded("ens.GradientBoosting", "sklearn.ensemble.GradientBoostingClassifier"),
    Learner("DummyClassifier", "sklearn.dummy.DummyClassifier", {"strategy": "most_frequent"}),
)

MIXED = tuple(
    Learner(f"Mix{numeric}", "collection.learners.mixed.MixedNB", {"numeric": numeric}, "ordinal")
    for numeric in ("BernoulliNB", "MultinomialNB", "ComplementNB", "GaussianNB")
)

PRETRAINED = "collection.learners.modern.TabPFN"  # which needs weights
MODERN = (
    Learner("CatBoost", "collection.learners.modern.CatBoost", form="native",
            requires=("catboost",)),
    Learner("TabNet", "collection.learners.modern.TabNet", form="native",
            requires=("torch", "pytorch_tabnet")),
    Learner("RealMLP", "collection.learners.modern.RealMLP", requires=("torch", "pytabkit")),
    Learner("TabPFNv2", PRETRAINED, requires=("torch", "tabpfn")),
)

# Learners that are not of the paper; a new one goes here, and touches nothing of the paper's.
OURS = (
    # TabNet as published does not learn from fewer than 1,024 rows.
    Learner("TabNetSmallBatch", "collection.learners.modern.TabNet", {"shrink": True}, "native",
            requires=("torch", "pytorch_tabnet")),
    # Baselines of PMLBmini (collection.shipped.small), as published and with true defaults.
    Learner("NestedLogistic", "collection.learners.small.NestedLogistic"),
    Learner("LightGBM (native)", "collection.learners.small.NativeLightGBM",
            requires=("lightgbm",)),
    _seeded("LightGBM (classifier)", "lightgbm.LGBMClassifier", ("lightgbm",), n_jobs=1,
            verbose=-1),
    _seeded("XGBoost", "xgboost.XGBClassifier", ("xgboost",), n_jobs=1),
    Learner("XGBoost (Table 4)", "collection.learners.small.Table4XGBoost",
            requires=("xgboost",)),
    Learner("CatBoost (Table 4)", "collection.learners.small.Table4CatBoost",
            requires=("catboost",)),
    Learner("AutoGluon", "collection.learners.small.AutoGluon", form="native",
            requires=("autogluon",)),
)


def _unitless(name: str, path: str, **settings) -> Learner:
    """Return a regressor that learns the target standardised on its training rows.

    For those whose settings have the target's unit: a penalty, a tube's width, a step.
    """
    parts = {"regressor": Estimator(path, settings),
             "transformer": Estimator("sklearn.preprocessing.StandardScaler")}
    return Learner(name, "sklearn.compose.TransformedTargetRegressor", parts,
                   family=path.rpartition(".")[2])


# Where numbers are to be predicted: the same algorithms by the same names, and some more.
REGRESSORS = {learner.name: learner for learner in (
    Learner("LeastSquares", "sklearn.linear_model.LinearRegression"),
    _seeded("Ridge", "sklearn.linear_model.Ridge"),
    # With scikit-learn's penalty of 1 it would predict the mean of a standardised target.
    _unitless("Lasso", "sklearn.linear_model.Lasso", alpha=0.1, random_state=SEED),
    _unitless("SVM_Linear", "sklearn.svm.LinearSVR", random_state=SEED),
    _unitless("SVM_Poly", "sklearn.svm.SVR", kernel="poly"),
    _unitless("SVM_RBF", "sklearn.svm.SVR", kernel="rbf"),
    _unitless("SVM_Sigmoid", "sklearn.svm.SVR", kernel="sigmoid"),
    _seeded("Decision Tree", "sklearn.tree.DecisionTreeRegressor"),
    _seeded("ExtraTree", "sklearn.tree.ExtraTreeRegressor"),
    _unitless("PassiveAggressive", "sklearn.linear_model.PassiveAggressiveRegressor",
              random_state=SEED),
    _unitless("SGD", "sklearn.linear_model.SGDRegressor", random_state=SEED),
    _unitless("MLP", "sklearn.neural_network.MLPRegressor", random_state=SEED),
    Learner("KNN", "sklearn.neighbors.KNeighborsRegressor"),
    _seeded("ens.ExtraTrees", "sklearn.ensemble.ExtraTreesRegressor"),
    _seeded("ens.RandomForest", "sklearn.ensemble.RandomForestRegressor"),
    _seeded("ens.GradientBoosting", "sklearn.ensemble.GradientBoostingRegressor"),
    _seeded("HistGradientBoosting", "sklearn.ensemble.HistGradientBoostingRegressor"),
    _seeded("LightGBM", "lightgbm.LGBMRegressor", ("lightgbm",), n_jobs=1, verbose=-1),
    _seeded("XGBoost", "xgboost.XGBRegressor", ("xgboost",), n_jobs=1),
    Learner("CatBoost", "collection.learners.modern.CatBoostRegressor", form="native",
            requires=("catboost",)),
    Learner("RealMLP", "collection.learners.modern.RealMLPRegressor",
            requires=("torch", "pytabkit"), family="RealMLP"),
    Learner("AutoGluon", "collection.learners.small.AutoGluon", {"regression": True},
            form="native", requires=("autogluon",)),
    Learner("Dummy", "sklearn.dummy.DummyRegressor", {"strategy": "mean"}),
)}
# Regressors that are not called as their classifiers are.
REGRESSOR_OF = {"RidgeClassifier": "Ridge", "SGDClassifier": "SGD", "DummyClassifier": "Dummy"}

REGISTRY = {learner.name: learner for learner in (*CLASSIC, *MIXED, *MODERN, *OURS)}


def find_learner(spec: str, regression: bool = False) -> Learner:
    """Return the learner called `spec`, or made as `spec` says.

    Parameters
    ----------
    spec : str
        A name of Table 3 (however spelled), another registered name, that of its class (such as
        ``RandomForestClassifier``; ``SVC`` is that with scikit-learn's default kernel), a config's
        (``LightGBM_r3``: see `collection.learners.families`), or the import path of a scikit-learn
        classifier with its parameters, such as ``sklearn.svm.SVC(C=10)``. Only
        literals and further estimators are allowed as parameters; nothing is evaluated. See
        `collection.learners.learner`.
    regression : bool
        Whether it is to predict numbers: the registered name then stands for the same algorithm's
        regressor, and the import path is of one.

    Raises
    ------
    UnknownNameError
        With the close names; for regression, those that have a regressor.
    LearnerSpecError
        Where an import path or its parameters cannot be read.
    """
    registry = REGRESSORS if regression else REGISTRY
    classes = CLASSES["numbers" if regression else "classes"]
    if spec in registry:
        return registry[spec]
    if is_config(spec):
        return config_learner(spec, regression)
    try:
        if any(spec in of for of in CLASSES.values()):
            return registry[classes[spec]]
        if not regression:
            return registry[learner_name(spec, [n for n in LEARNERS if n in registry])]
        names = {*registry, *REGRESSOR_OF}
        known = learner_name(spec, [*(n for n in LEARNERS if n in names), *registry])
        return registry[REGRESSOR_OF.get(known, known)]
    except KeyError:  # UnknownNameError, too
        if "(" in spec or "." in spec.removeprefix("ens."):
            return _own(spec, "regressor" if regression else "classifier")
        raise UnknownNameError("regressor" if regression else "learner", spec,
                               [*registry, *classes]) from None


def read_learners(value: object) -> tuple[str, ...]:
    """Return the learners that a text names, separated by spaces, or those of a sequence.

    Words that make a registered name together, such as ``Decision Tree``, are one.
    """
    words, found = items(value), []
    several = {name.lower(): name for name in {*REGISTRY, *REGRESSORS} if " " in name}
    while words and isinstance(value, str):
        taken = next((n for n in range(len(words), 1, -1)
                      if " ".join(words[:n]).lower() in several), 1)
        name = " ".join(words[:taken])
        found.append(several.get(name.lower(), name))
        words = words[taken:]
    return names(found or value)


def find_suited(spec: str, regression: bool) -> Learner | None:
    """Return a learner for a kind of problem as `find_learner` does; None where it has none."""
    try:
        return find_learner(spec, regression)
    except (UnknownNameError, LearnerSpecError):
        return None


def check_learners(specs: Iterable[str]) -> None:
    """Raise where a learner is unknown, or its library or pretrained weights are not here."""
    specs = list(specs)
    for spec in specs:
        if not (find_suited(spec, regression=False) or find_suited(spec, regression=True)):
            find_learner(spec)
    suited = [learner for spec in specs for regression in (False, True)
              if (learner := find_suited(spec, regression))]
    check_installed(suited)
    for learner in suited:
        if learner.path == PRETRAINED:
            learner.load()(**learner.settings).check_weights()


def _own(spec: str, kind: str) -> Learner:
    """Return the learner that a spec such as ``sklearn.svm.SVC(kernel="rbf", C=10)`` describes.

    It takes one-hot data unless the class says otherwise by an attribute `form`.
    """
    found = learners.parse_spec(spec, kind)
    form = getattr(learners.find_class(found.path), "form", "onehot")
    return Learner(spec, found.path, dict(found.settings), form, own=True)
