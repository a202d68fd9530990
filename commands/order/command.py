"""What ``make order`` runs: what the order of a table of results is worth."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from collection.commands.command import Command
from collection.project.naming import check_known
from collection.project.parameters import (
    TIE,
    Parameter,
    SettingsError,
    folder,
    parse_int,
    yes_or_no,
)
from collection.project.results_folder import check_results
from collection.project.shown import said_if_slow

if TYPE_CHECKING:
    from pandas import DataFrame

ABOUT = """\
Say what the order of methods in a table of results is worth, in one page.

  make order CSV=results.csv
  make order RUNS=my_runs OUT=my_order
  make order CSV=published.csv MINE=rerun.csv
  make order CURVES=lcdb11-anew SIZES=64,256,1024

Parameters (defaults in brackets):
"""
RERUNS = ("rerun.csv", "rerun_tasks.csv")
ROLES = ("task", "method", "value", "fold", "seed", "family", "size")


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


def _sizes(value: object) -> tuple[float, ...]:
    """Return numbers of rows parted by commas."""
    from collection.reading.numbers import rows_of

    sizes = tuple(rows_of(part) for part in str(value).split(",") if part.strip())
    if not all(size > 0 for size in sizes):
        raise ValueError(f"sizes of training sets are needed, such as 64,256,1024, not {value}")
    return sizes


PARAMETERS = {p.name: p for p in (
    Parameter("CSV", str, None, "your table: long (task, method, value) or wide (a row per task, "
              "a column per method); or the name of a shipped study"),
    Parameter("RUNS", str, None, "instead of CSV: a folder that make evaluate or make compare "
              "wrote, a context of TabRepo, or submissions to SWE-bench"),
    Parameter("CURVES", str, None, "instead of CSV: a database of learning curves, by its name or "
              "folder: is the order another one at another training size?"),
    Parameter("SIZES", _sizes, "", "of curves, or of a CSV with a column of sizes: which sizes, "
              "parted by commas"),
    Parameter("MINE", str, None, "your rerun of CSV, a table with the same methods and tasks: "
              "does it differ by more than reruns do?"),
    *(Parameter(role.upper(), str, None, f"the column of CSV that is the {role}, where it is "
                "not guessed right") for role in ROLES),
    Parameter("ONLY", _only, "", "which rows of CSV: what a column says, such as metric=auc"),
    Parameter("SKIP", _names, "", "columns, tasks and methods to leave out, parted by commas"),
    Parameter("LOWER", yes_or_no, None,
              "yes: lower values are better; no: higher; by default as two witnesses agree"),
    TIE,
    Parameter("RESAMPLES", lambda v: parse_int(v, least=100), 2000, "sign flips that are drawn"),
    Parameter("OUT", folder, "my_order", "folder for order.html and its tables"),
)}


def order_work() -> Command:
    """Return the command that says what an order is worth."""
    return Command("order", ABOUT, PARAMETERS, _order, stopped="Nothing was written.")


def _order(settings: Mapping[str, object], _: Mapping[str, str]) -> int:
    if sum(settings[name] is not None for name in ("csv", "runs", "curves")) != 1:
        raise SettingsError("Give one of CSV (a table of results), RUNS (a folder of runs) and "
                            "CURVES (learning curves): make order CSV=results.csv")
    from analysis.leaderboards.by_size_page import NAMES as BY_SIZE
    from analysis.leaderboards.order_page import NAMES
    from analysis.leaderboards.tables import load_results, shipped_studies

    where, mine = settings["csv"] or settings["runs"] or settings["curves"], settings["mine"]
    given = [one for one in (where, mine) if one]
    check_results(settings["out"], {*NAMES, *RERUNS, *BY_SIZE},
                  *(Path(one) for one in given if Path(one).is_file()))
    if settings["curves"]:
        return _by_size(settings, None)
    columns = {role: settings[role] for role in ROLES if settings[role] is not None}
    for one in given:
        if not Path(one).exists():
            if Path(one).suffix:
                raise SettingsError(f"There is no file {one}.")
            check_known("table of results", [one], shipped_studies().index)
    with said_if_slow(f"Reading {where}"):
        results = load_results(where, columns, settings["lower"], settings["only"],
                               skip=settings["skip"], sized=True)
    if "size" in results:
        return _by_size(settings, results)
    if settings["sizes"]:
        raise SettingsError("SIZES needs a column of sizes: SIZE=… names it.")
    return _at_one_size(settings, where, columns, results)


def _by_size(settings: Mapping[str, object], results: "DataFrame | None") -> int:
    """Order at several sizes: of results, or of curves where there are none."""
    if settings["mine"] or settings["tie"]:
        raise SettingsError("MINE and TIE are for results of one size: say which by ONLY, such as "
                            "ONLY=size=256.")
    from analysis.databases.load import load_curves
    from analysis.leaderboards.by_size import order_by_size
    from analysis.leaderboards.by_size_page import sentences, write_by_size

    table = load_curves(settings["curves"], "paper") if results is None else results
    found = order_by_size(table, settings["sizes"] or None, settings["resamples"])
    for note in found.notes:
        print(f"order: note: {note}", file=sys.stderr)
    print("\n".join(sentences(found)))
    title = Path(settings["csv"] or settings["curves"]).stem
    print(f"The page is {write_by_size(found, title, settings['out'])}; its tables are beside it.")
    return 0


def _at_one_size(settings: Mapping[str, object], where: str, columns: Mapping[str, str],
                 results: "DataFrame") -> int:
    """Order at one size."""
    from analysis.leaderboards.order_page import lead, weigh, who_is_first, write_order

    said, beside = _rerun(settings, columns, results) if settings["mine"] else ([], {})
    worth = weigh(results, settings["resamples"], tie=settings["tie"])
    for note in worth.order.notes:
        print(f"order: note: {note}", file=sys.stderr)
    print(worth.order.read)
    print(lead(worth.order, worth.gap))
    print(who_is_first(worth.order))
    print("\n".join(said), end="\n" * bool(said))
    page = write_order(worth, Path(where).name, settings["out"], said, beside)
    print(f"The page is {page}; its tables are beside it.")
    return 0


def _rerun(settings: Mapping[str, object], columns: Mapping[str, str],
           published: "DataFrame") -> tuple[list[str], dict[str, "DataFrame"]]:
    """Return what is said of a rerun, and its tables by the names of their files."""
    from analysis.leaderboards.cells import DirectionError, to_cells
    from analysis.leaderboards.tables import load_results
    from commands.order.reruns import as_published, compare_runs, in_words

    lower, way = settings["lower"], published["higher_is_better"].unique()
    if lower is None and len(way) == 1:
        lower = not way[0]
    given = (settings["mine"], {role: name for role, name in columns.items() if role != "family"})
    chosen = {"only": settings["only"], "skip": settings["skip"]}
    try:  # by its own witnesses
        mine = load_results(*given, **chosen)
    except DirectionError:
        mine = load_results(*given, lower, **chosen)
    found = compare_runs(to_cells(published), to_cells(as_published(mine, published), least=1))
    return in_words(found[0]), dict(zip(RERUNS, found, strict=True))
