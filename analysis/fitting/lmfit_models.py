"""One curve with lmfit, from the registry's formulas; report, intervals and band are lmfit's."""

import functools

import lmfit
import numpy as np
import xarray as xr
from lmfit.model import ModelResult

from analysis.fitting import fit_curves
from analysis.fitting.registry import curve_models

FAR = 1e10  # stands for a value that a formula does not have


def lmfit_model(name: str) -> lmfit.Model:
    """Return the registry's curve model `name` as an lmfit Model of ``n``.

    Raises
    ------
    UnknownNameError
        Where there is no such model.
    """
    (model,) = curve_models([name])

    @functools.wraps(model.curve)
    def curve(*args, **kwargs):
        with np.errstate(all="ignore"):  # a step too far is undone, where it is not finite too
            return np.nan_to_num(model.curve(*args, **kwargs), nan=FAR, posinf=FAR, neginf=-FAR)

    return lmfit.Model(curve, independent_vars=["n"], param_names=list(model.parameters),
                       name=model.name, nan_policy="raise")


def fit_one(curve: xr.DataArray, name: str) -> ModelResult:
    """Fit one curve with lmfit, from the optimum that `fit_curves` finds.

    Parameters
    ----------
    curve : DataArray, dims (anchor,)
        NaN where there is no anchor.
    name : str
        A model of the registry.

    Returns
    -------
    lmfit.model.ModelResult
        Its ``fit_report()`` gives estimates, standard errors and correlations.

    Raises
    ------
    ValueError
        Where the curve has too few anchors for the model, or none.
    """
    start = fit_curves(curve, [name]).isel(model=0)
    (model,) = curve_models([name])
    if start["mse"].isnull():
        raise ValueError(f"{name} cannot be fitted to this curve: {start['message'].item()}.")
    seen = curve.dropna("anchor")
    values = start["parameters"].sel(parameter=list(model.parameters)).values
    return lmfit_model(name).fit(
        seen.values, n=seen["anchor"].values.astype(float),
        **dict(zip(model.parameters, map(float, values), strict=True)))
