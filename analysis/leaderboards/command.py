"""What ``make order`` runs: what the order of a table of results is worth."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from collection.commands.command import Command
from collection.project.naming import check_known
from collection.project.parameters import Parameter, SettingsError, folder, parse_int, yes_or_no
from collection.project.results_folder import check_results

if TYPE_CHECKING:
    from pandas import DataFrame

ABOUT = """\
Say what the order of methods in a table of results is worth, in one page.

  make order CSV=results.csv
  make order RUNS=my_runs OUT=my_order
  make order CSV=published.csv MINE=rerun.csv

Parameters (defaults in brackets):
"""
RERUNS = ("rerun.csv", "rerun_tasks.csv")
ROLES = ("task", "method", "value", "fold", "seed", "family")


def _tie(value: object) -> float:
    tie = float(value)
    if not 0 <= tie < float("inf"):
        raise ValueError(f"a width of 0 or more is needed, not {value}")
    return tie


def _only(value: object) -> dict[str, str]:
    """Return what of each column is read, of ``metric=auc`` or ``metric=auc,constraint=1h``."""
    pairs = [part.partition("=") for part in str(value).split(",")] if value else []
    if not all(sign and column.strip() for column, sign, _ in pairs):
        raise ValueError(f"a column and what to read of it is needed, such as metric=auc, not "
                         f"{value}")
    return {column.strip(): wanted.strip() for column, _, wanted in pairs}


def _names(value: object) -> tuple[str, ...]:
    """Return names parted by commas."""
    return tuple(part.strip() for part in str(value).split(",") if part.strip())


PARAMETERS = {p.name: p for p in (
    Parameter("CSV", str, None, "your table: long (task, method, value) or wide (a row per task, "
              "a column per method); or the name of a shipped study"),
    Parameter("RUNS", str, None, "instead of CSV: a folder that make evaluate or make compare "
              "wrote, or a context of TabRepo"),
    Parameter("MINE", str, None, "your rerun of CSV, a table with the same methods and tasks: "
              "does it differ by more than reruns do?"),
    *(Parameter(role.upper(), str, None, f"the column of CSV that is the {role}, where it is "
                "not guessed right") for role in ROLES),
    Parameter("ONLY", _only, "", "which rows of CSV: what a column says, such as metric=auc"),
    Parameter("SKIP", _names, "", "columns, tasks and methods to leave out, parted by commas"),
    Parameter("LOWER", yes_or_no, None,
              "yes: lower values are better; no: higher; by default as two witnesses agree"),
    Parameter("TIE", _tie, 0.0, "values that differ by no more count as equal, and methods whose "
              "mean values do, by their interval, are alike"),
    Parameter("RESAMPLES", lambda v: parse_int(v, least=100), 2000, "sign flips that are drawn"),
    Parameter("OUT", folder, "my_order", "folder for order.html and its tables"),
)}


def order_work() -> Command:
    """Return the command that says what an order is worth."""
    return Command("order", ABOUT, PARAMETERS, _order, stopped="Nothing was written.")


def _order(settings: Mapping[str, object], _: Mapping[str, str]) -> int:
    if (settings["csv"] is None) == (settings["runs"] is None):
        raise SettingsError("Give either CSV (a table of results) or RUNS (a folder of runs): "
                            "make order CSV=results.csv")
    from analysis.leaderboards.order_page import NAMES, first_and_gap, lead, weigh, write_order
    from analysis.leaderboards.tables import load_results, shipped_studies

    where, mine = settings["csv"] or settings["runs"], settings["mine"]
    given = [one for one in (where, mine) if one]
    check_results(settings["out"], (*NAMES, *RERUNS),
                  *(Path(one) for one in given if Path(one).is_file()))
    columns = {role: settings[role] for role in ROLES if settings[role] is not None}
    for one in given:
        if not Path(one).exists():
            check_known("table of results", [one], shipped_studies().index)
    chosen = {"only": settings["only"], "skip": settings["skip"]}
    results = load_results(where, columns, settings["lower"], **chosen)
    said, beside = _rerun(settings, columns, results) if mine else ([], {})
    worth = weigh(results, settings["resamples"], tie=settings["tie"])
    for note in worth.order.notes:
        print(f"order: note: {note}", file=sys.stderr)
    print(worth.order.read)
    print(lead(worth.order))
    print(first_and_gap(worth.order))
    print("\n".join(said), end="\n" * bool(said))
    page = write_order(worth, Path(where).stem, settings["out"], said, beside)
    print(f"The page is {page}; its tables are beside it.")
    return 0


def _rerun(settings: Mapping[str, object], columns: Mapping[str, str],
           published: "DataFrame") -> tuple[list[str], dict[str, "DataFrame"]]:
    """Return what is said of a rerun, and its tables by the names of their files."""
    from analysis.leaderboards.cells import DirectionError, to_cells
    from analysis.leaderboards.reruns import as_published, compare_runs, in_words
    from analysis.leaderboards.tables import load_results

    lower, way = settings["lower"], published["higher_is_better"].unique()
    if lower is None and len(way) == 1:
        lower = not way[0]
    given = (settings["mine"], columns)
    chosen = {"only": settings["only"], "skip": settings["skip"]}
    try:  # by its own witnesses
        mine = load_results(*given, **chosen)
    except DirectionError:
        mine = load_results(*given, lower, **chosen)
    found = compare_runs(to_cells(published), to_cells(as_published(mine, published), least=1))
    return in_words(found[0]), dict(zip(RERUNS, found, strict=True))
