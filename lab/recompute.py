"""Compute anew the results that are kept for those who lack the curves: ``make recompute``.

The only command that writes ``book/computed/``.
"""

import argparse
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path

import pandas as pd

from analysis.published.computed import FOLDER, NotAtHandError, keep
from collection.project.naming import UnknownNameError, check_known

#: Where results that are kept are computed: modules with a table ``KEPT``.
MODULES = ("analysis.ledger.build", "lab.anew", "lab.automl", "lab.calibration.count",
           "lab.decision", "lab.decomposition", "lab.from_means", "lab.means", "lab.meta_features",
           "lab.next_order", "lab.order_coverage", "lab.pmlbmini", "lab.real_grids",
           "lab.report.planned", "lab.report.row_judge", "lab.reproduction", "lab.resolution",
           "lab.size_coverage", "lab.studies", "lab.suites", "lab.trial.published",
           "lab.usefulness")
KEPT: dict[str, Callable[[], pd.DataFrame]] = {
    name: compute for module in MODULES
    for name, compute in import_module(module).KEPT.items()}


def recompute(names: Iterable[str] = (), folder: Path = FOLDER) -> dict[str, str]:
    """Compute kept results and write those that have changed.

    Parameters
    ----------
    names : iterable of str
        Of `KEPT`; none stands for all of them.
    folder : Path
        Where they are kept.

    Returns
    -------
    dict
        Name → ``"written"``, ``"unchanged"``, or why it could not be computed.

    Raises
    ------
    UnknownNameError
        For a name that is not in `KEPT`; nothing is written then.
    """
    names = list(names) or list(KEPT)
    check_known("kept result", names, KEPT)
    return {name: _recompute(name, folder) for name in names}


def _recompute(name: str, folder: Path) -> str:
    try:
        table = KEPT[name]()
    except NotAtHandError as error:
        return f"left as it is: {error}"
    return "written" if keep(name, table, folder) else "unchanged"


def main(arguments: list[str] | None = None) -> int:
    """Run the command, saying what is left for want of curves; return 2 for an unknown name."""
    parser = argparse.ArgumentParser(prog="python -m lab.recompute", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(KEPT)}; default all")
    try:
        outcome = recompute(parser.parse_args(arguments).names)
    except UnknownNameError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for name, what in outcome.items():
        print(f"{name}: {what}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
