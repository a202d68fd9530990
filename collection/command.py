"""The command line: check everything, run the notebook, say what is missing.

One for each kind of work: learning curves (``collect``) and evaluations (``evaluate``). Whatever is
wrong comes out as one message and an exit status of 1, before anything is written.
"""

import os
import re
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from collection.naming import check_known
from collection.parameters import Parameter, SettingsError
from collection.paths import ROOT

NOTEBOOK = ROOT / "collection" / "collect.md"
NOTEBOOK_LOCK = ".lock"  # so that a run that is refused does not write the other's notebook
EVALUATE_NOTEBOOK = ROOT / "collection" / "evaluate.md"
COLLECT = """\
Gather learning curves by the protocol of LCDB 1.1.

  make collect DATASETS="keel:vehicle csv:my.csv?target=class" LEARNERS="KNN LDA" OUT=my_curves

Run it again to go on where it stopped, or with more datasets, learners, scalings or seeds to add
to what is there. Parameters (defaults in brackets):
"""
EVALUATE = """\
Evaluate learners on tasks by cross-validation.

  make evaluate TASKS="keel:vehicle sklearn:wine" LEARNERS="KNN LogisticRegression" OUT=my_runs

Run it again to go on where it stopped, or with more tasks, learners, folds or repeats to add to
what is there. Parameters (defaults in brackets):
"""


MERGE = """\
Merge what make evaluate wrote on several machines into one folder.

  make merge FROM="runs_a runs_b" OUT=my_runs

Where they contradict each other, every conflict is named and nothing is merged. Parameters:
"""


@dataclass(frozen=True)
class Work:
    """A kind of work, as the command line knows it.

    Attributes
    ----------
    name, about : str
        As after ``make``, and what ``--help`` says first.
    parameters : mapping of name to Parameter
    check : callable
        Returns the settings for values, or raises.
    do : callable
        Takes settings and values; returns the exit status.
    """

    name: str
    about: str
    parameters: Mapping[str, Parameter]
    check: Callable[[Mapping[str, object]], Any]
    do: Callable[[Any, Mapping[str, str]], int]


