"""How often the report would have been right: curves cut early, held against what came."""

import warnings
from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
import xarray as xr
from scipy.optimize import OptimizeWarning, curve_fit

from analysis.databases.chosen import validation_errors
from analysis.extrapolation import RECOMMENDED, predict
from analysis.report.points import LEAST_SIZES
from analysis.statistics.bootstrap import mean_interval
from analysis.statistics.families import family_of
from analysis.statistics.repeats import TIE
from analysis.statistics.summary import Summary, summarise, with_interval

SHARES = (0.25, 0.5)
MARGIN = 0.02  # an error to reach is set this much below, and above, the best that came
REPEATS = ("outer", "inner")


def last_slope(sizes: np.ndarray, errors: np.ndarray, target: float) -> float:
    """Go on as between the last two points, on a logarithmic axis: what the eye does.

    Parameters
    ----------
    sizes, errors : ndarray, shape (n,)
        Training-set sizes in rows, mean error rates.
    target : float
        Size in rows to predict at.
    """
    slope = (errors[-1] - errors[-2]) / np.log(sizes[-1] / sizes[-2])
    return float(np.clip(errors[-1] + slope * np.log(target / sizes[-1]), 0, 1))


def saturating_power(sizes: np.ndarray, errors: np.ndarray, target: float) -> float:
    """Predict as the package learning-curves 0.2.2 does by default: accuracy ``a − (b n + d)^c``.

    Parameters
    ----------
    sizes, errors, target
        As in `last_slope`.

    Returns
    -------
    float
        NaN where its optimiser gives up, or the formula has no value there: it then has no answer.

    Notes
    -----
    Its formula ``pow`` with its initial guess, fitted by `scipy.optimize.curve_fit`.
    """
    if len(sizes) < 4:
        return np.nan  # fewer than it has parameters

    def accuracy(n, a, b, c, d):
        return a - (b * n + d) ** c

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", OptimizeWarning)  # the spread, which is not used
        try:
            fitted, _ = curve_fit(accuracy, sizes, 1 - errors, [1, 1.7, -0.5, 1e-3])
        except (RuntimeError, ValueError):
            return np.nan
        found = 1 - accuracy(target, *fitted)
    return float(np.clip(found, 0, 1)) if np.isfinite(found) else np.nan


def last_error(sizes: np.ndarray, errors: np.ndarray, target: float) -> float:
    """Say that nothing changes: the last error stays."""
    return float(errors[-1])


#: What people use now, beside the report's forecast.
RIVALS: dict[str, Callable[[np.ndarray, np.ndarray, float], float]] = {
    "nothing changes": last_error, "last slope": last_slope, "learning-curves": saturating_power}
REPORT = "report"


def backtest(errors: xr.DataArray, shares: Iterable[float] = SHARES) -> pd.DataFrame:
    """Predict each curve's last error from its beginning, by the report and its rivals.

    Parameters
    ----------
    errors : xarray.DataArray, dims (dataset, learner, outer, inner, anchor)
        Validation error rates; NaN where missing.
    shares : iterable of float
        Of the rows of the largest training set, that are seen.

    Returns
    -------
    pandas.DataFrame
        Columns ``dataset, learner, share, method, seen`` (rows), ``target`` (rows), ``last``
        (error seen last), ``predicted``, ``low``, ``high`` (90 %; NaN for a method that gives
        none), ``actual``. Curves with fewer than 4 sizes seen are left out, as the report leaves
        them out.
    """
    rows = []
    for label in errors["dataset"].values:
        own = errors.sel(dataset=[label]).dropna("anchor", how="all").dropna("learner", how="all")
        for share in shares if own.size else ():
            rows += _of_dataset(own, label, share)
    return pd.DataFrame(rows)


def _of_dataset(own: xr.DataArray, label: object, share: float) -> list[dict]:
    target = int(own["anchor"].values[-1])
    seen = own.sel(anchor=own["anchor"] <= share * target)
    means = own.mean(REPEATS).isel(dataset=0)
    early = seen.mean(REPEATS).isel(dataset=0)
    usable = (early.notnull().sum("anchor") >= LEAST_SIZES) & means.sel(anchor=target).notnull()
    if not usable.any():
        return []
    seen, early = seen.isel(learner=usable.values), early.isel(learner=usable.values)
    forecast = {method: predict(seen, [target], extrapolator=name).isel(dataset=0, size=0)
                for method, name in (("report", RECOMMENDED), ("POW4", "POW4"))}
    rows = []
    for learner in seen["learner"].values:
        curve = early.sel(learner=learner).dropna("anchor")
        sizes = curve["anchor"].values.astype(float)
        common = {"dataset": label, "learner": learner, "share": share, "seen": int(sizes[-1]),
                  "target": target, "last": float(curve.values[-1]),
                  "actual": float(means.sel(learner=learner, anchor=target))}
        for method, found in forecast.items():
            q = found.sel(learner=learner)
            ends = (q.sel(quantile=[0.05, 0.95]).values if method == "report" else [np.nan] * 2)
            rows.append(common | {"method": method, "predicted": float(q.sel(quantile=0.5)),
                                  "low": float(ends[0]), "high": float(ends[1])})
        rows += [common | {"method": name, "low": np.nan, "high": np.nan,
                           "predicted": rival(sizes, curve.values, target)}
                 for name, rival in RIVALS.items()]
    return rows


