"""The command line: one table of commands drives make, ``learning-curves`` and ``--help``.

That is `commands.COMMANDS`. A command is a `Command`: its parameters, a check of them,
what it does. They are given as make has them, ``POINTS=points.csv``, or as options, ``--points
points.csv``. Whatever is wrong comes out as one message and an exit status of 1, before anything is
written.
"""

import errno
import io
import os
import re
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

from collection import __version__
from collection.project.naming import check_known
from collection.project.parameters import Parameter, SettingsError, read_parameters
from collection.project.requirements import UnsupportedVersionError, check_versions, lacking
from collection.project.shown import visible_output

STOPPED = 130  # exit status of what was interrupted
PAIR = re.compile(r"[A-Z][A-Z0-9_]*=")
STATUSES = f"""\
Exit status: 0 done; 1 refused, or not all of it was done, and the last message says why;
{STOPPED} stopped."""


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


def main(arguments: Sequence[str], table: Mapping[str, CommandEntry], program: str) -> int:
    """Run a command of a table; return its exit status.

    Parameters
    ----------
    arguments : sequence of str
        The command's name, then its parameters; see `run_command`. Without any the commands are
        listed; ``--version`` says which this is.
    table : mapping of name to CommandEntry
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


def _main(arguments: Sequence[str], table: Mapping[str, CommandEntry], program: str) -> int:
    """Do as `main`, whoever reads."""
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
    with visible_output():
        return _run(work, arguments)


def _run(work: Command, arguments: Sequence[str]) -> int:
    """Do as `run_command`, what is printed made visible."""
    try:
        values = read_pairs(arguments)
        check_known("parameter", values, work.parameters)
        settings = (work.check(values) if work.check else read_parameters(values, work.parameters))
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
