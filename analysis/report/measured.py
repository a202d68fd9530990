"""What was measured, as the answers need it: curves, and draws of the errors now.

The error *now* was measured on the rows there happen to be: had others been drawn, it would be
another. So the rows are weighed anew at random, many times (the Bayesian bootstrap), the same
weights for all learners, so that their differences stay sharp; half a row that is predicted wrongly
and half a row that is predicted well stand for what was not seen (Jeffreys' prior: for error rates
the ranges are Jeffreys' intervals, and none has no width).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import betaincinv, ndtri

from analysis.report.metrics import APART, BOUNDED, ReportMetric, Stretch
from analysis.statistics.summary import HELD_OUT_SHARE
from collection.containers.curves import Status
from collection.own_table.gather import Gathered
from collection.own_table.measure import Measurable, baseline

DRAWS = 2001  # so that the ends of ranges are draws
CHUNK = 200  # draws at a time: memory
PRIOR = 0.5  # of a row, on either side
UNSEEN = 2.0  # times the largest loss seen: the worst one of stretches of time or groups
ALIKE = 0.5  # correlation between what the learners of a table come to beside their forecasts
WHOLE_DRAWS = 200  # of an error that is no mean: each takes all rows
LEAST_LEARNT = 0.3  # of an expected change, which counts where nothing was learnt
REACHED = 0.5  # share of a learner's folds that a size needs to be its last


@dataclass(frozen=True, eq=False)
class Measured:
    """Errors, and how they would be had other rows been drawn.

    Attributes
    ----------
    errors : xarray.DataArray, dims (learner, outer, inner, anchor)
        Of each fit, lower is better; NaN where there is none. The learners as they were tried.
    size : ndarray of int, shape (n_learners,)
        The last size that each was measured at.
    now : ndarray, shape (n_learners,)
        The error there.
    draws : ndarray, shape (n_draws, n_learners)
        Of that error; NaN where nothing is known of its spread.
    worst : float
        The error that counts as 1 in a forecast.
    baseline : float
        Of saying always the same; NaN where it is not known.
    baseline_draws : ndarray, shape (n_draws,)
        With the same rows as `draws`.
    held : dict of str to ndarray
        What each learner said of each row while it was held out, shape (n_rows, …), NaN elsewhere.
    stretch : Stretch
        Of the ranges.
    tested : mapping of str to float, or None
        Of points: rows that each learner's errors were measured on, where they say; None of a
        table.
    step : ndarray, shape (n_learners,)
        What one of the rows that each was tested on makes of the error; 0 where that is not known.
    whole : int
        The size that answers are about: the most rows of the table that can be trained on, reached
        or not; unless given, the largest that a learner was measured at.
    in_time : bool
        Whether what was tested on came later than what was trained on.
    """

    errors: xr.DataArray
    size: np.ndarray
    now: np.ndarray
    draws: np.ndarray
    worst: float = 1.0
    baseline: float = np.nan
    baseline_draws: np.ndarray = field(default_factory=lambda: np.full(DRAWS, np.nan))
    held: Mapping[str, np.ndarray] = field(default_factory=dict)
    stretch: Stretch = BOUNDED
    tested: Mapping[str, float] | None = None
    step: np.ndarray | float = 0.0
    whole: int = 0
    in_time: bool = False

    @property
    def rows(self) -> int:
        """The size that answers are about, `whole`."""
        return self.whole or int(self.size.max())

    @property
    def learners(self) -> list[str]:
        """Names, as they were tried."""
        return [str(name) for name in self.errors["learner"].values]

    @property
    def sure(self) -> np.ndarray:
        """`draws`, with the measured error where they are not known."""
        return np.where(np.isfinite(self.draws), self.draws, self.now)

    @property
    def learnt(self) -> float:
        """How far changes are expected, from `LEAST_LEARNT` to 1, in full (see `Stretch`)."""
        room = self.stretch.room if self.baseline > 0 else 0
        saved = np.clip((1 - np.nanmin(self.now) / self.baseline) / room, 0, 1) if room else 1
        return float(LEAST_LEARNT + (1 - LEAST_LEARNT) * saved)

    def step_of(self, learner: str) -> float:
        """Return what one of the rows that a learner was tested on makes of the error."""
        return float(np.broadcast_to(self.step, len(self.size))[self.learners.index(learner)])

    def table(self) -> pd.DataFrame:
        """Return the errors as a table: ``learner, size, outer, inner, error``."""
        errors = self.errors.rename("error").transpose("learner", "inner", "outer", "anchor")
        frame = errors.to_series().dropna().reset_index().rename(columns={"anchor": "size"})
        return frame[["learner", "size", "outer", "inner", "error"]]


def measured_rows(table: Measurable, gathered: Gathered, metric: ReportMetric) -> Measured:
    """Return what was gathered on a table.

    Parameters
    ----------
    table : Measurable
    gathered : Gathered
    metric : ReportMetric

    Raises
    ------
    ValueError
        Where the metric has no value on any fold.
    """
    learners = list(dict.fromkeys(curve.learner for curve in gathered.curves))
    tests = {(c.outer, c.inner): table.rows.split(c.outer, c.inner) for c in gathered.curves}
    errors = _errors(table, gathered, metric, learners, tests)
    size = np.array([_last(errors.sel(learner=name)) for name in learners])
    errors = errors.where(errors["anchor"] <= xr.DataArray(size, dims="learner"))
    last = {name: [(c.outer, c.inner, fit.predictions) for c in gathered.curves
                   if c.learner == name for fit in c.fits
                   if fit.size == n and fit.predictions is not None and fit.status == Status.ok]
            for name, n in zip(learners, size, strict=True)}
    plain = {"": [(o, i, baseline(table, split.train, len(split.test)))
                  for (o, i), split in tests.items()]}
    rng = np.random.default_rng(0)
    now, draws = (_means if metric.losses else _wholes)(table, last | plain, tests, metric, rng)
    if not np.isfinite(now).any():
        raise ValueError(f"No fold has a value of {metric.name}; try another METRIC.")
    worst = metric.worst(table.rows.target)
    stretch = metric.stretch(table.rows.target)
    shares = stretch_errors(draws, now, worst, metric, stretch, table.rows.apart)
    shape = () if table.rows.regression else (len(table.classes),)
    held = {name: _row_means(table, predictions, tests, lambda _, values: values, shape)
            for name, predictions in last.items()}
    return Measured(errors, size, now[:-1], shares[:, :-1], worst, baseline=float(now[-1]),
                    baseline_draws=shares[:, -1], held=held, stretch=stretch,
                    whole=gathered.sizes[-1], in_time=table.rows.times is not None, step=np.array([
                        metric.shares / np.isfinite(said.reshape(len(said), -1)).all(1).sum()
                        for said in held.values()]))


def bootstrap_rows(losses: np.ndarray, units: np.ndarray, endless: bool,
                     rng: np.random.Generator, draws: int = DRAWS) -> np.ndarray:
    """Draw each learner's mean loss, as it would be had other rows been drawn.

    Parameters
    ----------
    losses : ndarray, shape (n_learners, n_rows)
        Of each row while it was held out; NaN where it never was.
    units : ndarray of int, shape (n_rows,)
        What the table is a sample of: rows with the same number are weighed alike.
    endless : bool
        Whether nothing bounds a loss: a row that is predicted wrongly then loses as much as the
        worst one seen; where there are fewer units than half the rows, `UNSEEN` times that. Else 1.
    rng : numpy.random.Generator
    draws : int

    Returns
    -------
    ndarray, shape (draws, n_learners)
    """
    tested = np.isfinite(losses)
    keep = tested.any(0)
    units = np.unique(units[keep], return_inverse=True)[1]
    n_units = units.max() + 1
    worst = np.ones(len(losses))
    if endless:
        worst = (UNSEEN if 2 * n_units < keep.sum() else 1) * np.nanmax(losses, axis=1)
    total = np.stack([np.bincount(units, np.nan_to_num(row[keep]), n_units) for row in losses])
    count = np.stack([np.bincount(units, row[keep], n_units) for row in tested])
    size = count.sum(1) / np.maximum((count > 0).sum(1), 1)  # of a unit that is not seen
    parts = []
    for start in range(0, draws, CHUNK):
        n = min(CHUNK, draws - start)
        weight = rng.standard_exponential((n, n_units))
        bad, good = rng.gamma(PRIOR, size=(2, n, 1))
        parts.append((weight @ total.T + bad * size * worst)
                     / (weight @ count.T + (bad + good) * size))
    return np.concatenate(parts)


def stretch_errors(draws: np.ndarray, now: np.ndarray, worst: float,
                   metric: ReportMetric, stretch: Stretch, apart: str = "") -> np.ndarray:
    """Return draws of errors, widened for what the rows that are there do not know.

    Parameters
    ----------
    draws : ndarray, shape (n_draws, n_learners)
        In the metric's unit.
    now : ndarray, shape (n_learners,)
    worst : float
        The error that counts as 1.
    metric : ReportMetric
    stretch : Stretch
    apart : str
        How tested rows differ from those trained on: `Rows.apart`.
    """
    power = 2 if metric.root else 1  # on the scale of the root of the loss
    middle = np.sqrt((now / worst) ** power)
    off = np.sqrt((draws / worst) ** power) - middle
    times = stretch.rows * (APART.get(apart, 1) if metric.endless else 1)
    wide = np.clip(middle + times * off, 0, None) ** 2
    return wide ** (1 / power) * worst


def _errors(table: Measurable, gathered: Gathered, metric: ReportMetric, learners: list[str],
            tests: Mapping) -> xr.DataArray:
    found = {(curve.learner, curve.outer, curve.inner, float(fit.size)): np.nan
             if fit.predictions is None else metric.error(
                 table.rows.target[tests[curve.outer, curve.inner].test], fit.predictions)
             for curve in gathered.curves for fit in curve.fits}
    errors = pd.Series(found, name="error").rename_axis(["learner", "outer", "inner", "anchor"])
    return errors.to_xarray().reindex(learner=learners, anchor=np.array(gathered.sizes, float))


def _last(errors: xr.DataArray) -> int:
    """Return the largest size that enough of a learner's folds reached."""
    count = errors.notnull().sum(["outer", "inner"])
    there = errors["anchor"].values[(count >= max(1, REACHED * int(count.max()))).values]
    return int(there[-1]) if int(count.max()) else int(errors["anchor"].values[0])


