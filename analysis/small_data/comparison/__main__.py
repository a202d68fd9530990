"""Command line: compare learners of your own."""

import sys
from collections.abc import Sequence

from analysis.small_data.comparison.settings import PARAMETERS, check_comparison
from collection.command import read_pairs

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
        settings = check_comparison(read_pairs(arguments))
        from analysis.small_data.comparison.make import carry_out

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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
