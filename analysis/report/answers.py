"""The answers that the report gives, each as a table, from measured curves and their forecast."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import xarray as xr

from analysis.extrapolation import predict, predict_compact
from analysis.extrapolation.compact import LEVELS as COMPACT_LEVELS
from analysis.report.measured import Measured
from analysis.report.metrics import METRICS
from analysis.report.uncertainty import DRAWS, draw_later
from analysis.shapes import detect_shapes
from collection.own_table.learners import LEARNERS, code_of, make_model
from collection.own_table.read import OwnTable
from collection.project.naming import check_known

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

TIMES = (1.5, 2, 4, 10)  # the rows trained on now
FARTHEST = 64  # times: six doublings, beyond which nothing was tested
WORTH = 0.005  # of an error rate: a doubling that gains less is not counted as paying
WORTH_SHARE = 0.01  # of the worst error, where that has a unit
LEVELS = (0.01, *np.arange(0.05, 0.951, 0.05).round(2).tolist(), 0.99)
ENDS = (0.05, 0.95)
TIED = 0.05  # chance to be better from which on two learners cannot be told apart
STEPS, POINTS_STEPS = 2, 8  # sizes looked at per doubling, of a table and of points
MORE = 1000  # rows whose worth is asked for
SHOWN = 0.75  # chance that the error falls, from which on more rows are shown to help
RISEN = 0.02  # share of the worst error by which a curve must end above its lowest point …
RISEN_SHARE = 0.1  # … and share of that lowest error
LONG_PAST = 8  # times the rows at a peak from which on it is of no interest any more


@dataclass(frozen=True)
class Costs:
    """What rows and errors cost, in one currency.

    Attributes
    ----------
    row : float
        Of one more row.
    error : float
        Of one wrong prediction, or of one unit of the metric for one prediction.
    predictions : float
        That will be made with the model.
    """

    row: float
    error: float
    predictions: float


@dataclass(frozen=True)
class Tables:
    """What the report says, as tables. Errors are in the metric's unit, ranges are of 90 %.

    Attributes
    ----------
    now : pandas.DataFrame
        By learner, best first, in the order that all tables have: ``learner, size`` (rows trained
        on), ``error, low, high, chance_best``, ``tied`` (cannot be told from the best), ``better``
        (chance to be better than the baseline).
    later : pandas.DataFrame
        By ``times`` and learner: ``learner, times, size, error, low, high, chance_best``.
    expected : pandas.DataFrame
        By ``times`` (1: now), the learner whose error or forecast is lowest: ``times, size,
        learner, error, low, high``, corrected for having been picked by that (`corrected`), and
        ``helps``: whether its error is then lower than now with a chance of `SHOWN`.
    path : pandas.DataFrame
        By learner and size, up to `FARTHEST` times: ``learner, size, error, low, high``.
    wanted : pandas.DataFrame
        ``learner, wanted``, ``rows`` at which the middle of the range is as low, ``early`` and
        ``late`` for its ends; NaN where not within reach; empty if not asked.
    enough : pandas.DataFrame
        ``learner, worth, rows``: from which on no doubling is expected to gain `WORTH` (or
        `WORTH_SHARE` of the worst error); NaN where the last one looked at still gains more.
    costs : pandas.DataFrame
        ``learner, size``, ``gain`` of `MORE` rows more in currency, ``low, high, cost``; empty if
        not asked.
    shapes : pandas.DataFrame
        ``learner, shape, at`` (rows), ``words``.
    """

    now: pd.DataFrame
    later: pd.DataFrame
    expected: pd.DataFrame
    path: pd.DataFrame
    wanted: pd.DataFrame
    enough: pd.DataFrame
    costs: pd.DataFrame
    shapes: pd.DataFrame


def answer(measured: Measured, wanted: float | None = None,
           costs: Costs | None = None) -> Tables:
    """Answer how good learners are now, how good they will be, and how much data that takes.

    Parameters
    ----------
    measured : Measured
    wanted : float, optional
        An error to reach, in the metric's unit.
    costs : Costs, optional

    Returns
    -------
    Tables

    Raises
    ------
    ValueError
        No learner was measured at two sizes.
    """
    if wanted is not None and not wanted > 0:
        raise ValueError(f"An error to reach has to be above 0, not {wanted}.")
    seen = _curves(measured)
    if not seen.any():
        raise ValueError("No learner was measured at two sizes: give more time.")
    largest = int(measured.size.max())
    per_doubling = STEPS if measured.tested is None else POINTS_STEPS
    sizes = largest * np.unique(np.r_[2 ** (np.arange(
        1, round(np.log2(FARTHEST) * per_doubling) + 1) / per_doubling), TIMES])
    if measured.tested is None:
        sizes = np.rint(sizes)
        draws = draw_ahead(measured, forecast_ahead(measured, sizes))
        ranges = {name: _ranges(draws[name], measured, name) for name in draws}
    else:
        ranges = points_ahead(measured, sizes)
        draws = _draw_points(ranges)
    now = _now(measured)
    order = [name for name in now["learner"] if seen[measured.learners.index(name)]]
    path = pd.concat([pd.DataFrame({"learner": name, "size": sizes.round().astype(int)} | dict(zip(
        ("low", "error", "high"), ranges[name][[0, len(ranges[name]) // 2, -1]], strict=True)))
        for name in order], ignore_index=True)[["learner", "size", "error", "low", "high"]]
    helps = _helps(measured, draws, sizes)
    later, expected = [], [_best_now(now, measured)]
    for times in TIMES:
        at = int(np.abs(sizes - largest * times).argmin())
        here = np.stack([draws[name][:, at] for name in order], axis=1)
        own = path[path["size"] == round(sizes[at])].set_index("learner").loc[order].reset_index()
        own.insert(1, "times", times)
        later.append(own.assign(chance_best=_chances(here)))
        expected.append(_expected(own, here, {name: helps[name][at] for name in order}))
    later, expected = (pd.concat(tables, ignore_index=True) for tables in (later, expected))
    expected["error"] = np.fmax(expected["error"].cummin(), expected["low"])
    start = now if measured.tested is None else now.assign(low=np.nan, high=np.nan)
    start = start.fillna({"low": now["error"], "high": now["error"]})
    onward = {name: pd.concat([table[table["learner"] == name] for table in (start, path)])
              for name in now["learner"]}
    return Tables(now, later, expected, path, _wanted(onward, wanted),
                  _enough(onward, measured.worst), _costs(draws, sizes, now, measured, costs),
                  _shapes(measured, order, largest))


def forecast_ahead(measured: Measured, sizes: np.ndarray) -> xr.DataArray:
    """Forecast the errors at larger sizes of the learners that were measured at two sizes.

    Parameters
    ----------
    measured : Measured
    sizes : ndarray
        Rows, more than were measured.

    Returns
    -------
    DataArray, dims (learner, size, quantile)
        As shares of the worst error, at `LEVELS`.
    """
    curves = _shares(measured)
    known = [LEARNERS[n].like if n in LEARNERS else n for n in curves["learner"].values]
    forecast = predict(curves.assign_coords(learner=known).rename(None), sizes, levels=LEVELS)
    return forecast.transpose("learner", "size", "quantile").assign_coords(
        learner=curves["learner"].values)


def points_ahead(measured: Measured, sizes: np.ndarray) -> dict[str, np.ndarray]:
    """Forecast the errors of learners that are not known, as the book's page does.

    Returns
    -------
    dict of str to ndarray, shape (len(analysis.extrapolation.compact.LEVELS), n_sizes)
    """
    errors = measured.errors.rename(outer="repeat").isel(inner=0, drop=True)
    return {name: predict_compact(
        errors.sel(learner=name, drop=True).dropna("anchor", how="all"), sizes,
        measured.tested.get(name, np.inf)).transpose("quantile", "size").values
        for name, there in zip(measured.learners, _curves(measured), strict=True) if there}


def _draw_points(ranges: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    rng, draws = np.random.default_rng(0), {}
    for name, quantiles in ranges.items():
        rank = rng.uniform(size=DRAWS)
        draws[name] = np.stack([np.interp(rank, COMPACT_LEVELS, q) for q in quantiles.T], axis=1)
    return draws


def draw_ahead(measured: Measured, forecast: xr.DataArray) -> dict[str, np.ndarray]:
    """Draw the errors at larger sizes.

    Parameters
    ----------
    measured : Measured
    forecast : DataArray
        From `forecast_ahead`.

    Returns
    -------
    dict of str to ndarray, shape (n_draws, n_sizes)
        In the metric's unit.
    """
    curves, rows = _shares(measured), np.flatnonzero(_curves(measured))
    level = np.array([float(curves.isel(learner=k).mean(["outer", "inner"]).dropna("anchor")[-1])
                      for k in range(len(rows))])
    now = measured.sure / measured.worst
    found = draw_later(now[:, rows].clip(0, measured.stretch.most), level, forecast.values,
                       np.array(LEVELS), np.random.default_rng(0), measured.stretch)
    return {str(name): found[:, k] * measured.worst
            for k, name in enumerate(curves["learner"].values)}


def _shares(measured: Measured) -> xr.DataArray:
    """Return the curves that have two sizes as shares of the worst error, from 0 to 1."""
    return (measured.errors.isel(learner=np.flatnonzero(_curves(measured)))
            / measured.worst).clip(0, 1)


def _curves(measured: Measured) -> np.ndarray:
    """Tell which learners were measured at two sizes."""
    return measured.errors.notnull().any(["outer", "inner"]).sum("anchor").values >= 2


def _ranges(draws: np.ndarray, measured: Measured, learner: str) -> np.ndarray:
    """Return low end, middle and high end; the middle goes on from the error that was measured."""
    low, error, high = np.quantile(draws, [ENDS[0], 0.5, ENDS[1]], axis=0)
    k = measured.learners.index(learner)
    middle = np.median(measured.draws[:, k])  # of losses with a long tail: above what was measured
    if np.isfinite(middle):
        error = np.clip(error * measured.now[k] / middle, low, high)
    return np.stack([low, error, high])


def _chances(draws: np.ndarray) -> np.ndarray:
    """Return each learner's chance to be best, from (n_draws, n_learners); equal ones share."""
    best = draws == draws.min(1, keepdims=True)
    return (best / best.sum(1, keepdims=True)).mean(0)