def _means(table: Measurable, predictions: Mapping, tests: Mapping, metric: ReportMetric,
           rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return errors that are means of losses, and their draws."""
    losses = np.stack([_row_means(table, folds, tests, metric.losses)
                       for folds in predictions.values()])
    means = np.nanmean(losses, axis=1)
    draws = bootstrap_rows(losses, table.rows.units(), metric.endless, rng)
    return (np.sqrt(means), np.sqrt(draws)) if metric.root else (means, draws)


def _wholes(table: Measurable, predictions: Mapping, tests: Mapping, metric: ReportMetric,
            rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return errors that are no means, fold by fold, and their draws.

    In each fold two rows more, of the rarest class, one predicted wrongly and one rightly, count
    half a row each on average, as in `bootstrap_rows`.
    """
    target, units = table.rows.target, table.rows.units()
    rare = int(np.bincount(target).argmin())
    odd = np.full((2, len(table.classes)), 1 / max(len(table.classes) - 1, 1))
    odd[0, rare], odd[1] = 0, np.eye(len(table.classes))[rare]

    def error(folds: list, weight: np.ndarray | None, extra: np.ndarray | None) -> float:
        values = []
        for outer, inner, probabilities in folds:
            test = tests[outer, inner].test
            if weight is None:
                values.append(metric.whole(target[test], probabilities, None))
            else:
                values.append(metric.whole(np.r_[target[test], rare, rare],
                                           np.r_[probabilities, odd],
                                           np.r_[weight[units[test]], extra]))
        return float(np.nanmean(values)) if np.isfinite(values).any() else np.nan

    now = np.array([error(folds, None, None) for folds in predictions.values()])
    draws = np.empty((WHOLE_DRAWS, len(predictions)))
    for b in range(WHOLE_DRAWS):
        weight = rng.standard_exponential(units.max() + 1)
        extra = rng.gamma(0.5, size=2) / max(len({(o, i) for o, i in tests}), 1)
        draws[b] = [error(folds, weight, extra) for folds in predictions.values()]
    return now, draws[rng.integers(WHOLE_DRAWS, size=DRAWS)]


def _row_means(table: Measurable, folds: Sequence, tests: Mapping, of: Callable,
               shape: tuple[int, ...] = ()) -> np.ndarray:
    """Return each row's mean of ``of(target, predictions)``, NaN where it never was held out."""
    n = len(table.rows.target)
    total, count = np.zeros((n, *shape)), np.zeros((n, *(1,) * len(shape)))
    for outer, inner, predictions in folds:
        test = tests[outer, inner].test
        total[test] += of(table.rows.target[test], predictions)
        count[test] += 1
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)


