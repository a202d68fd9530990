"""What specs stand for: tasks, OpenML's with the splits, target and metric they have there; suites.

Suites are shipped and found by name, or in files and bundles, or OpenML's by number or alias.
"""

from collections.abc import Iterable
from pathlib import Path

from collection.datasets import expand_specs
from collection.project.naming import check_known
from collection.project.paths import DATA, shipped
from collection.suites.suite import Suite, read_suite
from collection.tasks.procedures import CrossValidation, GivenSplits, HoldOut
from collection.tasks.task import Task

OPENML_TASK = "openml:task/"
OPENML_SUITE = "openml:suite/"
SUITE = "suite:"
SHIPPED = DATA / "suites"
FILE, BUNDLE, OPENML = ".toml", ".zip", "openml:"


def expand_tasks(specs: Iterable[str],
                 procedure: CrossValidation | HoldOut | None = None) -> list[Task]:
    """Return the tasks that specs name, in their order, each once.

    Parameters
    ----------
    specs : iterable of str
        Those of `collection.datasets.load_dataset`; ``openml:task/ID``, which has its own splits,
        target and metric; ``openml:suite/NAME``, which stands for the tasks of a suite, as does
        ``suite:NAME`` (`collection.suites.specs.find_suite`: shipped, a file, a bundle).
    procedure : CrossValidation or HoldOut, optional
        For what has no splits of its own; by default ten folds.

    Raises
    ------
    UnknownNameError, DatasetError, TaskError
        Where a source does not exist, or OpenML cannot be asked.
    """
    tasks: dict[Task, None] = {}
    for spec in specs:
        if spec.startswith(SUITE):
            tasks.update(dict.fromkeys(find_suite(spec.removeprefix(SUITE)).tasks))
        elif spec.startswith((OPENML_TASK, OPENML_SUITE)):
            tasks.update(dict.fromkeys(_openml_tasks(spec)))
        else:
            for dataset in expand_specs([spec]):
                tasks[Task(dataset, procedure=procedure or CrossValidation())] = None
    return list(tasks)


def _openml_tasks(spec: str) -> list[Task]:
    from collection.tasks.openml_files import describe_task, suite_tasks  # takes a while to load

    names = [spec] if spec.startswith(OPENML_TASK) else suite_tasks(
        spec.removeprefix(OPENML_SUITE))
    described = ((name, *describe_task(name)) for name in names)
    return [Task(dataset, target, GivenSplits(name), metric, name=name)
            for name, dataset, target, metric in described]


def find_suite(name: str) -> Suite:
    """Return the suite that a name stands for.

    Parameters
    ----------
    name : str
        Of a shipped suite (``classic``, or ``classic@1.0`` for one version); the path of a
        suite's file or bundle; ``openml:NUMBER``, ``openml:ALIAS`` or ``openml:suite/ALIAS``.

    Raises
    ------
    UnknownNameError
        No shipped suite has that name; the close ones are listed.
    SuiteError, DatasetError, TaskError
        The file or bundle is damaged; OpenML cannot be asked or has no such suite.
    """
    if name.startswith(OPENML):
        name = name.removeprefix(OPENML).removeprefix("suite/")
        return Suite(name=f"openml-{name}", version="as on OpenML",
                     tasks=tuple(_openml_tasks(f"{OPENML_SUITE}{name}")),
                     derived_from=f"OpenML's suite {name}",
                     description=f"The tasks of OpenML's suite {name}, with its own splits.")
    if name.endswith(BUNDLE):
        from collection.suites.bundle import open_bundle

        return open_bundle(name)
    if name.endswith(FILE):
        return read_suite(name)
    files = shipped_files()
    check_known("suite", [name], files)
    return read_suite(files[name])


def shipped_files() -> dict[str, Path]:
    """Return the shipped suites' files by name, and by ``name@version`` each."""
    suites = [(read_suite(shipped(path)), path) for path in SHIPPED.glob(f"*{FILE}")]
    files = {}
    for suite, path in sorted(suites, key=lambda found: _order(found[0])):
        files[suite.name] = files[f"{suite.name}@{suite.version}"] = path  # the last is the newest
    return files


def _order(suite: Suite) -> tuple:
    return suite.name, [int(part) if part.isdigit() else -1 for part in suite.version.split(".")]
