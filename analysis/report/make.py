"""Make the report: read, measure, answer, and write the page and its numbers, whole or not."""

from pathlib import Path

import pandas as pd
import xarray as xr

from analysis.report.page import write_page
from analysis.report.points import read_points
from analysis.report.report import WRITTEN, Answers, answer_own, answer_points, metric_for
from analysis.report.settings import ReportSettings, check_wanted
from collection.commands.results_folder import results_of_a_run
from collection.own_table.learners import default_learners
from collection.own_table.read import OwnTable, read_own_table, source_of


def read_input(settings: ReportSettings) -> OwnTable | xr.DataArray:
    """Read the table, or the points, and check what depends on them.

    Raises
    ------
    DatasetError, UnknownNameError, PointsError, SettingsError
        What is wrong with the file, its columns, the metric or the wanted error.
    """
    if settings.points:
        return read_points(settings.points)
    table = read_own_table(settings.csv, settings.target, regress=settings.regress,
                           time=settings.time or None, group=settings.group or None)
    metric = metric_for(settings.metric or None, table.regression)
    check_wanted(settings.wanted, not metric.endless)
    if settings.statement:
        from analysis.report.statement import check_statement

        check_statement(table.measurable(), settings.learners or default_learners(table.regression))
    return table


def answers_for(settings: ReportSettings) -> Answers:
    """Measure the table within the budget, or take the points, and answer.

    Raises
    ------
    DatasetError, UnknownNameError, PointsError, SettingsError, BudgetError
        What is wrong with the file, its columns, a value, or the budget.
    """
    found = read_input(settings)
    if settings.points:
        return answer_points(found, settings.points.stem, settings.wanted, settings.costs)
    return answer_own(found, settings.budget, settings.metric or None, title=(
        f"{settings.csv.name}: {settings.target}"), wanted=settings.wanted, costs=settings.costs,
        learners=settings.learners, workers=settings.workers,
        source=source_of(settings.csv, found.target, found.frame))


def write_report(settings: ReportSettings, answers: Answers) -> Path:
    """Write ``report.html``, the tables as CSV and, if asked for, the model into the folder.

    Returns
    -------
    Path
        The page; see `collection.commands.results_folder`.
    """
    page = write_page(answers)
    names = ("report.html", "model.joblib", "statement.html", "statement.csv",
             *(f"{name}.csv" for name in WRITTEN))
    with results_of_a_run(settings.out, names) as folder:
        for name in WRITTEN:
            table: pd.DataFrame = getattr(answers, name)
            if len(table):
                table.to_csv(folder / f"{name}.csv", index=False)
        if settings.save and answers.table is not None:
            import joblib

            joblib.dump(answers.trained(), folder / "model.joblib")
        if settings.statement:
            from analysis.report.statement import statement, write_statement

            statement(answers).to_csv(folder / "statement.csv", index=False)
            (folder / "statement.html").write_text(write_statement(answers), encoding="utf-8")
        (folder / "report.html").write_text(page, encoding="utf-8")
    return settings.out / "report.html"
