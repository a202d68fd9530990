"""All commands: what gathers, and what says something of it; ``learning-curves`` and make's.

Here are their parameters, what they read of files that people name, and what they write; what a
notebook would import is in `analysis`.
"""

import os
import sys
from collections.abc import Sequence

from collection.commands import command
from collection.commands.command import CommandEntry

COMMANDS = {name: CommandEntry(*entry) for name, *entry in (
    ("report", "use", "how much more data your table needs", "commands.report.command:report_work"),
    ("compare", "use", "your classifiers on many small datasets, or the learners of a study",
     "commands.compare:comparison_work"),
    ("order", "use", "what the order of methods in a table of results is worth",
     "commands.order.command:order_work"),
    ("portfolio", "use", "portfolios of configs, judged by leaving datasets out",
     "commands.portfolio:portfolio_work"),
    ("collect", "gather", "learning curves, by the protocol of LCDB 1.1",
     "commands.gathering:curve_work"),
    ("evaluate", "gather", "evaluations of learners on tasks, by cross-validation",
     "commands.gathering:evaluation_work"),
    ("merge", "gather", "into one folder what several machines gathered or evaluated",
     "commands.gathering:merge_work"),
    ("suite", "gather", "suites of tasks: create, look at, compare, pass on",
     "commands.suite:suite_work"),
    ("ensemble-curves", "gather", "curves of ensembles, from stored predictions",
     "commands.ensemble_curves:ensembles_work"),
    ("lcdb11", "gather", "the official files of LCDB 1.1", "commands.lcdb11:files_work"),
    ("tabrepo", "gather", "a context of TabRepo", "commands.tabrepo:context_work"))}


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
