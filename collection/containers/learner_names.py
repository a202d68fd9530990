"""The 32 learners of LCDB 1.1 by the paper's names (its Table 3), with the names others gave them.

Light on purpose: the analyses need the names, not the libraries.
"""

from dataclasses import dataclass

from collection.project.naming import UnknownNameError


@dataclass(frozen=True)
class LearnerName:
    """Names of one learner.

    Attributes
    ----------
    name : str
        As in the published data and this project.
    short : str
        Abbreviation of Table 3.
    title : str
        In words.
    lcdb10 : str, optional
        Its name in LCDB 1.0, which has 20 of the classic ones.
    group : str
        ``classic`` (the 24 of scikit-learn), ``mixed`` (naive Bayes) or ``modern``.
    """

    name: str
    short: str
    title: str
    lcdb10: str | None = None
    group: str = "classic"


LEARNERS = {row[0]: LearnerName(*row) for row in (
    ("SVM_Linear", "SVM_Linear", "linear support vector machine", "SVC_linear"),
    ("SVM_Poly", "SVM_Poly", "polynomial support vector machine", "SVC_poly"),
    ("SVM_RBF", "SVM_RBF", "RBF support vector machine", "SVC_rbf"),
    ("SVM_Sigmoid", "SVM_Sigmoid", "sigmoid support vector machine", "SVC_sigmoid"),
    ("Decision Tree", "DT", "decision tree", "sklearn.tree.DecisionTreeClassifier"),
    ("ExtraTree", "ET", "extra tree", "sklearn.tree.ExtraTreeClassifier"),
    ("LogisticRegression", "LR", "logistic regression",
     "sklearn.linear_model.LogisticRegression"),
    ("PassiveAggressive", "PA", "passive aggressive classifier",
     "sklearn.linear_model.PassiveAggressiveClassifier"),
    ("Perceptron", "Perceptron", "perceptron", "sklearn.linear_model.Perceptron"),
    ("RidgeClassifier", "Ridge", "ridge regression classifier",
     "sklearn.linear_model.RidgeClassifier"),
    ("SGDClassifier", "SGD", "stochastic gradient descent classifier",
     "sklearn.linear_model.SGDClassifier"),
    ("MLP", "MLP", "multilayer perceptron", "sklearn.neural_network.MLPClassifier"),
    ("LDA", "LDA", "linear discriminant analysis",
     "sklearn.discriminant_analysis.LinearDiscriminantAnalysis"),
    ("QDA", "QDA", "quadratic discriminant analysis",
     "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis"),
    ("BernoulliNB", "BernoulliNB", "Bernoulli naive Bayes", "sklearn.naive_bayes.BernoulliNB"),
    ("MultinomialNB", "MultinomialNB", "multinomial naive Bayes",
     "sklearn.naive_bayes.MultinomialNB"),
    ("ComplementNB", "ComplementNB", "complement naive Bayes"),
    ("GaussianNB", "GaussianNB", "Gaussian naive Bayes"),
    ("KNN", "KNN", "k-nearest neighbours", "sklearn.neighbors.KNeighborsClassifier"),
    ("NearestCentroid", "NC", "nearest centroid"),
    ("ens.ExtraTrees", "ens. ET", "ensemble of extra trees",
     "sklearn.ensemble.ExtraTreesClassifier"),
    ("ens.RandomForest", "ens. RF", "random forest", "sklearn.ensemble.RandomForestClassifier"),
    ("ens.GradientBoosting", "ens. GB", "gradient boosting",
     "sklearn.ensemble.GradientBoostingClassifier"),
    ("DummyClassifier", "Dummy", "majority class"),
    ("MixBernoulliNB", "MixBernoulliNB", "mixed Bernoulli naive Bayes", None, "mixed"),
    ("MixMultinomialNB", "MixMultinomialNB", "mixed multinomial naive Bayes", None, "mixed"),
    ("MixComplementNB", "MixComplementNB", "mixed complement naive Bayes", None, "mixed"),
    ("MixGaussianNB", "MixGaussianNB", "mixed Gaussian naive Bayes", None, "mixed"),
    ("CatBoost", "CatBoost", "CatBoost", None, "modern"),
    ("TabNet", "TabNet", "TabNet", None, "modern"),
    ("RealMLP", "RealMLP", "RealMLP", None, "modern"),
    ("TabPFNv2", "TabPFN v2", "TabPFN v2", None, "modern"),
)}
#: By group, in the order of the official files: the 24 of scikit-learn, which are the learners of
#: Table 8; those of Appendix C, which Section 5.1 leaves out; those that prepare features
#: themselves, which Table 4 counts without scaling only.
CLASSIC, MIXED, MODERN = (tuple(n.name for n in LEARNERS.values() if n.group == group)
                          for group in ("classic", "mixed", "modern"))
