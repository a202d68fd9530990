"""A suite's file: TOML that a person can read, with a line per task and per decision."""

import datetime
import json
import tomllib
from dataclasses import asdict, fields, replace
from pathlib import Path

from collection.naming import check_known
from collection.suites.suite import Decision, Suite, SuiteError
from collection.tasks import TaskError, from_record, to_record

HASH = "sha256"
TEXTS = ("name", "version", "creator", "licence", "derived_from", "released")
LISTS = ("filters", "criteria")


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
    part = path.with_name(path.name + ".part")
    part.write_text(suite_text(suite), encoding="utf-8")
    part.replace(path)
    return path


def suite_text(suite: Suite) -> str:
    """Return a suite as the text of its file."""
    procedures = [to_record(task)["procedure"] for task in suite.tasks]
    shared = procedures[0] if all(p == procedures[0] for p in procedures) else None
    tasks = [to_record(task) for task in suite.tasks]
    if shared:
        tasks = [{k: v for k, v in task.items() if k != "procedure"} for task in tasks]
    lines = [f"{name} = {_value(getattr(suite, name))}" for name in TEXTS if getattr(suite, name)]
    if suite.released:
        lines.append(f'{HASH} = "{suite.content_hash}"')
    if suite.description:
        lines.append(f"description = {_value(suite.description)}")
    lines += [f"{name} = {_value(getattr(suite, name))}" for name in LISTS if getattr(suite, name)]
    if shared:
        lines += ["", "# How rows are split, for every task.", f"procedure = {_value(shared)}"]
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
    try:
        return parse_suite(Path(path).read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise SuiteError(f"The suite {path} cannot be read: {error}.") from error


def parse_suite(text: str, where: str) -> Suite:
    """Return the suite that `text` describes; `where` is named in messages. See `read_suite`."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SuiteError(f"{where} is not valid TOML: {error}.") from error
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
    _check_hash(suite, stated, where)
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


def _check_hash(suite: Suite, stated: str, where: str) -> None:
    if suite.released and stated != suite.content_hash:
        raise SuiteError(
            f"{where}: {suite.label} was released on {suite.released}, but its content is not "
            f"that of then (its hash is {suite.content_hash[:12]}…, the file states "
            f"{stated[:12] or 'none'}…). Undo the change, or take out `released` and "
            f"`{HASH}` and give it a new version.")


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
