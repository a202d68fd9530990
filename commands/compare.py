"""What ``make compare`` runs: learners of one's own, then the page of their order."""

from collections.abc import Mapping

from analysis.comparison.settings import PARAMETERS, ComparisonSettings, check_comparison
from collection.commands.command import Command

ABOUT = """\
Fit classifiers of your own and logistic regression on many small datasets, and say as make order
does what their order is worth. What ran already is make order's: make order RUNS=my_runs

  make compare LEARNER="sklearn.svm.SVC(probability=True)" SUITE=pmlbmini OUT=my_comparison
  make compare LEARNER="sklearn.svm.SVC(probability=True)" SUITE=dummy

Parameters (defaults in brackets):
"""


def comparison_work() -> Command:
    """Return the command that compares learners."""
    return Command("compare", ABOUT, PARAMETERS, _compare, check_comparison)


def _compare(settings: ComparisonSettings, _: Mapping[str, str]) -> int:
    from analysis.comparison.make import carry_out
    from analysis.leaderboards.order_page import lead

    found = carry_out(settings)
    print("\n".join([found.order.read, lead(found.order), *found.order.notes, *found.said]))
    print(f"The page is {found.page}; its tables are beside it.")
    return 0
