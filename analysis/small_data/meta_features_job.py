"""PyMFE's meta-features of a dataset as a job of the engine: a limit for each, failures told."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from collection.container import Status
from collection.learners.requirements import library
from collection.running.limits import Limits
from collection.tasks import Task, load_task

#: How PMLBmini's authors called PyMFE.
SUMMARY, FOLDS, SEED = "all", 3, 42
RELATIVE = ("landmarking", "relative")  # ranks of the landmarks: from one call with them
LIMITS = Limits(time=300, memory=8e9)


@dataclass(frozen=True)
class Unit:
    """What one call asks for: a meta-feature with all its summaries, or a whole group.

    Attributes
    ----------
    groups : tuple of str
        Of PyMFE.
    feature : str
        Its name; empty: all of the groups.
    """

    groups: tuple[str, ...]
    feature: str = ""

    def __str__(self) -> str:
        return self.feature or "+".join(self.groups)


@dataclass(frozen=True)
class Values:
    """What came of a unit.

    Attributes
    ----------
    unit : Unit
    status : Status
    message : str
        Why there is nothing; empty where there is.
    found : tuple of (str, float)
        Names, such as ``mean.sd``, and values; NaN where PyMFE has none.
    """

    unit: Unit
    status: Status
    message: str = ""
    found: tuple[tuple[str, float], ...] = ()


def all_units() -> tuple[Unit, ...]:
    """Return the units of all groups that PyMFE has.

    Raises `MissingLibraryError` where it is not installed.
    """
    mfe = library("pymfe.mfe").MFE
    groups = [g for g in mfe.valid_groups() if g not in RELATIVE]
    single = [Unit((g,), f) for g in groups for f in mfe.valid_metafeatures(groups=[g])]
    return (*single, Unit(RELATIVE))


@dataclass(frozen=True)
class MetaFeatureJob:
    """The meta-features of one dataset; see `collection.running.job.Job`.

    Attributes
    ----------
    task : Task
        Whose dataset is looked at, all rows in its order; with two classes or more.
    units : tuple of Unit
        From `all_units`.
    limits : Limits
        For each unit.
    """

    task: Task
    units: tuple[Unit, ...] = field(default_factory=all_units)
    limits: Limits = LIMITS

    @property
    def steps(self) -> int:
        """How many units there are."""
        return len(self.units)

    def load(self) -> tuple[Any, np.ndarray, np.ndarray]:
        """Return PyMFE's extractor, the features and the classes' numbers."""
        dataset = load_task(self.task).dataset
        classes = np.unique(dataset.target, return_inverse=True)[1]
        return library("pymfe.mfe").MFE, as_whole_numbers(dataset.features.to_numpy()), classes

    def run(self, loaded: tuple[Any, np.ndarray, np.ndarray]) -> Iterator[Values]:
        """Yield what comes of each unit."""
        extractor, x, y = loaded
        for unit in self.units:
            asked = {"features": [unit.feature]} if unit.feature else {}
            # What a group's features share would be computed again for each: they do as well alone.
            ahead = {"precomp_groups": None} if unit.feature else {}
            try:
                mfe = extractor(groups=list(unit.groups), summary=SUMMARY, num_cv_folds=FOLDS,
                                random_state=SEED, **asked)
                names, values = mfe.fit(x, y, **ahead).extract(suppress_warnings=True)
            except (ValueError, TypeError, ArithmeticError, LookupError) as error:
                yield Values(unit, Status.error, f"{type(error).__name__}: {error}")
            else:
                found = tuple(zip(names, map(float, values), strict=True))
                yield (Values(unit, Status.ok, found=found) if found else
                       Values(unit, Status.error, "PyMFE knows no such meta-feature"))

    def rest(self, done: int) -> "MetaFeatureJob":
        """Return the job without its first units."""
        return replace(self, units=self.units[done:])

    def failed(self, step: int, status: Status, message: str) -> list[Values]:
        """Return the unit that took too long, too much, or its process with it."""
        return [Values(self.units[step], status, message)]

    def result(self, results: Sequence[Values], seconds: float, worker: str) -> tuple[Values, ...]:
        """Return what came of all units."""
        return tuple(results)

    def __str__(self) -> str:
        return f"meta-features of {self.task.name or self.task.dataset}"


def as_whole_numbers(x: np.ndarray) -> np.ndarray:
    """Return integers where all values are whole, as a file reader has them; else the array."""
    x = x.astype(float)
    whole = np.isfinite(x).all() and (x == np.round(x)).all()
    return x.astype(np.int64) if whole else x
