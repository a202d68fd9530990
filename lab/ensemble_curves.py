"""The shipped ensembles: of which datasets and members they are made, what ships, and opening it.

Beside the curves these are means of what choosing on few rows gives. ``make ensemble-curves``
gathers the members, computes the ensembles and writes what ships; stopped, it goes on where it was.
"""

import sys
from pathlib import Path

import pandas as pd

from analysis.ensemble_curves.command import show_progress
from analysis.ensemble_curves.compute import compute_ensembles
from analysis.ensemble_curves.registry import ENSEMBLE_CURVES, FEW
from collection.learners import find_learner
from collection.project.paths import DATA, cache_dir, shipped
from collection.shipped.export import export
from collection.shipped.recipe import Batch
from collection.store import read_curves, read_datasets, read_fits

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
FOLDER = DATA / "ensemble_curves"
FEW_ROWS = "few_rows.csv"


def ship(store: Path, folder: Path = FOLDER) -> None:
    """Write the curves and the means on few validation rows that the book shows.

    Parameters
    ----------
    store : Path
        Written by `analysis.ensemble_curves.compute.compute_ensembles`.
    folder : Path
        Receives the tables of fits and datasets, and ``few_rows.csv``.
    """
    few = {way.name for way in FEW}
    specs = read_datasets(store).set_index("name")["spec"]
    curves = read_curves(store)
    curves = curves[~curves["learner"].isin(few)]
    keys = curves[["learner", "scaling", "leakage", "outer", "inner"]]
    wanted = set(zip(curves["dataset"].map(specs), *keys.T.to_numpy(), strict=True))
    export([store], wanted, folder)
    few_rows(store).to_csv(folder / FEW_ROWS, index=False, float_format="%.6g")


def few_rows(store: Path) -> pd.DataFrame:
    """Return mean test error rates of ensembles that were chosen on few validation rows.

    Returns
    -------
    pandas.DataFrame
        Columns dataset, way ("Caruana", …), rows ("10", …, "matched", "ninth", "all"), anchor
        (rows), error_rate (mean over the repeats), repeats. Anchors at which all validation rows
        are no more than asked for have no entry but "all".
    """
    fits = read_fits(store)
    fits = fits[fits["learner"].isin([w.name for w in FEW]) & (fits["status"] == "ok")]
    bases = {name.rpartition(" on ")[0] for name in fits["learner"].unique()}
    anchors = fits[["dataset", "anchor"]].drop_duplicates()
    full = read_fits(store).merge(anchors)
    full = full[full["learner"].isin(bases) & (full["status"] == "ok")]
    both = pd.concat([
        fits.assign(way=[n.rpartition(" on ")[0] for n in fits["learner"]],
                    rows=[str(ENSEMBLE_CURVES[n].rows) for n in fits["learner"]]),
        full.assign(way=full["learner"], rows="all")])
    mean = both.groupby(["dataset", "way", "rows", "anchor"])["error_rate_test"]
    return mean.agg(error_rate="mean", repeats="size").reset_index()


def open_few_rows(folder: Path = FOLDER) -> pd.DataFrame:
    """Open what was shipped of `few_rows`."""
    return pd.read_csv(shipped(folder / FEW_ROWS), dtype={"rows": str})


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
