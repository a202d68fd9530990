"""Command line: say how much more data a table needs."""

import sys
from collections.abc import Sequence

from analysis.report.settings import PARAMETERS, check_report
from collection.command import read_pairs
from collection.paths import ROOT

NOTEBOOK = ROOT / "collection" / "report.md"
USAGE = """\
Say how much more data a table of yours needs, in one page.

  make report CSV=my.csv TARGET=label BUDGET=10min WANTED=0.05
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
        _check_files(settings)
        from collection.notebook import run_notebook

        settings.out.mkdir(parents=True, exist_ok=True)
        run_notebook(NOTEBOOK, settings.out / "report.ipynb", values)
    except (ValueError, OSError, RuntimeError) as error:
        print(f"report: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("report: stopped; nothing was written.", file=sys.stderr)
        return 1
    print(f"The report is {settings.out / 'report.html'}; its numbers are beside it.")
    return 0


def _check_files(settings) -> None:
    """Answer at once what is wrong with the file, before a notebook is started."""
    if settings.points:
        from analysis.report.points import read_points

        read_points(settings.points)
    else:
        from collection.own_table.read import read_own_table

        read_own_table(settings.csv, settings.target)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
