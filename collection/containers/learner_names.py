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
    group : str
        ``classic`` (the 24 of scikit-learn), ``mixed`` (naive Bayes) or ``modern``.
    lcdb10 : str, optional
        Its name in LCDB 1.0, which has 20 of the classic ones.
    """

    name: str
    short: str
    title: str
    group: str = "classic"
    lcdb10: str | None = None


LEARNERS = {
    n.name: n
    for n in (
        LearnerName("SVM_Linear", "SVM_Linear", "linear support vector machine",
                    lcdb10="SVC_linear"),
        LearnerName("SVM_Poly", "SVM_Poly", "polynomial support vector machine", lcdb10="SVC_poly"),
        LearnerName("SVM_RBF", "SVM_RBF", "RBF support vector machine", lcdb10="SVC_rbf"),
        LearnerName("SVM_Sigmoid", "SVM_Sigmoid", "sigmoid support vector machine",
                    lcdb10="SVC_sigmoid"),
        LearnerName("Decision Tree", "DT", "decision tree",
                    lcdb10="sklearn.tree.DecisionTreeClassifier"),
        LearnerName("ExtraTree", "ET", "extra tree", lcdb10="sklearn.tree.ExtraTreeClassifier"),
        LearnerName("LogisticRegression", "LR", "logistic regression",
                    lcdb10="sklearn.linear_model.LogisticRegression"),
        LearnerName("PassiveAggressive", "PA", "passive aggressive classifier",
                    lcdb10="sklearn.linear_model.PassiveAggressiveClassifier"),
        LearnerName("Perceptron", "Perceptron", "perceptron",
                    lcdb10="sklearn.linear_model.Perceptron"),
        LearnerName("RidgeClassifier", "Ridge", "ridge regression classifier",
                    lcdb10="sklearn.linear_model.RidgeClassifier"),
        LearnerName("SGDClassifier", "SGD", "stochastic gradient descent classifier",
                    lcdb10="sklearn.linear_model.SGDClassifier"),
        LearnerName("MLP", "MLP", "multilayer perceptron",
                    lcdb10="sklearn.neural_network.MLPClassifier"),
        LearnerName("LDA", "LDA", "linear discriminant analysis",
                    lcdb10="sklearn.discriminant_analysis.LinearDiscriminantAnalysis"),
        LearnerName("QDA", "QDA", "quadratic discriminant analysis",
                    lcdb10="sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis"),
        LearnerName("BernoulliNB", "BernoulliNB", "Bernoulli naive Bayes",
                    lcdb10="sklearn.naive_bayes.BernoulliNB"),
        LearnerName("MultinomialNB", "MultinomialNB", "multinomial naive Bayes",
                    lcdb10="sklearn.naive_bayes.MultinomialNB"),
        LearnerName("ComplementNB", "ComplementNB", "complement naive Bayes"),
        LearnerName("GaussianNB", "GaussianNB", "Gaussian naive Bayes"),
        LearnerName("KNN", "KNN", "k-nearest neighbours",
                    lcdb10="sklearn.neighbors.KNeighborsClassifier"),
        LearnerName("NearestCentroid", "NC", "nearest centroid"),
        LearnerName("ens.ExtraTrees", "ens. ET", "ensemble of extra trees",
                    lcdb10="sklearn.ensemble.ExtraTreesClassifier"),
        LearnerName("ens.RandomForest", "ens. RF", "random forest",
                    lcdb10="sklearn.ensemble.RandomForestClassifier"),
        LearnerName("ens.GradientBoosting", "ens. GB", "gradient boosting",
                    lcdb10="sklearn.ensemble.GradientBoostingClassifier"),
        LearnerName("DummyClassifier", "Dummy", "majority class"),
        LearnerName("MixBernoulliNB", "MixBernoulliNB", "mixed Bernoulli naive Bayes", "mixed"),
        LearnerName("MixMultinomialNB", "MixMultinomialNB", "mixed multinomial naive Bayes",
                    "mixed"),
        LearnerName("MixComplementNB", "MixComplementNB", "mixed complement naive Bayes", "mixed"),
        LearnerName("MixGaussianNB", "MixGaussianNB", "mixed Gaussian naive Bayes", "mixed"),
        LearnerName("CatBoost", "CatBoost", "CatBoost", "modern"),
        LearnerName("TabNet", "TabNet", "TabNet", "modern"),
        LearnerName("RealMLP", "RealMLP", "RealMLP", "modern"),
        LearnerName("TabPFNv2", "TabPFN v2", "TabPFN v2", "modern"),
    )
}

#: Regressors in words, where they are no classifiers of the same name.
REGRESSOR_TITLES = {
    "LeastSquares": "least squares", "Ridge": "ridge regression", "Lasso": "lasso",
    "SGD": "stochastic gradient descent", "HistGradientBoosting": "histogram gradient boosting",
    "LightGBM": "LightGBM", "XGBoost": "XGBoost", "Dummy": "the mean",
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
