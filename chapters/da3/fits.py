"""Fits of whole curves: one row each with its verdicts, ill- against well-behaved, the floor."""

import numpy as np
import pandas as pd
import xarray as xr
from scipy.optimize import isotonic_regression

from analysis.fitting import fit_curves
from analysis.shapes.verdicts import VERDICTS
from analysis.statistics.bootstrap import percentile_interval, ratio_of_sums, resample_datasets
from chapters.da3 import effects
from collection.container import only_dims

#: The verdicts that DA3 compares curves by, and the violation that belongs to each.
COMPARED = {"non_monotone": "violation_mono", "non_convex": "violation_conv"}
#: What a curve is counted as where each curve counts once; the first that holds decides.
SHAPE_CLASSES = ("missing", "flat", "dipping", "peaking", "other non-monotone",
                 "phase transition", "well-behaved")


def fits_table(fits: xr.Dataset, shapes: dict[str, xr.Dataset], database: str) -> pd.DataFrame:
    """Return a row per curve and model: its fit, and its verdicts by every procedure.

    Parameters
    ----------
    fits : Dataset, dims (dataset, learner, scaling, model)
        From `analysis.fit_curves`.
    shapes : dict of Dataset
        From `analysis.detect_shapes` on the same curves, by the procedure's name.
    database : str
        Written into the column of that name.

    Returns
    -------
    DataFrame
        Columns ``database, dataset, learner, scaling, model, n_anchors, mse, converged, status``,
        then each procedure's verdicts, as ``published_flat``, 0 or 1. ``mse`` is NaN where there
        is no fit, and ``status`` says why.
    """
    names = np.array(fits["status"].attrs["flag_meanings"].split())
    table = _frame(fits[["n_anchors", "mse", "converged"]].assign(
        status=fits["status"].copy(data=names[fits["status"].values])))
    for procedure, found in shapes.items():
        verdicts = _frame(found[list(VERDICTS)].astype(int)).set_index(CURVE)
        table = table.join(verdicts.add_prefix(f"{procedure}_"), on=CURVE)
    table.insert(0, "database", database)
    first = ["database", *CURVE, "model"]
    return table[[*first, *(c for c in table.columns if c not in first)]]


CURVE = ["dataset", "learner", "scaling"]


def _frame(data: xr.Dataset) -> pd.DataFrame:
    order = [d for d in (*CURVE, "model") if d in data.dims]
    plain = only_dims(data)
    return plain.to_dataframe(dim_order=order).reset_index()


def fit_summary(mse: xr.DataArray, shapes: xr.Dataset) -> pd.DataFrame:
    """Compare fits to well- and to ill-behaved curves, for both verdicts (Section 5.4).

    Parameters
    ----------
    mse : DataArray, dims (dataset, learner, model)
        From `analysis.fit_curves`.
    shapes : Dataset, dims (dataset, learner)
        From `analysis.detect_shapes`. Flat curves are left out, as the paper does; violations
        count where they are significant.

    Returns
    -------
    DataFrame
        A row per verdict and model: the columns of `fit_statistics.compare_fits` and
        `relate_to_violation`, and ``cluster_low``, ``cluster_high``: the interval of ``ratio``
        from resampling whole datasets. The intervals of Hedges' g, the rank correlation and the
        slope are of that kind, too. ``own_ratio, own_low, own_high``: the ratio with effects of
        learners and datasets taken out. (See `chapters.da3.effects`.)
    """
    shaped = mse.where(~shapes["flat"])
    frames = []
    for verdict, violation in COMPARED.items():
        ill = shapes[verdict]
        groups = effects.compare_fits(shaped, ill)
        ends = [_cluster_interval(shaped.sel(model=m), ill) for m in groups["model"]]
        groups[["cluster_low", "cluster_high"]] = ends
        size = effects.relate_to_violation(shaped, shapes[violation].where(ill))
        both = groups.merge(size.drop(columns="n_exact"), on="model").set_index("model")
        for model in both.index:
            for name, value in _clustered(shaped.sel(model=model, drop=True), ill,
                                          shapes[violation]).items():
                both.loc[model, name] = value
        frames.append(both.reset_index())
        frames[-1].insert(0, "verdict", verdict)
    return pd.concat(frames, ignore_index=True)


def _clustered(mse: xr.DataArray, ill: xr.DataArray, violation: xr.DataArray) -> dict[str, float]:
    """Return what `chapters.da3.effects` has to say of one model's fits."""
    rows = xr.Dataset({"mse": mse, "ill": ill, "size": violation}).to_dataframe().reset_index()
    rows = rows[rows["mse"] >= effects.EXACT]
    log, is_ill = np.log10(rows["mse"].to_numpy()), rows["ill"].to_numpy(bool)
    dataset = rows["dataset"].to_numpy()
    called = rows[is_ill].dropna(subset="size")
    found = effects.clustered_gap(log, is_ill, dataset) | effects.clustered_relation(
        *(called[c].to_numpy() for c in ("mse", "size", "dataset")))
    if 0 < is_ill.sum() < len(rows):
        found |= effects.ratio_without_effects(log, is_ill, dataset, rows["learner"].to_numpy())
    return found


def _cluster_interval(mse: xr.DataArray, ill: xr.DataArray) -> tuple[float, float]:
    """Return the interval of the ratio of geometric means over resampled datasets."""
    log = np.log10(mse.where(mse >= effects.EXACT)).transpose("dataset", ...)
    ill = ill.transpose(*log.dims)
    means = []
    for group in (log.where(ill), log.where(~ill)):
        total, count = (part.sum([d for d in log.dims if d != "dataset"]).values
                        for part in (group.fillna(0), group.notnull()))
        means.append(ratio_of_sums(total, count, resample_datasets(log["dataset"].values)))
    low, high = percentile_interval(means[0] - means[1])
    return float(10**low), float(10**high)


