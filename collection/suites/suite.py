"""A suite: tasks chosen by stated criteria, with every decision on record, under a version.

Its file is TOML that a person can read, with a line per task and per decision.
"""

import datetime
import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from pathlib import Path

from collection.project.naming import check_known
from collection.project.opening import parse_toml, read_text
from collection.project.parameters import LIMITS, Parameter
from collection.project.paths import written_whole
from collection.tasks import Task, TaskError, from_record, to_record

PLAIN = re.compile(r"[^\W_][\w .+@-]*")  # what is part of files' names
HASH = "sha256"
TEXTS = ("name", "version", "creator", "licence", "derived_from", "released", "time_limit",
         "memory_limit")
LISTS = ("filters", "criteria")


class SuiteError(ValueError):
    """A suite that cannot be read, or used as it is; the message says why and what to do."""


@dataclass(frozen=True)
class Decision:
    """What a person, or a check, decided about one dataset.

    Attributes
    ----------
    dataset : str
        Its spec.
    criterion : str
        Of `collection.suites.create.CRITERIA`, or ``duplicate``.
    keep : bool
        Whether it meets the criterion.
    who, when, why : str
        A name, or ``check``; the date (YYYY-MM-DD); the reason in words.
    """

    dataset: str
    criterion: str
    keep: bool
    who: str
    when: str
    why: str


