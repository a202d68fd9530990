"""How formulas fit and predict curves of different shapes: ends, ratios, what none avoids."""

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
import pandas as pd
import xarray as xr
from scipy.optimize import isotonic_regression

from analysis.fitting.curves import fit_curves
from analysis.fitting.registry import MODELS
from analysis.statistics.halves import chosen_elsewhere
from analysis.statistics.summary import summarise
from collection.containers.curves import only_dims

LEAST_ANCHORS = 4  # as many as any model's parameters, so that all are compared on the same curves
CURVE = ["dataset", "learner"]
WELL, ILL = "well-behaved", "ill-behaved"
BEST = "best of its kind"
EXACT = 1e-20  # mean squared errors below are rounding: their logarithm says nothing
#: The verdicts that curves are compared by, and the violation that belongs to each.
COMPARED = {"non_monotone": "violation_mono", "non_convex": "violation_conv"}
#: What a curve is counted as where each curve counts once; the first that holds decides.
SHAPE_CLASSES = ("missing", "flat", WELL, "dipping", "peaking", "other non-monotone",
                 "monotone, not convex")


def predict_ends(curves: xr.DataArray, models: Iterable[str] = tuple(MODELS)) -> pd.DataFrame:
    """Fit models to the first half of every curve's anchors and predict its last one.

    Half is rounded down; curves of which that is fewer than `LEAST_ANCHORS` are not listed.

    Parameters
    ----------
    curves : DataArray, dims (..., anchor)
        Error rates, one curve per element of the other dims; NaN where there is no anchor.
    models : iterable of str
        Names from `analysis.fitting.registry.MODELS`; LAST1 predicts that nothing changes.

    Returns
    -------
    DataFrame
        A row per curve and model: the labels of the other dims, ``fitted_up_to`` and
        ``last_anchor`` (rows), ``truth`` (error rate at the last anchor), ``model``,
        ``prediction`` (brought into [0, 1]), ``points`` (how far it is off, in points of error
        rate) and ``converged``.

    Raises
    ------
    UnknownNameError
        Where a model is not in the registry.
    ValueError
        Where `curves` is not as `fit_curves` wants it.

    Notes
    -----
    As in LCDB 1.0 (Mohr et al. 2022, Section 5); the paper's Section 5.4 leaves it out.
    """
    seen = curves.notnull()
    half = seen.sum("anchor") // 2
    inside = seen & (seen.cumsum("anchor") <= half)
    end, last = (curves["anchor"].where(part).max("anchor") for part in (inside, seen))
    enough = (half >= LEAST_ANCHORS).rename("enough")
    fits = fit_curves(curves.where(enough), models, up_to=end)
    at_end = curves["anchor"] == last
    truth = curves.where(at_end).max("anchor")
    prediction = fits["prediction"].where(at_end).max("anchor").clip(0, 1)
    found = only_dims(xr.Dataset({
        "enough": enough, "fitted_up_to": end, "last_anchor": last, "truth": truth,
        "prediction": prediction, "points": 100 * abs(prediction - truth),
        "converged": fits["converged"]}))
    others = [dim for dim in curves.dims if dim != "anchor"]
    table = found.to_dataframe(dim_order=["model", *others]).reset_index()
    return table[table.pop("enough")].reset_index(drop=True)


def with_classes(table: pd.DataFrame, shapes: xr.Dataset) -> pd.DataFrame:
    """Add each curve's shape, each in one class, and leave missing and flat curves out.

    Parameters
    ----------
    table : DataFrame
        With columns ``dataset, learner``.
    shapes : Dataset, dims (dataset, learner)
        From `analysis.detect_shapes`.

    Returns
    -------
    DataFrame
        Also with ``shape``, the first of `SHAPE_CLASSES` that holds (a curve that dips and peaks
        is dipping; one that dips, but is neither non-monotone nor non-convex by the test of
        either, is well-behaved), and ``group``, `WELL` or `ILL`.
    """
    conditions = [shapes["missing"].values, shapes["flat"].values, ~shapes["ill_behaved"].values]
    conditions += [shapes[c].values for c in ("dipping", "peaking", "non_monotone")]
    classes = shapes["missing"].copy(
        data=np.select(conditions, SHAPE_CLASSES[:-1], SHAPE_CLASSES[-1])).rename("shape")
    table = table.join(only_dims(classes.to_dataset()).to_dataframe(dim_order=CURVE), on=CURVE)
    table = table[~table["shape"].isin(["missing", "flat"])]
    return table.assign(group=np.where(table["shape"] == WELL, WELL, ILL))


