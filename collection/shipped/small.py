"""PMLBmini's baselines, as they ship: the methods by the paper's names, cheap ones first."""

from dataclasses import dataclass

import pandas as pd

from collection.project.paths import DATA, shipped

FILE = DATA / "small" / "baselines.csv"
SUITE = "pmlbmini"
LOGISTIC = "Logistic regression"


@dataclass(frozen=True)
class Baseline:
    """A method and how it is run.

    Attributes
    ----------
    method : str
        As the paper calls it; what it has not says how it differs.
    learner : str
        Name or spec; empty: not run here, published results only.
    about : str
        For the reader.
    """

    method: str
    learner: str = ""
    about: str = ""


BASELINES = (
    Baseline(LOGISTIC, "NestedLogistic", "λ of a grid of four by nested cross-validation"),
    Baseline("LightGBM", "LightGBM (native)", "lightgbm.train's defaults: squared error on 0, 1"),
    Baseline("LightGBM (classifier)", "LightGBM (classifier)", "LGBMClassifier's defaults"),
    Baseline("XGBoost (Table 4)", "XGBoost (Table 4)", "2 trees of depth 2, hard labels"),
    Baseline("CatBoost (Table 4)", "CatBoost (Table 4)", "2 trees of depth 2, hard labels"),
    Baseline("XGBoost", "XGBoost", "XGBClassifier's defaults"),
    Baseline("Random forest", "ens.RandomForest", "scikit-learn's defaults"),
    Baseline("CatBoost", "CatBoost", "CatBoostClassifier's defaults"),
    Baseline("RealMLP", "RealMLP", "pytabkit's tuned defaults"),
    Baseline("TabPFN", "TabPFNv2", "version 2, pretrained"),
    Baseline("AutoGluon", "AutoGluon", "10 seconds per fit; best_quality"),
    Baseline("HyperFast", about="published results only"),
    Baseline("AutoPrognosis", about="published results only"),
)
METHODS = {baseline.method: baseline for baseline in BASELINES}


def baseline_fits() -> pd.DataFrame:
    """Return every fit of the baselines that ship.

    Returns
    -------
    pandas.DataFrame
        ``dataset, method, fold, split`` (test, or train: fitted and scored on all rows), ``auc``
        (NaN: see ``status`` and ``message``), ``hyperparameters`` that the method chose (JSON;
        empty: none), ``seconds``. Methods that were not run have the status ``not_run``.
    """
    return pd.read_csv(shipped(FILE)).fillna({"message": "", "hyperparameters": ""})
