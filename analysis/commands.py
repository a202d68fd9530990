"""All commands: what gathers, and what says something of it; ``learning-curves`` and make's."""

import os
import sys
from collections.abc import Sequence

from collection.commands import command
from collection.commands.command import CommandEntry

COMMANDS = {
    "report": CommandEntry(
        "use", "how much more data your table needs",
        "analysis.report.command:report_work"),
    "compare": CommandEntry(
        "use", "your classifiers on many small datasets, or the learners of a study",
        "analysis.comparison.command:comparison_work"),
    "order": CommandEntry(
        "use", "what the order of methods in a table of results is worth",
        "analysis.leaderboards.command:order_work"),
    "portfolio": CommandEntry(
        "use", "portfolios of configs, judged by leaving datasets out",
        "analysis.portfolios.command:portfolio_work"),
    "collect": CommandEntry(
        "gather", "learning curves, by the protocol of LCDB 1.1",
        "collection.commands.gathering:curve_work"),
    "evaluate": CommandEntry(
        "gather", "evaluations of learners on tasks, by cross-validation",
        "collection.commands.gathering:evaluation_work"),
    "merge": CommandEntry(
        "gather", "into one folder what several machines gathered or evaluated",
        "collection.commands.gathering:merge_work"),
    "suite": CommandEntry(
        "gather", "suites of tasks: create, look at, compare, pass on",
        "collection.commands.suite:suite_work"),
    "ensemble-curves": CommandEntry(
        "gather", "curves of ensembles, from stored predictions",
        "analysis.ensemble_curves.command:ensembles_work"),
    "lcdb11": CommandEntry(
        "gather", "the official files of LCDB 1.1",
        "collection.commands.lcdb11:files_work"),
    "tabrepo": CommandEntry(
        "gather", "a context of TabRepo",
        "collection.commands.tabrepo:context_work"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the command line.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    for stream in ("stdout", "stderr"):
        if getattr(sys, stream) is None:  # closed by whoever runs it
            setattr(sys, stream, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
    try:
        folder = os.getcwd()
    except FileNotFoundError:
        print("learning-curves: the folder that this runs in is not there any more: go to another.",
              file=sys.stderr)
        return 1
    if folder not in sys.path:
        sys.path.append(folder)  # learners in the folder worked in, as `python -m` finds them
    return command.main(arguments, COMMANDS, "learning-curves")
