"""The answers that the report gives, each as a table, from measured curves and their forecast."""

import html
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import xarray as xr
from scipy.interpolate import interp1d

from analysis.extrapolation.compact import root_sampling
from analysis.report.measured import Measured, corrected_error
from analysis.report.metrics import METRICS
from analysis.report.posterior import forecast_ahead, has_two_sizes, page_chances, simulate_errors
from analysis.shapes import detect_shapes
from collection.own_table.learners import code_of, make_model
from collection.own_table.measure import OwnTable
from collection.protocol.rows import FOLDS

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

TIMES = (1.5, 2, 4, 10)  # the rows trained on now
FARTHEST = 64  # times: six doublings, beyond which nothing was tested
LESS = 0.1  # share of the error now: a fall that counts, where none is asked for
STOP = 0.25  # chance of such a fall by a doubling, below which one stops
ENDS = (0.05, 0.95)
TIED = 0.05  # chance to be better from which on it is open which of two learners is better
STEPS, POINTS_STEPS = 4, 8  # sizes looked at per doubling, of a table and of points
MORE = 1000  # rows whose worth is asked for
RISEN = 0.02  # share of the worst error by which a curve must end above its lowest point …
RISEN_SHARE = 0.1  # … and share of that lowest error
#: Standard errors that it must be, as several sizes are looked at. Of the rows tested on, n that
#: are wrong and were right before, and none the other way round, are √n of them.
SURE_RISE = 2.6
SURE_STEPS = 4  # by so many steps in a row, where no standard error is known
BY_CHANCE = 0.01  # of a table's learners, how often one may rise so by chance
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
class Answers:
    """What the report says, as tables. Errors are in the metric's unit, ranges are of 90 %.

    Attributes
    ----------
    now : pandas.DataFrame
        By learner, best first, in the order that all tables have: ``learner, size`` (rows trained
        on), ``error, low, high``, ``measured`` (as it came out), ``chance_best``, ``tied`` (cannot
        be told from the best), ``saves, saves_low, saves_high`` (of the baseline's error), and the
        ``reached`` size: where it is less, the error is a forecast.
    later : pandas.DataFrame
        By ``times`` and learner: ``learner, times, size, error, low, high``.
    expected : pandas.DataFrame
        By ``times`` (1: now), the row of the learner whose error is lowest: ``times, size,
        learner, error, low, high``, with the chances that it is below the error now, ``falls``,
        and by `less` or more, ``falls_enough``.
    path : pandas.DataFrame
        By learner and size, up to `FARTHEST` times: ``learner, size, error, low, high``.
    wanted : pandas.DataFrame
        ``learner, wanted``, ``rows`` at which the error is as low, ``early`` and ``late`` for the
        ends of its range, NaN where not within reach; ``chance`` that it is as low now, NaN where
        nothing is known of that; empty if not asked.
    enough : pandas.DataFrame
        ``size, chance`` that a doubling from there lowers the error by `less` or more.
    costs : pandas.DataFrame
        ``learner, size``, mean ``gain`` of `MORE` rows more in currency, ``low, high, cost``, and
        the ``chance`` that they pay; empty if not asked.
    helps : pandas.DataFrame
        What would lower the error of the learner that is best now: ``way`` ("rows": twice as many;
        "learner": the best of the others, at the rows that are there; "both": the best of all at
        twice the rows), ``gain, low, high``, the ``chance`` that it is above 0, and that it is
        ``more`` than the other of the first two. Empty of one learner.
    shapes : pandas.DataFrame
        ``learner, shape, at`` (rows), ``words``.
    less : float
        The fall that counts, in the metric's unit.
    counts : str
        What that fall is, in words, where none was asked for.
    """

    now: pd.DataFrame
    later: pd.DataFrame
    expected: pd.DataFrame
    path: pd.DataFrame
    wanted: pd.DataFrame
    enough: pd.DataFrame
    costs: pd.DataFrame
    helps: pd.DataFrame
    shapes: pd.DataFrame
    less: float
    counts: str

    @property
    def stop(self) -> float:
        """Rows from which on the chance in `enough` stays below `STOP`; NaN if it never does."""
        going = np.flatnonzero(self.enough["chance"] >= STOP)
        after = going[-1] + 1 if len(going) else 0
        return float(self.enough["size"].iloc[after]) if after < len(self.enough) else np.nan


