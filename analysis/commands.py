"""All commands: what gathers, and what says something of it; ``learning-curves`` and make's."""

import sys
from collections.abc import Sequence

from collection import command
from collection.command import Listed

COMMANDS = {
    "report": Listed("use", "how much more data your table needs",
                     "analysis.report.__main__:main"),
    "compare": Listed("use", "your classifiers on many small datasets, or the learners of a study",
                      "analysis.comparison.__main__:main"),
    "order": Listed("use", "what the order of methods in a table of results is worth",
                    "analysis.leaderboards.__main__:main"),
    "portfolio": Listed("use", "portfolios of configs, judged by leaving datasets out",
                        "analysis.portfolios.__main__:main"),
    **command.COMMANDS,
    "ensemble-curves": Listed("gather", "curves of ensembles, from stored predictions",
                              "analysis.ensemble_curves.__main__:main"),
    "lcdb11": Listed("gather", "the official files of LCDB 1.1, or their means",
                     "analysis.databases.lcdb11.__main__:main"),
    "tabrepo": Listed("gather", "a context of TabRepo",
                      "analysis.databases.tabrepo.__main__:main"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the command line.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    return command.main(arguments, COMMANDS, "learning-curves")
