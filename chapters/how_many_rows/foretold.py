"""Whether what is known at a small size tells that a learner will overtake logistic regression."""

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.lcdb10 import meta_features_table
from analysis.statistics.bootstrap import percentile_interval
from chapters.how_many_rows.overtaking import BASELINE
from collection import metrics

PENALTY = 10.0  # of the ridge: fixed beforehand, in the unit of a standardised feature's squares
SMALL = 64  # rows at which one looks: an anchor of every curve
BY = 1000  # rows by which the learner has to be ahead for good
LEAD = "lead"  # of the learner at `SMALL`
#: Learners that are quick to try at any size, whose errors at `SMALL` are meta-features.
SIMPLE = (BASELINE, "KNN", "Decision Tree", "BernoulliNB", "RidgeClassifier", "SVM_Linear")
#: What each set of features is, for tables.
SETS = {
    "lead": "the learner's own lead at 64 rows",
    "table": "number of features (so rows per feature), of classes, nominal share, smallest class",
    "errors": "errors of simple learners at 64 rows, and how they fall",
    "all": "all of these",
}


def small_features(errors: xr.DataArray) -> pd.DataFrame:
    """Return what is known of each dataset at `SMALL` rows, but for the learner's own lead.

    Parameters
    ----------
    errors : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        From `open_errors`, of LCDB 1.0.

    Returns
    -------
    pandas.DataFrame
        Index the dataset; columns of two levels: the name of the set (``table``, ``errors``) and
        of the feature. NaN where unknown.
    """
    ids = errors["dataset"].values
    known = meta_features_table().reindex(ids)
    features = known["NumberOfFeatures"] - 1
    table = {"log features": np.log(features), "log classes": np.log(known["NumberOfClasses"]),
             "smallest class": known["MinorityClassPercentage"] / 100,
             "nominal features": known["NumberOfSymbolicFeatures"] / known["NumberOfFeatures"]}
    errors = errors.sel(learner=list(SIMPLE), anchor=[SMALL // 2, SMALL]).mean(["outer", "inner"])
    at = errors.sel(anchor=SMALL).to_pandas()
    fall = (errors.sel(anchor=SMALL // 2, drop=True) - errors.sel(anchor=SMALL)).to_pandas()
    gap = at.drop(columns=BASELINE).sub(at[BASELINE], axis=0)
    measured = {f"error of {BASELINE}": at[BASELINE],
                f"fall of {BASELINE}": fall[BASELINE],
                **{f"gap of {name}": gap[name] for name in gap}}
    return pd.concat({"table": pd.DataFrame(table), "errors": pd.DataFrame(measured)}, axis=1)


def foretell(mean: xr.DataArray, cases: xr.Dataset, family: pd.Series, features: pd.DataFrame,
             learners: list[str], seed: int = 0, n_resamples: int = 1000) -> pd.DataFrame:
    """Return how well being ahead for good by `BY` rows is foretold for datasets left out.

    Parameters
    ----------
    mean, cases
        From `chapters.how_many_rows.overtaking`.
    family : pandas.Series
        Family of each dataset, in order; the first with curves stands for it.
    features : pandas.DataFrame
        From `small_features`.
    learners : list of str
        Asked about.
    seed, n_resamples : int
        Of folds and permutations, and of the bootstrap over problems.

    Returns
    -------
    pandas.DataFrame
        A row per learner and set of `SETS`: ``learner, known, auc, low, high`` (of ridge
        predictions for the folds left out; 0.5 is chance), ``right`` (share foretold, a prediction
        above 0.5 being "yes"), ``usual`` (the same for the share in the other folds), ``p`` (share
        of permuted outcomes, refitted, whose AUC is as high), ``p_adjusted`` (by the largest AUC of
        all rows, each learner's outcomes permuted anew), ``beyond_lead, beyond_low, beyond_high``
        (AUC minus that of the lead alone), ``n_datasets``.
    """
    parts, chance = [], []
    for learner in learners:
        counts, lead, outcome = _problems(mean, cases, family, learner)
        known = features.loc[counts]
        sets = {"lead": lead[:, None], "table": known["table"].to_numpy(),
                "errors": known["errors"].to_numpy()}
        sets["all"] = np.hstack(list(sets.values()))
        rows, permuted = _judge(learner, sets, outcome, seed, n_resamples)
        parts, chance = parts + rows, chance + permuted
    table = pd.DataFrame(parts)
    largest = np.max(chance, axis=0)
    return table.assign(
        p_adjusted=[(1 + (largest >= a - 1e-12).sum()) / (1 + n_resamples) for a in table["auc"]])


def _problems(mean: xr.DataArray, cases: xr.Dataset, family: pd.Series,
              learner: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ids of the problems that count, the lead at `SMALL`, and whether it overtakes."""
    lead = -mean.sel(learner=learner, anchor=SMALL).values
    here = cases.sel(learner=learner)
    counts = (here["last"] >= BY).values & ~np.isnan(lead)
    chosen = np.flatnonzero(counts)
    chosen = chosen[~family.iloc[chosen].duplicated().to_numpy()]
    return here["dataset"].values[chosen], lead[chosen], (here["rows"] <= BY).values[chosen]


def _judge(learner: str, sets: dict[str, np.ndarray], outcome: np.ndarray, seed: int,
           n_resamples: int) -> tuple[list[dict], list[np.ndarray]]:
    n, generator = len(outcome), np.random.default_rng(seed)
    fold = make_folds(n, seed=seed)
    shuffled = np.column_stack([generator.permutation(outcome) for _ in range(n_resamples)])
    drawn = generator.integers(n, size=(n, n_resamples))
    rows, chance, lead_drawn, lead_auc = [], [], 0.0, 0.0
    for name, values in sets.items():
        matrix = left_out_matrix(values, fold)
        said = matrix @ outcome
        auc = float(metrics.auc(outcome, said))
        permuted = metrics.auc(shuffled.T, (matrix @ shuffled).T)
        again = metrics.auc(outcome[drawn].T, said[drawn].T)
        if name == LEAD:
            lead_drawn, lead_auc = again, auc
        low, high = percentile_interval(again)
        beyond = percentile_interval(again - lead_drawn)
        train_share = _left_out_share(outcome, fold)
        rows.append({
            "learner": learner, "known": name, "auc": auc, "low": float(low), "high": float(high),
            "right": float(((said > 0.5) == outcome).mean()),
            "usual": float(((train_share > 0.5) == outcome).mean()),
            "p": float((1 + (permuted >= auc - 1e-12).sum()) / (1 + n_resamples)),
            "beyond_lead": auc - lead_auc, "beyond_low": float(beyond[0]),
            "beyond_high": float(beyond[1]), "n_datasets": n})
        chance.append(permuted)
    return rows, chance


def _left_out_share(outcome: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """Return for each row the share of positives in the other folds: the guess without features."""
    return np.array([outcome[fold != k].mean() for k in fold])


def left_out_matrix(features: np.ndarray, fold: np.ndarray,
                    penalty: float = PENALTY) -> np.ndarray:
    """Return the matrix that takes outcomes to ridge predictions for the folds left out.

    Parameters
    ----------
    features : ndarray, shape (n, k)
        NaN takes the median of the training part; features are standardised there.
    fold : ndarray of int, shape (n,)
        Of each row.
    penalty : float
        On the squared weights; the intercept is free.

    Returns
    -------
    ndarray, shape (n, n)
        Row i holds the weights of the outcomes in the prediction of row i: 0 for its own fold.

    Raises
    ------
    ValueError
        Where all rows are of one fold.
    """
    n = len(fold)
    if len(np.unique(fold)) < 2:
        raise ValueError("Leaving a fold out needs two folds or more; all rows are of one.")
    matrix = np.zeros((n, n))
    for k in np.unique(fold):
        train, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        x, new = _standardised(features[train], features[test])
        weights = np.linalg.solve(x.T @ x + penalty * np.eye(x.shape[1]), x.T)
        centre = np.eye(len(train)) - 1 / len(train)
        matrix[np.ix_(test, train)] = new @ weights @ centre + 1 / len(train)
    return matrix


def _standardised(train: np.ndarray, new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    median = np.nan_to_num(np.nanmedian(train, axis=0))
    train, new = (np.where(np.isnan(x), median, x) for x in (train, new))
    mean, spread = train.mean(axis=0), train.std(axis=0)
    spread = np.where(spread > 0, spread, 1)
    return (train - mean) / spread, (new - mean) / spread


def make_folds(n: int, folds: int = 10, seed: int = 0) -> np.ndarray:
    """Return a fold for each of `n` rows, as even as can be, in random order."""
    return np.random.default_rng(seed).permutation(np.arange(n) % min(folds, n))
