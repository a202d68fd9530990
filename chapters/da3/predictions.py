"""Extrapolate curves: fit a model to the first part, predict the last anchor, and what is lost."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import xarray as xr

from analysis.fitting import FitStatus
from analysis.fitting.batch import Fit, fit_batch
from analysis.fitting.curves import flatten_curves
from analysis.fitting.registry import MODELS, curve_models
from analysis.statistics.bootstrap import percentile_interval, ratio_of_sums, resample_datasets
from analysis.statistics.headlines import LEAST, leader
from chapters.da3.fits import SHAPE_CLASSES
from chapters.da3.required import LEAST_ANCHORS
from collection.container import only_dims

SHARES = (0.25, 0.5, 0.75)


def extrapolate(curves: xr.DataArray, models: Iterable[str] = tuple(MODELS), *,
                shares: Iterable[float] = SHARES, least: int = LEAST_ANCHORS) -> pd.DataFrame:
    """Fit models to the first anchors of every curve and predict its last one.

    Parameters
    ----------
    curves : DataArray, dims (..., anchor)
        Error rates, one curve per element of the other dims; NaN where there is no anchor.
    models : iterable of str
        Names from `analysis.fitting.registry.MODELS`; LAST1 is the baseline.
    shares : iterable of float
        Which parts of a curve to fit: the share of its anchors, rounded down.
    least : int
        Parts with fewer anchors are left out.

    Returns
    -------
    DataFrame
        A row per curve, part and model: the labels of the other dims, ``share``, ``model``,
        ``n_anchors`` (fitted), ``fitted_up_to`` and ``last_anchor`` (training-set sizes),
        ``ratio`` (their quotient: how far the model extrapolates), ``truth`` (error rate at the
        last anchor), ``prediction`` (brought into [0, 1], which an error rate cannot leave),
        ``clipped`` (whether it had left it), ``error`` (prediction minus truth), ``points``
        (its size, in error-rate points, i.e. hundredths), ``converged`` and ``status``.
        Curves too short for a part are not listed in it.

    Raises
    ------
    UnknownNameError
        Where a model is not in the registry.
    ValueError
        Where a share is not between 0 and 1, or `curves` is not as `fit_curves` wants it.

    Notes
    -----
    As in LCDB 1.0 (Mohr et al. 2022, Section 5); the paper's Section 5.4 leaves it out.
    """
    chosen = curve_models(models)
    sizes, values, _ = flatten_curves(curves)
    labels = _curve_labels(curves)
    frames = [_predict_last(sizes, values, labels, chosen, share, least) for share in shares]
    return pd.concat(frames, ignore_index=True)


def _curve_labels(curves: xr.DataArray) -> pd.DataFrame:
    """Return the labels of the dims other than ``anchor``, a row per curve in their order."""
    others = {dim: curves[dim].values for dim in curves.dims if dim != "anchor"}
    return pd.MultiIndex.from_product(others.values(), names=others).to_frame(index=False) \
        if others else pd.DataFrame(index=[0])


def _predict_last(sizes, values, labels, models, share, least) -> pd.DataFrame:
    """Return the table of one share."""
    if not 0 < share < 1:
        raise ValueError(f"A share of {share} leaves nothing to fit or nothing to predict; "
                         "shares lie between 0 and 1.")
    seen = np.isfinite(values)
    fitted = np.floor(share * seen.sum(1) + 1e-9).astype(int)
    rows = np.flatnonzero(fitted >= least)
    values, seen, fitted = values[rows], seen[rows], fitted[rows]
    inside = seen & (seen.cumsum(1) <= fitted[:, None])
    end, last = (np.where(part, sizes, 0).max(1, initial=0) for part in (inside, seen))
    truth = values[np.arange(len(rows)), np.searchsorted(sizes, last)]
    cut = labels.iloc[rows].assign(share=share, n_anchors=fitted, fitted_up_to=end,
                                   last_anchor=last, ratio=last / end, truth=truth)
    return pd.concat([_judge(cut, fit_batch(sizes, values, inside.astype(float), model))
                      for model in models])


def _judge(cut: pd.DataFrame, fit: Fit) -> pd.DataFrame:
    """Add one model's predictions of the last anchor, and how far off they are."""
    raw = fit.predict(cut["last_anchor"].to_numpy()[:, None])[:, 0]
    error = raw.clip(0, 1) - cut["truth"]
    return cut.assign(
        model=fit.model.name, prediction=raw.clip(0, 1), clipped=(raw < 0) | (raw > 1),
        error=error, points=100 * error.abs(), converged=fit.converged,
        status=[FitStatus(s).name for s in fit.status])


