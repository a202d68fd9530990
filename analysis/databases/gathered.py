"""Which curves were gathered under every setting, so that only like is compared with like."""

import xarray as xr

from collection.container import Status, only_dims


def gathered_curves(curves: xr.Dataset) -> xr.DataArray:
    """Tell which curves were gathered, whether or not their fits succeeded.

    Parameters
    ----------
    curves : xarray.Dataset
        A database, as `analysis.load_curves` opens it; possibly one still being gathered.

    Returns
    -------
    xarray.DataArray of bool, dims (dataset, learner, scaling, leakage)
        True where every repeat that the dataset has for any curve was tried: some anchor has a
        value, or a status other than ``not_run``. A curve all of whose fits failed was gathered;
        one with some of its repeats alone was not.
    """
    errors = curves["error_rate"].sel(split="valid", drop=True)
    tried = ((curves["status"] != Status.not_run) | errors.notnull()).any("anchor").compute()
    repeats = [d for d in ("outer", "inner") if d in tried.dims]
    wanted = tried.any(["learner", "scaling", "leakage"])
    complete = tried.any(repeats) & (tried | ~wanted).all(repeats)
    return only_dims(complete)


def tried_curves(curves: xr.Dataset, errors: xr.DataArray) -> xr.DataArray:
    """Tell which curves were tried at all, so that no others count as missing.

    Parameters
    ----------
    curves : xarray.Dataset
        A database, restricted to one leakage. Where it has a coordinate ``tried`` (of bool, dims
        learner and scaling), that tells for every dataset alike, and no status is read.
    errors : xarray.DataArray, dims (dataset, learner, scaling, outer, inner, anchor)
        Its validation error rates, of all or some datasets, learners and scalings.

    Returns
    -------
    xarray.DataArray of bool, dims (dataset, learner, scaling)
    """
    own = curves.sel({d: errors[d] for d in ("dataset", "learner", "scaling")})
    there = errors.notnull().any(["outer", "inner", "anchor"])
    if "tried" in own.coords:
        tried = there | own["tried"]
    else:
        run = (own["status"] != Status.not_run).any(["outer", "inner", "anchor"])
        tried = there | run.compute()
    tried = tried.transpose("dataset", "learner", "scaling")
    return only_dims(tried)


def comparable_curves(curves: xr.Dataset, dim: str) -> xr.DataArray:
    """Tell which curves were gathered under every label of a dim.

    Parameters
    ----------
    curves : xarray.Dataset
        A database, restricted to the labels that are to be compared.
    dim : {"scaling", "leakage"}
        The setting to be compared.

    Returns
    -------
    xarray.DataArray of bool, dims (dataset, learner, scaling, leakage) without `dim`
        All False where the database has fewer than two labels of `dim`: nothing to compare.
    """
    gathered = gathered_curves(curves)
    return gathered.all(dim) & (gathered.sizes[dim] > 1)


def only_comparable(errors: xr.DataArray, comparable: xr.DataArray) -> xr.DataArray:
    """Return the error rates of comparable curves, NaN elsewhere, without what none of them has.

    Parameters
    ----------
    errors : xarray.DataArray, dims (dataset, learner, ..., anchor)
        Error rates.
    comparable : xarray.DataArray of bool
        From `comparable_curves`.

    Returns
    -------
    xarray.DataArray
        Datasets and learners with no comparable curve, and anchors without a value, are left out;
        where no curve is comparable, there are no datasets and no learners, and all anchors.
    """
    others = [d for d in comparable.dims if d not in ("dataset", "learner")]
    pairs = comparable.any(others)
    kept = errors.isel(dataset=pairs.any("learner").values, learner=pairs.any("dataset").values)
    kept = kept.where(comparable).transpose(*errors.dims)
    return kept.dropna("anchor", how="all") if kept.size else kept