#: Learners that Table 4 does not count: the mixed ones, and the one that learns nothing.
NOT_COUNTED = (*MIXED, "DummyClassifier")
#: MLP with other mini-batches than scikit-learn's 200 rows, to move its peak (Appendix E.1).
MLP_BATCHES = tuple(f"sklearn.neural_network.MLPClassifier(batch_size={n})" for n in (180, 203))
#: Learners of ``lcdb11-anew`` that are beside its suite alone.
EXTRA = (*MIXED, *MLP_BATCHES, "TabNetSmallBatch")

#: Regressors in words, where they are no classifiers of the same name.
REGRESSOR_TITLES = {
    "LeastSquares": "least squares", "Ridge": "ridge regression", "Lasso": "lasso",
    "SGD": "stochastic gradient descent", "HistGradientBoosting": "histogram gradient boosting",
    "Dummy": "the mean",
}

#: Class of scikit-learn, LightGBM or XGBoost → learner of another name, of classes and of numbers.
CLASSES = {
    "classes": {
        "LinearSVC": "SVM_Linear", "SVC": "SVM_RBF", "DecisionTreeClassifier": "Decision Tree",
        "ExtraTreeClassifier": "ExtraTree", "PassiveAggressiveClassifier": "PassiveAggressive",
        "MLPClassifier": "MLP", "LinearDiscriminantAnalysis": "LDA",
        "QuadraticDiscriminantAnalysis": "QDA", "KNeighborsClassifier": "KNN",
        "ExtraTreesClassifier": "ens.ExtraTrees", "RandomForestClassifier": "ens.RandomForest",
        "GradientBoostingClassifier": "ens.GradientBoosting", "XGBClassifier": "XGBoost",
        "LGBMClassifier": "LightGBM (classifier)", "CatBoostClassifier": "CatBoost",
    },
    "numbers": {
        "LinearRegression": "LeastSquares", "LinearSVR": "SVM_Linear", "SVR": "SVM_RBF",
        "DecisionTreeRegressor": "Decision Tree", "ExtraTreeRegressor": "ExtraTree",
        "PassiveAggressiveRegressor": "PassiveAggressive", "SGDRegressor": "SGD",
        "MLPRegressor": "MLP", "KNeighborsRegressor": "KNN",
        "ExtraTreesRegressor": "ens.ExtraTrees", "RandomForestRegressor": "ens.RandomForest",
        "GradientBoostingRegressor": "ens.GradientBoosting",
        "HistGradientBoostingRegressor": "HistGradientBoosting", "LGBMRegressor": "LightGBM",
        "XGBRegressor": "XGBoost", "CatBoostRegressor": "CatBoost", "DummyRegressor": "Dummy",
    },
}
NAMES_IN_HELP = "or the class's, as people know it: " + ", ".join(
    f"{known} is {name}" for classes in CLASSES.values() for known, name in classes.items())

FROM_LCDB10 = {n.lcdb10: n.name for n in LEARNERS.values() if n.lcdb10}


def learner_name(label: str, known=None) -> str:
    """Return the project's name of a learner called by any other, its class's too.

    Parameters
    ----------
    label : str
        Case, spaces and underscores do not matter.
    known : iterable of str, optional
        Names to choose among; by default the 32 learners.

    Raises
    ------
    UnknownNameError
        With the close names.
    """
    known = list(LEARNERS if known is None else known)
    if label in known:
        return label
    aliases = {_plain(cls): name for classes in CLASSES.values() for cls, name in classes.items()
               if name in known}
    aliases |= {_plain(name): name for name in known}
    for n in LEARNERS.values():
        if n.name in known:
            aliases.update({_plain(a): n.name for a in (n.short, n.lcdb10 or n.name)})
    if _plain(label) not in aliases:
        classes = (cls for of in CLASSES.values() for cls, name in of.items() if name in known)
        raise UnknownNameError("learner", label, [*known, *classes])
    return aliases[_plain(label)]


def _plain(label: str) -> str:
    return "".join(c for c in str(label).lower() if c.isalnum() or c == ".")
