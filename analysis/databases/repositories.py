"""A repository of evaluations with predictions, wherever it lies: subsets, merging, a fallback."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import xarray as xr

from analysis.databases.evaluations import load_evaluations, load_labels, load_predictions
from collection.container import Status
from collection.naming import check_known

SHOWN = 10  # conflicts that a message names
EQUAL = 1e-9  # relative: the same evaluation, stored twice


class RepositoryConflictError(ValueError):
    """Repositories that cannot be merged; the message names what contradicts."""


@dataclass(frozen=True)
class Repository:
    """Evaluations, and their predictions and labels on request.

    Attributes
    ----------
    evaluations : xarray.Dataset
        As `analysis.load_evaluations` returns it.
    read_predictions, read_labels : callable
        As `analysis.load_predictions` and `analysis.load_labels`, without the first argument.
    fallback : str or None
        The learner whose predictions stand in for those of learners without.
    """

    evaluations: xr.Dataset
    read_predictions: Callable[..., xr.DataArray]
    read_labels: Callable[..., xr.DataArray]
    fallback: str | None = None

    def predictions(
        self, task: str, fold: int, split: str, learners: Sequence[str], repeat: int = 0
    ) -> xr.DataArray:
        """Return predictions in the order asked for, dims ``learner, row`` (and ``class``).

        Where a learner has none, the fallback's come under its name.

        Raises
        ------
        UnknownNameError
            For a task or learner that is not in the repository.
        KeyError
            For predictions that are not stored, and no fallback; its message says which.
        """
        check_known("task", [task], self.evaluations["task"].values)
        check_known("learner", learners, self.evaluations["learner"].values)
        names = list(learners)
        if self.fallback is not None:
            for dim, place in (("fold", fold), ("repeat", repeat)):
                check_known(dim, [place], self.evaluations[dim].values)
            ran = self.evaluations["status"].sel(task=task, fold=fold, repeat=repeat) == Status.ok
            ran = dict(zip(self.evaluations["learner"].values, ran.values, strict=True))
            names = [name if ran[name] else self.fallback for name in names]
        unique = list(dict.fromkeys(names))
        found = self.read_predictions(task, fold, split, unique, repeat=repeat)
        found = found.isel(learner=[unique.index(name) for name in names])
        return found.assign_coords(learner=np.array(list(learners), object))

    def labels(self, task: str, fold: int, split: str, repeat: int = 0) -> xr.DataArray:
        """Return labels, dim ``row``."""
        check_known("task", [task], self.evaluations["task"].values)
        return self.read_labels(task, fold, split, repeat=repeat)

    def subset(
        self, tasks: Sequence[str] | None = None, learners: Sequence[str] | None = None,
        folds: Sequence[int] | None = None,
    ) -> "Repository":
        """Return the repository of some tasks, learners and folds, in the order given."""
        kept = self.evaluations
        for dim, names in (("task", tasks), ("learner", learners), ("fold", folds)):
            if names is not None:
                check_known(dim, names, kept[dim].values)
                kept = kept.sel({dim: list(names)})
        return replace(self, evaluations=kept)

    def with_fallback(self, learner: str) -> "Repository":
        """Return the repository in which a learner's predictions stand in for missing ones."""
        check_known("fallback learner", [learner], self.evaluations["learner"].values)
        return replace(self, fallback=learner)


def open_repository(where: str | Path) -> Repository:
    """Open a repository by name or folder, as `analysis.load_evaluations` does."""

    def read_predictions(task, fold, split, learners, repeat=0):
        return load_predictions(where, task, fold, split, learners, repeat)

    def read_labels(task, fold, split, repeat=0):
        return load_labels(where, task, fold, split, repeat)

    return Repository(load_evaluations(where), read_predictions, read_labels)


def merge_repositories(one: Repository, other: Repository) -> Repository:
    """Merge two repositories: tasks, learners and folds of both.

    An evaluation that both have must be the same in both.

    Raises
    ------
    RepositoryConflictError
        Naming every contradiction (the first ten and how many more): tasks that differ in metric,
        problem or rows, learners that differ in hyperparameters, evaluations with other errors.
    """
    conflicts = [*_differing_facts(one.evaluations, other.evaluations, "task",
                                   ("metric", "problem", "rows", "classes")),
                 *_differing_facts(one.evaluations, other.evaluations, "learner",
                                   ("family", "hyperparameters")),
                 *_differing_errors(one.evaluations, other.evaluations)]
    if conflicts:
        more = f" … and {len(conflicts) - SHOWN} more" if len(conflicts) > SHOWN else ""
        raise RepositoryConflictError(f"{len(conflicts)} contradictions: "
                                      + "; ".join(conflicts[:SHOWN]) + more + ".")
    merged = _joined(one.evaluations, other.evaluations)
    return Repository(merged, _Both(one, other).predictions, _Both(one, other).labels,
                      one.fallback or other.fallback)


