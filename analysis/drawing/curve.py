"""A learning curve, drawn on axes that are given."""


import xarray as xr
from matplotlib.axes import Axes
from matplotlib.ticker import StrMethodFormatter

from analysis.drawing.style import SIZE, learner_style
from analysis.statistics.summary import REPEATS, standard_error
from collection.containers.curves import METRICS
from collection.project.naming import check_known


def plot_curve(curve: xr.DataArray, ax: Axes, splits: tuple[str, ...] = ("train", "test"),
               label: str = "") -> Axes:
    """Draw the mean and one standard error against the training-set size on `ax`.

    Parameters
    ----------
    curve : xarray.DataArray, dims (outer, inner, anchor[, split])
        From `get_curve`.
    ax : matplotlib.axes.Axes
        The caller's axes.
    splits : tuple of str, or str
        Which splits to draw; a metric without splits, such as ``train_time``, is drawn whole.
    label : str
        Begins the names in the legend.

    Returns
    -------
    matplotlib.axes.Axes
        A learner's curve, of one split, has its colour of every figure.

    Raises
    ------
    TypeError
        If `curve` is no DataArray.
    ValueError
        If it has other dims, or is of no known metric.
    UnknownNameError
        For a split that it lacks.
    """
    splits = (splits,) if isinstance(splits, str) else splits
    _check_curve(curve, splits)
    parts = [(s, curve.sel(split=s)) for s in splits] if "split" in curve.dims else [("", curve)]
    own = len(parts) == 1 and "learner" in curve.coords  # splits of one learner differ by colour
    colour = learner_style(str(curve["learner"].item()))[0] if own else None
    for split, part in parts:
        mean, spread = part.mean(REPEATS), standard_error(part).fillna(0)
        (line,) = ax.plot(part["anchor"], mean, marker=".", color=colour,
                           label=f"{label} {split}".strip())
        ax.fill_between(
            part["anchor"], mean - spread, mean + spread, color=line.get_color(), alpha=0.25, lw=0
        )
    metric = METRICS[str(curve.name)]
    unit = "" if metric.unit == "1" else f" [{metric.unit}]"
    ax.set_xscale("log", base=4)
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.set(xlabel=SIZE, ylabel=metric.label + unit)
    if label or len(parts) > 1:
        ax.legend()
    return ax


def _check_curve(curve: xr.DataArray, splits: tuple[str, ...]) -> None:
    if not isinstance(curve, xr.DataArray):
        raise TypeError(f"A curve is a DataArray, not {type(curve).__name__}: take one with "
                        "analysis.get_curve(curves, dataset, learner).")
    if set(curve.dims) - {"split"} != {*REPEATS, "anchor"}:
        raise ValueError("One curve has the dims outer, inner, anchor and perhaps split; this has "
                         f"{', '.join(map(str, curve.dims)) or 'none'}. Choose one with "
                         "analysis.get_curve(curves, dataset, learner).")
    check_known("metric (the curve's name)", [curve.name], METRICS)
    if "split" in curve.dims:
        check_known("split", splits, curve["split"].values.tolist())