def answer(measured: Measured, wanted: float | None = None, costs: Costs | None = None,
           less: float | None = None) -> Answers:
    """Answer how good learners are now, how good they will be, and how much data that takes.

    Parameters
    ----------
    measured : Measured
    wanted : float, optional
        An error to reach, in the metric's unit.
    costs : Costs, optional
    less : float, optional
        A fall of the error that counts; by default `LESS` of the error now, at least what one of
        the rows tested on makes.

    Returns
    -------
    Answers

    Raises
    ------
    ValueError
        No learner was measured at two sizes.
    """
    for name, value in (("An error to reach", wanted), ("A fall that counts", less)):
        if value is not None and not value > 0:
            raise ValueError(f"{name} has to be above 0, not {value}.")
    seen = has_two_sizes(measured)
    if not seen.any():
        raise ValueError("No learner was measured at two sizes: give more time.")
    largest = measured.rows
    steps = STEPS if measured.tested is None else POINTS_STEPS
    sizes = largest * np.unique(np.r_[2 ** (np.arange(
        1, round(np.log2(FARTHEST) * steps) + 1) / steps), TIMES])
    if measured.tested is None:
        sizes = np.rint(sizes)
    forecast = forecast_ahead(measured, np.r_[largest, sizes])
    draws = {name: own[:, 1:] for name, own in simulate_errors(measured, forecast).items()}
    ranges = {name: _ranges(own, measured, k) for k, (name, own) in enumerate(draws.items())}
    now = _now(measured, draws, ranges)
    best, counts = now["learner"].iloc[0], ""
    if less is None:
        step = measured.step_of(best)
        tenth = LESS * float(now["error"].iloc[0])
        less = max(tenth, step)
        counts = "a tenth of the error now" if step <= tenth else (
            f"one of the {1 / step:,.0f} rows tested on")
    order = [name for name in now["learner"] if seen[measured.learners.index(name)]]
    path = pd.concat([pd.DataFrame({"learner": name, "size": sizes.round().astype(int)} | dict(zip(
        ("error", "low", "high"), ranges[name][:, 1:], strict=True))) for name in order],
        ignore_index=True)
    at = np.abs(sizes[:, None] - largest * np.array(TIMES)).argmin(0)
    later = path.iloc[(at[:, None] + np.arange(len(order)) * len(sizes)).ravel()]
    later = later.reset_index(drop=True)
    later.insert(1, "times", np.repeat(TIMES, len(order)))
    start = now.fillna({"low": now["error"], "high": np.inf})
    onward = {name: pd.concat([table[table["learner"] == name] for table in (start, path)])
              for name in now["learner"]}
    front = _best_draws(best, order, draws, ranges)
    expected = _expected(now, later, front, sizes, less)
    enough = _enough(front, np.r_[largest, sizes], less)
    found = Answers(
        now=now, later=later, expected=expected, path=path,
        wanted=_wanted(onward, wanted, measured, draws), enough=enough, counts=counts,
        costs=_costs(draws, sizes, now, measured, costs),
        helps=_helps(draws, best, order, 1 + int(np.abs(sizes - 2 * largest).argmin())),
        shapes=_shapes(measured, order, largest), less=less)
    for column, by in (("falls", 0.0), ("falls_enough", less)):
        chances = page_chances(measured, best, forecast, by)
        if chances is not None:
            at = 1 + np.searchsorted(sizes.round(), expected["size"])
            same = (expected["learner"] == best) & (expected["times"] > 1)
            expected.loc[same, column] = chances[at[same]]
    enough.loc[0, "chance"] = expected.set_index("times").loc[2, "falls_enough"]  # said once
    return found


