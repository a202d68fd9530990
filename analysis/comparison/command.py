"""What ``make compare`` runs: learners of one's own, or those of a study."""

from collections.abc import Mapping
from pathlib import Path

from analysis.comparison.settings import PARAMETERS, ComparisonSettings, check_comparison
from collection.commands.command import Work
from collection.project.parameters import Parameter, SettingsError, folder

ABOUT = """\
Compare classifiers of your own with logistic regression, on many small datasets.

  make compare LEARNER="sklearn.svm.SVC(probability=True)" SUITE=pmlbmini OUT=my_comparison
  make compare LEARNER="sklearn.svm.SVC(probability=True)" SUITE=dummy

or the learners of a study that make evaluate made, among themselves: make compare RUNS=my_runs

Parameters (defaults in brackets):
"""
RUNS = Parameter("RUNS", folder, None, "instead of all others: a folder that make evaluate wrote, "
                 "whose learners are compared; nothing is fitted")


def comparison_work() -> Work:
    """Return the command that compares learners, in both its forms."""
    return Work("compare", ABOUT, PARAMETERS | {RUNS.name: RUNS}, _compare, _check)


def _check(values: Mapping[str, object]) -> ComparisonSettings | Path:
    """Return the settings of a comparison, or the folder of a study that is there."""
    if RUNS.name not in values:
        return check_comparison(values)
    if others := sorted(set(values) - {RUNS.name}):
        raise SettingsError(f"RUNS compares what is there already, and takes no {others[0]}.")
    if not values[RUNS.name]:
        raise SettingsError("RUNS is empty: name a folder that make evaluate wrote.")
    return RUNS.read(values[RUNS.name])


def _compare(settings: ComparisonSettings | Path, _: Mapping[str, str]) -> int:
    if isinstance(settings, Path):
        from analysis.comparison.make import compare_runs

        print(compare_runs(settings))
        return 0
    from analysis.comparison.make import carry_out

    found = carry_out(settings)
    failed = found.verdict.failures.groupby(["method", "status"], sort=False).size()
    for (method, status), count in failed.items():
        print(f"{count:6,d} fits of {method}: {status}")
    print(f"The report is {found.page}; its numbers are beside it.")
    return 0
