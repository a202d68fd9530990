"""Forecasts of regression's curves by what was learnt on curves of regression, beside rivals.

The recipe of the shipped forecaster's boosted trees (`analysis.extrapolation.training.recipe`),
with its settings, but without the Gaussian beneath them: 24 tables are few for one. Each family of
near-duplicates is forecast by trees that were grown, and whose intervals were calibrated, on the
others; what rivals choose, they choose there, too.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import GroupKFold, cross_val_predict
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from analysis.extrapolation import predict, see_curves
from analysis.extrapolation.features import described
from analysis.extrapolation.folds import FOLDS
from analysis.extrapolation.seen import Seen
from analysis.extrapolation.training.examples import Source, View, make_examples
from analysis.extrapolation.training.recipe import GROWTH, LEAST, SPREAD_GROWTH
from analysis.statistics.families import families, family_of
from chapters.regression.cuts import Cut, cut_curves, median_curves, opened, scale_of

SHARES = (0.5, 0.25)  # of a table's rows, that are seen; the first is the chapter's
LEVELS = (0.05, 0.5, 0.95)
MODELS = ("POW2", "POW3", "POW4", "EXP3", "EXP4", "LOG2", "MMF4", "WBL4", "ILOG2")
LEARNT = "combined"  # the shipped forecaster, on error rates
CONTROL = "mini"  # the same trees, grown on the error rates of this database
STAYS, FORMULA, USUAL, RETRAINED = "stays", "formula", "usual", "retrained"
NOTHING = 1e-6  # the smallest error that a forecast is taken for
DIGITS = 4  # that are kept of a logarithm

Ends = tuple[np.ndarray, np.ndarray, np.ndarray]  # low, middle, high


class Lessons(NamedTuple):
    """What trees learn from: every curve cut at every size, and every size that came later.

    Attributes
    ----------
    features : ndarray, shape (n, n_features)
    goal : ndarray, shape (n,)
        Binary logarithm of the error that came over the last one seen.
    family : ndarray of str, shape (n,)
    learners : tuple of str
        By whose places features name them.
    """

    features: np.ndarray
    goal: np.ndarray
    family: np.ndarray
    learners: tuple[str, ...]

    def without(self, family: str) -> "Lessons":
        """Return those of other families."""
        kept = self.family != family
        return self._replace(features=self.features[kept], goal=self.goal[kept],
                             family=self.family[kept])


class Forecaster(NamedTuple):
    """Trees, and how far off they are.

    Attributes
    ----------
    location, spread : HistGradientBoostingRegressor
        Of the goal, and of the natural logarithm of how far off the former is.
    ends : ndarray, shape (2,)
        The ends of the 90 % interval in such spreads.
    learners : tuple of str
    """

    location: HistGradientBoostingRegressor
    spread: HistGradientBoostingRegressor
    ends: np.ndarray
    learners: tuple[str, ...]


def lessons_of(median: xr.DataArray) -> Lessons:
    """Cut curves everywhere, all learners of a table at the same size.

    Parameters
    ----------
    median : xarray.DataArray, dims (dataset, learner, anchor)
        Errors; NaN where missing.
    """
    names, learners = median["dataset"].values.astype(str), tuple(median["learner"].values.tolist())
    family, number = np.unique(families(names).astype(str), return_inverse=True)
    source = Source(median.values[:, :, None, None], median["anchor"].values.astype(float), names,
                    names, learners, number)
    every = median.sizes["anchor"]
    examples = make_examples(source, (View(1, 1, False, every, every),))
    seen, scale = _in_range(examples.seen)
    # Where there is no such size, one that no result is taken of.
    targets = np.where(np.isfinite(examples.targets), examples.targets, 2 * seen.sizes[-1])
    positive = (examples.truth > 0) & (seen.level > 0)[:, None]
    rows = np.nonzero(positive)
    goal = np.log2(examples.truth[rows] * scale[rows[0]] / seen.level[rows[0]])
    return Lessons(described(seen, targets, learners)[rows], goal, family[seen.fold[rows[0]]],
                   learners)


def _in_range(seen: Seen) -> tuple[Seen, np.ndarray]:
    """Bring every curve within 0 to 1 as `cut_curves` does; return the scales, too."""
    scale = scale_of(seen.values)
    return replace(seen, values=seen.values * scale[:, None]), scale


def learn(lessons: Lessons, growth: dict = GROWTH, spread: dict = SPREAD_GROWTH) -> Forecaster:
    """Grow trees, and calibrate them by families that they have not seen.

    Parameters
    ----------
    lessons : Lessons
        Of at least two families.
    growth, spread : dict
        Settings of scikit-learn's histogram boosting.
    """
    where = HistGradientBoostingRegressor(loss="absolute_error", **growth)
    how_far = HistGradientBoostingRegressor(**spread)
    x, family = lessons.features, lessons.family
    elsewhere = partial(cross_val_predict, X=x, groups=family,
                        cv=GroupKFold(min(FOLDS, len(set(family)))))
    off = lessons.goal - elsewhere(where, y=lessons.goal)
    size = np.log(np.abs(off) + LEAST)
    ends = np.quantile(off / np.exp(elsewhere(how_far, y=size)), [LEVELS[0], LEVELS[-1]])
    return Forecaster(where.fit(x, lessons.goal), how_far.fit(x, size), ends, lessons.learners)


def foretell(forecaster: Forecaster, cut: Cut) -> Ends:
    """Return the low end, the middle and the high end of each curve's error at its last anchor."""
    seen = see_curves(cut.seen)[0]
    x = described(seen, np.full((len(seen.values), 1), float(cut.end)), forecaster.learners)[:, 0]
    middle = forecaster.location.predict(x)
    low, high = forecaster.ends[:, None] * np.exp(forecaster.spread.predict(x))
    return tuple(cut.last * np.exp2(part) for part in (middle + low, middle, middle + high))