def _ranges(draws: np.ndarray, measured: Measured, k: int) -> np.ndarray:
    """Return middle, low and high end of a learner's draws, shape (3, n_sizes).

    Of a table the middle starts from the error that was measured, as far as draws toward others
    leave it, and never rises: whoever has more rows can leave some out.
    """
    low, error, high = np.quantile(draws, [ENDS[0], 0.5, ENDS[1]], axis=0)
    by = measured.now[k] / max(float(np.median(measured.sure[:, k])), 1e-12)
    if measured.tested is None or measured.size[k] == measured.rows:
        error[0] *= by
    if measured.tested is None:  # of losses with a long tail, draws are above what was measured
        error[1:] *= by
        error = np.minimum.accumulate(np.clip(error, low, high))
    return np.stack([error, np.fmin(low, error), np.fmax(high, error)])


def _chances(draws: np.ndarray) -> np.ndarray:
    """Return each learner's chance to be best, from (n_draws, n_learners); equal ones share."""
    best = draws == np.nanmin(draws, axis=1, keepdims=True)
    return (best / best.sum(1, keepdims=True)).mean(0)


def _now(measured: Measured, draws: dict, ranges: dict) -> pd.DataFrame:
    """Compare learners at the rows that the answers are about, the best first."""
    known = np.isfinite(measured.draws).all(0)
    here = np.stack([own[:, 0] for own in draws.values()], axis=1)  # with more rows, hardly worse
    error, low, high = np.stack([own[:, 0] for own in ranges.values()], axis=1)
    always = measured.baseline_draws[:, None]  # 0 in a draw: nothing is saved
    saves = 1 - np.divide(here, always, out=np.ones_like(here), where=~(always <= 0))
    table = pd.DataFrame({
        "learner": measured.learners, "size": measured.rows, "error": error,
        "low": np.where(known, low, np.nan), "high": np.where(known, high, np.nan),
        "measured": measured.now, "chance_best": _chances(here),
        "saves": 1 - error / measured.baseline,
        "saves_low": np.quantile(saves, ENDS[0], axis=0),
        "saves_high": np.quantile(saves, ENDS[1], axis=0), "reached": measured.size})
    order = np.lexsort((measured.now, error))
    better = (here <= here[:, [order[0]]]).mean(0)
    table.insert(7, "tied", (better >= TIED) | (np.arange(len(table)) == order[0]))
    return table.iloc[order].reset_index(drop=True)


def _best_draws(best: str, order: list[str], draws: dict, ranges: dict) -> np.ndarray:
    """Return the draws of the learner that is expected to be best, now and at each size."""
    middles = np.stack([ranges[name][0, 1:] for name in order])
    picked = middles.argmin(0)
    return np.stack([draws[best][:, 0], *(draws[order[k]][:, 1 + at]
                                          for at, k in enumerate(picked))], axis=1)


def _expected(now: pd.DataFrame, later: pd.DataFrame, front: np.ndarray, sizes: np.ndarray,
              less: float) -> pd.DataFrame:
    """Return the row of the lowest error now and at each multiple, with the chances of a fall."""
    rows = later.loc[later.groupby("times")["error"].idxmin()]
    fall = front[:, [0]] - front[:, 1 + np.searchsorted(sizes.round(), rows["size"])]
    falls, enough = (np.maximum.accumulate(one.mean(0)) for one in (fall > 0, fall >= less))
    table = pd.concat([now.iloc[[0]].assign(times=1.0, falls=0.0, falls_enough=0.0), rows.assign(
        falls=falls, falls_enough=enough)], ignore_index=True)  # more rows can be left out
    return table[["times", "size", "learner", "error", "low", "high", "falls", "falls_enough"]]


def _first(sizes: np.ndarray, values: np.ndarray, wanted: float) -> float:
    """Return the first size whose value is at most `wanted`, NaN where none is."""
    reached = np.flatnonzero(values <= wanted)
    return float(sizes[reached[0]]) if len(reached) else np.nan


def _wanted(onward: dict[str, pd.DataFrame], wanted: float | None, measured: Measured,
            draws: dict) -> pd.DataFrame:
    """Return from how many rows on the wanted error is reached, by learners' ranges from now on."""
    known = dict(zip(measured.learners, np.isfinite(measured.draws).all(0), strict=True))
    rows = [] if wanted is None else [
        (learner, wanted, *(_first(own["size"].to_numpy(float), own[end].to_numpy(), wanted)
                            for end in ("error", "low", "high")),
         (draws[learner][:, 0] <= wanted).mean() if known[learner] else np.nan)
        for learner, own in onward.items()]
    return pd.DataFrame(rows, columns=["learner", "wanted", "rows", "early", "late", "chance"])


