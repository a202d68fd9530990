"""The report: read, measure within a budget, answer, and write page and numbers, whole or not."""

from collections.abc import Mapping, Sequence
from concurrent.futures import wait
from dataclasses import replace
from shlex import quote
from time import monotonic

import numpy as np
import pandas as pd
from scipy.stats import spearmanr, ttest_ind

from analysis.report.answers import Costs, Report, answer
from analysis.report.measured import Measured, measured_rows
from analysis.report.metrics import DEFAULTS, HEAVY_TAILED, METRICS, ReportMetric
from analysis.report.page import write_page
from collection.own_table import alike
from collection.own_table.gather import Gathered, OwnWorkers, gather_within
from collection.own_table.learners import LEARNERS, check_learners
from collection.own_table.measure import LEFT_OUT, Measurable, OwnTable, held_out
from collection.own_table.read import use_table
from collection.project.naming import check_known
from collection.project.parameters import SECONDS, SettingsError, Share, quantity
from collection.project.shown import said_if_slow
from collection.protocol.rows import FOLDS, sizes_up_to

WORKERS = 2
GUARD_SHARE = 0.15  # of the budget, at most, for finding groups that nobody named
RARE = 0.25  # share of the rows below which a class is looked at by itself
WHOLE = 1.25  # times the budget that all takes, where what splits the other way can help it
NEAR = 0.1  # share by which two ways to split must differ to be a warning
BY_LUCK = 0.05  # chance of such a difference where there is none
DRIFTS = 0.5  # rank correlation of a target with time, in stretches, which is a warning