@dataclass(frozen=True)
class Suite:
    """Tasks with the record of how they were chosen.

    Attributes
    ----------
    name, version : str
        Version in numbers and dots, such as ``1.0``.
    tasks : tuple of Task
        Each dataset with its target once.
    creator, licence, description : str
        Who made it; licence of the suite itself, not of its datasets; what it is for.
    filters, criteria : tuple of str
        Conditions on qualities (`collection.suites.qualities`) and names of criteria that all
        datasets had to meet.
    decisions : tuple of Decision
        Every decision made about a dataset, those left out among them.
    duplicates : tuple of tuple of str
        Groups of datasets, members and others, that hold the same rows.
    derived_from : str
        The suite that it was made from: ``name version hash``.
    released : str
        Date; empty while it is a draft. What is released does not change any more.
    time_limit, memory_limit : str
        Of each fit, as ``make evaluate`` takes them (``10min``, ``4GB``) and then holds them;
        empty: the suite states none.
    """

    name: str
    version: str
    tasks: tuple[Task, ...]
    creator: str = ""
    licence: str = ""
    description: str = ""
    filters: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    decisions: tuple[Decision, ...] = ()
    duplicates: tuple[tuple[str, ...], ...] = ()
    derived_from: str = ""
    released: str = ""
    time_limit: str = ""
    memory_limit: str = ""

    def __post_init__(self):
        for parameter, text in self.limits:
            try:
                parameter.read(text)
            except ValueError as error:
                raise SuiteError(f"{self.label} states {parameter.name}={text}: {error}.") from None
        for what, text in (("name", self.name), ("version", self.version)):
            if not PLAIN.fullmatch(text):
                raise SuiteError(f"The {what} of a suite is part of files' names: letters, digits, "
                                 f"blanks and . _ + - @ after a letter or digit, not {text!r}.")
        seen = [(task.spec, task.procedure) for task in self.tasks]
        for twice in (s for k, s in enumerate(seen) if s in seen[:k]):
            raise SuiteError(f"{self.label} lists {twice[0]} twice.")

    @property
    def label(self) -> str:
        """Name and version."""
        return f"{self.name} {self.version}"

    @property
    def limits(self) -> list[tuple[Parameter, str]]:
        """The limits of each fit that the suite states, each with its parameter."""
        stated = ((parameter, getattr(self, parameter.name.lower())) for parameter in LIMITS)
        return [(parameter, text) for parameter, text in stated if text]

    @property
    def content_hash(self) -> str:
        """SHA-256 of all that the suite says (hexadecimal)."""
        unstated = {p.name.lower() for p in LIMITS} - {p.name.lower() for p, _ in self.limits}
        content = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in unstated}
        content["tasks"] = [to_record(task) for task in self.tasks]
        content["decisions"] = [asdict(decision) for decision in self.decisions]
        text = json.dumps(content, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def reference(self) -> str:
        """Name, version and hash, as `derived_from` has them."""
        return f"{self.label} {self.content_hash}"

    @property
    def datasets(self) -> list[str]:
        """The specs of the tasks' datasets, in order."""
        return [task.spec for task in self.tasks]


def subset_suite(suite: Suite, name: str, version: str, *, only: Iterable[str] = (),
                 without: Iterable[str] = ()) -> Suite:
    """Return a draft with some of the tasks.

    Parameters
    ----------
    suite : Suite
        What it derives from.
    name, version : str
        Of the new suite.
    only, without : iterable of str
        Datasets to keep (all where none is named), and to leave out.

    Raises
    ------
    UnknownNameError
        For a dataset that the suite has not.
    SuiteError
        Where no task is left, or the new suite is called as the old.
    """
    only, without = list(only) or suite.datasets, list(without)
    check_known(f"dataset of {suite.label}", [*only, *without], suite.datasets)
    kept = tuple(t for t in suite.tasks if t.spec in only and t.spec not in without)
    if not kept:
        raise SuiteError(f"No task of {suite.label} would be left.")
    if (name, version) == (suite.name, suite.version):
        raise SuiteError(f"{suite.label} exists already: give the new suite another name or "
                         "version.")
    return replace(suite, name=name, version=version, tasks=kept, released="",
                   derived_from=suite.reference)


def write_suite(suite: Suite, path: str | Path) -> Path:
    """Write a suite to a file, whole or not at all; return the path.

    Raises
    ------
    SuiteError
        Where the file holds a released suite that says something else.
    """
    path = Path(path)
    if path.exists():
        there = read_suite(path)
        if there.released and there != suite:
            raise SuiteError(f"{path} holds {there.label}, which was released on {there.released} "
                             "and does not change any more. Write a new version to another file.")
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as part:
        part.write_text(suite_text(suite), encoding="utf-8")
    return path


def suite_text(suite: Suite) -> str:
    """Return a suite as the text of its file."""
    stated = {name: getattr(suite, name) for name in TEXTS}
    stated[HASH] = suite.content_hash if suite.released else ""
    stated |= {name: getattr(suite, name) for name in ("description", *LISTS)}
    lines = [f"{name} = {_value(value)}" for name, value in stated.items() if value]
    tasks = [to_record(task) for task in suite.tasks]
    shared = tasks[0]["procedure"]
    if all(task["procedure"] == shared for task in tasks):
        lines += ["", "# How rows are split, for every task.", f"procedure = {_value(shared)}"]
        for task in tasks:
            del task["procedure"]
    lines += ["", *_rows("tasks", tasks)]
    if suite.duplicates:
        lines += ["", "# Datasets that hold the same rows.",
                  *_rows("duplicates", [list(group) for group in suite.duplicates])]
    if suite.decisions:
        lines += ["", *_rows("decisions", [asdict(decision) for decision in suite.decisions])]
    return "\n".join(lines) + "\n"


def read_suite(path: str | Path) -> Suite:
    """Read a suite's file.

    Raises
    ------
    SuiteError
        The file is absent, no TOML, lacks what a suite needs, or a released suite was changed.
    UnknownNameError
        For a key that suites, tasks or decisions have not.
    """
    return parse_suite(read_text(path, SuiteError), str(path))


@lru_cache(maxsize=16)
def parse_suite(text: str, where: str) -> Suite:
    """Return the suite that `text` describes; `where` is named in messages. See `read_suite`."""
    content = parse_toml(text, SuiteError, where)
    names = [f.name for f in fields(Suite)]
    check_known(f"key of the suite {where}", content, [*names, "procedure", HASH])
    stated, shared = content.pop(HASH, ""), content.pop("procedure", None)
    if lacking := [name for name in ("name", "version", "tasks") if not content.get(name)]:
        raise SuiteError(f"{where} has no {' and no '.join(lacking)}.")
    _check_types(content, where)
    try:
        tasks = [from_record({**({"procedure": shared} if shared else {}), **task})
                 for task in content["tasks"]]
    except TaskError as error:
        raise SuiteError(f"{where}: {error}") from error
    suite = Suite(**{
        **content, "tasks": tuple(tasks),
        **{name: tuple(content.get(name, ())) for name in LISTS},
        "duplicates": tuple(tuple(group) for group in content.get("duplicates", ())),
        "decisions": tuple(_decision(d, where) for d in content.get("decisions", ()))})
    if suite.released and stated != suite.content_hash:
        raise SuiteError(
            f"{where}: {suite.label} was released on {suite.released}, but its content is not "
            f"that of then (its hash is {suite.content_hash[:12]}…, the file states "
            f"{stated[:12] or 'none'}…). Undo the change, or take out `released` and "
            f"`{HASH}` and give it a new version.")
    return suite


def release_suite(suite: Suite) -> Suite:
    """Return the suite with today as its date of release."""
    if suite.released:
        raise SuiteError(f"{suite.label} was released on {suite.released} already.")
    return replace(suite, released=datetime.date.today().isoformat())


def _check_types(content: dict, where: str) -> None:
    for name in (*TEXTS, "description"):
        if not isinstance(content.get(name, ""), str):
            raise SuiteError(f"{where}: {name} must be text in quotes, not {content[name]!r}.")
    for name, kind in (("tasks", dict), ("decisions", dict), ("duplicates", list),
                       ("filters", str), ("criteria", str)):
        items = content.get(name, [])
        if not isinstance(items, list) or not all(isinstance(item, kind) for item in items):
            raise SuiteError(f"{where}: {name} must be a list in the form that `make suite "
                             "DO=create` writes.")


def _decision(record: dict, where: str) -> Decision:
    known = {f.name: f.type for f in fields(Decision)}
    check_known(f"key of a decision in {where}", record, known)
    wrong = [name for name, kind in known.items() if not isinstance(record.get(name), kind)]
    if wrong:
        raise SuiteError(f"{where}: a decision on {record.get('dataset', 'no dataset')} lacks "
                         f"{wrong[0]}, or it is not {known[wrong[0]].__name__}.")
    return Decision(**record)


def _rows(name: str, items: list) -> list[str]:
    return [f"{name} = [", *(f"  {_value(item)}," for item in items), "]"]


def _value(value: object) -> str:
    """Return a value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):  # what JSON escapes, TOML reads; but DEL needs it as well
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} = {_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return str(value)
