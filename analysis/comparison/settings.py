"""The parameters of a comparison, checked before anything is fitted."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from analysis.leaderboards.wilcoxon import ROPE
from collection.learners import find_learner
from collection.project.parameters import (
    LIMITS,
    WORKERS,
    Parameter,
    SettingsError,
    folder,
    names,
    read_parameters,
    some_names,
    whole,
    yes_or_no,
)
from collection.shipped.small import SUITE
from collection.suites.specs import expand_tasks, find_suite
from collection.tasks import CrossValidation, Task

TIME, MEMORY = "1h", "4GB"  # per fit; the paper's are 1 h and 32 GB


@dataclass(frozen=True)
class ComparisonSettings:
    """What `make compare` was asked for; see `PARAMETERS`."""

    learner: tuple[str, ...]
    suite: str
    tasks: tuple[str, ...]
    out: Path
    folds: int
    repeats: int
    seed: int
    together: bool
    rope: float
    time_limit: float
    memory_limit: float
    workers: int

    @property
    def procedure(self) -> CrossValidation:
        """How rows are split: in their order, or shuffled where there are repeats."""
        return CrossValidation(self.folds, self.repeats, self.seed, shuffle=self.repeats > 1,
                               keep_duplicates_together=self.together)

    def find_tasks(self) -> list[Task]:
        """Return the tasks, all split by `procedure`; those of PMLBmini with their fingerprints."""
        known = {task.dataset: task for task in find_suite(SUITE).tasks}
        tasks = (expand_tasks(self.tasks, self.procedure) if self.tasks
                 else find_suite(self.suite).tasks)
        return [replace(known.get(task.dataset, task), procedure=self.procedure)
                for task in tasks]


def _rope(value: Any) -> float:
    rope = float(value)
    if not 0 < rope < 1:
        raise ValueError(f"a difference of AUC between 0 and 1 is needed, not {value}")
    return rope


PARAMETERS = {p.name: p for p in (
    Parameter("LEARNER", names, None, "the learners to compare, separated by spaces: import paths "
              "with parameters, such as sklearn.svm.SVC(probability=True), or names (those that "
              "collect --help lists)",
              required=True),
    Parameter("SUITE", str, "", f"the suite to compare on [{SUITE}]; dummy tries a learner out"),
    Parameter("TASKS", some_names, "",
              "instead of SUITE: datasets, such as sklearn:breast_cancer keel:sonar pmlb:vote "
              "csv:PATH?target=COLUMN"),
    Parameter("OUT", folder, "my_comparison",
              "folder for report.html, its numbers and the fits"),
    Parameter("FOLDS", lambda value: whole(value, least=2), 3,
              "of the stratified cross-validation"),
    Parameter("REPEATS", lambda value: whole(value, least=1), 1,
              "of it; one takes the rows in their order, several shuffle them"),
    Parameter("SEED", lambda value: whole(value, least=0), 0, "of the shuffling"),
    Parameter("TOGETHER", yes_or_no, "no",
              "whether rows with the same features come into the same fold"),
    Parameter("ROPE", _rope, ROPE, "differences of AUC up to this count as none in practice"),
    *(replace(limit, default=default)
      for limit, default in zip(LIMITS, (TIME, MEMORY), strict=True)),
    next(p for p in WORKERS if p.name == "WORKERS"),
)}


def check_comparison(values: Mapping[str, object]) -> ComparisonSettings:
    """Return the settings for the parameters given, with defaults for the others.

    Raises
    ------
    UnknownNameError
        For an unknown parameter; names close ones.
    SettingsError
        No LEARNER, both SUITE and TASKS, or a value that cannot be read.
    LearnerSpecError
        A learner that is no classifier, or cannot be read or made.
    """
    settings = ComparisonSettings(**read_parameters(values, PARAMETERS))
    if settings.suite and settings.tasks:
        raise SettingsError("SUITE and TASKS exclude each other.")
    for learner in settings.learner:
        find_learner(learner)  # which says what is wrong with it
    return settings if settings.tasks or settings.suite else replace(settings, suite=SUITE)