def measured_points(errors: xr.DataArray, tested: Mapping[str, float] | None = None) -> Measured:
    """Return errors that somebody else measured.

    Parameters
    ----------
    errors : xarray.DataArray, dims (learner, repeat, anchor)
        From 0 to 1.
    tested : mapping of str to float, optional
        Rows that each learner's errors were measured on; without it only repeats tell how sure the
        error now is, and they share rows that are not known of.
    """
    scores = correlated_normals(np.random.default_rng(0), DRAWS, errors.sizes["learner"])
    ranks = (scores.argsort(0).argsort(0) / (DRAWS - 1)).clip(0.25 / DRAWS, 1 - 0.25 / DRAWS)
    errors = errors.rename(repeat="outer").expand_dims("inner", 2).assign_coords(inner=[0])
    errors = errors.transpose("learner", "outer", "inner", "anchor")
    size, now, draws = [], [], []
    for name, rank in zip(errors["learner"].values, ranks.T, strict=True):
        curve = errors.sel(learner=name).dropna("anchor", how="all")
        values = curve.isel(anchor=-1).values.ravel()
        values = values[np.isfinite(values)]
        size.append(int(curve["anchor"].values[-1]))
        now.append(values.mean())
        draws.append(_point_draws(values, (tested or {}).get(str(name), np.nan), rank))
    rows = np.array([(tested or {}).get(str(name), np.inf) for name in errors["learner"].values])
    return Measured(errors, np.array(size), np.array(now), np.stack(draws, axis=1),
                    tested=dict(tested or {}), step=1 / rows)