def _enough(front: np.ndarray, sizes: np.ndarray, less: float) -> pd.DataFrame:
    """Return the chance that a doubling from each size on lowers the error by what counts."""
    whole, grid = np.minimum.accumulate(front, axis=1), np.log(sizes)
    kept = 2 * sizes <= sizes[-1] + 1
    later = interp1d(grid, whole, fill_value="extrapolate")(grid[kept] + np.log(2))
    return pd.DataFrame({"size": sizes[kept].astype(int),
                         "chance": (whole[:, kept] - later >= less).mean(0)})


def _costs(draws: dict, sizes: np.ndarray, now: pd.DataFrame, measured: Measured,
           costs: Costs | None) -> pd.DataFrame:
    """Return what `MORE` rows more bring and cost, from now on and from each size on."""
    columns = ["learner", "size", "gain", "low", "high", "cost", "chance"]
    best = now["learner"].iloc[0]
    if costs is None or np.isnan(draws[best]).any():
        return pd.DataFrame(columns=columns)
    sizes = np.r_[measured.rows, sizes]
    own, rows = interp1d(np.log(sizes), np.minimum.accumulate(draws[best], axis=1)), []
    for size in sizes[sizes <= sizes[-1] - MORE]:
        gain = costs.error * costs.predictions * (own(np.log(size)) - own(np.log(size + MORE)))
        rows.append((best, round(size), gain.mean(), *np.quantile(gain, ENDS), MORE * costs.row,
                     (gain > MORE * costs.row).mean()))
    return pd.DataFrame(rows, columns=columns)


def _helps(draws: dict, best: str, order: list[str], at: int) -> pd.DataFrame:
    """Return what twice the rows, another learner and both would gain, from the same draws."""
    columns = ["way", "gain", "low", "high", "chance", "more"]
    if len(draws) < 2 or best not in order:
        return pd.DataFrame(columns=columns)
    now = draws[best][:, 0]
    rows = now - draws[best][:, at]
    learner = now - np.nanmin([own[:, 0] for name, own in draws.items() if name != best], axis=0)
    gains = {"rows": rows, "learner": learner,
             "both": now - np.nanmin([draws[name][:, at] for name in order], axis=0)}
    more = {"rows": (rows > learner).mean(), "learner": (learner > rows).mean()}
    return pd.DataFrame([(way, gain.mean(), *np.quantile(gain, ENDS), (gain > 0).mean(),
                          more.get(way, np.nan)) for way, gain in gains.items()], columns=columns)


def _shapes(measured: Measured, order: list[str], largest: int) -> pd.DataFrame:
    """Say of each curve that rises somewhere where that is, seen from here."""
    errors = (measured.errors / measured.worst).sel(learner=order)
    splits = int(errors.notnull().any(["learner", "anchor"]).sum())
    tested = splits >= (FOLDS if measured.tested is None else 2)
    found = detect_shapes(errors.expand_dims(dataset=["yours"]), "corrected",
                          BY_CHANCE / len(order)) if tested else None
    rows = []
    for learner in order:
        one = found.sel(learner=learner, dataset="yours") if tested else None
        by_splits = tested and measured.tested is None  # of points as the book's page
        mean, step = curve_means(errors, learner), measured.step_of(learner)
        lowest = mean.idxmin().item()
        if tested and bool(one["peaking"]):
            at = float(one["conv_i"])
            if LONG_PAST * at >= largest:
                where = ("you are past it" if at < largest / 1.4 else
                         "you are there: fewer rows, or more, would do better")
                rows.append((learner, "peaking", at,
                             f"its error peaked near {at:,.0f} rows; {where}"))
        elif (bool(one["dipping"]) and mean[-1] - mean.min() > SURE_RISE**2 * step if by_splits
              else has_risen(errors.sel(learner=learner).stack(repeat=["outer", "inner"]), step)):
            at = float(one["dip_i"]) if by_splits else lowest
            rows.append((learner, "dipping", at, f"its error was lowest near {at:,.0f} rows and "
                         "has risen since"))
    return pd.DataFrame(rows, columns=["learner", "shape", "at", "words"])


