"""What ``make ensemble-curves`` runs: the curves of ensembles, from stored predictions."""

import sys
from collections.abc import Mapping

from analysis.ensemble_curves.compute import compute_ensembles
from collection.commands.command import Command
from collection.project.parameters import Parameter, SettingsError, folder, parse_int
from collection.project.results_folder import check_results

ABOUT = """\
Compute the curves of ensembles from a collection that ran with PREDICTIONS=yes.

  make ensemble-curves WHERE=my_curves OUT=my_ensembles

Stopped, it goes on where it was. Parameters (defaults in brackets):
"""
PARAMETERS = {p.name: p for p in (
    Parameter("WHERE", folder, None, "the collection"),
    Parameter("OUT", folder, None, "folder of the ensembles' curves"),
    Parameter("WORKERS", lambda value: parse_int(value, least=1), 1, "processes"),
)}


def ensembles_work() -> Command:
    """Return the command that computes the curves of ensembles."""
    return Command("ensemble-curves", ABOUT, PARAMETERS, _compute)


def _compute(asked: Mapping[str, object], values: Mapping[str, str]) -> int:
    where, out = asked["where"], asked["out"]
    if where is None or out is None:
        raise SettingsError("Name the collection and the folder to write: "
                            "make ensemble-curves WHERE=my_curves OUT=my_ensembles")
    check_results(out, ())
    compute_ensembles(where, out, asked["workers"], show_progress)
    print(f'Open them: analysis.load_curves("{out}")')
    return 0


def show_progress(text: str) -> None:
    """Write over the last line of the terminal how far it is."""
    print(f"\r{text}", end="", file=sys.stderr, flush=True)
