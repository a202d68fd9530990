"""One learning curve: as arrays, as a data frame, drawn; and what is known of its dataset."""

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.ticker import StrMethodFormatter

from analysis.load import find_dataset, find_learner
from collection.container import METRICS
from collection.naming import UnknownNameError

REPEATS = ("outer", "inner")


def get_curve(
    curves: xr.Dataset,
    dataset: int | str,
    learner: str,
    metric: str = "error_rate",
    scaling: str = "none",
    leakage: str | None = None,
) -> xr.DataArray:
    """Return one learning curve, only at the anchors where it has a value.

    Parameters
    ----------
    curves : xarray.Dataset
        A database, as `analysis.load_curves` opens it.
    dataset : int or str
        Name or OpenML id.
    learner : str
        The paper's name or abbreviation (Table 3).
    metric : str
        A name in `collection.container.METRICS` that the database has.
    scaling : str
        "none", "minmax" or "standard".
    leakage : str, optional
        "no" or "yes"; may be left out where the database has just one.

    Returns
    -------
    xarray.DataArray, dims (outer, inner, anchor[, split])
        NaN where a repeat has no value. Empty along ``anchor`` for a missing curve.

    Raises
    ------
    UnknownNameError
        For a dataset, learner, metric or setting that the database lacks.
    """
    metrics = [name for name in METRICS if name in curves]
    if metric not in metrics:
        raise UnknownNameError("metric", metric, metrics)
    leakage = curves["leakage"].values[0] if leakage is None else leakage
    for dim, label in (("scaling", scaling), ("leakage", leakage)):
        if label not in curves[dim].values:
            raise UnknownNameError(dim, label, curves[dim].values.tolist())
    curve = curves[metric].sel(
        dataset=find_dataset(curves, dataset),
        learner=find_learner(curves, learner),
        scaling=scaling,
        leakage=leakage,
    )
    return curve.dropna("anchor", how="all")


def curve_frame(curve: xr.DataArray) -> pd.DataFrame:
    """Return the curve as a tidy data frame: a row per anchor (and split) that has a value.

    Parameters
    ----------
    curve : xarray.DataArray, dims (outer, inner, anchor[, split])
        From `get_curve`.

    Returns
    -------
    pandas.DataFrame
        Columns ``anchor`` (rows), ``split``, ``mean``, ``standard_error`` (NaN with one repeat)
        and ``repeats``, the number of repeats with a value.
    """
    table = xr.Dataset(
        {
            "mean": curve.mean(REPEATS),
            "standard_error": standard_error(curve),
            "repeats": curve.count(REPEATS),
        }
    )
    table = table.drop_vars([c for c in table.coords if c not in curve.dims])
    return table.to_dataframe().query("repeats > 0").reset_index()


def standard_error(curve: xr.DataArray) -> xr.DataArray:
    """Return the standard error of the mean over the repeats; NaN with fewer than two.

    The 25 repeats share one dataset and are not independent, so this is the paper's measure of
    spread (Table 1), not a valid standard error.
    """
    count = curve.count(REPEATS)
    return curve.std(REPEATS, ddof=1).where(count > 1) / np.sqrt(count.where(count > 0))


def plot_curve(
    curve: xr.DataArray, ax: Axes, splits: tuple[str, ...] = ("train", "test"), label: str = ""
) -> Axes:
    """Draw the mean and one standard error against the training-set size on `ax`.

    Parameters
    ----------
    curve : xarray.DataArray, dims (outer, inner, anchor[, split])
        From `get_curve`.
    ax : matplotlib.axes.Axes
        The caller's axes.
    splits : tuple of str
        Which splits to draw; a metric without splits, such as ``train_time``, is drawn whole.
    label : str
        Begins the names in the legend.

    Returns
    -------
    matplotlib.axes.Axes
    """
    parts = [(s, curve.sel(split=s)) for s in splits] if "split" in curve.dims else [("", curve)]
    for split, part in parts:
        mean, spread = part.mean(REPEATS), standard_error(part).fillna(0)
        (line,) = ax.plot(part["anchor"], mean, marker=".", label=f"{label} {split}".strip())
        ax.fill_between(
            part["anchor"], mean - spread, mean + spread, color=line.get_color(), alpha=0.25, lw=0
        )
    metric = METRICS[curve.name]
    unit = "" if metric.unit == "1" else f" [{metric.unit}]"
    ax.set_xscale("log", base=4)
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.set(xlabel="training-set size", ylabel=metric.label + unit)
    if label or len(parts) > 1:
        ax.legend()
    return ax


def plot_train_time(curve: xr.DataArray, ax: Axes, label: str = "") -> Axes:
    """Draw seconds of training against the training-set size, both on logarithmic axes.

    Parameters
    ----------
    curve : xarray.DataArray, dims (outer, inner, anchor)
        ``get_curve(…, metric="train_time")``.
    ax : matplotlib.axes.Axes
        The caller's axes.
    label : str
        Name in the legend.
    """
    plot_curve(curve, ax, label=label).set_yscale("log")
    return ax


def meta_features(dataset: int | str) -> pd.Series:
    """Return the meta-features of a dataset of LCDB 1.0, by name or OpenML id.

    Returns
    -------
    pandas.Series
        OpenML's qualities by name; NaN where OpenML knows no value. Where several datasets carry
        the name, the one with the lowest id.

    Raises
    ------
    UnknownNameError
        With the close names.
    """
    from analysis.databases.lcdb10 import meta_features_table

    table = meta_features_table()
    if str(dataset).isdigit() and int(dataset) in table.index:
        return table.loc[int(dataset)]
    named = table[table["Name"] == dataset]
    if named.empty:
        raise UnknownNameError("dataset", dataset, [*table["Name"], *table.index])
    return named.sort_index().iloc[0]
