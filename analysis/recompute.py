"""Compute anew the results that are kept for those who lack the curves: ``make recompute``.

The only command that writes ``book/computed/``.
"""

import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pandas as pd

from analysis.databases import machines, reproduction, threads
from analysis.extrapolation.contest import needed, study
from analysis.ledger import at_hand
from analysis.missed import kept
from analysis.performance import performance
from analysis.portfolios import kept as portfolios_kept
from analysis.records.at_hand import NotAtHandError
from analysis.records.computed import FOLDER, keep
from analysis.report import kept as report_kept
from analysis.selection import published_races
from analysis.small_data import kept as small_kept
from analysis.small_data import meta_features_study, overtaking_study
from analysis.suites import kept as suites_kept
from collection.naming import UnknownNameError, check_known

KEPT: dict[str, Callable[[], pd.DataFrame]] = {
    **reproduction.KEPT, **published_races.KEPT, **performance.KEPT, **at_hand.KEPT, **kept.KEPT,
    **suites_kept.KEPT, **small_kept.KEPT, **study.KEPT, **report_kept.KEPT,
    **portfolios_kept.KEPT, **needed.KEPT, **threads.KEPT, **overtaking_study.KEPT,
    **meta_features_study.KEPT,
    **machines.KEPT}


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
    parser = argparse.ArgumentParser(prog="python -m analysis.recompute", description=__doc__)
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
