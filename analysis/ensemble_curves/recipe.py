"""What the shipped ensembles are made of: datasets and members, gathered with predictions."""

from pathlib import Path

from collection.learners import find_learner
from collection.mini.recipe import Batch

MEMBERS = {
    "KNN": "k-nearest neighbours",
    "LDA": "linear discriminant",
    "QDA": "quadratic discriminant",
    "GaussianNB": "Gaussian naive Bayes",
    "BernoulliNB": "Bernoulli naive Bayes",
    "Decision Tree": "decision tree",
    "LogisticRegression": "logistic regression",
    "sklearn.svm.SVC(probability=True)": "RBF SVM, Platt",
    "sklearn.linear_model.SGDClassifier(loss='log_loss')": "logistic SGD",
    "sklearn.ensemble.ExtraTreesClassifier(n_estimators=25)": "25 extra trees",
    "sklearn.neural_network.MLPClassifier(solver='lbfgs',hidden_layer_sizes=30,max_iter=100)":
        "MLP, 30 units, L-BFGS",
}
DATASETS = ("keel:vehicle", "keel:imbalanced/pima", "sklearn:breast_cancer", "keel:ionosphere",
            "keel:haberman", "keel:movement_libras", "keel:saheart", "keel:tic-tac-toe",
            "keel:vowel")
RECIPE = Batch(DATASETS, tuple(MEMBERS), ("standard",))
MEMBERS_STORE, ENSEMBLES_STORE = "ensemble_members", "ensemble_curves"


def gathering(folder: Path, **more: object) -> list[str]:
    """Return the arguments of ``python -m collection`` that gather the members."""
    return RECIPE.arguments(folder, OUT=folder / MEMBERS_STORE, PREDICTIONS="yes", **more)


def member_names() -> list[str]:
    """Return the members' names, as a store has them."""
    return [find_learner(spec).name for spec in MEMBERS]
