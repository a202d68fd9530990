"""The registry: how each learner is made and what form of the data it takes.

The settings are the published ones: the libraries' defaults and random state 42.
"""

from collection.learners.families.learners import config_learner
from collection.learners.families.registry import is_config
from collection.learners.learner import SEED, Learner, find_class, parse_spec
from collection.learners.names import LEARNERS, learner_name
from collection.naming import UnknownNameError


def _seeded(name: str, path: str, **settings) -> Learner:
    return Learner(name, path, {**settings, "random_state": SEED})


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

MODERN = (
    Learner("CatBoost", "collection.learners.modern.CatBoost", form="native",
            requires=("catboost",)),
    Learner("TabNet", "collection.learners.modern.TabNet", form="native",
            requires=("torch", "pytorch_tabnet")),
    Learner("RealMLP", "collection.learners.modern.RealMLP", requires=("torch", "pytabkit")),
    Learner("TabPFNv2", "collection.learners.modern.TabPFN", requires=("torch", "tabpfn")),
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
    Learner("LightGBM (classifier)", "lightgbm.LGBMClassifier",
            {"n_jobs": 1, "verbose": -1, "random_state": SEED}, requires=("lightgbm",)),
    Learner("XGBoost", "xgboost.XGBClassifier", {"n_jobs": 1, "random_state": SEED},
            requires=("xgboost",)),
    Learner("XGBoost (Table 4)", "collection.learners.small.Table4XGBoost",
            requires=("xgboost",)),
    Learner("CatBoost (Table 4)", "collection.learners.small.Table4CatBoost",
            requires=("catboost",)),
    Learner("AutoGluon", "collection.learners.small.AutoGluon", form="native",
            requires=("autogluon",)),
)

# The same algorithms where numbers are to be predicted, by the same names.
REGRESSORS = {
    learner.name: learner
    for learner in (
        _seeded("SVM_Linear", "sklearn.svm.LinearSVR"),
        Learner("SVM_Poly", "sklearn.svm.SVR", {"kernel": "poly"}),
        Learner("SVM_RBF", "sklearn.svm.SVR", {"kernel": "rbf"}),
        Learner("SVM_Sigmoid", "sklearn.svm.SVR", {"kernel": "sigmoid"}),
        _seeded("Decision Tree", "sklearn.tree.DecisionTreeRegressor"),
        _seeded("ExtraTree", "sklearn.tree.ExtraTreeRegressor"),
        _seeded("PassiveAggressive", "sklearn.linear_model.PassiveAggressiveRegressor"),
        _seeded("RidgeClassifier", "sklearn.linear_model.Ridge"),
        _seeded("SGDClassifier", "sklearn.linear_model.SGDRegressor"),
        _seeded("MLP", "sklearn.neural_network.MLPRegressor"),
        Learner("KNN", "sklearn.neighbors.KNeighborsRegressor"),
        _seeded("ens.ExtraTrees", "sklearn.ensemble.ExtraTreesRegressor"),
        _seeded("ens.RandomForest", "sklearn.ensemble.RandomForestRegressor"),
        _seeded("ens.GradientBoosting", "sklearn.ensemble.GradientBoostingRegressor"),
        Learner("DummyClassifier", "sklearn.dummy.DummyRegressor", {"strategy": "mean"}),
    )
}

REGISTRY = {learner.name: learner for learner in (*CLASSIC, *MIXED, *MODERN, *OURS)}


def find_learner(spec: str, regression: bool = False) -> Learner:
    """Return the learner called `spec`, or made as `spec` says.

    Parameters
    ----------
    spec : str
        A name of Table 3 (however spelled), another registered name, a config's (such as
        ``LightGBM_r3``: see `collection.learners.families`), or the import path of a scikit-learn
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
    if spec in registry:
        return registry[spec]
    if is_config(spec):
        return config_learner(spec, regression)
    try:
        return registry[learner_name(spec, [n for n in LEARNERS if n in registry])]
    except UnknownNameError:
        if "(" in spec or "." in spec.removeprefix("ens."):
            return _own(spec, "regressor" if regression else "classifier")
        raise UnknownNameError("regressor" if regression else "learner", spec, registry) from None


def _own(spec: str, kind: str) -> Learner:
    """Return the learner that a spec such as ``sklearn.svm.SVC(kernel="rbf", C=10)`` describes.

    It takes one-hot data unless the class says otherwise by an attribute `form`.
    """
    found = parse_spec(spec, kind)
    form = getattr(find_class(found.path), "form", "onehot")
    return Learner(spec, found.path, dict(found.settings), form, own=True)
