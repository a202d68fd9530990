"""The command line: one table of commands drives make, ``learning-curves`` and ``--help``.

A command is a `Command`: its parameters, a check of them, what it does. They are given as make has
them, ``POINTS=points.csv``, or as options, ``--points points.csv``. Whatever is wrong comes out as
one message and an exit status of 1, before anything is written.
"""

import errno
import io
import os
import re
import signal
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from collection import __version__
from collection.project.naming import check_known
from collection.project.parameters import Parameter, SettingsError, read_parameters
from collection.project.paths import CODE
from collection.project.requirements import UnsupportedVersionError, check_versions, lacking
from collection.project.results_folder import check_beside, written_as_own

if TYPE_CHECKING:  # a list of commands needs no tables
    import pandas as pd

    from collection.running.work import Plan

STOPPED = 130  # exit status of what was interrupted
PAIR = re.compile(r"[A-Z][A-Z0-9_]*=")
STATUSES = f"""\
Exit status: 0 done; 1 refused, or not all of it was done, and the last message says why;
{STOPPED} stopped."""
NOTEBOOK = CODE / "collect.md"
EVALUATE_NOTEBOOK = CODE / "evaluate.md"
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
Merge what make collect, or make evaluate, wrote on several machines into one folder.

  make merge FROM="runs_a runs_b" OUT=my_runs

Where they contradict each other, every conflict is named and nothing is merged. Parameters:
"""


@dataclass(frozen=True)
class Command:
    """A kind of work, as the command line knows it.

    Attributes
    ----------
    name, about : str
        As after ``make``, and what ``--help`` says first.
    parameters : mapping of name to Parameter
    do : callable
        Takes settings and values; returns the exit status.
    check : callable, optional
        Returns the settings for values, or raises; by default a dict of what `parameters` read.
    stopped : str
        What is left when it is stopped.
    """

    name: str
    about: str
    parameters: Mapping[str, Parameter]
    do: Callable[[Any, Mapping[str, str]], int]
    check: Callable[[Mapping[str, object]], Any] | None = None
    stopped: str = "Run the same command again to go on."


class CommandEntry(NamedTuple):
    """A row of a table of commands.

    Attributes
    ----------
    group : str
        Under which it is listed.
    about : str
        One line.
    where : str
        ``module:function`` that returns the `Command`; imported when it is called.
    """

    group: str
    about: str
    where: str

    def run(self, arguments: Sequence[str]) -> int:
        """Run the command; return its exit status."""
        module, _, name = self.where.partition(":")
        return run_command(getattr(import_module(module), name)(), arguments)


def main(arguments: Sequence[str], table: Mapping[str, CommandEntry] | None = None,
         program: str = "python -m collection") -> int:
    """Run a command of a table; return its exit status.

    Parameters
    ----------
    arguments : sequence of str
        The command's name, then its parameters; see `run_command`. Without any the commands are
        listed; ``--version`` says which this is.
    table : mapping of name to CommandEntry
        By default `COMMANDS`, where pairs alone are for ``collect``.
    program : str
        What it is called by.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal without × shows a question mark
            stream.reconfigure(errors="replace")
    try:
        status = _main(arguments, table, program)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # whoever reads has enough, as head has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _main(arguments: Sequence[str], table: Mapping[str, CommandEntry] | None, program: str) -> int:
    """Do as `main`, whoever reads."""
    if table is None:
        table = COMMANDS
        arguments = arguments if arguments and arguments[0] in table else ["collect", *arguments]
    name, *rest = arguments or ["--help"]
    if name in ("-h", "--help"):
        print(listing(table, program))
        return 0
    if name in ("-V", "--version"):
        print(f"{program} {__version__}")
        return 0
    try:
        check_known("command", [name], table)
        check_versions()
    except (ValueError, UnsupportedVersionError) as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 1
    try:
        return table[name].run(rest)
    except ImportError as error:  # an extra that is not installed
        print(f"{name}: {lacking(error)}", file=sys.stderr)
        return 1


def listing(table: Mapping[str, CommandEntry], program: str) -> str:
    """Return the table of commands as text, in groups."""
    lines = [f"Usage: {program} COMMAND --parameter VALUE … (or PARAMETER=VALUE …)",
             f"{program} COMMAND --help lists its parameters; {program} --version."]
    for group in dict.fromkeys(row.group for row in table.values()):
        lines += ["", f"{group}:", *(f"  {name:<16}{row.about}" for name, row in table.items()
                                     if row.group == group)]
    return "\n".join([*lines, "", STATUSES])