def answer_table(frame: pd.DataFrame, target: str, budget: str | float = "1min",
                 metric: str | None = None, time: str | None = None, group: str | None = None, *,
                 regress: bool | None = None, wanted: float | None = None,
                 less: float | None = None, costs: Costs | None = None,
                 learners: Sequence[str] = (), workers: int = WORKERS,
                 show: bool = False) -> Report:
    """Answer how much more data a table needs.

    Parameters
    ----------
    frame : pandas.DataFrame
    target : str
        The column to predict: classes, or numbers.
    budget : str or float
        Time for measuring, such as ``"1min"``, or seconds.
    metric : str, optional
        ``error_rate``, ``auc``, ``f1``, ``log_loss``; ``rmse``, ``mae`` for numbers.
    time, group : str, optional
        A column by which to split forward in time, or that keeps its rows on one side.
    regress : bool, optional
        Whether the target's numbers are to be predicted, where that is unclear.
    wanted : float, optional
        An error to reach, in the metric's unit.
    less : float, optional
        A fall of the error that counts, in the metric's unit.
    costs : Costs, optional
    learners : sequence of str
        Names in `collection.own_table.learners.LEARNERS`, instead of the usual four.
    workers : int
        Processes that measure at the same time.
    show : bool
        Whether progress is shown.

    Returns
    -------
    Report
        ``.measured``: learner, size, outer, inner, error; ``.now``: learner, size, error, low,
        high, …; ``.later``: learner, times, size, error, low, high, …

    Raises
    ------
    DatasetError, UnknownNameError, TimeBudgetError
        What is wrong with the table, a name, or the budget.
    TypeError
        `frame` is no DataFrame.

    Examples
    --------
    >>> from analysis.report import answer_table
    >>> answers = answer_table(frame, "label", budget="1min")  # doctest: +SKIP
    >>> answers.later  # doctest: +SKIP
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"A pandas DataFrame is needed, not {type(frame).__name__}; "
                        "pd.DataFrame(…) makes one.")
    table = use_table(frame, target, regress=regress, time=time, group=group)
    with OwnWorkers(workers) as pool:
        return answer_own(table, quantity(budget, SECONDS, 0), pool, metric, wanted=wanted,
                          less=less, costs=costs, learners=learners, show=show)


def answer_own(table: OwnTable, budget: float, workers: OwnWorkers, metric: str | None = None, *,
               title: str = "", wanted: float | None = None, less: float | None = None,
               costs: Costs | None = None, learners: Sequence[str] = (), source: str = "table",
               show: bool = True) -> Report:
    """Do what `answer_table` does, on a table that was read already; see there."""
    chosen = metric_for(metric, table.regression)
    for name, value in (("WANTED", wanted), ("LESS", less)):
        if chosen.endless and isinstance(value, Share):
            raise SettingsError(f"{name}: {100 * value:g} % of what? The {chosen.label} has no "
                                f"percent: give {name} as the target {table.target!r} is given.")
    wanted = None if wanted is None else _error_of(wanted, chosen, table)
    names = check_learners(learners, table.regression)
    data, started, hidden, untried, known = table.measurable(), monotonic(), None, [], {}
    if table.groups is None and table.times is None and "group" not in table.noticed:
        hidden, untried = alike.find_groups(data, GUARD_SHARE * budget, known)
        if hidden and hidden.told:
            table = replace(table, noticed=table.noticed | {"group": (hidden.column, hidden.codes)})
    spent = monotonic() - started
    wait(workers.loading)
    started = monotonic() - spent  # as if they had been there
    gathered = gather_within(data, budget - min(spent, GUARD_SHARE * budget), workers, names,
                             show=show)
    with said_if_slow("Working out what more rows would bring"):
        measured = measured_rows(data, gathered, chosen)
        tables = answer(measured, wanted, costs, less)
    best = tables.now["learner"].iloc[0]
    predictions, fits = measured.held[best], gathered.fits()
    seconds = fits[(fits["learner"] == best) & (fits["status"] == "ok")].groupby("size")["seconds"]
    left = ["No time was left to see whether rows of one value resemble each other in "
            f"{', '.join(map(repr, untried))}: BUDGET with more time does."] * bool(untried)
    if hidden and not hidden.told:
        left.append(_of_new_values(hidden, table.regression))
    ways = both_ways(table, best, chosen, seconds.median(),
                     WHOLE * budget - (monotonic() - started), known)
    always = ("the mean" if table.regression else
              "the commonest class trained on" if data.rows.apart else  # another than of all rows
              f"“{data.classes[int(np.bincount(data.rows.target).argmax())]}”")
    return Report(
        **vars(tables), curves=measured, title=title or f"Predicting {table.target}",
        metric=chosen.name, label=chosen.label, as_page=write_page,
        unit=table.target if table.regression else "",
        beside=beside(data, predictions), ways=ways, always=always,
        notes=[*_short(gathered), *table.notes, *left, *_drifts(table, data),
               *_tails(data, measured, chosen, predictions), *_lost(fits, gathered.lost, names)],
        how=_how(table, gathered, fits),
        wanted_error=wanted, spent=costs, table=table, source=source)


def metric_for(name: str | None, regression: bool) -> ReportMetric:
    """Return a metric by its name, or the usual one.

    Raises
    ------
    UnknownNameError
        For a name that is none, or of the other kind of target.
    """
    able = [m for m in METRICS.values() if m.regression == regression]
    check_known("metric for numbers" if regression else "metric for classes",
                [name or DEFAULTS[regression]], [m.name for m in able])
    return METRICS[name or DEFAULTS[regression]]


def _error_of(wanted: float, metric: ReportMetric, table: OwnTable) -> float:
    """Return the error that is wanted, of a value in the metric's measure."""
    if metric.endless:
        return wanted
    if wanted >= 1:
        raise SettingsError(f"WANTED: an error between 0 and 1 is needed, not {wanted:g}; "
                            f"{wanted:g} percent is written {wanted:g}%.")
    error, what = (1 - wanted, metric.score) if metric.score else (wanted, metric.label)
    shares = table.frame[table.target].value_counts(normalize=True)
    always = 1 - float(shares.iloc[0]) if metric.shares else 0.5  # of guessing
    if error >= always > 1 - error:
        raise SettingsError(f"WANTED: {wanted:.4g} is no better as {what} than guessing. Is "
                            f"{1 - wanted:.4g} meant?")
    return error


def _drifts(table: OwnTable, data: Measurable) -> list[str]:
    """Warn where numbers rise or fall with time: what is told of later ones is too sure.

    Of the 65 parts of 13 tables that `lab.report` cuts by time, ranges held in half of the cases
    of ten where they did, in four in five of the others'.
    """
    if table.times is None or not table.regression:
        return []
    means = pd.Series(data.rows.target).groupby(data.rows.units()).mean()
    rank = spearmanr(np.arange(len(means)), means).statistic
    if not abs(rank) >= DRIFTS:
        return []
    return [f"Warning: {table.target!r} {'rises' if rank > 0 else 'falls'} with time (rank "
            f"correlation {rank:.2f} over {len(means)} stretches): later rows may lie beyond all "
            "that was measured, and ranges are then too narrow. A change, or a ratio to the value "
            "before, may not."]


