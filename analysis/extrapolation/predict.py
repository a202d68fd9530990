"""The entry point: what error curves will have with more data, and how sure that is."""

from collections.abc import Iterable

import numpy as np
import xarray as xr

from analysis.extrapolation.conformal import quantiles
from analysis.extrapolation.registry import EXTRAPOLATORS
from analysis.extrapolation.seen import LEVELS, Seen, as_quantiles, see_curves
from collection.project.naming import check_known

RECOMMENDED = "boosted"


def predict(curves: xr.DataArray, sizes: Iterable[float], *, extrapolator: str = RECOMMENDED,
            levels: Iterable[float] = LEVELS) -> xr.DataArray:
    """Predict the error rates of learning curves at larger training-set sizes.

    Parameters
    ----------
    curves : DataArray, dims (..., anchor)
        Error rates (0 to 1) as far as they were measured, NaN elsewhere, or scores whose
        attribute ``lower_is_better`` is False, which are turned; the coordinate ``anchor``
        holds training-set sizes in rows. Dims ``outer``, ``inner`` or ``repeat`` are repeats of a
        measurement: they are averaged and say how noisy the mean is. A coordinate ``learner``
        (names as in `collection.learners`) tells learners; other names, or none, are learners
        not known. Curves with the same label of ``dataset`` (all curves, where there is no such
        coordinate) are on the same data, and each is predicted from the others too, as far as it
        is seen itself. Each curve needs at least 2 sizes; from 4 on the intervals are tested.
    sizes : iterable of float
        Training-set sizes in rows to predict at, the same for every curve.
    extrapolator : str
        A name in `EXTRAPOLATORS`.
    levels : iterable of float
        Of the quantiles, between 0 and 1.

    Returns
    -------
    DataArray, dims (..., size, quantile)
        Errors, in [0, 1], named as they were turned (``1 - auc``), ascending along ``quantile``;
        0.5 is the prediction, 0.05 and 0.95 bound the 90 % interval. NaN where a curve
        has no value at all, and at sizes that are not
        larger than its last one.

    Raises
    ------
    UnknownNameError
        If there is no such extrapolator.
    ValueError
        If an error rate is outside [0, 1], a curve has one size only, a size is not positive, or a
        level is not between 0 and 1.

    Notes
    -----
    The learned extrapolators are trained on LCDB 1.0. A dataset that took part in training (known
    by its OpenML id or its name, in ``dataset`` or ``name``) is predicted by the model that was
    trained without it and its like.

    Examples
    --------
    >>> import analysis
    >>> curve = analysis.get_curve(analysis.load_curves("mini"), "vehicle", "KNN")
    >>> seen = curve.sel(split="valid", anchor=slice(16, 128))
    >>> ahead = analysis.extrapolation.predict(seen, [256], levels=[.05, .5, .95])
    >>> low, middle, high = ahead.sel(size=256).values
    >>> bool(low < middle < high)
    True
    """
    sizes, levels = _checked(sizes, levels)
    seen, template = see_curves(curves)
    rows = np.flatnonzero(seen.exists.any(1))
    values = np.full((template.size, len(sizes), len(levels)), np.nan)
    if len(rows):
        part = seen.take(rows)
        targets = np.broadcast_to(sizes, (len(rows), len(sizes)))
        ahead = targets > seen.sizes[part.last][:, None]
        later = np.where(ahead, targets, 2 * seen.sizes[part.last][:, None])
        found = predict_seen(part, later, extrapolator, levels)
        values[rows] = np.where(ahead[..., None], found, np.nan)
    return as_quantiles(values, template, sizes, levels)


def predict_seen(seen: Seen, targets: np.ndarray, extrapolator: str = RECOMMENDED,
                 levels: tuple[float, ...] = LEVELS) -> np.ndarray:
    """Do what `predict` does, on plain arrays.

    Parameters
    ----------
    seen : Seen
        Every curve with at least two values.
    targets : ndarray, shape (n_curves, n_targets)
        Each curve's own sizes in rows, larger than its last one.
    extrapolator, levels
        As in `predict`.

    Returns
    -------
    ndarray, shape (n_curves, n_targets, n_levels)

    Raises
    ------
    UnknownNameError
        For an unknown `extrapolator`.
    """
    check_known("extrapolator", [extrapolator], EXTRAPOLATORS)
    forecast = EXTRAPOLATORS[extrapolator](seen, targets)
    return quantiles(extrapolator, seen, targets, forecast, tuple(levels))


def _checked(sizes: Iterable[float], levels: Iterable[float]) -> tuple[np.ndarray, tuple]:
    sizes, levels = np.array(list(sizes), float), tuple(float(v) for v in levels)
    if not len(sizes) or not (np.isfinite(sizes) & (sizes > 0)).all():
        raise ValueError(f"Sizes to predict at must be positive numbers of rows, not {sizes}.")
    if not levels or min(levels) <= 0 or max(levels) >= 1 or list(levels) != sorted(levels):
        raise ValueError(f"Quantile levels lie between 0 and 1 and ascend, not {levels}.")
    return sizes, levels
