"""One learning curve of a database, and curves under one setting."""

import xarray as xr

from analysis.databases.chosen import least_leakage
from analysis.databases.load import find_dataset, find_learner
from collection.container import METRICS
from collection.naming import UnknownNameError


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
        "no" or "yes"; "no" by default where the database has both.

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
    leakage = least_leakage(curves) if leakage is None else leakage
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


def one_setting(curves: xr.Dataset | xr.DataArray) -> xr.Dataset | xr.DataArray:
    """Return the curves without the dims ``scaling`` and ``leakage``, which must be settled.

    Raises
    ------
    ValueError
        If one of them has several labels left.
    """
    for dim in ("scaling", "leakage"):
        if curves.sizes.get(dim, 1) > 1:
            raise ValueError(
                f"The curves still have {curves.sizes[dim]} labels along {dim!r} "
                f"({', '.join(map(str, curves[dim].values))}); choose one with "
                f".sel({dim}=...)."
            )
    return curves.squeeze([d for d in ("scaling", "leakage") if d in curves.dims], drop=True)
