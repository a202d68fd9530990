"""The shipped ensembles: of which datasets and members they are made, and what ships.

``make ensemble-curves`` gathers the members, computes the ensembles and writes what ships; stopped,
it goes on where it was.
"""

import sys
from pathlib import Path

from analysis.ensemble_curves.compute import compute_ensembles
from collection.learners import find_learner
from collection.project.paths import DATA, cache_dir
from collection.store import read_curves, read_datasets
from commands.ensemble_curves import show_progress
from lab.shipped.export import export
from lab.shipped.recipes import Batch

FOLDER = DATA / "ensemble_curves"
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


def ship(store: Path, folder: Path = FOLDER) -> None:
    """Write the curves that the book shows.

    Parameters
    ----------
    store : Path
        Written by `analysis.ensemble_curves.compute.compute_ensembles`.
    folder : Path
        Receives the tables of fits and datasets.
    """
    specs = read_datasets(store).set_index("name")["spec"]
    curves = read_curves(store)
    keys = curves[["learner", "scaling", "leakage", "outer", "inner"]]
    wanted = set(zip(curves["dataset"].map(specs), *keys.T.to_numpy(), strict=True))
    export([store], wanted, folder)


def main(arguments: list[str]) -> int:
    """Make the shipped files anew; ``WORKERS=4`` in so many processes."""
    given = dict(argument.split("=") for argument in arguments)
    members, ensembles = (cache_dir() / f"ensemble_{what}" for what in ("members", "curves"))
    if lost := RECIPE.gather(members, PREDICTIONS="yes", **given):
        print("\n".join(f"{count} curves are missing: {why}" for why, count in lost.items()),
              file=sys.stderr)
        return 1
    compute_ensembles(members, ensembles, int(given.get("WORKERS", 1)), show_progress,
                      [find_learner(spec).name for spec in MEMBERS])
    ship(ensembles)
    size = sum(file.stat().st_size for file in FOLDER.iterdir())
    print(f"{FOLDER} holds {size / 1e6:.1f} MB.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
