"""The shipped ensembles: of which datasets and members they are made, what ships, and opening it.

Beside the curves these are mean weights, and means of what choosing on few rows gives.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from analysis.ensemble_curves.registry import ENSEMBLE_CURVES, FEW, FULL
from collection.learners import find_learner
from collection.project.paths import DATA, shipped
from collection.shipped.export import export
from collection.shipped.recipe import Batch
from collection.store import read_curve_predictions, read_curves, read_datasets, read_fits

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
FOLDER = DATA / "ensemble_curves"
WEIGHTS = "weights.parquet"
FEW_ROWS = "few_rows.csv"
WEIGHED = tuple(way.name for way in FULL if way.ensembler not in ("equal_weights", "single_best"))


def gathering(folder: Path, **more: object) -> list[str]:
    """Return the arguments of ``python -m collection`` that gather the members."""
    return RECIPE.arguments(folder / MEMBERS_STORE, PREDICTIONS="yes", **more)


def member_names() -> list[str]:
    """Return the members' names, as a store has them."""
    return [find_learner(spec).name for spec in MEMBERS]


def ship(store: Path, folder: Path = FOLDER) -> None:
    """Write the curves, mean weights and means on few validation rows that the book shows.

    Parameters
    ----------
    store : Path
        Written by `analysis.ensemble_curves.compute.compute_ensembles`.
    folder : Path
        Receives `collection.shipped.mini`'s files, ``weights.parquet`` and ``few_rows.csv``.
    """
    few = {way.name for way in FEW}
    specs = read_datasets(store).set_index("name")["spec"]
    curves = read_curves(store)
    curves = curves[~curves["learner"].isin(few)]
    keys = curves[["learner", "scaling", "leakage", "outer", "inner"]]
    wanted = set(zip(curves["dataset"].map(specs), *keys.T.to_numpy(), strict=True))
    export([store], wanted, folder)
    mean_weights(store).to_parquet(folder / WEIGHTS, compression="zstd", index=False)
    few_rows(store).to_csv(folder / FEW_ROWS, index=False, float_format="%.6g")


def mean_weights(store: Path) -> pd.DataFrame:
    """Return the members' mean weights over the repeats.

    Returns
    -------
    pandas.DataFrame
        Columns dataset, ensemble, anchor (rows), member, weight. A member that is not there in a
        repeat has weight 0 in it.
    """
    curves, sums = read_curves(store), []
    for key in curves[curves["learner"].isin(WEIGHED)].itertuples(index=False):
        own = read_curve_predictions(store, **{name: getattr(key, name) for name in (
            "dataset", "learner", "scaling", "leakage", "outer", "inner")})
        sums += [(key.dataset, key.learner, anchor, member, weight)
                 for anchor, said in own.items()
                 for member, weight in zip(said["member"], said["weight"], strict=True)]
    table = pd.DataFrame(sums, columns=["dataset", "ensemble", "anchor", "member", "weight"])
    place = ["dataset", "ensemble", "anchor"]
    total = table.groupby([*place, "member"])["weight"].sum().unstack(fill_value=0.0)
    share = total.div(total.sum(axis=1), axis=0).stack().rename("weight").reset_index()
    return share.assign(weight=share["weight"].astype(np.float32).round(4),
                        anchor=share["anchor"].astype(np.int32))


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


def open_weights(folder: Path = FOLDER) -> pd.DataFrame:
    """Open the shipped mean weights; see `mean_weights`."""
    return pd.read_parquet(shipped(folder / WEIGHTS))


def open_few_rows(folder: Path = FOLDER) -> pd.DataFrame:
    """Open what was shipped of `few_rows`."""
    return pd.read_csv(shipped(folder / FEW_ROWS), dtype={"rows": str})
