"""Fit curve models to labelled curves: `fit_curves`."""

from collections.abc import Iterable

import numpy as np
import xarray as xr

from analysis.fitting.batch import Fit, FitStatus, fit_batch
from analysis.fitting.registry import MODELS, PARAMETERS, curve_models
from collection.containers.curves import flags
from collection.protocol.anchors import check_anchors

MESSAGES = {
    FitStatus.ok: "",
    FitStatus.constant: "the curve is constant: its nonlinear parameters mean nothing",
    FitStatus.not_converged: "the search was still going down when its steps ran out",
    FitStatus.too_few_anchors: "fewer anchors than the model has parameters",
    FitStatus.all_missing: "no anchor to fit",
}


def fit_curves(curves: xr.DataArray, models: Iterable[str] = tuple(MODELS), *,
               up_to: xr.DataArray | float | None = None) -> xr.Dataset:
    """Fit parametric models to many learning curves by least squares.

    Parameters
    ----------
    curves : DataArray, dims (..., anchor)
        One curve per element of the other dims; NaN where there is no anchor. The coordinate
        ``anchor`` holds ascending training-set sizes.
    models : iterable of str
        Names from `analysis.fitting.registry.MODELS`.
    up_to : DataArray or float, optional
        Fit only anchors up to this training-set size; a DataArray gives each curve its own. By
        default all.

    Returns
    -------
    Dataset
        ``parameters`` (..., model, parameter): NaN for parameters that a model does not have.
        ``prediction`` (..., model, anchor): at every anchor, fitted or not; where a formula
        overflows or is not defined (outside the fitted anchors only) it saturates.
        ``mse`` (..., model): mean squared error on the fitted anchors.
        ``n_anchors`` (...): how many were fitted.
        ``converged``, ``status``, ``message`` (..., model): `FitStatus` and its meaning. Where it
        is too_few_anchors or all_missing the other variables are NaN.

    Raises
    ------
    UnknownNameError
        Where a model is not in the registry.
    ValueError
        Where `curves` has no dim ``anchor``, its sizes are not positive and ascending, a curve
        holds an infinite number, no model is named, or `up_to` has other dims or labels than the
        curves.
    TypeError
        Where curves or `up_to` are no named arrays of numbers.

    Notes
    -----
    Variable projection (Golub and Pereyra 1973): the linear parameters are solved exactly, a grid
    over the nonlinear ones is scanned for every curve at once, and its best points are refined by
    Levenberg-Marquardt. Nothing is random. The models are those of LCDB 1.0 and of Section 5.4
    of the paper.

    Examples
    --------
    >>> import analysis
    >>> curve = analysis.get_curve(analysis.load_curves("mini"), "vehicle", "KNN")
    >>> fits = analysis.fit_curves(curve.sel(split="valid").mean(["outer", "inner"]), ["POW4"])
    >>> bool(fits["mse"].sel(model="POW4") < 1e-3)
    True
    """
    chosen = curve_models(models)
    if not chosen:
        raise ValueError(f"No model is named. Known: {', '.join(MODELS)}.")
    sizes, values = flatten_curves(curves)
    if up_to is not None and not np.isscalar(up_to):
        _check_beside("up_to", up_to, curves)
    others = [dim for dim in curves.dims if dim != "anchor"]
    inside = curves["anchor"] <= (np.inf if up_to is None else up_to)
    inside = inside.broadcast_like(curves).transpose(*others, "anchor").values.reshape(values.shape)
    fits = [fit_batch(sizes, values, inside.astype(float), model) for model in chosen]
    template = curves.isel(anchor=0, drop=True).transpose(*others)
    counts = (np.isfinite(values) & inside).sum(1)
    return _label(fits, counts, template, sizes, curves["anchor"])


def flatten_curves(curves: xr.DataArray) -> tuple[np.ndarray, np.ndarray]:
    """Check curves, of dims (..., anchor), and take their labels off.

    Returns
    -------
    sizes : ndarray, shape (n_anchors,)
    values : ndarray, shape (n_curves, n_anchors)
        Curves in the order of the dims other than ``anchor``.
    """
    _check_named("curves", curves)
    if "anchor" not in curves.dims or "anchor" not in curves.coords:
        raise ValueError(f"The curves have dims {curves.dims}: 'anchor' has to be one of them, "
                         "with the training-set sizes as its coordinate.")
    check_anchors(curves["anchor"].values)
    sizes = curves["anchor"].values.astype(float)
    values = curves.transpose(..., "anchor").values.reshape(-1, len(sizes)).astype(float)
    if np.isinf(values).any():
        raise ValueError("A curve holds an infinite number; missing anchors are NaN.")
    return sizes, values


def _check_named(name: str, array: xr.DataArray) -> None:
    if not isinstance(array, xr.DataArray):
        raise TypeError(f"{name} is a DataArray with named dims, not {type(array).__name__}: such "
                        "as curves['error_rate'].sel(split='valid').mean(['outer', 'inner']).")
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} must be numeric; got {array.dtype}.")


def _check_beside(name: str, given: xr.DataArray, curves: xr.DataArray) -> None:
    """See that an array has the curves' labels along each of its dims."""
    _check_named(name, given)
    if other := [dim for dim in given.dims if dim not in curves.dims]:
        raise ValueError(f"{name} has the dims {', '.join(map(str, other))}, which the curves have "
                         f"not: theirs are {', '.join(map(str, curves.dims))}.")
    for dim in given.dims:
        if given.sizes[dim] != curves.sizes[dim] or (
                dim in given.coords and dim in curves.coords
                and not np.array_equal(given[dim], curves[dim])):
            raise ValueError(f"{name} has other labels along {dim!r} than the curves.")


def _label(fits: list[Fit], counts, template, sizes, anchor) -> xr.Dataset:
    """Put plain results back under the dims of `template`."""
    dims, shape = (*template.dims, "model"), template.shape

    def stack(parts, *extra):
        array = np.stack(parts, 1)
        return (*dims, *extra), array.reshape(*shape, *array.shape[1:])

    texts = np.array([MESSAGES[s] for s in FitStatus], object)
    fitted = xr.Dataset({
        "parameters": stack([_padded(fit) for fit in fits], "parameter"),
        "prediction": stack([fit.predict(sizes) for fit in fits], "anchor"),
        "mse": stack([fit.mse for fit in fits]),
        "n_anchors": (template.dims, counts.reshape(shape)),
        "converged": stack([fit.converged for fit in fits]),
        "status": stack([fit.status for fit in fits]),
        "message": stack([texts[fit.status] for fit in fits]),
    }, coords={**template.coords, "model": [fit.model.name for fit in fits],
               "parameter": list(PARAMETERS), "anchor": anchor})
    fitted["status"].attrs = flags(FitStatus)
    return fitted


def _padded(fit: Fit) -> np.ndarray:
    padded = np.full((len(fit.parameters), len(PARAMETERS)), np.nan)
    padded[:, [PARAMETERS.index(p) for p in fit.model.parameters]] = fit.parameters
    return padded
