"""Real AutoML systems beside ours: kept of what TabRepo's authors and AutoGluon publish."""

import json

import pandas as pd

from analysis.databases.scores import amlb_scores
from analysis.leaderboards import leaderboard_intervals
from analysis.published.computed import NotAtHandError
from collection.paths import published_dir

FAMILIES = {"CAT": "CatBoost", "NN_TORCH": "NeuralNetTorch", "GBM": "LightGBM", "XGB": "XGBoost",
            "RF": "RandomForest", "XT": "ExtraTrees", "KNN": "KNeighbors", "FASTAI": "FastAI",
            "LR": "LinearModel"}


def automl_systems() -> pd.DataFrame:
    """Compare the AutoML systems that TabRepo's authors ran on the AutoML benchmark.

    Returns
    -------
    pandas.DataFrame
        Columns ``method, normalized_error, low, high, rank, rank_low, rank_high, datasets``:
        among these systems alone, on the datasets that all have results for.

    Raises
    ------
    NotAtHandError
        Where the results are not in the cache.
    """
    table = leaderboard_intervals(amlb_scores(), missing="common")
    wide = table.pivot(index="method", columns="measure", values=["value", "low", "high"])
    found = pd.DataFrame({
        "normalized_error": wide["value"]["normalized_error"],
        "low": wide["low"]["normalized_error"], "high": wide["high"]["normalized_error"],
        "rank": wide["value"]["rank"], "rank_low": wide["low"]["rank"],
        "rank_high": wide["high"]["rank"]})
    scores = amlb_scores().dropna(subset="error")
    per_fold = scores.groupby(["task", "fold"])["method"].nunique()
    complete = per_fold[per_fold == per_fold.max()].reset_index()
    return found.sort_values("rank",
                             kind="stable").reset_index().assign(datasets=complete["task"].nunique())


def autogluon_portfolio() -> pd.DataFrame:
    """Return the families of the portfolio that AutoGluon 1.0 ships, learned from TabRepo.

    Returns
    -------
    pandas.DataFrame
        Columns ``position`` (from 1), ``family``.

    Raises
    ------
    NotAtHandError
        Where the file is not at hand.
    """
    folder = published_dir()
    path = folder / "tabrepo" / "autogluon_portfolio_2023.json" if folder else None
    if path is None or not path.is_file():
        raise NotAtHandError("AutoGluon's portfolio is not at hand: LEARNING_CURVES_PUBLISHED "
                             "names no folder that holds tabrepo/autogluon_portfolio_2023.json.")
    learned = json.loads(path.read_text())["learned_in_order"]
    return pd.DataFrame({"position": [entry["position"] for entry in learned],
                         "family": [FAMILIES[entry["family"]] for entry in learned]})


KEPT = {"portfolios_automl": automl_systems, "portfolios_autogluon": autogluon_portfolio}