def _shared(one: xr.Dataset, other: xr.Dataset, dim: str) -> list:
    return [name for name in one[dim].values.tolist() if name in set(other[dim].values.tolist())]


def _differing_facts(
    one: xr.Dataset, other: xr.Dataset, dim: str, facts: Sequence[str]
) -> list[str]:
    """Return what two containers say differently of the same tasks or learners."""
    found = []
    for name in _shared(one, other, dim):
        for fact in (f for f in facts if f in one.coords and f in other.coords):
            a, b = (c[fact].sel({dim: name}).item() for c in (one, other))
            if a != b and not (a != a and b != b):  # NaN on both sides is the same
                found.append(f"{dim} {name} has {fact} {a} and {b}")
    return found


def _differing_errors(one: xr.Dataset, other: xr.Dataset) -> list[str]:
    """Return the evaluations that both have with different errors."""
    shared = {dim: _shared(one, other, dim) for dim in ("task", "learner", "repeat", "fold")}
    a, b = (c["error"].sel(shared) for c in (one, other))
    apart = (abs(a - b) > EQUAL * np.maximum(abs(a), abs(b))).any("split")
    found = []
    for place in np.argwhere(apart.values):
        where = {dim: shared[dim][k] for dim, k in zip(apart.dims, place, strict=True)}
        errors = [c.sel(where).sel(split="test").item() for c in (a, b)]
        found.append(f"{where['learner']} on {where['task']}, fold {where['fold']} has the errors "
                     f"{errors[0]:g} and {errors[1]:g}")
    return found


def _joined(one: xr.Dataset, other: xr.Dataset) -> xr.Dataset:
    """Return both containers in one; what neither has was not run."""
    keep = [name for name in one.data_vars
            if name in other and name not in ("message", "message_text", "status", "chosen")]
    dims = ("task", "learner")
    known = [c for c in one.coords if c in other.coords and c not in one.dims]
    facts = {dim: [c for c in known if one[c].dims == (dim,)] for dim in dims}
    bare = [c[[*keep, "status"]].reset_coords(drop=True) for c in (one, other)]
    ran = [c["status"].astype(float).where(c["status"] != Status.not_run) for c in bare]
    values = bare[0][keep].combine_first(bare[1][keep])
    status = ran[0].combine_first(ran[1]).fillna(Status.not_run).astype(np.int8)
    order = {dim: list(dict.fromkeys([*one[dim].values.tolist(), *other[dim].values.tolist()]))
             for dim in dims}
    merged = values.assign(status=status).sel(order)
    for dim in dims:
        for fact in facts[dim]:
            said = dict(zip(other[dim].values.tolist(), other[fact].values, strict=True))
            said |= dict(zip(one[dim].values.tolist(), one[fact].values, strict=True))
            merged = merged.assign_coords({fact: (dim, [said[n] for n in order[dim]])})
    return merged


@dataclass(frozen=True)
class _Both:
    """Predictions and labels from whichever of two repositories has them."""

    one: Repository
    other: Repository

    def predictions(self, task, fold, split, learners, repeat=0) -> xr.DataArray:
        """Return predictions of some learners, read from where each was evaluated."""
        parts = []
        for source in (self.one, self.other):
            here = [n for n in learners if _ran(source, task, fold, repeat, n)
                    and not any(n in p["learner"].values for p in parts)]
            if here:
                parts.append(source.read_predictions(task, fold, split, here, repeat=repeat))
        found = [n for p in parts for n in p["learner"].values]
        absent = [n for n in learners if n not in found]
        if absent:
            raise KeyError(f"No {split} predictions of {', '.join(absent)} on {task}, fold {fold} "
                           "in either repository.")
        return xr.concat(parts, "learner").sel(learner=list(learners))

    def labels(self, task, fold, split, repeat=0) -> xr.DataArray:
        """Return labels from the first repository that has the task."""
        source = self.one if task in self.one.evaluations["task"].values else self.other
        return source.read_labels(task, fold, split, repeat=repeat)


def _ran(source: Repository, task: str, fold: int, repeat: int, learner: str) -> bool:
    container = source.evaluations
    places = {"task": task, "fold": fold, "repeat": repeat, "learner": learner}
    if any(label not in container[dim].values for dim, label in places.items()):
        return False
    return bool(container["status"].sel(places) == Status.ok)