def _now(measured: Measured) -> pd.DataFrame:
    """Compare learners at the last size that each reached, the best first."""
    known = np.isfinite(measured.draws).all(0)
    low, high = (np.where(known, np.quantile(np.nan_to_num(measured.draws), q, axis=0), np.nan)
                 for q in ENDS)
    draws = np.where(known, measured.draws, measured.now)  # with more rows, hardly worse
    table = pd.DataFrame({
        "learner": measured.learners, "size": measured.size, "error": measured.now,
        "low": np.fmin(low, measured.now), "high": np.fmax(high, measured.now),
        "chance_best": _chances(draws)})
    table.loc[~known, ["low", "high"]] = np.nan
    order = np.argsort(table["error"].to_numpy(), kind="stable")
    best = order[0]
    better = (draws <= draws[:, [best]]).mean(0)
    table["tied"] = (better >= TIED) | (np.arange(len(table)) == best)
    table["better"] = np.where(np.isfinite(measured.baseline), (
        measured.draws < measured.baseline_draws[:, None]).mean(0), np.nan)
    return table.iloc[order].reset_index(drop=True)


def _expected(forecasts: pd.DataFrame, draws: np.ndarray, helps: dict) -> pd.DataFrame:
    """Return the row of the learner whose forecast at a size is lowest, corrected for that."""
    picked = forecasts.loc[[forecasts["error"].idxmin()]]
    lifted = corrected(draws, forecasts["error"].to_numpy())
    by = lifted / max(float(picked["error"].iloc[0]), 1e-12)
    return picked.assign(
        error=lifted, low=picked["low"] * by ** 0.5, high=picked["high"] * by,
        helps=helps[picked["learner"].iloc[0]])[
            ["times", "size", "learner", "error", "low", "high", "helps"]]