def shipped(method: str, cut: Cut) -> Ends:
    """Return the same of an extrapolator as it is shipped."""
    ahead = predict(cut.seen, [cut.end], extrapolator=method, levels=LEVELS)
    return tuple(ahead.isel(size=0).values.T / cut.scale)


def falls(cuts: Iterable[Cut]) -> pd.DataFrame:
    """Return what curves lost, in octaves per doubling of the rows: a row per curve."""
    parts = [pd.DataFrame({"family": family_of(cut.dataset), "learner": cut.seen["learner"].values,
                           "fall": np.log2(cut.truth / cut.last) / cut.doublings})
             for cut in cuts]
    return pd.concat(parts, ignore_index=True)


def usual_fall(others: pd.DataFrame, cut: Cut) -> Ends:
    """Let each curve fall as the learner's median curve did on other tables.

    Parameters
    ----------
    others : pandas.DataFrame
        From `falls`. How far off these medians are there gives the interval. A learner that is
        not among them falls as the median of all.
    cut : Cut
    """
    median = others.groupby("learner")["fall"].median()
    off = np.quantile(others["fall"] - others["learner"].map(median), [LEVELS[0], LEVELS[-1]])
    own = median.reindex(cut.seen["learner"].values).fillna(others["fall"].median()).to_numpy()
    return tuple(cut.last * np.exp2(cut.doublings * part)
                 for part in (own + off[0], own, own + off[1]))


def octaves(cut: Cut, share: float, method: str, said: Ends, formula: str = "") -> pd.DataFrame:
    """Return forecasts as they are kept (see `compare`)."""
    low, middle, high = (np.log2(np.maximum(part, NOTHING) / cut.truth).round(DIGITS)
                         for part in said)
    return pd.DataFrame({"share": share, "dataset": cut.dataset,
                         "learner": cut.seen["learner"].values, "method": method,
                         "formula": formula, "off": middle, "low": low, "high": high})


def formulas(cuts: list[Cut], share: float) -> pd.DataFrame:
    """Let each formula forecast; return for each family the one with the least error on others.

    Least is the median, over the curves of other families, of the size of the logarithm.
    """
    tables = [octaves(cut, share, FORMULA, shipped(model, cut), model)
              for cut in cuts for model in MODELS]
    table = pd.concat(tables, ignore_index=True)
    of = table["dataset"].map(family_of)
    parts = []
    for family in of.unique():
        others = table[of != family]
        error = others["off"].abs().groupby(others["formula"], sort=False).median()
        parts.append(table[(of == family) & (table["formula"] == error.idxmin())])
    return pd.concat(parts, ignore_index=True)


def compare(median: xr.DataArray, control: xr.DataArray, growth: dict = GROWTH,
            spread: dict = SPREAD_GROWTH) -> pd.DataFrame:
    """Forecast every curve's last anchor by all methods, a progress bar over families.

    Parameters
    ----------
    median : xarray.DataArray, dims (dataset, learner, anchor)
        Of regression.
    control : xarray.DataArray, dims (dataset, learner, anchor)
        Error rates of other tables, for `CONTROL`.
    growth, spread : dict
        As `learn` takes them.

    Returns
    -------
    pandas.DataFrame
        A row per share of the rows seen, curve and method: ``share, dataset, learner, method``;
        ``formula`` that was chosen, else empty; ``off, low, high``, binary logarithms of the
        forecast and of the ends of its 90 % interval over what came; NaN where there is none.

    Raises
    ------
    ValueError
        If both share a family of datasets: its curves would be in the training of their judges.
    """
    common = set(families(median["dataset"].values)) & set(families(control["dataset"].values))
    if common:
        raise ValueError(f"Families of datasets in both databases: {', '.join(sorted(common))}. "
                         "Take them out of the one that is not judged.")
    cuts = {share: list(cut_curves(median, share)) for share in SHARES}
    tables = [formulas(own, share) for share, own in cuts.items()]
    lessons, elsewhere = lessons_of(median), learn(lessons_of(control), growth, spread)
    changes = {share: falls(own) for share, own in cuts.items()}
    for family in tqdm(np.unique(lessons.family), desc="families", unit="family"):
        forecaster = learn(lessons.without(family), growth, spread)
        for share, own in cuts.items():
            others = changes[share][changes[share]["family"] != family]
            methods: dict[str, Callable[[Cut], Ends]] = {
                STAYS: lambda cut: (np.full(len(cut.last), np.nan), cut.last,
                                    np.full(len(cut.last), np.nan)),
                USUAL: partial(usual_fall, others), LEARNT: partial(shipped, LEARNT),
                CONTROL: partial(foretell, elsewhere), RETRAINED: partial(foretell, forecaster)}
            tables += [octaves(cut, share, name, method(cut)) for cut in own
                       if family_of(cut.dataset) == family for name, method in methods.items()]
    table = pd.concat(tables, ignore_index=True)
    return table.sort_values(["share", "dataset", "learner", "method"], ignore_index=True)


def shipped_comparison() -> pd.DataFrame:
    """Return `compare` of the two shipped databases."""
    with threadpool_limits(1):  # the order in which numbers are added is part of the result
        return compare(median_curves(opened("regression")), median_curves(opened("mini")))


KEPT = {"regression_retrained": shipped_comparison}
