"""PyMFE's meta-features of datasets: gathered once, a limit for each, kept in a folder.

Those of a dataset are a job of the engine: failures are told, and a gathering that was interrupted
goes on where it was.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from collection.containers.curves import Status
from collection.project.naming import check_known
from collection.project.parameters import names
from collection.project.requirements import library
from collection.running.engine import Limits
from collection.running.supervisor import gather as run_watched
from collection.tasks import Task, load_task

WRITTEN = ["group", "meta_feature", "value", "status", "message"]
Rows = list[tuple[str, str, float, str, str]]  # of `WRITTEN`
Unit = tuple[tuple[str, ...], str]  # groups of PyMFE, and a meta-feature; "": all of the groups
EPV = "EPV"  # rows of the smaller class per feature: the authors' own, PyMFE has it not
#: How PMLBmini's authors called PyMFE.
SUMMARY, FOLDS, SEED = "all", 3, 42
RELATIVE = ("landmarking", "relative")  # ranks of the landmarks: from one call with them
LIMITS = Limits(time=300, memory=8e9)
#: PyMFE's groups: those that it takes by default, in seconds; and those that may take an hour.
QUICK = ("general", "statistical", "info-theory", "model-based", "landmarking")
GROUPS = (*QUICK, "clustering", "complexity", "itemset", "concept")
NAMED = {"no": (), "yes": QUICK, "all": GROUPS}


def parse_groups(value: object) -> tuple[str, ...]:
    """Return groups of meta-features by their names; of `NAMED` by one word for several."""
    words = names({True: "yes", False: "no"}[value] if isinstance(value, bool) else value)
    if len(words) == 1 and words[0] in NAMED:
        return words
    words = tuple(dict.fromkeys(RELATIVE[0] if word in RELATIVE else word for word in words))
    check_known("group of meta-features", words, (*GROUPS, *NAMED))
    if set(words) & set(NAMED):
        raise ValueError(f"{', '.join(NAMED)} stand alone, without names of groups.")
    return words


def units_of(groups: Sequence[str] = GROUPS) -> tuple[Unit, ...]:
    """Return what one call each asks for: a meta-feature with its summaries, or whole groups.

    Raises `MissingLibraryError` where PyMFE is not installed.
    """
    mfe = library("pymfe.mfe").MFE
    single = [((g,), f) for g in mfe.valid_groups() if g in groups and g not in RELATIVE
              for f in mfe.valid_metafeatures(groups=[g])]
    return (*single, *([(RELATIVE, "")] if RELATIVE[0] in groups else []))


@dataclass(frozen=True)
class MetaFeatureJob:
    """The meta-features of one dataset; see `collection.running.engine.Job`.

    Attributes
    ----------
    task : Task
        Whose dataset is looked at, all rows in its order; with two classes or more.
    units : tuple of Unit
        From `units_of`.
    limits : Limits
        For each unit.
    """

    task: Task
    units: tuple[Unit, ...] = field(default_factory=units_of)
    limits: Limits = LIMITS

    @property
    def steps(self) -> int:
        """How many units there are."""
        return len(self.units)

    def load(self) -> tuple[Any, np.ndarray, np.ndarray]:
        """Return PyMFE's extractor, the features and the classes' numbers."""
        dataset = load_task(self.task).dataset
        classes = np.unique(dataset.target, return_inverse=True)[1]
        return library("pymfe.mfe").MFE, as_whole_numbers(dataset.features), classes

    def run(self, loaded: tuple[Any, np.ndarray, np.ndarray]) -> Iterator[Rows]:
        """Yield what comes of each unit; NaN where PyMFE has no value."""
        extractor, x, y = loaded
        for groups, feature in self.units:
            asked = {"features": [feature]} if feature else {}
            # What a group's features share would be computed again for each: they do as well alone.
            ahead = {"precomp_groups": None} if feature else {}
            try:
                mfe = extractor(groups=list(groups), summary=SUMMARY, num_cv_folds=FOLDS,
                                random_state=SEED, **asked)
                names, values = mfe.fit(x, y, **ahead).extract(suppress_warnings=True)
            except (ValueError, TypeError, ArithmeticError, LookupError) as error:
                yield _without((groups, feature), f"{type(error).__name__}: {error}")
            else:
                yield [("relative" if ".relative" in name else groups[0], name, float(value),
                        Status.ok.name, "") for name, value in zip(names, values, strict=True)
                       ] or _without((groups, feature), "PyMFE knows no such meta-feature")

    def rest(self, done: int) -> "MetaFeatureJob":
        """Return the job without its first units."""
        return replace(self, units=self.units[done:])

    def failed(self, step: int, status: Status, message: str) -> list[Rows]:
        """Return the unit that took too long, too much, or its process with it."""
        return [_without(self.units[step], message, status)]

    def result(self, results: Sequence[Rows], seconds: float, worker: str) -> pd.DataFrame:
        """Return what came of all units: `WRITTEN`."""
        return pd.DataFrame(chain.from_iterable(results), columns=WRITTEN)

    def __str__(self) -> str:
        return f"meta-features of {self.task.name or self.task.dataset}"


def _without(unit: Unit, message: str, status: Status = Status.error) -> Rows:
    """Return the row that says why there is nothing."""
    groups, feature = unit
    return [(groups[0], feature or "+".join(groups), np.nan, status.name, message)]


def as_whole_numbers(features: pd.DataFrame) -> np.ndarray:
    """Return integers where all values are whole, as a file reader has them; else the array.

    Categories stay texts, of which PyMFE makes columns as it does.
    """
    if len(features.select_dtypes("number").columns) < features.shape[1]:
        return features.astype(object).to_numpy()
    x = features.to_numpy(float)
    whole = np.isfinite(x).all() and (x == np.round(x)).all()
    return x.astype(np.int64) if whole else x


def gather(tasks: Sequence[Task], folder: Path, units: Sequence[Unit] = ()) -> None:
    """Extract what a folder lacks, a file per dataset, and say what fails; all units by default."""
    folder.mkdir(parents=True, exist_ok=True)
    for task in tasks:
        file = file_of(folder, task)
        if file.exists():
            continue
        found = run_watched(MetaFeatureJob(task, tuple(units) or units_of()))
        found.to_csv(file.with_suffix(".part"), index=False, na_rep="nan")
        file.with_suffix(".part").replace(file)
        failed = found[found["status"] != Status.ok.name].itertuples()
        print(task.name, *(f"{row.meta_feature} ({row.message})" for row in failed),
              sep="; without ", flush=True)


def read_table(tasks: Sequence[Task], folder: Path) -> tuple[pd.DataFrame, pd.Series]:
    """Return the meta-features that were gathered into a folder.

    Returns
    -------
    values : pandas.DataFrame
        A row per dataset (index, in the order of `tasks`), a column per summarised meta-feature, in
        alphabetical order, and `EPV` where its parts are. NaN where there is none.
    group : pandas.Series
        PyMFE's group of each column.
    """
    long = pd.concat({t.name: pd.read_csv(file_of(folder, t)) for t in tasks}, names=["dataset"])
    long = long[long["status"] == Status.ok.name].reset_index()
    values = long.pivot(index="dataset", columns="meta_feature", values="value")
    values = values.reindex([t.name for t in tasks]).astype(float)
    group = long.drop_duplicates("meta_feature").set_index("meta_feature")["group"]
    group = group.loc[values.columns]
    if {"freq_class.min", "nr_inst", "nr_attr"} <= set(values):
        values[EPV] = values["freq_class.min"] * values["nr_inst"] / values["nr_attr"]
        group = pd.concat([group, pd.Series({EPV: "general"})])
    return values, group


def file_of(folder: Path, task: Task) -> Path:
    """Return where a dataset's meta-features are."""
    return folder / f"{task.name}-{task.fingerprint.split(':')[-1][:12] or 'any'}.csv"
