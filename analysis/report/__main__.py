"""Command line: say how much more data a table needs."""

import sys
from collections.abc import Sequence
from importlib.util import find_spec

from analysis.report.settings import PARAMETERS, check_report
from collection.command import read_pairs
from collection.paths import CODE

NOTEBOOK = CODE / "report.md"
USAGE = """\
Say how much more data a table of yours needs, in one page.

  make report CSV=my.csv TARGET=label BUDGET=10min WANTED=5%
  make report CSV=houses.csv TARGET=price          # numbers to predict: a regression
  make report POINTS=points.csv

Parameters (defaults in brackets):
"""


def main(arguments: Sequence[str]) -> int:
    """Make the report that the arguments ask for; return the exit status.

    Parameters
    ----------
    arguments : sequence of str
        ``KEY=VALUE`` pairs, see `PARAMETERS`; ``--make`` reads the variables of make's command
        line, but for those named after it; ``--help`` lists the keys.
    """
    if {"-h", "--help"} & set(arguments):
        print(USAGE + "\n".join(f"  {p.name}\n      {p.about} [{p.default or 'none'}]"
                                for p in PARAMETERS.values()))
        return 0
    try:
        values = read_pairs(arguments)
        settings = check_report(values)
        from analysis.report.make import answers_for, read_input, write_report

        read_input(settings)  # says at once what is wrong, before a notebook is started
        settings.out.mkdir(parents=True, exist_ok=True)
        if find_spec("papermill"):
            from collection.notebook import run_notebook

            run_notebook(NOTEBOOK, settings.out / "report.ipynb", values)
        else:  # the extra that runs notebooks is not installed: the page all the same
            answers = answers_for(settings)
            print(*answers.notes, sep="\n")
            write_report(settings, answers)
    except (ValueError, OSError, RuntimeError) as error:
        print(f"report: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("report: stopped; nothing was written.", file=sys.stderr)
        return 1
    print(f"The report is {settings.out / 'report.html'}; its numbers are beside it.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
