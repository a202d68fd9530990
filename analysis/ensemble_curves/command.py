"""What ``make ensemble-curves`` runs: the curves of ensembles, from stored predictions."""

import sys
from collections.abc import Mapping

from analysis.ensemble_curves.compute import compute_ensembles
from analysis.ensemble_curves.shipped import FOLDER, MEMBERS, RECIPE, ship
from collection.commands.command import Command
from collection.learners import find_learner
from collection.project.parameters import Parameter, SettingsError, folder, parse_int
from collection.project.paths import cache_dir

ABOUT = """\
Compute the curves of ensembles from a collection that ran with PREDICTIONS=yes.

  make ensemble-curves WHERE=my_curves OUT=my_ensembles

Without a collection the members of the shipped ones are gathered first, and the shipped files
written. Stopped, it goes on where it was. Parameters (defaults in brackets):
"""
PARAMETERS = {p.name: p for p in (
    Parameter("WHERE", folder, None, "the collection; with OUT"),
    Parameter("OUT", folder, None, "folder of the ensembles' curves; with WHERE"),
    Parameter("WORKERS", lambda value: parse_int(value, least=1), 1, "processes"),
)}


def ensembles_work() -> Command:
    """Return the command that computes the curves of ensembles."""
    return Command("ensemble-curves", ABOUT, PARAMETERS, _compute)


def _compute(asked: Mapping[str, object], values: Mapping[str, str]) -> int:
    where, out, workers = asked["where"], asked["out"], asked["workers"]
    if (where is None) != (out is None):
        raise SettingsError("Name the collection and the folder to write: "
                            "make ensemble-curves WHERE=my_curves OUT=my_ensembles")
    if where is None:
        return _ship_recipe(workers, values)
    compute_ensembles(where, out, workers, _say)
    print(f'Open them: analysis.load_curves("{out}")')
    return 0


def _ship_recipe(workers: int, given: Mapping[str, str]) -> int:
    members, ensembles = (cache_dir() / f"ensemble_{what}" for what in ("members", "curves"))
    some = {"WORKERS": given["WORKERS"]} if given.get("WORKERS") else {}
    if lost := RECIPE.gather(members, PREDICTIONS="yes", **some):
        print("\n".join(f"{count} curves are missing: {why}" for why, count in lost.items()),
              file=sys.stderr)
        return 1
    compute_ensembles(members, ensembles, workers, _say,
                      [find_learner(spec).name for spec in MEMBERS])
    ship(ensembles)
    size = sum(file.stat().st_size for file in FOLDER.iterdir())
    print(f"{FOLDER} holds {size / 1e6:.1f} MB.")
    return 0


def _say(text: str) -> None:
    print(f"\r{text}", end="", file=sys.stderr, flush=True)
