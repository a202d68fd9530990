"""The report: read, measure within a budget, answer, and write page and numbers, whole or not."""

import html
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic

import numpy as np
import pandas as pd
import xarray as xr

from analysis.report.answers import Answered, Costs, answer
from analysis.report.assurance import Plan
from analysis.report.measured import Measured, measured_points, measured_rows
from analysis.report.metrics import DEFAULTS, HEAVY_TAILED, METRICS, ReportMetric
from analysis.report.points import error_of, read_points
from analysis.report.sentences import decision, sentences
from analysis.report.settings import ReportSettings, check_wanted
from analysis.report.worth import beside, both_ways, by_class, guards_left
from collection.own_table.gather import Gathered, gather_within
from collection.own_table.learners import LEARNERS, check_learners, default_learners
from collection.own_table.measure import LEFT_OUT, Measurable, OwnTable
from collection.own_table.read import read_own_table, source_of, use_table
from collection.project.naming import check_known
from collection.project.parameters import SECONDS, SettingsError, Share, quantity
from collection.project.results_folder import results_of_a_run
from collection.project.shown import write_csv
from collection.running.workers import LocalWorkers

ANSWER = "answer.txt"  # the page's sentences, which the command prints
WORKERS = 2
GUARD_SHARE = 0.15  # of the budget, at most, for finding groups that nobody named
WRITTEN = ("now", "later", "expected", "points", "path", "wanted", "enough", "costs", "helps",
           "shapes", "classes", "beside", "ways", "measured")
NAMES = ("report.html", ANSWER, "model.joblib", "statement.html", "statement.csv",
         *(f"{name}.csv" for name in WRITTEN))


class Report(Answered):
    """The answers on one table; a notebook shows them as the page."""

    def page(self) -> str:
        """Return the whole page as HTML that loads nothing."""
        from analysis.report.page import write_page

        return write_page(self)

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.page())}" title="How much more data?" '
                'style="width:100%;height:80vh;border:0"></iframe>')


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
    return answer_own(table, quantity(budget, SECONDS, 0), metric, wanted=wanted, less=less,
                      costs=costs, learners=learners, workers=workers, show=show)


def answer_own(table: OwnTable, budget: float, metric: str | None = None, *, title: str = "",
               wanted: float | None = None, less: float | None = None,
               costs: Costs | None = None, learners: Sequence[str] = (), workers: int = WORKERS,
               source: str = "table", show: bool = True) -> Report:
    """Do what `answer_table` does, on a table that was read already; see there."""
    chosen = metric_for(metric, table.regression)
    wanted = None if wanted is None else _error_of(wanted, chosen, table)
    names = check_learners(learners, table.regression)
    data, started, hidden, untried = table.measurable(), monotonic(), None, []
    if table.groups is None and table.times is None and "group" not in table.noticed:
        from collection.own_table.alike import find_groups  # which loads scikit-learn

        hidden, untried = find_groups(data, GUARD_SHARE * budget)
        if hidden:
            table = replace(table, noticed=table.noticed | {"group": (hidden.column, hidden.codes)})
    with LocalWorkers(workers) as pool:
        spent = min(monotonic() - started, GUARD_SHARE * budget)  # more than that is on top
        gathered = gather_within(data, budget - spent, pool, names, show=show)
    measured = measured_rows(data, gathered, chosen)
    tables = answer(measured, wanted, costs, less)
    best = tables.now["learner"].iloc[0]
    predictions, fits = measured.held[best], gathered.fits()
    seconds = fits[(fits["learner"] == best) & (fits["status"] == "ok")].groupby("size")["seconds"]
    ways = both_ways(table, best, chosen, seconds.median(), budget)
    classes = pd.DataFrame() if table.regression else by_class(data, predictions)
    more = beside(data, predictions)
    left = guards_left(table, ways, hidden, untried)
    return Report(
        **vars(tables), curves=measured, title=title or f"Predicting {table.target}",
        metric=chosen.name, label=chosen.label, unit=table.target if table.regression else "",
        classes=classes, beside=more, ways=ways, always=_always(data),
        notes=[*_short(gathered), *table.notes, *left, *_tails(data, measured, chosen, predictions),
               *_lost(fits, gathered.lost, names)],
        how=_how(table, gathered, fits),
        wanted_error=wanted, spent=costs, table=table, source=source)


