"""Tasks as plain records, for files that people read: dicts of text, numbers and yes or no."""

from collections.abc import Mapping
from dataclasses import asdict, fields

from collection.naming import check_known
from collection.tasks.procedures import KINDS, Procedure
from collection.tasks.task import Task, TaskError


def to_record(task: Task) -> dict[str, object]:
    """Return a task as a dict that `from_record` reads; what is empty is left out."""
    plain = {f.name: getattr(task, f.name) for f in fields(Task) if f.name != "procedure"}
    procedure = {"kind": task.procedure.kind, **asdict(task.procedure)}
    return {name: value for name, value in plain.items() if value} | {"procedure": procedure}


def from_record(record: Mapping[str, object]) -> Task:
    """Return the task that a record describes.

    Raises
    ------
    UnknownNameError
        For an unknown key, kind of procedure or metric.
    TaskError
        Where the dataset is missing, or a value is of the wrong type.
    """
    check_known("key of a task", record, [f.name for f in fields(Task)])
    values = dict(record)
    if not values.get("dataset"):
        raise TaskError(f"A task names no dataset: {dict(record)}.")
    procedure = values.pop("procedure", None)
    wrong = [name for name, value in values.items() if not isinstance(value, str)]
    if wrong:
        raise TaskError(f"{values['dataset']}: {wrong[0]} must be text, not {values[wrong[0]]!r}.")
    if procedure is not None:
        values["procedure"] = _procedure(procedure, str(values["dataset"]))
    return Task(**values)


def _procedure(record: Mapping[str, object], what: str) -> Procedure:
    if not isinstance(record, Mapping) or "kind" not in record:
        raise TaskError(f"{what}: procedure must have a kind ({', '.join(KINDS)}), "
                        f"not {record!r}.")
    check_known("kind of procedure", [record["kind"]], KINDS)
    cls = KINDS[record["kind"]]
    known = {f.name: f.type for f in fields(cls)}
    values = {name: value for name, value in record.items() if name != "kind"}
    check_known("key of a procedure", values, known)
    for name, value in values.items():
        if type(value) is not known[name]:
            raise TaskError(f"{what}: {name} of its procedure must be {known[name].__name__}, "
                            f"not {value!r}.")
    return cls(**values)
