"""Tasks by their specs: a dataset's spec, or an OpenML task with the splits that it has there."""

from collections.abc import Iterable
from dataclasses import replace

from collection.datasets import expand_specs
from collection.tasks.procedures import CrossValidation
from collection.tasks.task import Task

OPENML_TASK = "openml:task/"
OPENML_SUITE = "openml:suite/"
SUITE = "suite:"


def expand_tasks(specs: Iterable[str], procedure: CrossValidation | None = None) -> list[Task]:
    """Return the tasks that specs name, in their order, each once.

    Parameters
    ----------
    specs : iterable of str
        Those of `collection.datasets.load_dataset`; ``openml:task/ID``, which has its own splits,
        target and metric; ``openml:suite/NAME``, which stands for the tasks of a suite, as does
        ``suite:NAME`` (`collection.suites.shelf.find_suite`: shipped, a file, a bundle).
    procedure : CrossValidation, optional
        For what has no splits of its own; by default ten folds.

    Raises
    ------
    UnknownNameError, DatasetError, TaskError
        Where a source does not exist, or OpenML cannot be asked.
    """
    tasks: dict[Task, None] = {}
    for spec in specs:
        if spec.startswith(SUITE):
            from collection.suites.shelf import find_suite

            tasks.update(dict.fromkeys(find_suite(spec.removeprefix(SUITE)).tasks))
        elif spec.startswith((OPENML_TASK, OPENML_SUITE)):
            tasks.update(dict.fromkeys(_from_openml(spec)))
        else:
            for dataset in expand_specs([spec]):
                tasks[Task(dataset, procedure=procedure or CrossValidation())] = None
    return list(tasks)


def with_metric(task: Task, metrics: dict[str, str], problem: str) -> Task:
    """Return the task with its own metric, or with the one of its kind of problem."""
    return task if task.metric else replace(task, metric=metrics[problem])


def _from_openml(spec: str) -> list[Task]:
    from collection.tasks.openml_task import get_suite_tasks, get_task

    if spec.startswith(OPENML_TASK):
        return [get_task(spec)]
    return get_suite_tasks(spec.removeprefix(OPENML_SUITE))