def best_of_each_kind(table: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """Predict each kind of curve by the model that errs least on that kind, on other datasets.

    Parameters
    ----------
    table : DataFrame
        A row per curve and model: ``dataset, learner, group, model, points``.

    Returns
    -------
    rows : DataFrame
        A row per curve: ``dataset, learner, group``, ``model`` (`BEST`), and ``points``, how far
        the model chosen is off, on average over the halvings of the datasets
        (`analysis.statistics.halves`).
    chosen : dict of str to str
        Group → the model chosen most often.
    """
    wide = table.pivot(index=[*CURVE, "group"], columns="model", values="points").dropna()
    datasets, group = (wide.index.get_level_values(k).to_numpy() for k in ("dataset", "group"))
    total, times, names = np.zeros(len(wide)), np.zeros(len(wide)), {}
    for kind in (WELL, ILL):
        own = group == kind
        picks = []
        for judged, model in chosen_elsewhere(
                datasets, lambda here, own=own: wide[here & own].mean().fillna(np.inf).idxmin()):
            total[judged & own] += wide.loc[judged & own, model]
            times[judged & own] += 1
            picks.append(model)
        names[kind] = str(pd.Series(picks).mode()[0])
    rows = wide.index.to_frame(index=False).assign(model=BEST, points=total / times)
    return rows, names


def compare_kinds(table: pd.DataFrame, value: str = "points") -> pd.DataFrame:
    """Compare each model's mean over ill-behaved curves with that over well-behaved ones.

    Parameters
    ----------
    table : DataFrame
        Columns ``dataset``, ``learner``, ``group`` (`WELL` or `ILL`), ``model`` and `value`; a row
        per curve and model.
    value : str
        The column that is averaged.

    Returns
    -------
    DataFrame
        ``model``, ``n_well``, ``n_ill``; for each of ``well``, ``ill``, ``cost`` (ill minus well)
        and ``same_learner`` (ill minus the mean over the well-behaved curves of the same learner;
        curves of learners without any are left out) the value and its 95 % interval, ``…_low``
        and ``…_high``, from resampling families of datasets. NaN where a group is empty.
    """
    rows = []
    for model in table["model"].unique():
        own = table[(table["model"] == model) & table[value].notna()].sort_values("dataset")
        ill = (own["group"] == ILL).to_numpy()
        row = {"model": model, "n_well": int((~ill).sum()), "n_ill": int(ill.sum())}
        for name, statistic in _statistics(ill, pd.get_dummies(own["learner"]).to_numpy()).items():
            found = summarise(own[value], own["dataset"], statistic)
            row |= {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}
        rows.append(row)
    return pd.DataFrame(rows)


def _statistics(ill: np.ndarray, learner: np.ndarray) -> dict[str, Callable]:
    """Return what `compare_kinds` compares, of values and how often each counts, by name.

    `learner` is true where the row's curve is of the column's learner.
    """
    def mean(kind: np.ndarray, values: np.ndarray, times: np.ndarray) -> np.ndarray:
        return _ratio((times * kind) @ values, times @ kind)

    def cost(values: np.ndarray, times: np.ndarray) -> np.ndarray:
        return mean(ill, values, times) - mean(~ill, values, times)

    def same_learner(values: np.ndarray, times: np.ndarray) -> np.ndarray:
        expected = _ratio((times * ~ill * values) @ learner, (times * ~ill) @ learner)
        known = np.isfinite(expected)
        count = np.where(known, (times * ill) @ learner, 0)
        total = np.where(known, (times * ill * values) @ learner, 0)
        return _ratio((total - count * np.nan_to_num(expected)).sum(1), count.sum(1))

    return {"well": partial(mean, ~ill), "ill": partial(mean, ill), "cost": cost,
            "same_learner": same_learner}


def _ratio(total: np.ndarray, count: np.ndarray) -> np.ndarray:
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)


def fit_ratios(mse: xr.DataArray, shapes: xr.Dataset) -> pd.DataFrame:
    """Compare fits to ill- and to well-behaved curves, for both verdicts (Section 5.4).

    Parameters
    ----------
    mse : DataArray, dims (dataset, learner, model)
        Mean squared errors; NaN, and what is below `EXACT`, is left out.
    shapes : Dataset, dims (dataset, learner)
        From `analysis.detect_shapes`. Flat curves are left out, as in the paper.

    Returns
    -------
    DataFrame
        A row per ``verdict`` and ``model``: ``n_well``, ``n_ill``; ``ratio`` of the geometric
        means (ill / well) with its 95 % interval over families of datasets, ``cluster_low`` to
        ``cluster_high``; ``own_ratio, own_low, own_high``, against the same learner's well-behaved
        curves.
    """
    usable = np.log10(mse.where((mse >= EXACT) & ~shapes["flat"])).rename("log")
    table = only_dims(usable.to_dataset()).to_dataframe().reset_index().dropna(subset="log")
    verdicts = only_dims(shapes[list(COMPARED)]).to_dataframe(dim_order=CURVE)
    table = table.join(verdicts, on=CURVE)
    frames = []
    for verdict in COMPARED:
        found = compare_kinds(table.assign(group=np.where(table[verdict], ILL, WELL)), "log")
        ends = {"ratio": "cost", "cluster_low": "cost_low", "cluster_high": "cost_high",
                "own_ratio": "same_learner", "own_low": "same_learner_low",
                "own_high": "same_learner_high"}
        frames.append(found[["model", "n_well", "n_ill"]].assign(
            verdict=verdict, **{name: 10 ** found[c] for name, c in ends.items()}))
    return pd.concat(frames, ignore_index=True)


def monotone_floor(curves: xr.DataArray) -> xr.DataArray:
    """Return the smallest mean squared error that any monotone function reaches on each curve.

    POW4, MMF4 and WBL4 are monotone for all parameters that have finite values on the anchors,
    rising or falling; none of them can get below.

    Parameters
    ----------
    curves : DataArray, dims (..., anchor)
        NaN where there is no anchor.

    Returns
    -------
    DataArray, dims (...)
        The smaller one of a falling and a rising isotonic regression's errors; NaN without
        anchors.
    """
    return xr.apply_ufunc(_floor, curves, input_core_dims=[["anchor"]], vectorize=True)


def _floor(curve: np.ndarray) -> float:
    seen = curve[np.isfinite(curve)]
    if not len(seen):
        return np.nan
    fitted = (isotonic_regression(seen, increasing=rising).x for rising in (False, True))
    return min(((seen - values) ** 2).mean() for values in fitted)
