"""What a report is of: a table, points, or a plan; and its page and numbers, whole or not."""

from pathlib import Path

import pandas as pd
import xarray as xr

from analysis.report.answers import Costs, Report, answer
from analysis.report.measured import measured_points
from analysis.report.page import ways_said, write_page
from analysis.report.report import answer_own
from analysis.report.sentences import Words, decision, sentences
from collection.own_table.gather import OwnWorkers
from collection.own_table.read import read_own_table, source_of
from collection.project.parameters import Share
from collection.project.results_folder import results_of_a_run
from collection.project.shown import said_if_slow, write_csv
from commands.report.assurance import advice, plan_page, plan_rows
from commands.report.points import error_of, read_points
from commands.report.settings import ReportSettings

PAGE = "report.html"
ANSWER = "answer.txt"  # the page's sentences, which the command prints
WRITTEN = ("now", "later", "expected", "points", "path", "wanted", "enough", "costs", "helps",
           "shapes", "beside", "ways", "measured")
NAMES = (PAGE, ANSWER, "model.joblib", "plan.csv", *(f"{name}.csv" for name in WRITTEN))


def answer_points(errors: xr.DataArray, title: str = "Points", wanted: float | None = None,
                  costs: Costs | None = None, less: float | None = None) -> Report:
    """Answer from errors that somebody else measured, as the book's page does.

    Parameters
    ----------
    errors : xarray.DataArray, dims (learner, repeat, anchor)
        From `commands.report.points.read_points`.
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
                   metric="error_rate", label=errors.attrs.get("label", "error"),
                   as_page=write_page, notes=notes, how="From the points that were given.",
                   wanted_error=wanted, spent=costs)


def answers_for(settings: ReportSettings, workers: OwnWorkers | None = None) -> Report:
    """Measure the table within the budget, by workers that were entered, or take the points.

    Raises
    ------
    DatasetError, UnknownNameError, PointsError, SettingsError, TimeBudgetError
        What is wrong with the file, its columns, a value, or the budget.
    """
    costs = None if settings.cost_per_row is None else Costs(
        settings.cost_per_row, settings.cost_per_error, settings.predictions)
    if settings.points:
        return answer_points(read_points(settings.points, settings.rows), settings.points.name,
                             settings.wanted, costs, settings.less)
    with said_if_slow(f"Reading {settings.csv.name}, looking for copies of rows"):
        table = read_own_table(settings.csv, settings.target, regress=settings.regress,
                               time=settings.time or None, group=settings.group or None)
    return answer_own(table, settings.budget, workers, settings.metric or None, title=(
        f"{settings.csv.name}: {settings.target}"), wanted=settings.wanted, less=settings.less,
        costs=costs, learners=settings.learners,
        source=source_of(settings.csv, table.target, table.frame))


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
        (folder / ANSWER).write_text("".join([f"{decision(answers)}\n", *(
            f"Warning: {said}\n" for far, said in ways_said(answers, Words(answers)) if far), *(
            f"{what}: {said}\n" for what, said in sentences(answers))]), encoding="utf-8")
        (folder / PAGE).write_text(page, encoding="utf-8")
    return settings.out / PAGE


def write_plan(settings: ReportSettings) -> None:
    """Write the page on what is planned, its rows, and both in words, into the folder."""
    table = plan_rows(settings)
    with results_of_a_run(settings.out, NAMES) as folder:
        write_csv(table, folder / "plan.csv", guarded=True)
        (folder / PAGE).write_text(plan_page(settings, table), encoding="utf-8")
        (folder / ANSWER).write_text(advice(table) + "\n" + "".join(
            f"{row.purpose.capitalize()}, by {row.by}: {row.rows:,.0f} rows: {row.aim} "
            f"({row.assumed}).\n".replace("nan rows", "no number of rows")
            for row in table.itertuples()), encoding="utf-8")
