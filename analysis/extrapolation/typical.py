"""A curve to show a fit on, chosen by a rule and not by eye."""

import xarray as xr

from analysis.fitting import fit_curves


def typical_curve(curves: xr.DataArray, shapes: xr.Dataset, model: str = "POW3",
                  rate: str = "c", most: float = 0.75) -> xr.DataArray:
    """Return the well-behaved curve whose fit is the median one.

    Of the curves that are neither flat nor ill-behaved, are among those with the most anchors, and
    settle at some level according to the model: the one with the median mean squared error.

    Parameters
    ----------
    curves : xarray.DataArray, dims (..., anchor)
        Mean error rates.
    shapes : xarray.Dataset, dims (...)
        ``flat`` and ``ill_behaved``, from `analysis.detect_shapes`.
    model, rate : str
        A model of the registry, and its parameter that is above 0 where the curve settles.
    most : float
        Quantile of the numbers of anchors from which on a curve has many.

    Returns
    -------
    xarray.DataArray, dims (anchor,)

    Raises
    ------
    ValueError
        Where no curve is eligible.
    """
    fit = fit_curves(curves, [model]).isel(model=0, drop=True)
    anchors = fit["n_anchors"]
    many = anchors >= anchors.where(anchors > 0).quantile(most)
    settles = fit["converged"] & (fit["parameters"].sel(parameter=rate, drop=True) > 0)
    calm = ~shapes["flat"] & ~shapes["ill_behaved"]
    errors = fit["mse"].where(many & settles & calm).to_series().dropna().sort_values()
    if errors.empty:
        raise ValueError(f"No well-behaved curve settles at a level according to {model}.")
    labels = errors.index[len(errors) // 2]
    labels = labels if isinstance(labels, tuple) else (labels,)
    return curves.sel(dict(zip(errors.index.names, labels, strict=True)))
