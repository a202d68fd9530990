"""The curves that the chapter is about, and forecasts from their first thousands of rows.

Learners are named by the part they play in both databases; forecasts, the report's among them, are
held against what came.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import xarray as xr

from analysis.databases.load import load_curves
from analysis.extrapolation import predict
from analysis.report.measured import measured_points
from analysis.report.posterior import draw_ahead, forecast_ahead
from analysis.report.uncertainty import BOUNDED, ENDLESS, Stretch
from analysis.statistics.bootstrap import exact_ends
from analysis.statistics.summary import summarise
from collection.containers.curves import main_metric

DATABASES = ("large_numbers", "large_classes")
REPEATS = ["outer", "inner"]
SEEN = 4096  # rows: where most curves of other databases end
COMMON = 32768  # rows that every learner reaches on every table
FAR = 131072  # … and those that are quick on the larger tables
#: Learners of the two kinds that play one part; the first is in the largest training sets.
ROLES = {
    "the same for all": ("Dummy", "DummyClassifier"),
    "linear model": ("Ridge", "LogisticRegression"),
    "naive Bayes": ("GaussianNB",),
    "tree": ("Decision Tree",),
    "LightGBM": ("LightGBM", "LightGBM (classifier)"),
    "XGBoost": ("XGBoost",),
    "random forest": ("ens.RandomForest",),
    "nearest neighbours": ("KNN",),
    "neural network": ("MLP",),
}
ROLE_OF = {name: role for role, names in ROLES.items() for name in names}
BASELINE, LINEAR, TREE, BOOSTED = (list(ROLES)[k] for k in (0, 1, 3, 4))
OTHER_BOOSTED, FOREST, NEIGHBOURS, NET = list(ROLES)[5:]


def opened(database: str) -> xr.DataArray:
    """Return the errors of a database that was gathered to 100,000 rows and beyond.

    Returns
    -------
    xarray.DataArray, dims (dataset, learner, outer, inner, anchor, split)
        Of validation and test; learners are named by `ROLES`, ``known`` says the names that the
        database has.
    """
    curves = load_curves(database).sel(scaling="standard", leakage="no", drop=True)
    errors = curves[main_metric(curves)].sel(split=["valid", "test"]).load()
    names = errors["learner"].values
    roles = [ROLE_OF[name] for name in names]
    order = [role for role in ROLES if role in roles]
    return errors.assign_coords(learner=roles, known=("learner", names)).sel(learner=order)


def valid_errors(errors: xr.DataArray) -> xr.DataArray:
    """Return the validation errors."""
    return errors.sel(split="valid", drop=True)


def but_baseline(errors: xr.DataArray) -> xr.DataArray:
    """Return the errors of all learners but the one that says always the same."""
    return errors.sel(learner=[role for role in errors["learner"].values if role != BASELINE])


def tables_of(errors: dict[str, xr.DataArray]) -> Iterator[tuple[tuple[str, xr.DataArray], str]]:
    """Yield each database with its name, and each of its datasets."""
    return ((item, str(dataset)) for item in errors.items()
            for dataset in item[1]["dataset"].values)


STRETCHES = {"large_numbers": ENDLESS, "large_classes": BOUNDED}
TIMES = (2, 4, 8, 16, 32, 64)  # of the rows seen
STAYS, REPORT, LEARNT = "stays as it is", "the report", "learnt on error rates"
FORMULA, USUAL = "power law (POW4)", "usual fall of other curves"
EXTRAPOLATORS = {LEARNT: "boosted", FORMULA: "POW4", USUAL: "usual"}


def forecasts_of(errors: dict[str, xr.DataArray]) -> Iterator[dict]:
    """Forecast mean test errors from validation errors at up to `SEEN` rows.

    Yields
    ------
    dict
        ``kind, dataset, role, times, method, truth``, ``off`` (size of the binary logarithm of
        forecast over truth), ``inside`` (whether the truth is in the range of 90 %; NaN without
        one) and ``width`` (the binary logarithm of its ends' ratio).
    """
    for (database, every), dataset in tables_of(errors):
        own = but_baseline(every.sel(dataset=dataset)).dropna("learner", how="all")
        seen = own.sel(split="valid", anchor=slice(None, SEEN), drop=True)
        truth = own.sel(split="test").mean(REPEATS)
        sizes = [SEEN * times for times in TIMES if SEEN * times in truth["anchor"].values]
        for method, found in _said(seen, sizes, STRETCHES[database]).items():
            for (role, ranges), (at, size) in product(
                    zip(seen["learner"].values, found, strict=True), enumerate(sizes)):
                true, (low, middle, high) = float(truth.sel(learner=role, anchor=size)), ranges[at]
                if np.isfinite(true):
                    yield {"kind": database, "dataset": dataset, "role": str(role),
                           "times": size // SEEN, "method": method, "truth": true,
                           "off": abs(np.log2(max(middle, 1e-6) / true)),
                           "inside": float(low <= true <= high) if low < high else np.nan,
                           "width": np.log2(max(high, 1e-6) / max(low, 1e-6))
                           if low < high else np.nan}


def _said(seen: xr.DataArray, sizes: list[int], stretch: Stretch) -> dict[str, np.ndarray]:
    """Return what each method says of all learners on one table that were seen.

    Returns
    -------
    dict of str to ndarray, shape (n_learners, n_sizes, 3)
        The lower end, the middle and the upper end.
    """
    levels, seen = (0.05, 0.5, 0.95), seen.clip(0, 1)
    last = seen.isel(anchor=-1).mean(REPEATS).values
    found = {STAYS: np.broadcast_to(last[:, None, None], (len(last), len(sizes), 3))}
    points = seen.assign_coords(learner=seen["known"].values).drop_vars("known")
    stacked = points.stack(repeat=REPEATS).drop_vars(["repeat", *REPEATS])
    measured = replace(measured_points(stacked.drop_vars("dataset").transpose(
        "learner", "repeat", "anchor")), stretch=stretch, tested=None)
    draws = draw_ahead(measured, forecast_ahead(measured, np.array(sizes)))
    found[REPORT] = np.stack([np.quantile(draws[name][:, 1:], levels, axis=0).T
                              for name in measured.learners])
    for method, name in EXTRAPOLATORS.items():
        ahead = predict(points, sizes, extrapolator=name, levels=levels)
        found[method] = ahead.transpose("learner", "size", "quantile").values
    return found


def coverage(forecasts: pd.DataFrame) -> pd.DataFrame:
    """Summarise forecasts by method and multiple of the rows seen; 0 stands for all multiples.

    Returns
    -------
    pandas.DataFrame
        ``method, times``; ``off, off_low, off_high``: mean over forecasts of the size of
        log₂(forecast / truth), interval over tables; ``inside, inside_low, inside_high``: percent
        of truths in the range of 90 %; ``width``; ``n_cases, n``: forecasts, and tables that were
        resampled.
    """
    rows = []
    every = pd.concat([forecasts.assign(times=0), forecasts])
    for (method, times), own in every.groupby(["method", "times"], sort=False):
        off, inside = (summarise(own[c], own["dataset"]) for c in ("off", "inside"))
        held = np.array([100 * inside.value, 100 * inside.low, 100 * inside.high])
        held[1:] = exact_ends(*held, inside.n) if inside.n else np.nan
        rows.append((method, times, off.value, off.low, off.high, *held, own["width"].mean(),
                     len(own), off.n))
    return pd.DataFrame(rows, columns=["method", "times", "off", "off_low", "off_high", "inside",
                                       "inside_low", "inside_high", "width", "n_cases", "n"])