def answer_points(errors: xr.DataArray, title: str = "Points", wanted: float | None = None,
                  costs: Costs | None = None, less: float | None = None) -> Report:
    """Answer from errors that somebody else measured, as the book's page does.

    Parameters
    ----------
    errors : xarray.DataArray, dims (learner, repeat, anchor)
        From `analysis.report.points.read_points`.
    title : str
    wanted : float, optional
        In the measure of the points: a score where scores were given.
    costs : Costs, optional
    less : float, optional

    Raises
    ------
    PointsError
        Where it has to be asked what `wanted` means.
    """
    tested = errors.attrs.get("tested", {})
    if less is not None and errors.attrs.get("percent") and not isinstance(less, Share):
        less /= 100
    wanted = None if wanted is None else error_of(wanted, errors)
    read = [one.replace("errors are 1 − ", "values are ")
            for one in filter(None, [errors.attrs.get("read")])]
    measured = measured_points(errors, tested)
    notes = read if tested else [
        *read,
        "The points do not say how many rows the errors were measured on (a column 'tested'). The "
        "ranges know nothing of that: an error of 0.10 on 300 rows may as well be 0.13."]
    return Report(**vars(answer(measured, wanted, costs, less)), curves=measured, title=title,
                   metric="error_rate", label=errors.attrs.get("label", "error"), notes=notes,
                   how="From the points that were given.", wanted_error=wanted, spent=costs)


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
    error, what = (1 - wanted, metric.score) if metric.score else (wanted, metric.label)
    shares = table.frame[table.target].value_counts(normalize=True)
    always = 1 - float(shares.iloc[0]) if metric.shares else 0.5  # of guessing
    if error >= always > 1 - error:
        raise SettingsError(f"WANTED: {wanted:.4g} is no better as {what} than guessing. Is "
                            f"{1 - wanted:.4g} meant?")
    return error


def _always(table) -> str:
    if table.rows.regression:
        return "the mean"
    return f"“{table.classes[int(np.bincount(table.rows.target).argmax())]}”"


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


def read_input(settings: ReportSettings) -> OwnTable | xr.DataArray:
    """Read the table, or the points, and check what depends on them.

    Raises
    ------
    DatasetError, UnknownNameError, PointsError, SettingsError
        What is wrong with the file, its columns, the metric or the wanted error.
    """
    if settings.points:
        points = read_points(settings.points, settings.rows)
        if settings.wanted is not None:
            error_of(settings.wanted, points)
        return points
    table = read_own_table(settings.csv, settings.target, regress=settings.regress,
                           time=settings.time or None, group=settings.group or None)
    metric = metric_for(settings.metric or None, table.regression)
    check_wanted(settings.wanted, not metric.endless)
    if settings.wanted is not None:
        _error_of(settings.wanted, metric, table)
    if settings.statement:
        from analysis.report.statement import check_statement

        check_statement(table.measurable(), settings.learners or default_learners(table.regression))
    return table


def answers_for(settings: ReportSettings) -> Report:
    """Measure the table within the budget, or take the points, and answer.

    Raises
    ------
    DatasetError, UnknownNameError, PointsError, SettingsError, TimeBudgetError
        What is wrong with the file, its columns, a value, or the budget.
    """
    found = read_input(settings)
    if settings.points:
        return answer_points(found, settings.points.name, settings.wanted, settings.costs,
                             settings.less)
    return answer_own(found, settings.budget, settings.metric or None, title=(
        f"{settings.csv.name}: {settings.target}"), wanted=settings.wanted, less=settings.less,
        costs=settings.costs, learners=settings.learners, workers=settings.workers,
        source=source_of(settings.csv, found.target, found.frame))


def write_report(settings: ReportSettings, answers: Report) -> Path:
    """Write page, sentences, the tables as CSV and, if asked for, the model into the folder.

    Returns
    -------
    Path
        The page; see `collection.project.results_folder`.
    """
    page = answers.page()
    with results_of_a_run(settings.out, NAMES) as folder:
        for name in WRITTEN:
            table: pd.DataFrame = getattr(answers, name)
            if len(table):
                write_csv(table, folder / f"{name}.csv", guarded=True)
        if settings.save and answers.table is not None:
            import joblib

            joblib.dump(answers.trained(), folder / "model.joblib")
        if settings.statement:
            _write_statement(folder, answers)
        (folder / ANSWER).write_text("".join([f"{decision(answers)}\n", *(
            f"{what}: {said}\n" for what, said in sentences(answers))]), encoding="utf-8")
        (folder / "report.html").write_text(page, encoding="utf-8")
    return settings.out / "report.html"


def write_plan(settings: ReportSettings) -> None:
    """Write the statement on what is planned, and its rows in words, into the folder."""
    plan = Plan(settings.features, settings.classes, settings.wanted,
                settings.majority or 1 / settings.classes, settings.learners)
    from analysis.report.statement import advice

    with results_of_a_run(settings.out, NAMES) as folder:
        found = _write_statement(folder, plan)
        (folder / ANSWER).write_text(advice(found) + "\n" + "".join(
            f"{row.purpose.capitalize()}, by {row.by}: {row.rows:,.0f} rows: {row.aim} "
            f"({row.assumed}).\n".replace("nan rows", "no number of rows")
            for row in found.itertuples()), encoding="utf-8")


def _write_statement(folder: Path, answers: Report | Plan) -> pd.DataFrame:
    from analysis.report.statement import statement, write_statement

    table = statement(answers)
    write_csv(table, folder / "statement.csv", guarded=True)
    (folder / "statement.html").write_text(write_statement(answers), encoding="utf-8")
    return table