def backtest_summary(table: pd.DataFrame) -> pd.DataFrame:
    """Say how often each method's answers were right.

    Parameters
    ----------
    table : pandas.DataFrame
        From `backtest`.

    Returns
    -------
    pandas.DataFrame
        By ``share`` and ``method``: ``n_datasets, n_curves``; ``mean_points``, the mean absolute
        error in percentage points, with ``low``, ``high`` (95 %, datasets resampled);
        ``no_answer``, the share of curves without a prediction, which count as staying at the
        last error seen;
        ``coverage90``; ``best_right``, the share of datasets where the learner predicted best was
        the best; ``regret_points``, by how much it was worse on average; ``reach_right``, the share
        of right answers to whether an error `MARGIN` below, or above, the best that came is
        reached at the target; ``closer``, by how many points the report's predictions of the same
        curves were closer, with ``closer_low``, ``closer_high``; NaN for the report itself.
    """
    rows = []
    keys = ["share", "dataset", "learner"]
    ours = table[table["method"] == REPORT].set_index(keys)
    ours = 100 * (_filled(ours) - ours["actual"]).abs()
    for (share, method), group in table.groupby(["share", "method"], sort=False):
        off = 100 * (_filled(group) - group["actual"]).abs()
        low, high = mean_interval(off, group["dataset"])
        inside = group["actual"].between(group["low"], group["high"])
        gained = off.to_numpy() - ours.reindex(pd.MultiIndex.from_frame(group[keys])).to_numpy()
        closer = (Summary(np.nan) if method == REPORT else
                  summarise(gained, group["dataset"].to_numpy()))
        choices = pd.DataFrame([_choice(own) for _, own in group.groupby("dataset", sort=False)])
        rows.append({
            "share": share, "method": method, "n_datasets": len(choices), "n_curves": len(group),
            "mean_points": off.mean(), "low": low, "high": high,
            "no_answer": group["predicted"].isna().mean(),
            "coverage90": inside.mean() if group["low"].notna().any() else np.nan,
            **choices.mean(), "closer": closer.value, "closer_low": closer.low,
            "closer_high": closer.high})
    return pd.DataFrame(rows)


def _filled(group: pd.DataFrame) -> pd.Series:
    """Return the predictions; where there is none, the last error seen."""
    return group["predicted"].fillna(group["last"])


def _choice(own: pd.DataFrame) -> dict[str, float]:
    """Judge the answers on one dataset: the best learner, and what is within reach."""
    predicted = _filled(own)
    chosen = own["actual"].to_numpy()[int(np.argmin(predicted.to_numpy()))]
    best, expected = own["actual"].min(), predicted.min()
    right = [expected > best - MARGIN, expected <= best + MARGIN]
    return {"best_right": float(chosen <= best + TIE), "regret_points": 100 * (chosen - best),
            "reach_right": float(np.mean(right))}


#: Columns of `backtest_summary` in words for a page, in its order.
WORDS = {
    "share": "rows seen [%]", "method": "method", "n_datasets": "datasets", "n_curves": "curves",
    "error": "off by [points]", "less": "report closer by [points]",
    "coverage90": "90 % range holds [%]",
    "best_right": "best learner right [%]", "regret_points": "regret [points]",
    "reach_right": "reach right [%]", "no_answer": "no answer [%]"}


def backtest_words(summary: pd.DataFrame) -> pd.DataFrame:
    """Return what `backtest_summary` gives, shares in percent, columns in words."""
    shares = ("share", "no_answer", "coverage90", "best_right", "reach_right")
    ends = summary[["mean_points", "low", "high"]].to_numpy()
    closer = summary[["closer", "closer_low", "closer_high"]].to_numpy()
    shown = summary.assign(error=[with_interval(*row) for row in ends],
                           less=[with_interval(*row) for row in closer],
                           **{name: 100 * summary[name] for name in shares})
    return shown[list(WORDS)].rename(columns=WORDS)


#: Learners of LCDB 1.0, quick ones first, as people without a table of theirs would compare them.
HANDFUL = ("KNN", "LDA", "Decision Tree", "LogisticRegression", "ens.RandomForest", "SVM_RBF",
           "ens.GradientBoosting")


def mini_backtest() -> pd.DataFrame:
    """Return `backtest_summary` of `HANDFUL` on mini, unscaled, one dataset of each family."""
    errors = validation_errors("mini").sel(scaling="none", drop=True)
    family = pd.Series([family_of(name) for name in errors["dataset"].values])
    first = ~family.duplicated().to_numpy()
    return backtest_summary(backtest(errors.isel(dataset=first).sel(learner=list(HANDFUL)).load()))


KEPT = {"report_backtest": mini_backtest}