def _tails(table: Measurable, measured: Measured, metric: ReportMetric,
           predictions: np.ndarray) -> list[str]:
    """Warn where a few rows make much of the error, as they do with heavy tails."""
    if measured.stretch != HEAVY_TAILED:
        return []
    losses = -np.sort(-metric.losses(table.rows.target, predictions))  # NaN last
    few = max(len(losses) // 100, 1)
    return [f"Warning: {few} of {len(losses):,} rows, those missed by most, make "
            f"{100 * np.nansum(losses[:few]) / np.nansum(losses):.0f} % of the mean squared error:"
            " a few values lie far out, and more may come. Ranges are wider for it; METRIC=mae "
            "counts such rows less."]


def _lost(fits: pd.DataFrame, lost_all: Mapping[str, str], names: Sequence[str]) -> list[str]:
    called = {name: LEARNERS[name].title for name in names}
    told = []
    worked = fits[fits["status"] == "ok"].groupby("learner")["size"].max()
    beyond = fits["size"] > fits["learner"].map(worked)  # not what was left out on the way
    for (name, status), own in fits[(fits["status"] != "ok") & (
            beyond | (fits["message"] != LEFT_OUT))].groupby(["learner", "status"], sort=False):
        size = own["size"].min()
        here = fits[(fits["learner"] == name) & (fits["size"] == size)]
        lost = (here["status"] != "ok").sum()
        where = f"at {size:,} rows" + (f", in {lost} of {len(here)} splits; the others count"
                                       if lost < len(here) else "")
        told.append(f"{called[name].capitalize()}: {own['message'].iloc[0] or status} ({where}).")
    told += [f"{called[name].capitalize()}: {why}" for name, why in lost_all.items()]
    absent = [called[n] for n in names if n not in set(fits["learner"]) and n not in lost_all]
    return told + ([f"No time was left for {', '.join(absent)}."] if absent else [])


def _short(gathered: Gathered) -> list[str]:
    """Say what budget would do where no learner reached all rows."""
    if not np.isfinite(gathered.needed):
        return []
    return [f"Warning: no learner came to {gathered.sizes[-1]:,} rows in its time; what is said of "
            "that many is a forecast. BUDGET="
            f"{max(int(np.ceil(gathered.needed / 60)), 1)}min should do."]


def _how(table: OwnTable, gathered: Gathered, fits: pd.DataFrame) -> str:
    count = fits["learner"].nunique()
    reached = fits.loc[fits["status"] == "ok", "size"]
    folds = len(fits[["outer", "inner"]].drop_duplicates())
    by = "a group's rows on one side" if table.groups is not None else "at random"
    if table.times is not None:
        by = ("each later in time than what was trained on, the latest of which come first: more "
              "rows are older ones")
    few = "" if count > 2 else (" That is few: other learners may do better, and BUDGET with more "
                                "time tries them.")
    return (f"{count} learner{'s were' if count > 1 else ' was'} trained on {reached.min():,} "
            f"to {reached.max():,} of {len(table.frame):,} rows and tested on others, {by}: "
            f"{folds} split{'s' if folds > 1 else ''} in {gathered.seconds:.0f} seconds.{few}")


def beside(table: Measurable, predictions: np.ndarray) -> pd.DataFrame:
    """Return what else there is to say of the best learner: ``name, value, words``.

    AUC, recall and precision of the rarest class where it has under a quarter of the rows, and of
    several classes no other is nearly as rare; R² and both errors where numbers are predicted.
    """
    tested = np.isfinite(predictions if predictions.ndim == 1 else predictions.sum(1))
    target, predictions = table.rows.target[tested], predictions[tested]
    if table.rows.regression:
        off = predictions - target
        left = float((off**2).mean() / target.var())
        return pd.DataFrame([
            ("rmse", np.sqrt((off**2).mean()), "root mean squared error"),
            ("mae", np.abs(off).mean(), "mean absolute error"),
            ("r2", 1 - left, "R²: share of the variance that is explained"),
            ("spread_left", np.sqrt(left), "of the target's standard deviation is left"),
        ], columns=["name", "value", "words"])
    counts = np.bincount(target, minlength=len(table.classes)) / len(target)
    rare = int(counts.argmin())
    if not 0 < counts[rare] < RARE or (len(counts) > 2 and np.sort(counts)[1] < 2 * counts[rare]):
        return pd.DataFrame(columns=["name", "value", "words"])
    from sklearn.metrics import roc_auc_score  # which takes a while to load

    own, called = target == rare, predictions.argmax(1) == rare
    name = table.classes[rare]
    return pd.DataFrame([
        ("auc", roc_auc_score(own, predictions[:, rare]), f"AUC of {name!r} against the rest"),
        ("recall", called[own].mean(), f"of the rows of {name!r} are found (recall)"),
        ("precision", own[called].mean() if called.any() else np.nan,
         f"of what is called {name!r} is (precision)"),
    ], columns=["name", "value", "words"])


def both_ways(table: OwnTable, learner: str, metric: ReportMetric, seconds: pd.Series,
              left: float, known: dict | None = None) -> pd.DataFrame:
    """Measure a learner once more, split by what was noticed or without what leaks.

    Where that would take too long for more than a few rows, or groups are too few to be dealt to
    folds, a quick learner is taken instead, on some of the rows.

    Parameters
    ----------
    table : OwnTable
        ``noticed`` and ``leaking`` name columns.
    learner : str
    metric : ReportMetric
    seconds : pandas.Series
        What its fits took, by size.
    left : float
        Seconds that there are.
    known : dict, optional
        Of `alike.quick_both`.

    Returns
    -------
    pandas.DataFrame
        ``kind`` ("time", "group" or "without"), ``column, size``, the error at ``random`` and as
        ``split`` so, or without all leaking columns; whether the learner is a ``quick`` one, whose
        error is the error rate or root mean squared error; and whether that is ``far`` from the
        other. A row for each column noticed, one for those that leak.
    """
    rows, plain, known = [], table.measurable(), {} if known is None else known
    others = {(kind, column): table.measurable(**{f"{kind}s": values})
              for kind, (column, values) in table.noticed.items()}
    kept = plain.features.columns.drop(list(table.leaking))
    if table.leaking and len(kept):
        others["without", ", ".join(map(repr, table.leaking))] = replace(
            plain, features=plain.features[kept])
    for (kind, column), split in others.items():
        few = kind == "group" and split.rows.groups.max() + 1 < FOLDS
        quick = seconds[seconds * 2 * FOLDS * len(others) <= left].index
        largest = min(plain.rows.largest(), split.rows.largest())
        fitting = [] if few or quick.empty else [
            n for n in sizes_up_to(largest)
            if min(largest, alike.MOST_ROWS) / 2 <= n <= max(quick)]
        if fitting:
            size = fitting[-1]
            errors, losses = zip(*(held_out(one, learner, size, metric.error)
                                   for one in (plain, split)), strict=True)
            far = kind != "time" or (errors[1] > errors[0] and ttest_ind(
                *losses, equal_var=False, nan_policy="omit",
                alternative="less").pvalue < alike.BY_CHANCE)
        else:
            size, errors, far = _asked_quickly(plain, split, known)
        far &= errors[1] - errors[0] > NEAR * errors[0]
        rows.append((kind, column, size, *errors, not fitting, far))
    return pd.DataFrame(rows, columns=["kind", "column", "size", "random", "split", "quick", "far"])


def _asked_quickly(plain: Measurable, split: Measurable,
                   known: dict) -> tuple[int, list[float], bool]:
    """Return how many rows a quick learner was asked of, its errors, and whether they differ.

    Both are of the rows that both splits test on: error rates, or root mean squared errors.
    """
    losses, groups = alike.quick_both(plain, split, known)
    sure = alike.exceeds(losses[1] - losses[0], groups, BY_LUCK)
    errors = losses.mean(1) ** (0.5 if plain.rows.regression else 1)
    return losses.shape[1], errors.tolist(), sure


def _of_new_values(hidden: alike.HiddenGroup, regression: bool) -> str:
    """Say what a value of a column that no row here has would cost."""
    of, random, apart = ("root mean squared error", *(
        f"{loss ** 0.5:.3g}" for loss in (hidden.random, hidden.apart))) if regression else (
        "error rate", f"{hidden.random:.1%}", f"{hidden.apart:.1%}")
    return (f"For a {hidden.column!r} that no row here has, a quick learner's {of} is {apart}, not "
            f"{random}: if new rows have others, {quote(f'GROUP={hidden.column}')} asks that.")
