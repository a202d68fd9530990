"""The tables of DA3: every fit with its curve's verdicts, and ill- against well-behaved curves."""

import numpy as np
import pandas as pd
import xarray as xr

from analysis.extrapolation.fit_clusters import (
    clustered_gap,
    clustered_relation,
    ratio_without_effects,
)
from analysis.extrapolation.fit_statistics import EXACT, compare_fits, relate_to_violation
from analysis.intervals.bootstrap import percentile_interval, ratio_of_sums, resample_datasets
from analysis.shapes.words import VERDICTS
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
        learners and datasets taken out. (See `analysis.extrapolation.fit_clusters`.)
    """
    shaped = mse.where(~shapes["flat"])
    frames = []
    for verdict, violation in COMPARED.items():
        ill = shapes[verdict]
        groups = compare_fits(shaped, ill)
        ends = [_cluster_interval(shaped.sel(model=m), ill) for m in groups["model"]]
        groups[["cluster_low", "cluster_high"]] = ends
        size = relate_to_violation(shaped, shapes[violation].where(ill))
        both = groups.merge(size.drop(columns="n_exact"), on="model").set_index("model")
        for model in both.index:
            for name, value in _clustered(shaped.sel(model=model, drop=True), ill,
                                          shapes[violation]).items():
                both.loc[model, name] = value
        frames.append(both.reset_index())
        frames[-1].insert(0, "verdict", verdict)
    return pd.concat(frames, ignore_index=True)


def _clustered(mse: xr.DataArray, ill: xr.DataArray, violation: xr.DataArray) -> dict[str, float]:
    """Return what `analysis.extrapolation.fit_clusters` has to say of one model's fits."""
    rows = xr.Dataset({"mse": mse, "ill": ill, "size": violation}).to_dataframe().reset_index()
    rows = rows[rows["mse"] >= EXACT]
    log, is_ill = np.log10(rows["mse"].to_numpy()), rows["ill"].to_numpy(bool)
    dataset = rows["dataset"].to_numpy()
    called = rows[is_ill].dropna(subset="size")
    found = clustered_gap(log, is_ill, dataset) | clustered_relation(
        *(called[c].to_numpy() for c in ("mse", "size", "dataset")))
    if 0 < is_ill.sum() < len(rows):
        found |= ratio_without_effects(log, is_ill, dataset, rows["learner"].to_numpy())
    return found


def _cluster_interval(mse: xr.DataArray, ill: xr.DataArray) -> tuple[float, float]:
    """Return the interval of the ratio of geometric means over resampled datasets."""
    log = np.log10(mse.where(mse >= EXACT)).transpose("dataset", ...)
    ill = ill.transpose(*log.dims)
    means = []
    for group in (log.where(ill), log.where(~ill)):
        total, count = (part.sum([d for d in log.dims if d != "dataset"]).values
                        for part in (group.fillna(0), group.notnull()))
        means.append(ratio_of_sums(total, count, resample_datasets(len(total))))
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