def run_command(work: Command, arguments: Sequence[str]) -> int:
    """Do what the arguments ask for; return the exit status: 0, 1, or `STOPPED`.

    Parameters
    ----------
    work : Command
    arguments : sequence of str
        Its parameters; see `read_pairs`. ``--help`` lists them.
    """
    if {"-h", "--help"} & set(arguments):
        print(usage(work))
        return 0
    try:
        values = read_pairs(arguments)
        check_known("parameter", values, work.parameters)
        settings = (work.check(values) if work.check
                    else read_parameters(values, work.parameters))
        from collection.store.base import interrupted_by_sigterm  # which takes a while to load

        with warnings.catch_warnings(), interrupted_by_sigterm():
            warnings.showwarning = partial(_note, work.name)
            return work.do(settings, values)
    except BrokenPipeError:
        raise
    except MemoryError as error:
        print(f"{work.name}: there is not enough memory for this"
              f"{f' ({error})' if str(error) else ''}. Close other programs, or give a random part "
              "of the rows.", file=sys.stderr)
    except (ValueError, OSError, RuntimeError) as error:
        full = getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        more = ". Make room on its disk and run the same command again." if full else ""
        print(f"{work.name}: {error}{more}", file=sys.stderr)
    except KeyboardInterrupt:
        print(f"{work.name}: stopped. {work.stopped}", file=sys.stderr)
        return STOPPED
    return 1


def _note(name: str, message: Warning, *_: object, **__: object) -> None:
    """Show what is odd about a dataset as one line."""
    print(f"{name}: note: {message}", file=sys.stderr)


def usage(work: Command) -> str:
    """Return the help text: every parameter with its default."""
    lines = [work.about]
    for parameter in work.parameters.values():
        default = parameter.default
        if isinstance(default, tuple):
            default = " ".join(map(str, default))
        known = "required" if parameter.required else default or "none"
        lines.append(f"  {parameter.name}, {_option(parameter.name)}\n"
                     f"      {parameter.about} [{known}]")
    return "\n".join([*lines, STATUSES])


def _option(name: str) -> str:
    return "--" + name.lower().replace("_", "-")


def curve_work() -> Command:
    """Return the command that gathers learning curves."""
    from collection.running.curve_settings import PARAMETERS, check_settings

    return Command("collect", COLLECT, PARAMETERS, _collect, check_settings)


def evaluation_work() -> Command:
    """Return the command that evaluates learners on tasks."""
    from collection.running.evaluation_settings import PARAMETERS, check_settings

    return Command("evaluate", EVALUATE, PARAMETERS, _evaluate, check_settings)


def merge_work() -> Command:
    """Return the command that merges evaluations."""
    from collection.running.evaluation_settings import MERGE_PARAMETERS

    return Command("merge", MERGE, MERGE_PARAMETERS, _merge)


COMMANDS = {
    "collect": CommandEntry(
        "gather", "learning curves, by the protocol of LCDB 1.1",
        "collection.commands.command:curve_work"),
    "evaluate": CommandEntry(
        "gather", "evaluations of learners on tasks, by cross-validation",
        "collection.commands.command:evaluation_work"),
    "merge": CommandEntry(
        "gather", "into one folder what several machines gathered or evaluated",
        "collection.commands.command:merge_work"),
    "suite": CommandEntry(
        "gather", "suites of tasks: create, look at, compare, pass on",
        "collection.commands.suite:suite_work"),
}


def read_pairs(arguments: Sequence[str]) -> dict[str, str]:
    """Return the parameters given, and those of make's command line.

    Parameters
    ----------
    arguments : sequence of str
        ``KEY=VALUE``, ``--key=VALUE`` or ``--key VALUE …``, whose values go on to the next
        parameter. After ``--make`` come the names of variables that are make's own; the others of
        its command line count.

    Raises
    ------
    SettingsError
        For an argument that is of no such form, or an option without a value.
    """
    of_make: dict[str, str] = {}
    if "--make" in arguments:
        start = arguments.index("--make")
        of_make = make_variables(os.environ, besides=arguments[start + 1:])
        arguments = arguments[:start]
    found: dict[str, list[str]] = {}
    option = ""  # the one whose values follow
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if argument.startswith("--"):
            name = name.removeprefix("--").upper().replace("-", "_")
            option, found[name] = ("", [value]) if equals else (name, [])
        elif option and not PAIR.match(argument):
            found[option].append(argument)
        elif equals:
            option, found[name] = "", [value]
        else:
            raise SettingsError(f"{argument!r} is not of the form KEY=VALUE or --key VALUE. Where "
                                'a value has spaces, put it in quotes: LEARNERS="KNN LDA". --help '
                                "lists the keys.")
    if bare := [name for name, words in found.items() if not words]:
        raise SettingsError(f"{_option(bare[0])} has no value; --help says what it takes.")
    return of_make | {name: " ".join(words) for name, words in found.items()}


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
    from collection.running.curve_plan import make_plan
    from collection.running.work import check
    from collection.store import read_keys, summarise_fits
    from collection.store.shards import form_of

    check_beside(settings.out / form_of(settings.out).file, "collect.ipynb")
    plan = check(settings, make_plan, form_of(settings.out))
    _run_alone(NOTEBOOK, settings.out, plan.form.lock, values)
    if settings.predictions and (tasks := plan.given_splits()):
        from collection.running.openml_curves import write_runs

        for path in write_runs(settings.out, tasks):
            print(f"{path} holds predictions in OpenML's form.")
    fits = summarise_fits(settings.out).groupby(["status", "message"])["fits"].sum()
    return _report(settings.out / "collect.ipynb", fits, "fits", read_keys(settings.out), plan)


