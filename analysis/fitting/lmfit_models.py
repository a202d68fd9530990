"""One curve with lmfit: its report, confidence intervals and band, from the registry's formulas."""

import functools
import warnings

import lmfit
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from lmfit.minimizer import MinimizerException
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


def confidence_intervals(result: ModelResult, level: float = 0.95) -> pd.DataFrame:
    """Return each parameter's estimate and confidence interval.

    Parameters
    ----------
    result : ModelResult
        From `fit_one`.
    level : float
        Of confidence.

    Returns
    -------
    DataFrame
        Columns parameter, estimate, standard_error, low, high, method: "profile" (the interval
        within which the other parameters can make up for the change, by an F test), or "none"
        with NaN bounds and the reason in ``message`` where lmfit finds no bounds, as on curves
        that leave a parameter undetermined. Where a single bound was not found it is infinite,
        and ``message`` says what lmfit warned of.
    """
    message, bounds = "", {}
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            bounds = result.conf_interval(sigmas=[level])
        except (MinimizerException, ValueError) as error:
            message = str(error).strip().splitlines()[0]
    message = message or "; ".join(str(warning.message) for warning in heard)
    rows = []
    for name, parameter in result.params.items():
        ends = [value for _, value in bounds.get(name, [])] or [np.nan]
        rows.append({
            "parameter": name, "estimate": parameter.value, "standard_error": parameter.stderr,
            "low": ends[0], "high": ends[-1],
            "method": "profile" if bounds else "none", "message": message,
        })
    return pd.DataFrame(rows)


def plot_fit(
    curve: xr.DataArray, result: ModelResult, level: float = 0.95, ax: plt.Axes | None = None
) -> plt.Axes:
    """Draw a curve, its fit and the fit's confidence band.

    Parameters
    ----------
    curve : DataArray, dims (anchor,)
    result : ModelResult
        From `fit_one`.
    level : float
        Of the band, from lmfit's propagation of the parameters' covariance; no band is drawn
        where lmfit could not estimate it.
    ax : matplotlib.axes.Axes, optional
        By default the current ones.
    """
    ax = plt.gca() if ax is None else ax
    seen = curve.dropna("anchor")
    fine = np.geomspace(*seen["anchor"].values[[0, -1]].astype(float), 200)
    middle = result.eval(n=fine)
    ax.plot(seen["anchor"], seen, "o", color="black", markersize=4, label="mean of the repeats")
    line, = ax.plot(fine, middle, label=result.model.name)
    if result.errorbars:
        half = result.eval_uncertainty(n=fine, sigma=level)
        ax.fill_between(fine, middle - half, middle + half, alpha=0.25, color=line.get_color(),
                        label=f"{level:.0%} band")
    ax.set(xscale="log", xlabel="training-set size", ylabel="error rate")
    ax.legend()
    return ax