def summarise(table: pd.DataFrame, by: Iterable[str] = ()) -> pd.DataFrame:
    """Summarise `extrapolate`'s table per model, and per group of the columns `by`.

    Parameters
    ----------
    table : DataFrame
        From `extrapolate`, perhaps with columns of the curves' shapes merged in.
    by : iterable of str
        Columns to group by; ``octaves`` (log2 of ``ratio``, rounded up) is made if asked for.

    Returns
    -------
    DataFrame
        Columns of `by`, ``model``, ``n`` (predictions), ``mean_points``, ``median_points``,
        ``mean_rank`` (1 is best; of the models compared on the same curve and part, ties
        averaged), ``beats_last1`` (share of predictions closer than LAST1's; NaN without it),
        ``clipped`` and ``not_converged`` (shares).
    """
    by = list(by)
    table = table.assign(rank=_by_curve(table)["points"].rank(),
                         octaves=np.ceil(np.log2(table["ratio"])).astype(int),
                         beats_last1=_against_last1(table), not_converged=~table["converged"])
    return table.groupby([*by, "model"], sort=False).agg(
        n=("points", "size"), mean_points=("points", "mean"), median_points=("points", "median"),
        mean_rank=("rank", "mean"), beats_last1=("beats_last1", "mean"),
        clipped=("clipped", "mean"), not_converged=("not_converged", "mean"),
    ).reset_index().sort_values([*by, "mean_rank"], ignore_index=True)


def curve_columns(table: pd.DataFrame) -> list[str]:
    """Return the columns that say which curve and which part of it a row is on."""
    return [*table.columns[: list(table.columns).index("share")], "share"]


def _by_curve(table: pd.DataFrame):
    return table.groupby(curve_columns(table), sort=False)


def _against_last1(table: pd.DataFrame) -> pd.Series:
    baseline = table["points"].where(table["model"] == "LAST1")
    last1 = baseline.groupby([table[c] for c in curve_columns(table)], sort=False).transform("max")
    return (table["points"] < last1).astype(float).where(last1.notna())


BASELINE = "LAST1"


def shape_leaders(table: pd.DataFrame, least: int = LEAST) -> pd.DataFrame:
    """Compare models by shape, on the same curves, a dataset counting one.

    Parameters
    ----------
    table : DataFrame
        A row per curve and model: ``dataset, learner, model, shape, points`` (absolute error of the
        prediction, in points).
    least : int
        No model is named for a shape with fewer datasets.

    Returns
    -------
    DataFrame
        ``shape, curves, datasets``; ``model``, the closest, with its mean ``points``; ``last1``,
        that of the baseline, and ``last1_place`` among ``models``.
    """
    rows = []
    for shape, own in table.groupby("shape", sort=False):
        wide = own.pivot_table(index=["dataset", "learner"], columns="model", values="points")
        wide = wide.dropna()
        means = wide.groupby("dataset").mean()
        if len(means) >= least:
            long = means.reset_index().melt(id_vars="dataset", value_name="points")
            first = leader(long, "points", "model", least=least)
            order = means.mean().rank(method="min")
            rows.append((shape, len(wide), len(means), first.name, first.mean,
                         means[BASELINE].mean(), int(order[BASELINE]), wide.shape[1]))
    columns = ["shape", "curves", "datasets", "model", "points", "last1", "last1_place", "models"]
    found = pd.DataFrame(rows, columns=columns)
    return found.sort_values("shape", key=lambda s: s.map(SHAPE_CLASSES.index), ignore_index=True,
                             kind="stable")


PARTS = ("well-behaved", "ill-behaved")