def _best_now(now: pd.DataFrame, measured: Measured) -> pd.DataFrame:
    """Return the same of the best now; as measured where nothing is known of its spread."""
    best = now.iloc[[0]].assign(times=1.0, helps=False)
    own = np.isfinite(measured.draws).all(0)
    if own.sum() > 1:
        best["error"] = corrected(measured.draws[:, own], measured.now[own])
    return best[["times", "size", "learner", "error", "low", "high", "helps"]]


def corrected(draws: np.ndarray, error: np.ndarray) -> float:
    """Return the lowest forecast, lifted by what the lowest of several noisy ones is too low.

    As far apart as forecasts would come out if they were made anew, so often another learner's
    would be lowest; by how much the winner's is below its own middle then, it is on average now
    (the parametric bootstrap). What moves all learners alike, the rows, picks nobody.

    Parameters
    ----------
    draws : ndarray, shape (n_draws, n_learners)
    error : ndarray, shape (n_learners,)
        The forecasts.
    """
    noise = draws - np.median(draws, axis=0)
    noise = noise - noise.mean(1, keepdims=True) if draws.shape[1] > 1 else np.zeros_like(noise)
    winner = (error + noise).argmin(1)
    return float(error.min() - noise[np.arange(len(noise)), winner].mean())


def _helps(measured: Measured, draws: dict, sizes: np.ndarray) -> dict[str, np.ndarray]:
    """Tell of each learner, at each size, whether its error is lower than now by more than noise.

    Of a table draw by draw, with the same rows; of points by the forecast alone.
    """
    if measured.tested is not None:
        alone = points_ahead(replace(measured, tested={}), sizes)
        return {name: q[COMPACT_LEVELS.index(SHOWN)] < measured.now[measured.learners.index(name)]
                for name, q in alone.items()}
    return {name: (own < measured.sure[:, [measured.learners.index(name)]]).mean(0) >= SHOWN
            for name, own in draws.items()}


