"""What ``make report`` runs: how much more data a table needs."""

from collections.abc import Mapping
from contextlib import nullcontext

from collection.commands.command import Command
from collection.own_table.gather import OwnWorkers
from collection.project.results_folder import check_results
from commands.report.settings import PARAMETERS, ReportSettings, check_report

ABOUT = """\
Say how much more data a table of yours needs, in one page.

  make report CSV=my.csv TARGET=label BUDGET=10min WANTED=5%
  make report CSV=houses.csv TARGET=price          # numbers to predict: a regression
  make report POINTS=points.csv
  make report FEATURES=20 CLASSES=2 WANTED=5%      # before any data: rows for a protocol

Parameters (defaults in brackets):
"""


def report_work() -> Command:
    """Return the command that writes a report."""
    return Command("report", ABOUT, PARAMETERS, _report, check_report, "Nothing was written.")


def _report(settings: ReportSettings, values: Mapping[str, str]) -> int:
    with OwnWorkers(settings.workers) if settings.csv else nullcontext() as workers:
        from commands.report import written  # which takes a while to load, beside theirs

        check_results(settings.out, written.NAMES, settings.csv, settings.points)
        if settings.features:
            written.write_plan(settings)
        else:
            answers = written.answers_for(settings, workers)
            print(*answers.notes, sep="\n")
            written.write_report(settings, answers)
    print((settings.out / written.ANSWER).read_text(encoding="utf-8"))
    print(f"The report is {settings.out / written.PAGE}; its numbers are beside it.")
    return 0