def shape_classes(shapes: xr.Dataset) -> xr.DataArray:
    """Return the one class each curve is counted in, for tables that count every curve once.

    Parameters
    ----------
    shapes : Dataset, dims (...)
        From `analysis.detect_shapes`.

    Returns
    -------
    DataArray of str, dims (...)
        Of `SHAPE_CLASSES`: the first that holds. A curve that dips and peaks counts as dipping;
        one that is monotone and not convex as a phase transition.
    """
    conditions = [shapes["missing"], shapes["flat"], shapes["dipping"], shapes["peaking"],
                  shapes["non_monotone"], shapes["non_convex"]]
    names = np.select([c.values for c in conditions], SHAPE_CLASSES[:-1], SHAPE_CLASSES[-1])
    return shapes["missing"].copy(data=names).rename("shape")


def with_classes(table: pd.DataFrame, classes: xr.DataArray) -> pd.DataFrame:
    """Add each curve's class as the column ``shape``, and leave missing and flat curves out.

    Parameters
    ----------
    table : DataFrame
        With columns ``dataset, learner, scaling``.
    classes : DataArray, dims (dataset, learner, scaling)
        From `shape_classes`.

    Returns
    -------
    DataFrame
        Also with ``group``: "well-behaved" or "ill-behaved".
    """
    named = _frame(classes.to_dataset()).set_index(CURVE)
    table = table.join(named, on=CURVE)
    table = table[~table["shape"].isin(["missing", "flat"])]
    group = np.where(table["shape"] == "well-behaved", "well-behaved", "ill-behaved")
    return table.assign(group=group)


def violation_floor(violation: xr.DataArray, n_anchors: xr.DataArray) -> xr.DataArray:
    """Return the mean squared error that a violation forces on every model without it.

    Parameters
    ----------
    violation : DataArray, dims (...)
        Monotonicity or convexity violation of each curve, in units of the curve.
    n_anchors : DataArray, dims (...)
        Number of anchors fitted.

    Returns
    -------
    DataArray, dims (...)
        ``violation**2 / (2 * n_anchors)``; NaN without anchors.

    Notes
    -----
    Where a curve rises by v from one anchor to a later one, a model that never rises is off by r
    at the first and s at the second with r + s >= v, so r² + s² >= v² / 2. Where a curve exceeds
    a straight line between two of its points by v, a convex model is off by residuals with
    r - p s - (1 - p) t >= v, and by Cauchy and Schwarz their squares sum to at least
    v² / (1 + p² + (1 - p)²), which is at least v² / 2 too.
    """
    return violation**2 / (2 * n_anchors.where(n_anchors > 0))


def monotone_floor(curves: xr.DataArray) -> xr.DataArray:
    """Return the smallest mean squared error that any monotone function reaches on each curve.

    POW4, MMF4 and WBL4 are monotone for all parameters that have finite values on the anchors,
    rising or falling; none of them can get below.

    Parameters
    ----------
    curves : DataArray, dims (..., anchor)
        NaN where there is no anchor.

    Returns
    -------
    DataArray, dims (...)
        The smaller one of a falling and a rising isotonic regression's errors; NaN without
        anchors.
    """
    return xr.apply_ufunc(_floor, curves, input_core_dims=[["anchor"]], vectorize=True)


def _floor(curve: np.ndarray) -> float:
    seen = curve[np.isfinite(curve)]
    if not len(seen):
        return np.nan
    fitted = (isotonic_regression(seen, increasing=rising).x for rising in (False, True))
    return min(((seen - values) ** 2).mean() for values in fitted)


def thin_anchors(curves: xr.DataArray, every: int = 4) -> xr.DataArray:
    """Return the curves at each `every`-th of their own anchors, and at their last; NaN elsewhere.

    Parameters
    ----------
    curves : xarray.DataArray, dims (..., anchor)
        Each curve's first anchor is kept.
    every : int
    """
    place = curves.notnull().cumsum("anchor")
    return curves.where((place % every == 1 % every) | (place == place.max("anchor")))


def thinning_effect(curves: xr.DataArray, shapes: xr.Dataset, model: str = "POW4",
                    every: int = 4) -> pd.DataFrame:
    """Compare fits of ill- and well-behaved curves on all anchors and on few.

    Parameters
    ----------
    curves : xarray.DataArray, dims (dataset, learner, anchor)
        Mean error rates.
    shapes : xarray.Dataset, dims (dataset, learner)
        Of the curves on all anchors: the same curves are called ill-behaved both times.
    model : str
    every : int
        As in `thin_anchors`.

    Returns
    -------
    pandas.DataFrame
        As `fit_summary`, with ``anchors`` ("all" or "thinned")
        in front.
    """
    tables = []
    for anchors, these in (("all", curves), ("thinned", thin_anchors(curves, every))):
        table = fit_summary(fit_curves(these, [model])["mse"], shapes)
        table.insert(0, "anchors", anchors)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


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
    errors = fit["mse"].where(many & settles & calm).to_series().dropna().sort_values(kind="stable")
    if errors.empty:
        raise ValueError(f"No well-behaved curve settles at a level according to {model}.")
    labels = errors.index[len(errors) // 2]
    labels = labels if isinstance(labels, tuple) else (labels,)
    return curves.sel(dict(zip(errors.index.names, labels, strict=True)))
