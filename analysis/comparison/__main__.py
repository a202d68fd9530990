"""Command line: compare learners of your own."""

import sys
from collections.abc import Mapping, Sequence

from analysis.comparison.settings import PARAMETERS, check_comparison
from collection.command import read_pairs
from collection.parameters import SettingsError

USAGE = """\
Compare classifiers of your own with logistic regression, on many small datasets.

  make compare LEARNER="sklearn.svm.SVC(probability=True)" SUITE=pmlbmini OUT=my_comparison
  make compare LEARNER="sklearn.svm.SVC(probability=True)" SUITE=dummy

or the learners of a study that make evaluate made, among themselves: make compare RUNS=my_runs

Parameters (defaults in brackets):
"""


def main(arguments: Sequence[str]) -> int:
    """Make the comparison that the arguments ask for; return the exit status.

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
        if "RUNS" in values:
            return _compare_runs(values)
        settings = check_comparison(values)
        from analysis.comparison.make import carry_out

        found = carry_out(settings)
    except (ValueError, OSError, RuntimeError) as error:
        print(f"compare: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("compare: stopped. Run the same command again to go on.", file=sys.stderr)
        return 1
    failed = found.verdict.failures.groupby(["method", "status"], sort=False).size()
    for (method, status), count in failed.items():
        print(f"{count:6,d} fits of {method}: {status}")
    print(f"The report is {found.page}; its numbers are beside it.")
    return 0


def _compare_runs(values: Mapping[str, object]) -> int:
    """Compare the learners of a study: the form of the command that fits nothing."""
    from analysis.comparison.runs import compare_runs

    if others := sorted(set(values) - {"RUNS"}):
        raise SettingsError(f"RUNS compares what is there already, and takes no {others[0]}.")
    if not values["RUNS"]:
        raise SettingsError("RUNS is empty: name a folder that make evaluate wrote.")
    print(compare_runs(str(values["RUNS"])))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