def _first(sizes: np.ndarray, values: np.ndarray, wanted: float) -> float:
    """Return the first size whose value is at most `wanted`, NaN where none is."""
    reached = np.flatnonzero(values <= wanted)
    return float(sizes[reached[0]]) if len(reached) else np.nan


def _wanted(onward: dict[str, pd.DataFrame], wanted: float | None) -> pd.DataFrame:
    """Return from how many rows on the wanted error is reached, by learners' ranges from now on."""
    rows = [] if wanted is None else [
        (learner, wanted, *(_first(own["size"].to_numpy(float), own[end].to_numpy(), wanted)
                            for end in ("error", "low", "high")))
        for learner, own in onward.items()]
    return pd.DataFrame(rows, columns=["learner", "wanted", "rows", "early", "late"])


def _enough(onward: dict[str, pd.DataFrame], worst: float) -> pd.DataFrame:
    """Return from how many rows on no doubling gains what counts any more."""
    rows, worth = [], WORTH if worst == 1 else WORTH_SHARE * worst
    for learner, own in onward.items():
        sizes = np.log2(own["size"].to_numpy(float))
        values = np.minimum.accumulate(own["error"].to_numpy())
        steps = np.arange(sizes[0], sizes[-1] - 1 + 1e-9, 0.5)
        gain = np.interp(steps, sizes, values) - np.interp(steps + 1, sizes, values)
        paying = np.flatnonzero(gain >= worth)
        after = paying[-1] + 1 if len(paying) else 0
        rows.append({"learner": learner, "worth": worth,
                     "rows": round(2 ** steps[after]) if after < len(steps) else np.nan})
    return pd.DataFrame(rows)


def _costs(draws: dict, sizes: np.ndarray, now: pd.DataFrame, measured: Measured,
           costs: Costs | None) -> pd.DataFrame:
    """Return what `MORE` rows more bring and cost, from now on and from each size on."""
    columns = ["learner", "size", "gain", "low", "high", "cost"]
    best = now["learner"].iloc[0]
    if costs is None or best not in draws:
        return pd.DataFrame(columns=columns)
    k = measured.learners.index(best)
    grid = np.log(np.r_[measured.size[k], sizes])
    values = np.minimum.accumulate(np.c_[measured.sure[:, k], draws[best]], axis=1)
    rows = []
    for size in np.exp(grid[:-1]):
        at, after = np.log(size), np.log(size + MORE)
        if after > grid[-1]:
            break
        gain = costs.error * costs.predictions * (_along(grid, values, at)
                                                  - _along(grid, values, after))
        low, middle, high = np.quantile(gain, [ENDS[0], 0.5, ENDS[1]])
        rows.append({"learner": best, "size": round(size), "gain": middle, "low": low,
                     "high": high, "cost": MORE * costs.row})
    return pd.DataFrame(rows, columns=columns)


def _along(grid: np.ndarray, values: np.ndarray, at: float) -> np.ndarray:
    """Interpolate every draw's curve at one place."""
    k = int(np.clip(np.searchsorted(grid, at) - 1, 0, len(grid) - 2))
    way = (at - grid[k]) / (grid[k + 1] - grid[k])
    return values[:, k] + way * (values[:, k + 1] - values[:, k])


def _shapes(measured: Measured, order: list[str], largest: int) -> pd.DataFrame:
    """Say of each curve that rises somewhere where that is, seen from here."""
    errors = (measured.errors / measured.worst).sel(learner=order)
    tested = int(errors.notnull().any(["learner", "anchor"]).sum()) >= 2
    found = detect_shapes(errors.expand_dims(dataset=["yours"]), procedure="corrected") \
        if tested else None
    rows = []
    for learner in order:
        one = found.sel(learner=learner, dataset="yours") if tested else None
        mean = curve_means(errors, learner)
        lowest = mean.idxmin().item()
        if tested and bool(one["peaking"]):
            at = float(one["conv_i"])
            if LONG_PAST * at >= largest:
                where = ("you are past it" if at < largest / 1.4 else
                         "you are there: fewer rows, or more, would do better")
                rows.append((learner, "peaking", at,
                             f"its error peaked near {at:,.0f} rows; {where}"))
        elif (bool(one["dipping"]) if tested else float(mean[-1] - mean.min())
              >= max(RISEN, RISEN_SHARE * float(mean.min()))):
            at = float(one["dip_i"]) if tested else lowest
            rows.append((learner, "dipping", at, f"its error was lowest near {at:,.0f} rows and "
                         "has risen since"))
    return pd.DataFrame(rows, columns=["learner", "shape", "at", "words"])