def has_risen(errors: xr.DataArray, step: float) -> bool:
    """Tell whether errors end above their lowest by what counts, and by more than noise.

    Parameters
    ----------
    errors : xarray.DataArray, dims (anchor, repeat)
        As shares of the worst error.
    step : float
        What one tested row makes of the error; 0 where that is not known: then repeats tell of
        noise, and without repeats steps in a row.
    """
    errors = errors.dropna("anchor", how="all").transpose("anchor", "repeat")
    means = errors.mean("repeat").values
    low = int(means.argmin())
    rise = means[-1] - means[low]
    if rise < max(RISEN, RISEN_SHARE * means[low]):
        return False
    if step:
        noise = np.hypot(*(root_sampling(means[k], 1 / step)[1] for k in (low, -1)))
        return bool(np.sqrt(means[-1]) - np.sqrt(means[low]) > SURE_RISE * noise)
    noise = np.hypot(*(corrected_error(own[np.isfinite(own)]) for own in errors.values[[low, -1]]))
    if np.isfinite(noise):
        return bool(rise > SURE_RISE * noise)
    return len(means) - low > SURE_STEPS and bool((np.diff(means[low:]) > 0).all())


def curve_means(errors: xr.DataArray, learner: str) -> xr.DataArray:
    """Return a learner's mean errors where they were measured, dims (anchor,)."""
    return errors.sel(learner=learner).mean(["outer", "inner"]).dropna("anchor")


@dataclass(frozen=True, eq=False)
class Report(Answers):
    """The answers on one table; a notebook shows them as the page.

    Attributes
    ----------
    measured : pandas.DataFrame
        ``learner, size, outer, inner, error``: each fit, ``outer`` its fold, ``inner`` its round.
    now, later, expected, path, wanted, enough, costs, helps, shapes, less
        As in `Answers`; ranges ``low`` to ``high`` are of 90 %. Errors are in the metric's unit:
        for AUC and F1 one minus it, else as it is.
    beside, ways : pandas.DataFrame
        As in `analysis.report.report`: other measures of the best learner, and the error when split
        by a column that was noticed.
    baseline : float
        The error of saying always the same; NaN where it is not known.
    always : str
        What is said always then.
    title, metric, label, unit : str
        Of the table; the metric's name, its words, the target where errors are in its unit.
    as_page : callable
        Makes its page (`analysis.report.page`).
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
    beside: pd.DataFrame = field(default_factory=pd.DataFrame)
    ways: pd.DataFrame = field(default_factory=pd.DataFrame)
    always: str = ""
    notes: list[str] = field(default_factory=list)
    how: str = ""
    wanted_error: float | None = None
    spent: Costs | None = None
    table: OwnTable | None = None
    source: str = "table"
    as_page: Callable[["Report"], str] = repr

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

    def model(self) -> "Pipeline":
        """Return the learner that is best now as it was measured, not trained.

        Raises
        ------
        ValueError
            Where only points were given.
        """
        if self.table is None:
            raise ValueError("Only errors were given, no table: there is no model to make.")
        return make_model(self.now["learner"].iloc[0], self.table.measurable().features,
                          self.table.regression)

    def trained(self) -> "Pipeline":
        """Return `model` trained on all rows that are used, labels as they stand in the table."""
        model, table = self.model(), self.table.measurable()
        target = (table.rows.target if table.rows.regression
                  else np.array(table.classes)[table.rows.target])
        return model.fit(table.features, target)

    def code(self) -> str:
        """Return Python code that makes and trains `model`."""
        return code_of(self.model(), self.table.target, self.source)

    def page(self) -> str:
        """Return the whole page as HTML that loads nothing."""
        return self.as_page(self)

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.page())}" title="How much more data?" '
                'style="width:100%;height:80vh;border:0"></iframe>')
