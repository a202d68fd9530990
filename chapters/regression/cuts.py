"""The curves that the chapter forecasts, each seen up to a share of its rows."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import xarray as xr

from analysis.databases.load import load_curves
from chapters.regression.peaks import over_repeats
from collection.container import Status, main_metric
from collection.learners.registry import REGRESSOR_OF

REPEATS = ["outer", "inner"]
SCALING = "standard"  # regression has no other
LEAST_SEEN = 4  # anchors
HIGHEST = 0.9  # to which the largest error seen is brought, if it is above


@dataclass(frozen=True)
class Cut:
    """The curves of one table, seen up to a size; all were also measured at its last anchor.

    Attributes
    ----------
    dataset : str
    seen : xarray.DataArray, dims (learner, anchor)
        Errors so far, times `scale`: within 0 to 1, as error rates are.
    scale : ndarray, shape (n_learners,)
    last, truth : ndarray, shape (n_learners,)
        The last error seen, and that at the end, unscaled.
    end : int
        Last anchor [rows].
    """

    dataset: str
    seen: xr.DataArray
    scale: np.ndarray
    last: np.ndarray
    truth: np.ndarray
    end: int

    @property
    def doublings(self) -> float:
        """How far ahead the end is."""
        return float(np.log2(self.end / self.seen["anchor"].values[-1]))


def opened(database: str) -> xr.Dataset:
    """Open what the two databases have in common: their anchors, scaling and learners' kinds.

    Returns
    -------
    xarray.Dataset, dims (dataset, learner, outer, inner, anchor, split)
        Features standardised, no leakage, every fourth anchor up to 1,024 rows, learners by the
        regressor's name. Of ``mini`` the learners that have a regressor of the same kind here.
    """
    ours = load_curves("regression")
    curves = load_curves(database).sel(scaling=SCALING, leakage="no", drop=True)
    twin = {name: REGRESSOR_OF.get(name, name) for name in curves["learner"].values}
    shared = [name for name in curves["learner"].values if twin[name] in ours["learner"].values]
    ok = (ours["status"] == Status.ok).any(["dataset", "scaling", "leakage", *REPEATS])
    there = ok.all("learner")
    anchors = [a for a in there["anchor"].values[there.values] if a in curves["anchor"].values]
    metric = main_metric(curves)
    curves = curves[[metric, "train_time"]].sel(learner=shared, anchor=anchors).load()
    curves = curves.assign_coords(learner=[twin[name] for name in shared])
    has = curves[metric].sel(split="valid").notnull().any(["learner", *REPEATS, "anchor"])
    return curves.isel(dataset=has.values)


def median_curves(curves: xr.Dataset) -> xr.DataArray:
    """Return the median validation errors over the repeats, dims (dataset, learner, anchor).

    Without the learner that predicts the mean.
    """
    valid = curves[main_metric(curves)].sel(split="valid", drop=True)
    kept = [name for name in valid["learner"].values if name != "Dummy"]
    return over_repeats(valid.sel(learner=kept)).transpose("dataset", "learner", "anchor")


def scale_of(values: np.ndarray) -> np.ndarray:
    """Return what brings curves (n, n_anchors), NaN where not seen, within 0 to 1."""
    return HIGHEST / np.maximum(np.nanmax(values, axis=1), HIGHEST)


def cut_curves(median: xr.DataArray, share: float) -> Iterator[Cut]:
    """Cut each table's curves at a share of its rows.

    Tables with fewer than `LEAST_SEEN` anchors up to there are left out, and learners with a gap
    among these or at the end.
    """
    for dataset in median["dataset"].values:
        own = median.sel(dataset=dataset, drop=True).dropna("anchor", how="all")
        anchors = own["anchor"].values
        seen, truth = own.sel(anchor=anchors[anchors <= share * anchors[-1]]), own.isel(anchor=-1)
        if seen.sizes["anchor"] < LEAST_SEEN:
            continue
        kept = (seen.notnull().all("anchor") & truth.notnull() & (truth > 0)).values
        if not kept.any():
            continue
        seen, truth = seen.isel(learner=kept), truth.isel(learner=kept)
        scale = scale_of(seen.values)
        yield Cut(str(dataset), (seen * scale[:, None]).assign_coords(dataset=dataset), scale,
                  seen.values[:, -1], truth.values, int(anchors[-1]))