def curve_means(errors: xr.DataArray, learner: str) -> xr.DataArray:
    """Return a learner's mean errors where they were measured, dims (anchor,)."""
    return errors.sel(learner=learner).mean(["outer", "inner"]).dropna("anchor")


@dataclass(frozen=True, eq=False)
class Answered(Tables):
    """What was answered on one table.

    Attributes
    ----------
    measured : pandas.DataFrame
        ``learner, size, outer, inner, error``: each fit, ``outer`` its fold, ``inner`` its round.
    now, later, expected, path, wanted, enough, costs, shapes : pandas.DataFrame
        As in `Tables`; ranges ``low`` to ``high`` are of 90 %. Errors are in the metric's unit:
        for AUC and F1 one minus it, else as it is.
    classes, beside, ways : pandas.DataFrame
        As in `analysis.report.worth`: errors by class, other measures of the best learner, and the
        error when split by a column that was noticed.
    baseline : float
        The error of saying always the same; NaN where it is not known.
    always : str
        What is said always then.
    title, metric, label, unit : str
        Of the table; the metric's name, its words, the target where errors are in its unit.
    notes : list of str
        What was left out, what looks wrong.
    how : str
        How it was measured.
    curves : Measured
        For the figure.
    wanted_error : float or None
    table : OwnTable or None
        What was measured; None for points.
    """

    curves: Measured
    title: str
    metric: str
    label: str
    unit: str = ""
    classes: pd.DataFrame = field(default_factory=pd.DataFrame)
    beside: pd.DataFrame = field(default_factory=pd.DataFrame)
    ways: pd.DataFrame = field(default_factory=pd.DataFrame)
    always: str = ""
    notes: list[str] = field(default_factory=list)
    how: str = ""
    wanted_error: float | None = None
    spent: Costs | None = None
    table: OwnTable | None = None
    source: str = "table"

    measured = property(lambda self: self.curves.table())
    baseline = property(lambda self: self.curves.baseline)

    @property
    def points(self) -> pd.DataFrame:
        """What ``POINTS=`` and the book's page take: ``learner, size, repeat, error, tested``.

        Empty where errors are no shares.
        """
        if self.table is None or METRICS[self.metric].endless:
            return pd.DataFrame()
        tested = {name: int(np.isfinite(said.reshape(len(said), -1)).all(1).sum())
                  for name, said in self.curves.held.items()}
        repeat = self.measured["inner"].astype(str) + "-" + self.measured["outer"].astype(str)
        return self.measured.assign(repeat=repeat, tested=self.measured["learner"].map(tested))[
            ["learner", "size", "repeat", "error", "tested"]]

    @property
    def split(self) -> str:
        """How rows were split: ``"time"``, ``"group"`` or ``"at random"``."""
        return next((split for split in ("time", "group")
                     if getattr(self.table, f"{split}s", None) is not None), "at random")

    def model(self, learner: str | None = None) -> "Pipeline":
        """Return a learner as it was measured, not trained; the best now unless named.

        Raises
        ------
        ValueError
            Where only points were given.
        UnknownNameError
            For a learner that was not measured.
        """
        if self.table is None:
            raise ValueError("Only errors were given, no table: there is no model to make.")
        name = learner or self.now["learner"].iloc[0]
        check_known("learner of this report", [name], self.now["learner"])
        return make_model(name, self.table.measurable().features, self.table.regression)

    def trained(self, learner: str | None = None) -> "Pipeline":
        """Return `model` trained on all rows that are used, labels as they stand in the table."""
        model, table = self.model(learner), self.table.measurable()
        target = (table.rows.target if table.rows.regression
                  else np.array(table.classes)[table.rows.target])
        return model.fit(table.features, target)

    def code(self, learner: str | None = None) -> str:
        """Return Python code that makes and trains a learner as it was measured."""
        return code_of(self.model(learner), self.table.target, self.source)
