"""The registry: how each learner is made and what form of the data it takes.

The settings are the published ones: the libraries' defaults and random state 42.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module

from collection.learners.names import LEARNERS, learner_name
from collection.naming import UnknownNameError

SEED = 42


class LearnerSpecError(ValueError):
    """A learner of the user's own that cannot be read, found or made."""


@dataclass(frozen=True)
class Learner:
    """One learner.

    Attributes
    ----------
    name : str
    path : str
        Import path of its class, a scikit-learn classifier.
    settings : mapping
        Parameters of the class that are not its defaults.
    form : {"onehot", "ordinal", "native"}
        Form of the data it takes; see `collection.preprocess`.
    """

    name: str
    path: str
    settings: Mapping[str, object] = field(default_factory=dict)
    form: str = "onehot"

    def load(self) -> type:
        """Import and return the class."""
        module, _, name = self.path.rpartition(".")
        return getattr(import_module(module), name)

    def make(self, design):
        """Return an unfitted estimator for `design` (a `collection.preprocess.Design`)."""
        settings = dict(self.settings)
        if self.form == "ordinal":
            settings["categorical"] = tuple(
                range(design.n_numeric, design.n_numeric + design.n_categorical))
        return self.load()(**settings)


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
    Learner("CatBoost", "collection.learners.modern.CatBoost", form="native"),
    Learner("TabNet", "collection.learners.modern.TabNet", form="native"),
    Learner("RealMLP", "collection.learners.modern.RealMLP"),
    Learner("TabPFNv2", "collection.learners.modern.TabPFN"),
)

OURS = (  # not of the paper: TabNet as published does not learn from fewer than 1,024 rows
    Learner("TabNetSmallBatch", "collection.learners.modern.TabNet", {"shrink": True}, "native"),
)

REGISTRY = {learner.name: learner for learner in (*CLASSIC, *MIXED, *MODERN, *OURS)}


def find_learner(spec: str) -> Learner:
    """Return the learner called `spec`, or made as `spec` says.

    Parameters
    ----------
    spec : str
        A name of Table 3 (however spelled), another registered name, or the import path of a
        scikit-learn classifier with its parameters, such as ``sklearn.svm.SVC(C=10)``. Only
        literals are allowed as parameters; nothing is evaluated.

    Raises
    ------
    UnknownNameError
        With the close names.
    LearnerSpecError
        Where an import path or its parameters cannot be read.
    """
    if spec in REGISTRY:
        return REGISTRY[spec]
    try:
        return REGISTRY[learner_name(spec, [n for n in LEARNERS if n in REGISTRY])]
    except UnknownNameError:
        if "(" in spec or "." in spec:
            return parse_learner(spec)
        raise UnknownNameError("learner", spec, REGISTRY) from None


def parse_learner(spec: str) -> Learner:
    """Return the learner that a spec such as ``sklearn.svm.SVC(kernel="rbf", C=10)`` describes.

    It takes one-hot data unless the class says otherwise by an attribute `form`, and random state
    42 unless the spec gives another.
    """
    try:
        tree = ast.parse(spec.strip(), mode="eval").body
    except SyntaxError as error:
        raise LearnerSpecError(_unreadable(spec, "it is not of that form")) from error
    call = tree if isinstance(tree, ast.Call) else None
    path = ast.unparse(call.func if call else tree)
    if not all(part.isidentifier() for part in path.split(".")) or "." not in path:
        raise LearnerSpecError(_unreadable(spec, f"{path!r} is not an import path"))
    settings = _literals(spec, call) if call else {}
    made = _make(spec, path, settings)
    if "random_state" in made.get_params() and "random_state" not in settings:
        settings["random_state"] = SEED
    return Learner(spec, path, settings, getattr(made, "form", "onehot"))


def _literals(spec: str, call: ast.Call) -> dict[str, object]:
    if call.args or any(k.arg is None for k in call.keywords):
        raise LearnerSpecError(_unreadable(spec, "parameters must be given by name"))
    try:
        return {k.arg: ast.literal_eval(k.value) for k in call.keywords}
    except ValueError as error:
        raise LearnerSpecError(
            _unreadable(spec, "parameters must be numbers, strings, True, False, None, or lists, "
                              "tuples or dicts of them")) from error


def _make(spec: str, path: str, settings: Mapping[str, object]):
    """Make the classifier once, to see that it exists and takes the settings; call nothing else."""
    try:
        cls = Learner(spec, path).load()
        if not (isinstance(cls, type) and getattr(cls, "_estimator_type", "") == "classifier"):
            raise LearnerSpecError(_unreadable(spec, f"{path} is not a scikit-learn classifier"))
        return cls(**settings)
    except (ImportError, AttributeError, TypeError) as error:
        raise LearnerSpecError(_unreadable(spec, str(error))) from error


def _unreadable(spec: str, why: str) -> str:
    return (f"Cannot make the learner {spec!r}: {why}. Write the import path of a scikit-learn "
            "classifier with its parameters, such as sklearn.svm.SVC(kernel='rbf', C=10).")