def main(arguments: Sequence[str]) -> int:
    """Do what the arguments ask for; return the exit status.

    Parameters
    ----------
    arguments : sequence of str
        ``evaluate`` or ``merge`` first for evaluations, else curves are collected. Then
        ``KEY=VALUE`` pairs, see `collection.settings.PARAMETERS` and
        `collection.evaluation.settings`.
        ``--make`` reads the variables of make's command line as well, but for those named after
        it. ``--help`` lists the keys.
    """
    kind = arguments[0] if arguments and arguments[0] in KINDS else "collect"
    arguments = arguments[1:] if list(arguments[:1]) == [kind] else arguments
    work = KINDS[kind]()
    if {"-h", "--help"} & set(arguments):
        print(usage(work))
        return 0
    try:
        values = _pairs(arguments, work)
        settings = work.check(values)
        with warnings.catch_warnings():
            warnings.showwarning = partial(_note, work.name)
            return work.do(settings, values)
    except (ValueError, OSError, RuntimeError) as error:
        print(f"{work.name}: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print(f"{work.name}: stopped. Run the same command again to go on.", file=sys.stderr)
    return 1


def _note(name: str, message: Warning, *_: object, **__: object) -> None:
    """Show what is odd about a dataset as one line."""
    print(f"{name}: note: {message}", file=sys.stderr)


def usage(work: Work) -> str:
    """Return the help text: every parameter with its default."""
    lines = [work.about]
    for parameter in work.parameters.values():
        default = parameter.default
        if isinstance(default, tuple):
            default = " ".join(map(str, default))
        known = "required" if parameter.required else default or "none"
        lines.append(f"  {parameter.name}\n      {parameter.about} [{known}]")
    return "\n".join(lines)


def _curve_work() -> Work:
    from collection.settings import PARAMETERS, check_settings

    return Work("collect", COLLECT, PARAMETERS, check_settings, _collect)


def _evaluation_work() -> Work:
    from collection.evaluation.settings import PARAMETERS, check_settings

    return Work("evaluate", EVALUATE, PARAMETERS, check_settings, _evaluate)


def _merge_work() -> Work:
    from collection.evaluation.settings import MERGE_PARAMETERS
    from collection.parameters import read_parameters

    return Work("merge", MERGE, MERGE_PARAMETERS,
                lambda values: read_parameters(values, MERGE_PARAMETERS), _merge)


KINDS = {"collect": _curve_work, "evaluate": _evaluation_work, "merge": _merge_work}


def read_pairs(arguments: Sequence[str]) -> dict[str, str]:
    """Return the parameters given as KEY=VALUE, and those of make's command line.

    Parameters
    ----------
    arguments : sequence of str
        ``KEY=VALUE`` each. After ``--make`` come the names of variables that are make's own; the
        others of its command line count.

    Raises
    ------
    SettingsError
        For an argument that is no such pair.
    """
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
    return values


def _pairs(arguments: Sequence[str], work: Work) -> dict[str, str]:
    """Return the parameters given, each one that the work has."""
    values = read_pairs(arguments)
    check_known("parameter", values, work.parameters)
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


def _collect(settings: Any, values: Mapping[str, str]) -> int:
    # Loaded only now, so that a misspelt parameter is answered at once.
    from collection.curve_key import CurveKey
    from collection.running.plan import make_plan
    from collection.running.run import store_settings
    from collection.running.workers import check_workers
    from collection.store import read_curves, summarise_fits
    from collection.store.base import check_unchanged
    from collection.store.schema import LOCK
    from collection.store.writer import check_same_data

    check_unchanged(settings.out, store_settings(settings))
    plan = make_plan(settings)
    check_same_data(settings.out, [dataset.row for dataset in plan.datasets])
    check_workers(settings)
    _run_alone(NOTEBOOK, settings.out, LOCK, values)
    fits = summarise_fits(settings.out).groupby(["status", "message"])["fits"].sum()
    stored = _keys(read_curves(settings.out), CurveKey)
    return _report(settings.out / "collect.ipynb", fits, stored, set(plan.jobs), "curves", "fits")


def _evaluate(settings: Any, values: Mapping[str, str]) -> int:
    from collection.evaluation.plan import make_plan
    from collection.evaluation.run import store_settings
    from collection.running.workers import check_workers
    from collection.store.base import check_unchanged
    from collection.store.evaluation_reader import read_evaluations
    from collection.store.evaluation_schema import EVALUATIONS
    from collection.store.evaluation_writer import EvaluationKey, check_same_tasks

    check_unchanged(settings.out, store_settings(settings), EVALUATIONS)
    plan = make_plan(settings)
    check_same_tasks(settings.out, [task.row for task in plan.tasks])
    check_workers(settings)
    _run_alone(EVALUATE_NOTEBOOK, settings.out, EVALUATIONS.lock, values)
    table = read_evaluations(settings.out)
    return _report(settings.out / "evaluate.ipynb", table.groupby(["status", "message"]).size(),
                   _keys(table, EvaluationKey), set(plan.jobs), "evaluations", "evaluations")


def _run_alone(notebook: Path, folder: Path, store_lock: str, values: Mapping[str, str]) -> None:
    """Run a notebook into a folder that nobody else writes to."""
    from collection.notebook import run_notebook
    from collection.store.lock import held

    folder.mkdir(parents=True, exist_ok=True)
    with held(folder / f"{notebook.stem}{NOTEBOOK_LOCK}"):
        with held(folder / store_lock):  # by a run without this command
            pass
        run_notebook(notebook, folder / f"{notebook.stem}.ipynb", values)


def _merge(settings: Mapping[str, Any], values: Mapping[str, str]) -> int:
    from collection.store.merge import merge

    merged = merge(settings["from"], settings["out"])
    print(f"{merged.added:,d} evaluations were added to {settings['out']}, {merged.same:,d} were "
          f'there already. Open them: analysis.load_evaluations("{settings["out"]}")')
    return 0


def _keys(table: pd.DataFrame, key: type) -> set:
    """Return the keys of what is stored."""
    columns = [field.name for field in fields(key)]
    return {key(*row) for row in table[columns].itertuples(index=False)}


def _report(notebook: Path, by_reason: pd.Series, stored: set, wanted: set, things: str,
            fits: str) -> int:
    """Print what became of the work; return 1 where some is missing."""
    folder, work = notebook.parent, notebook.stem
    for (status, message), count in by_reason.sort_values(ascending=False).items():
        print(f"{count:8,d} {fits} {status}" + (f": {message}" if message else ""))
    print(f"{len(stored):,d} {things} are in {folder}; the notebook is {notebook}. "
          f'Open them: analysis.load_{things}("{folder}")')
    if missing := len(wanted - stored):
        print(f"{work}: {missing} of {len(wanted)} {things} are missing; the notebook says why. "
              "Run the same command again to try them again.", file=sys.stderr)
    return 1 if missing else 0
