"""The command line of a collection: check everything, run the notebook, say what is missing.

Whatever is wrong comes out as one message and an exit status of 1, before anything is written.
"""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from collection.naming import check_known
from collection.paths import ROOT
from collection.settings import PARAMETERS, Settings, SettingsError, check_settings

if TYPE_CHECKING:
    from collection.running.plan import Plan

NOTEBOOK = ROOT / "collection" / "collect.md"
USAGE = """\
Gather learning curves by the protocol of LCDB 1.1.

  make collect DATASETS="keel:vehicle csv:my.csv?target=class" LEARNERS="KNN LDA" OUT=my_curves

Run it again to go on where it stopped, or with more datasets, learners, scalings or seeds to add
to what is there. Parameters (defaults in brackets):
"""


def main(arguments: Sequence[str]) -> int:
    """Collect what the arguments ask for; return the exit status.

    Parameters
    ----------
    arguments : sequence of str
        ``KEY=VALUE`` pairs, see `collection.settings.PARAMETERS`. ``--make`` reads the variables
        of make's command line as well, but for those named after it. ``--help`` lists the keys.
    """
    if {"-h", "--help"} & set(arguments):
        print(usage())
        return 0
    try:
        values = _pairs(arguments)
        settings = check_settings(values)
        return _collect(settings, values)
    except (ValueError, OSError, RuntimeError) as error:
        print(f"collect: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("collect: stopped. Run the same command again to go on.", file=sys.stderr)
    return 1


def usage() -> str:
    """Return the help text: every parameter with its default."""
    lines = [USAGE]
    for parameter in PARAMETERS.values():
        default = parameter.default
        if isinstance(default, tuple):
            default = " ".join(map(str, default))
        known = "required" if parameter.required else default or "none"
        lines.append(f"  {parameter.name}\n      {parameter.about} [{known}]")
    return "\n".join(lines)


def _pairs(arguments: Sequence[str]) -> dict[str, str]:
    """Return the parameters given as KEY=VALUE, and those of make's command line."""
    values = {}
    if "--make" in arguments:
        start = arguments.index("--make")
        values = make_variables(os.environ, besides=arguments[start + 1:])
        arguments = arguments[:start]
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if not equals:
            raise SettingsError(f"{argument!r} is not of the form KEY=VALUE. Where a value has "
                                'spaces, put it in quotes: LEARNERS="KNN LDA". --help lists the '
                                "keys.")
        values[name] = value
    check_known("parameter", values, PARAMETERS)
    return values


def make_variables(environment: Mapping[str, str], besides: Sequence[str] = ()) -> dict[str, str]:
    """Return the variables given on make's command line.

    Make ignores a variable it does not know and would let a misspelt parameter pass. It names
    them all in MAKEFLAGS, after ``--``, and puts each into the environment.
    """
    _, _, definitions = environment.get("MAKEFLAGS", "").partition("-- ")
    words = re.findall(r"(?:\\.|\S)+", definitions)
    names = [re.split(r"[:?+!]*=", word, maxsplit=1)[0] for word in words]
    return {name: environment.get(name, "") for name in names if name not in besides}


def _collect(settings: Settings, values: dict[str, str]) -> int:
    # Loaded only now, so that a misspelt parameter is answered at once.
    from collection.notebook import run_notebook
    from collection.running.plan import make_plan
    from collection.running.run import store_settings
    from collection.store.writer import check_unchanged

    check_unchanged(settings.out, store_settings(settings))
    plan = make_plan(settings)
    settings.out.mkdir(parents=True, exist_ok=True)
    run_notebook(NOTEBOOK, settings.out / "collect.ipynb", values)
    return _report(settings.out, plan)


def _report(folder: Path, plan: "Plan") -> int:
    """Print what became of the fits; return 1 where curves are missing."""
    from collection.store import read_curves, summarise_fits
    from collection.store.writer import CurveKey

    columns = [field.name for field in fields(CurveKey)]
    stored = {CurveKey(*row) for row in read_curves(folder)[columns].itertuples(index=False)}
    by_reason = summarise_fits(folder).groupby(["status", "message"])["fits"].sum()
    for (status, message), count in by_reason.sort_values(ascending=False).items():
        print(f"{count:8,d} fits {status}" + (f": {message}" if message else ""))
    print(f"{len(stored):,d} curves are in {folder}; the notebook is {folder / 'collect.ipynb'}. "
          f'Open them: analysis.load_curves("{folder}")')
    if missing := len(set(plan.jobs) - stored):
        print(f"collect: {missing} of {len(plan.jobs)} curves are missing; the notebook says why. "
              "Run the same command again to try them again.", file=sys.stderr)
    return 1 if missing else 0
