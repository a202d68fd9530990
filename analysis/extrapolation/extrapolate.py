"""Extrapolate curves: fit a model to the first part, predict the last anchor."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import xarray as xr

from analysis.fitting import FitStatus
from analysis.fitting.batch import Fit, fit_batch
from analysis.fitting.curves import flatten_curves
from analysis.models import MODELS, curve_models

SHARES = (0.25, 0.5, 0.75)
LEAST_ANCHORS = 4  # as many as any model's parameters, so that all are compared on the same curves


def extrapolate(
    curves: xr.DataArray,
    models: Iterable[str] = tuple(MODELS),
    *,
    shares: Iterable[float] = SHARES,
    least: int = LEAST_ANCHORS,
) -> pd.DataFrame:
    """Fit models to the first anchors of every curve and predict its last one.

    Parameters
    ----------
    curves : DataArray, dims (..., anchor)
        Error rates, one curve per element of the other dims; NaN where there is no anchor.
    models : iterable of str
        Names from `analysis.models.MODELS`; LAST1 is the baseline.
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
    table = table.assign(
        rank=_by_curve(table)["points"].rank(),
        octaves=np.ceil(np.log2(table["ratio"])).astype(int),
        beats_last1=_against_last1(table),
        not_converged=~table["converged"],
    )
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