def correlated_normals(rng: np.random.Generator, draws: int, learners: int) -> np.ndarray:
    """Return standard normal draws that correlate by `ALIKE`, shape (draws, n_learners)."""
    shared, per_learner = rng.normal(size=(draws, 1)), rng.normal(size=(draws, learners))
    return np.sqrt(ALIKE) * shared + np.sqrt(1 - ALIKE) * per_learner


def _point_draws(values: np.ndarray, tested: float, rank: np.ndarray) -> np.ndarray:
    """Return the error behind repeated measurements at ranks from 0 to 1; NaN where unknown."""
    mean = values.mean()
    if np.isfinite(tested):
        wrong = mean * tested
        return betaincinv(wrong + 0.5, tested - wrong + 0.5, rank)
    if len(values) < 2:
        return np.full(DRAWS, np.nan)
    return np.clip(mean + corrected_error(values) * ndtri(rank), 0, 1)


def corrected_error(values: np.ndarray) -> float:
    """Return the standard error of a mean over resampled splits (Nadeau and Bengio).

    Parameters
    ----------
    values : ndarray, shape (n_repeats,)
        Errors of repeated splits of one dataset, a tenth of the rows held out.

    Returns
    -------
    float
        NaN with fewer than two repeats. The repeats share rows, which the plain standard error
        does not know.
    """
    if len(values) < 2:
        return np.nan
    return float(np.sqrt((1 / len(values) + HELD_OUT_SHARE) * values.var(ddof=1)))