def _evaluate(settings: Any, values: Mapping[str, str]) -> int:
    from collection.running.evaluation_plan import make_plan
    from collection.running.work import check
    from collection.store import read_keys
    from collection.store.evaluation_reader import read_evaluations
    from collection.store.evaluations import EVALUATIONS

    check_beside(settings.out / EVALUATIONS.file, "evaluate.ipynb", "runs.csv")
    plan = check(settings, make_plan, EVALUATIONS)
    _run_alone(EVALUATE_NOTEBOOK, settings.out, plan.form.lock, values)
    table = read_evaluations(settings.out)
    if len(table):
        _show_means(settings.out)
    return _report(settings.out / "evaluate.ipynb", table.groupby(["status", "message"]).size(),
                   "evaluations", read_keys(settings.out, EVALUATIONS), plan)


def _show_means(folder: Path) -> None:
    """Write every test error to ``runs.csv``, and print the mean of each learner on each task."""
    from collection.commands.preview import shown_errors
    from collection.containers.curves import tidy_table
    from collection.store.evaluation_reader import open_evaluations

    runs = open_evaluations(folder)
    tests = tidy_table(runs).query("split == 'test'").drop(columns="split")
    with written_as_own(folder / "runs.csv") as part:
        tests.to_csv(part, index=False)
    errors, _ = shown_errors(runs)
    if len(errors):
        print("Mean test error over the folds:")
        means = errors.pivot_table(index=["task", "metric"], columns="learner", values="error")
        print(means.to_string(float_format="{:.4g}".format, na_rep="–"))
    print(f"Every fold is a row of {folder / 'runs.csv'}.")


def _run_alone(notebook: Path, folder: Path, store_lock: str, values: Mapping[str, str]) -> None:
    """Run a notebook into a folder that nobody else writes to."""
    import psutil

    from collection.commands.notebook import run_notebook
    from collection.project.locks import LockedStoreError, held

    folder.mkdir(parents=True, exist_ok=True)
    with held(folder / f"{notebook.stem}.lock"):  # a run that is refused writes no notebook
        with held(folder / store_lock):  # by a run without this command
            pass
        try:
            run_notebook(notebook, folder / f"{notebook.stem}.ipynb", values)
        except KeyboardInterrupt:  # its process leaves one whole file, which takes a moment
            for process in psutil.Process().children():
                process.send_signal(signal.SIGINT)
            with suppress(LockedStoreError), held(folder / store_lock):
                pass
            raise


def _merge(settings: Mapping[str, Any], values: Mapping[str, str]) -> int:
    from collection.store.merge import merge

    merged = merge(settings["from"], settings["out"])
    print(f"{merged.added:,d} {merged.things} were added to {settings['out']}, {merged.same:,d} "
          f'were there already. Open them: analysis.load_{merged.things}("{settings["out"]}")')
    return 0


def _report(notebook: Path, by_reason: "pd.Series", fits: str, stored: Set, plan: "Plan") -> int:
    """Print what became of the work; return 1 where some is missing."""
    folder, things = notebook.parent, plan.form.things
    for (status, message), count in by_reason.sort_values(ascending=False, kind="stable").items():
        print(f"{count:8,d} {fits} {status}" + (f": {message}" if message else ""))
    print(f"{len(stored):,d} {things} are in {folder}; the notebook is {notebook}. "
          f'Open them: analysis.load_{things}("{folder}")')
    if missing := sum(key not in stored for key in plan.jobs):
        print(f"{notebook.stem}: {missing} of {len(plan.jobs)} {things} are missing; the notebook "
              "says why. Run the same command again to try them again.", file=sys.stderr)
    return 1 if missing else 0
