"""Tasks: a dataset, its target, how its rows are split, and the metric that counts."""

from collection.tasks.procedures import CrossValidation, Fold, GivenSplits, Procedure
from collection.tasks.record import from_record, to_record
from collection.tasks.specs import expand_tasks
from collection.tasks.task import LoadedTask, Task, TaskError, load_task

__all__ = [
    "CrossValidation",
    "Fold",
    "GivenSplits",
    "LoadedTask",
    "Procedure",
    "Task",
    "TaskError",
    "expand_tasks",
    "from_record",
    "load_task",
    "to_record",
]
