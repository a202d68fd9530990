"""The answers that the report gives, each as a table, from measured curves and their forecast."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from analysis.extrapolation.extrapolators import LEVELS, RECOMMENDED, predict
from analysis.shapes import detect_shapes
from analysis.shapes.words import SHAPE_LABELS

FACTORS = (2, 4, 10)  # times the rows there are now
FARTHEST = 64  # times: six doublings, beyond which nothing was tested
WORTH = 0.005  # of the error: a doubling that gains less is not counted as paying
DRAWS = 4000
HELD_OUT_SHARE = 0.1 / 0.81  # rows measured on against rows trained on, by the protocol
LEVEL = (0.05, 0.95)


@dataclass(frozen=True)
class Answers:
    """What the report says, as tables.

    Attributes
    ----------
    now : pandas.DataFrame
        By learner, best first: ``size`` (rows trained on), ``error``, ``low``, ``high`` (90 %),
        ``chance_best``.
    later : pandas.DataFrame
        By factor and learner: ``factor, learner, size, error, low, high, chance_best``.
    path : pandas.DataFrame
        By learner and size: the forecast's quantiles up to `FARTHEST` times the rows now.
    wanted : pandas.DataFrame
        By learner: ``rows`` at which the middle of the forecast reaches the wanted error, ``early``
        and ``late`` (ends of the 90 % interval), NaN where not within reach; empty if not asked.
    enough : pandas.DataFrame
        By learner: ``rows`` from which every doubling is expected to gain less than `WORTH`; NaN
        where the last one looked at still gains more.
    shapes : pandas.DataFrame
        By learner: ``verdicts`` in words, ``advice``.
    """

    now: pd.DataFrame
    later: pd.DataFrame
    path: pd.DataFrame
    wanted: pd.DataFrame
    enough: pd.DataFrame
    shapes: pd.DataFrame


def answer(errors: xr.DataArray, wanted: float | None = None, seed: int = 0,
           extrapolator: str = RECOMMENDED) -> Answers:
    """Answer how good learners are now, how good they will be, and how much data that takes.

    Parameters
    ----------
    errors : xarray.DataArray, dims (learner, [outer, inner | repeat], anchor)
        Errors from 0 to 1 on held-out rows; NaN where there is no measurement.
    wanted : float, optional
        An error to reach.
    seed : int
        Of the draws behind ``chance_best``.
    extrapolator : str
        A name in `analysis.extrapolation.extrapolators.EXTRAPOLATORS`.

    Returns
    -------
    Answers
    """
    repeats = [d for d in ("outer", "inner", "repeat") if d in errors.dims]
    there = errors.notnull().any(repeats)
    errors = errors.isel(learner=(there.sum("anchor") >= 2).values)
    largest = int(errors["anchor"].values[there.any("learner").values].max())
    doublings = np.unique(np.r_[2 ** np.arange(0.5, np.log2(FARTHEST) + 0.25, 0.5), FACTORS])
    sizes = np.rint(largest * doublings)
    forecast = predict(errors.rename(None), sizes, levels=LEVELS, extrapolator=extrapolator)
    path = forecast.to_series().unstack("quantile").rename(columns=str).reset_index()
    rng = np.random.default_rng(seed)
    now = _now(errors, repeats, largest, rng)
    later = pd.concat([_later(forecast, factor, largest, rng) for factor in FACTORS])
    best = now["learner"].iloc[0]
    return Answers(now, later.reset_index(drop=True), path,
                   _wanted(forecast, wanted, now) if wanted is not None else pd.DataFrame(),
                   _enough(forecast, now), _shapes(errors, repeats, best))


def _now(errors: xr.DataArray, repeats: list[str], largest: int,
         rng: np.random.Generator) -> pd.DataFrame:
    """Compare learners at the largest size that each reaches, with corrected standard errors."""
    rows = []
    for learner in errors["learner"].values:
        curve = errors.sel(learner=learner).dropna("anchor", how="all")
        last = curve.isel(anchor=-1)
        values = last.values.ravel()
        values = values[np.isfinite(values)]
        spread = corrected_error(values)
        rows.append({"learner": str(learner), "size": int(curve["anchor"].values[-1]),
                     "error": values.mean(), "spread": spread})
    table = pd.DataFrame(rows)
    half = 1.645 * table["spread"]
    table["low"] = (table["error"] - half).clip(0)
    table["high"] = (table["error"] + half).clip(0, 1)
    complete = table["size"] == largest
    draws = rng.normal(table["error"], table["spread"].fillna(0.05), (DRAWS, len(table)))
    draws[:, ~complete] = np.inf  # not measured at this size: no claim
    best = np.bincount(draws.argmin(axis=1), minlength=len(table)) / DRAWS
    table = table.assign(chance_best=best).drop(columns="spread")
    order = np.lexsort((table["error"], ~complete))
    return table.iloc[order].reset_index(drop=True)


def corrected_error(values: np.ndarray) -> float:
    """Return the standard error of a mean over resampled splits (Nadeau and Bengio).

    Parameters
    ----------
    values : ndarray, shape (n_repeats,)
        Errors of repeated splits of one dataset by the protocol: 10 % of the rows held out.

    Returns
    -------
    float
        NaN with fewer than two repeats. The repeats share rows, which the plain standard error
        does not know.
    """
    if len(values) < 2:
        return np.nan
    return float(np.sqrt((1 / len(values) + HELD_OUT_SHARE) * values.var(ddof=1)))


def _later(forecast: xr.DataArray, factor: int, largest: int,
           rng: np.random.Generator) -> pd.DataFrame:
    """Return the forecast at a multiple of the rows now; the likely best first."""
    size = float(np.rint(largest * factor))
    at = forecast.sel(size=size)
    values = at.transpose("learner", "quantile").values
    known = np.isfinite(values).all(axis=1)
    draws = np.full((DRAWS, len(values)), np.inf)
    for k in np.flatnonzero(known):
        draws[:, k] = np.interp(rng.uniform(size=DRAWS), forecast["quantile"], values[k])
    best = np.bincount(draws.argmin(axis=1), minlength=len(values)) / DRAWS
    table = pd.DataFrame({
        "factor": factor, "learner": at["learner"].values.astype(str), "size": int(size),
        "error": at.sel(quantile=0.5).values, "low": at.sel(quantile=LEVEL[0]).values,
        "high": at.sel(quantile=LEVEL[1]).values, "chance_best": best})
    return table[known].sort_values("error", ignore_index=True)


def _first_at_most(sizes: np.ndarray, values: np.ndarray, wanted: float) -> float:
    """Return the first size whose value is at most `wanted`, NaN where none is."""
    reached = np.flatnonzero(values <= wanted)
    return float(sizes[reached[0]]) if len(reached) else np.nan


def _wanted(forecast: xr.DataArray, wanted: float, now: pd.DataFrame) -> pd.DataFrame:
    sizes = forecast["size"].values
    rows = []
    for learner, size, error in now[["learner", "size", "error"]].itertuples(index=False):
        own = forecast.sel(learner=learner)
        found = {name: float(size) if error <= wanted else
                 _first_at_most(sizes, own.sel(quantile=level).values, wanted)
                 for name, level in (("rows", 0.5), ("early", LEVEL[0]), ("late", LEVEL[1]))}
        rows.append({"learner": learner, "wanted": wanted, **found})
    return pd.DataFrame(rows)


def _enough(forecast: xr.DataArray, now: pd.DataFrame) -> pd.DataFrame:
    """Return from how many rows on no doubling is expected to gain `WORTH` any more."""
    rows = []
    for learner, size, error in now[["learner", "size", "error"]].itertuples(index=False):
        middle = forecast.sel(learner=learner, quantile=0.5).dropna("size")
        sizes = np.r_[size, middle["size"].values]
        values = np.minimum.accumulate(np.r_[error, middle.values])
        steps = np.arange(np.log2(sizes[0]), np.log2(sizes[-1]) - 1 + 1e-9, 0.5)
        gain = (np.interp(steps, np.log2(sizes), values)
                - np.interp(steps + 1, np.log2(sizes), values))
        paying = np.flatnonzero(gain >= WORTH)
        after = paying[-1] + 1 if len(paying) else 0
        rows.append({"learner": learner, "worth": WORTH,
                     "rows": round(2 ** steps[after]) if after < len(steps) else np.nan})
    return pd.DataFrame(rows)


ADVICE = {
    "peaking": "the error rises and falls again: train on fewer or on more rows than at the peak, "
               "or set aside this learner there",
    "dipping": "the error ends higher than it was with fewer rows: more data do not help this "
               "learner here; look whether the rows are shuffled and alike",
    "non-monotone": "more rows made it worse at some size: compare at the size you will use",
    "flat": "more rows hardly change it",
}


def _shapes(errors: xr.DataArray, repeats: list[str], best: str) -> pd.DataFrame:
    """Judge each curve that has at least two repeats."""
    columns = ["learner", "verdicts", "advice"]
    if not {"outer", "inner"} <= set(errors.dims):
        if "repeat" not in errors.dims or errors.sizes["repeat"] < 2:
            return pd.DataFrame(columns=columns)
        errors = errors.rename(repeat="outer").expand_dims("inner")
    found = detect_shapes(errors.expand_dims(dataset=["yours"]), procedure="corrected")
    rows = []
    for learner in errors["learner"].values:
        one = found.sel(learner=learner, dataset="yours")
        words = [label for name, label in SHAPE_LABELS.items() if bool(one[name])]
        advice = next((text for word, text in ADVICE.items() if word in words), "")
        rows.append({"learner": str(learner), "verdicts": ", ".join(words) or "well-behaved",
                     "advice": advice})
    return pd.DataFrame(rows, columns=columns)