def ill_behaviour_cost(table: pd.DataFrame, by: tuple[str, ...] = ("share", "model"),
                       value: str = "points") -> pd.DataFrame:
    """Compare a mean over ill-behaved curves with that over well-behaved ones.

    Parameters
    ----------
    table : DataFrame
        Columns ``dataset``, ``learner``, ``group`` ("well-behaved" or "ill-behaved"), those of
        `by` and `value`; a row per curve and whatever `by` distinguishes.
    by : tuple of str
        A row of the result for each of their combinations.
    value : str
        The column that is averaged, in error-rate points.

    Returns
    -------
    DataFrame
        Columns of `by`; ``n_well``, ``n_ill``; for each of ``well``, ``ill``, ``cost`` (ill minus
        well) and ``same_learner`` (ill minus the mean over the well-behaved curves of the same
        learner; curves of learners without any are left out) the value and its 95 % interval,
        ``…_low`` and ``…_high``, from resampling whole datasets. NaN where a group is empty.
    """
    datasets = np.sort(table["dataset"].unique())
    learners = np.sort(table["learner"].unique())
    rows = []
    for key, rest in table.groupby(list(by), sort=False):
        cells = {part: _cells(rest[rest["group"] == part], value, datasets, learners)
                 for part in PARTS}
        counts = {f"n_{short}": int(cells[part][1].sum())
                  for short, part in zip(("well", "ill"), PARTS, strict=True)}
        rows.append(dict(zip(by, key, strict=True)) | counts
                    | _intervals(cells, datasets))
    return pd.DataFrame(rows)


def cost_of_all_data(valid: xr.DataArray, test: xr.DataArray) -> pd.DataFrame:
    """Return how much worse a learner tests with all its data than with the best amount of it.

    Parameters
    ----------
    valid, test : DataArray, dims (..., anchor)
        Mean error rates of the same curves; NaN where there is no anchor.

    Returns
    -------
    DataFrame
        A row per curve: the labels of the other dims, ``best`` and ``last`` (training-set sizes:
        where the validation error is lowest, at the largest one if several are, and the last),
        and ``points``: the test error at the last minus that at the best, in error-rate points.
        Choosing on validation and judging on test keeps the choice's luck out of the answer as long
        as an outer seed is by itself: the validation rows of others are among its test rows.
    """
    both = valid.notnull() & test.notnull()
    seen = valid.where(both)
    sizes = seen["anchor"].where(both)
    best = sizes.where(seen == seen.min("anchor")).max("anchor")
    last = sizes.max("anchor")
    gap = test.where(both & (sizes == last)).max("anchor") - test.where(
        both & (sizes == best)).max("anchor")
    result = xr.Dataset({"best": best, "last": last, "points": 100 * gap})
    dims = [d for d in valid.dims if d != "anchor"]
    result = only_dims(result)
    return result.to_dataframe(dim_order=dims).reset_index().dropna(subset="points")


def _cells(rows: pd.DataFrame, value: str, datasets: np.ndarray, learners: np.ndarray):
    """Return sums and counts by dataset and learner, both of shape (n_datasets, n_learners)."""
    at = (np.searchsorted(datasets, rows["dataset"]), np.searchsorted(learners, rows["learner"]))
    total, count = np.zeros((2, len(datasets), len(learners)))
    np.add.at(total, at, rows[value].to_numpy())
    np.add.at(count, at, 1)
    return total, count


def _intervals(cells: dict, datasets: np.ndarray) -> dict[str, float]:
    estimate = _compare(cells, np.ones((1, len(datasets))))
    resampled = _compare(cells, resample_datasets(datasets))
    result = {}
    for name, values in resampled.items():
        low, high = percentile_interval(values)
        result |= {name: estimate[name][0], f"{name}_low": float(low), f"{name}_high": float(high)}
    return result


def _compare(cells: dict, times: np.ndarray) -> dict[str, np.ndarray]:
    """Return the comparison for every row of `times`: how often each dataset counts."""
    (well, n_well), (ill, n_ill) = ((times @ t, times @ c) for t, c in cells.values())
    expected = _ratio(well, n_well)
    known = n_ill * np.isfinite(expected)
    own = np.where(known > 0, ill - n_ill * np.nan_to_num(expected), 0).sum(1)
    means = {short: ratio_of_sums(*(part.sum(1) for part in cells[name]), times)
             for short, name in zip(("well", "ill"), PARTS, strict=True)}
    return means | {"cost": means["ill"] - means["well"],
                    "same_learner": _ratio(own, known.sum(1))}


def _ratio(total: np.ndarray, count: np.ndarray) -> np.ndarray:
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
