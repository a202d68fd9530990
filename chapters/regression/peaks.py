"""Where least squares peaks: on the tables, and on a table made up, whose answer is known."""

import warnings

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from analysis.databases.paper_curves import log_errors
from analysis.drawing.chart import Chart
from analysis.shapes import detect_shapes
from collection.datasets.dataset import Dataset, make_dataset
from collection.running.curve import gather

LINEAR = ("LeastSquares", "Ridge")
EXACT = 1e-4  # of the target's deviation: a training error below it is none
BEYOND = 2.0  # times the place where the training error ends: as far as a peak is looked for
FEATURES, NOISE, ROWS = 48, 0.5, 400  # of the table made up
ANCHORS = (16, 20, 24, 28, 32, 36, 40, 43, 46, 48, 49, 50, 52, 55, 59, 64, 72, 84, 100, 128, 160,
           200, 256, 320)


def thresholds(curves: xr.Dataset) -> pd.DataFrame:
    """Return where least squares stops to fit its training rows exactly, and where it is worst.

    It fits them as long as there are no more rows than columns (one-hot, and the constant), those
    that depend on others not counted: the theory's place of the peak.

    Parameters
    ----------
    curves : xarray.Dataset
        One scaling and leakage, with ``relative_rmse`` of the learners `LINEAR`.

    Returns
    -------
    pandas.DataFrame
        A row per table and learner where some, but not every anchor is fitted exactly:
        ``dataset, learner``; ``threshold``, the last anchor that is [rows]; ``peak``, the anchor
        up to `BEYOND` times it with the highest median validation error [rows]; ``ratio`` of the
        two; ``largest``, the anchor with the highest one of the whole curve; ``before, at,
        after``, these errors at the first anchor, the peak and the last one;
        ``called``, whether the test calls the curve peaking, and ``rises``, whether it calls it
        non-monotone.
    """
    errors = curves["relative_rmse"].sel(learner=list(LINEAR)).load()
    median = over_repeats(errors)
    shapes = detect_shapes(log_errors(errors))
    rows = []
    for name in errors["dataset"].values:
        own = median.sel(dataset=name).dropna("anchor", how="all")
        anchors = own["anchor"].values
        exact = anchors[own.sel(learner=LINEAR[0], split="train").values < EXACT]
        if not len(exact) or exact[-1] == anchors[-1]:
            continue
        near = anchors <= BEYOND * exact[-1]
        for learner in LINEAR:
            valid = own.sel(learner=learner, split="valid").values
            top = int(valid[near].argmax())
            verdict = shapes.sel(dataset=name, learner=learner)
            rows.append((name, learner, exact[-1], anchors[top], anchors[top] / exact[-1],
                         anchors[valid.argmax()], valid[0], valid[top], valid[-1],
                         bool(verdict["peaking"]), bool(verdict["non_monotone"])))
    return pd.DataFrame(rows, columns=["dataset", "learner", "threshold", "peak", "ratio",
                                       "largest", "before", "at", "after", "called", "rises"])


def over_repeats(errors: xr.DataArray, quantile: float = 0.5) -> xr.DataArray:
    """Return a quantile over the repeats; NaN where there are none."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "All-NaN slice", RuntimeWarning)
        return errors.quantile(quantile, ["outer", "inner"]).drop_vars("quantile")


def quartiles(errors: xr.DataArray) -> pd.DataFrame:
    """Return ``value``, the median over the repeats, and ``low, high``, the quartiles, by row."""
    parts = {"value": 0.5, "low": 0.25, "high": 0.75}
    found = xr.Dataset({name: over_repeats(errors, q) for name, q in parts.items()})
    return found.to_dataframe()[list(parts)].dropna().reset_index()


def made_up(seed: int = 0) -> Dataset:
    """Return a table whose target is linear in `FEATURES` normal features, plus noise.

    The features explain a variance of 1, the noise adds `NOISE` squared.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, FEATURES))
    slope = rng.normal(size=FEATURES)
    y = X @ (slope / np.linalg.norm(slope)) + NOISE * rng.normal(size=ROWS)
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(FEATURES)]).assign(y=y)
    return make_dataset(frame, "y", name="made up", source="made up", regression=True)


def in_theory(anchors: np.ndarray) -> np.ndarray:
    """Return the error of least squares on the table made up, over the target's deviation.

    The expectation over tables and training rows, for normal features; the shortest solution
    where there are several. It is infinite within a row of `FEATURES` + 1 rows. Theorem 1 of Belkin
    et al. (2020); the constant, which it has not, counts as one row less.
    """
    n, p, noise = np.asarray(anchors, float) - 1, FEATURES, NOISE**2
    with np.errstate(divide="ignore"):
        few = (1 - n / p) + noise * (1 + n / (p - n - 1))
        many = noise * (1 + p / (n - p - 1))
    error = np.where(n < p - 1, few, np.where(n > p + 1, many, np.inf))
    return np.sqrt(error / (1 + noise))


def synthetic() -> pd.DataFrame:
    """Return curves on the table made up, a row per anchor and learner, and what theory says.

    Returns
    -------
    pandas.DataFrame
        ``anchor, learner, value`` (median over ten repeats of the relative error on validation
        rows), ``low, high`` (quartiles), ``theory`` (of least squares; NaN for ridge).
    """
    curves = gather(made_up(), LINEAR, inner=(0, 1), anchors=ANCHORS)
    valid = curves["relative_rmse"].sel(split="valid").squeeze(drop=True)
    table = quartiles(valid)
    theory = np.where(table["learner"] == LINEAR[0], in_theory(table["anchor"]), np.nan)
    return table.assign(theory=theory)


PANELS = 6
THEORY = "least squares, in theory"
HIGHEST = 30.0  # relative error that is still drawn


def draw_peaks(curves: xr.Dataset, peaks: pd.DataFrame) -> Figure:
    """Draw least squares and ridge on tables where rows come to equal columns, few to many.

    Parameters
    ----------
    curves : xarray.Dataset
        As for `thresholds`.
    peaks : pandas.DataFrame
        From `thresholds`.
    """
    own = peaks[peaks["learner"] == LINEAR[0]].sort_values("threshold", kind="stable")
    some = own.iloc[np.unique(np.linspace(0, len(own) - 1, PANELS).round().astype(int))]
    errors = curves["relative_rmse"].sel(split="valid", learner=list(LINEAR)).load()
    return _chart(pd.concat([quartiles(errors.sel(dataset=row.dataset)).assign(
        threshold=row.threshold, table=f"{row.dataset}: {row.threshold:,.0f} rows")
        for row in some.itertuples()]), panel="table", own=True, across=3, height=2.1,
        title="Least squares peaks where rows equal columns")


def draw_made(made: pd.DataFrame) -> Figure:
    """Draw the table made up: what was measured, and what theory says of least squares."""
    theory = made.dropna(subset="theory").replace(np.inf, np.nan)
    theory = theory[["anchor"]].assign(learner=THEORY, value=theory["theory"])
    return _chart(pd.concat([made.assign(threshold=FEATURES + 1), theory]), marks={THEORY: "--"})


def _chart(rows: pd.DataFrame, **settings) -> Figure:
    errors = rows[["value", "low", "high"]].clip(upper=HIGHEST)
    return Chart("rows", "lines", "anchor", "value", "training-set size [rows]",
                 "error, over the target's deviation", by="learner", at="threshold", log="xy",
                 **settings).draw({"rows": rows.assign(**errors)})
