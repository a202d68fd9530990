"""Tasks: a dataset, its target, how its rows are split, and the metric that counts."""

from collection.tasks.procedures import CrossValidation, Fold, GivenSplits, Procedure
from collection.tasks.task import LoadedTask, Task, TaskError, from_record, load_task, to_record

__all__ = ["CrossValidation", "Fold", "GivenSplits", "LoadedTask", "Procedure", "Task", "TaskError",
           "from_record", "load_task", "to_record"]
