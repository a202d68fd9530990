"""Make a suite from candidates: load them, measure them, keep what passes, say why not the rest."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import openml
import pandas as pd

from collection.datasets import SOURCES, Dataset, DatasetError, list_datasets, load_dataset
from collection.datasets.openml_source import explained, staging
from collection.project.naming import check_known
from collection.suites.criteria import BY_DATA, BY_QUALITIES, CRITERIA, check_qualities
from collection.suites.qualities import Filter, apply_filters, qualities_from_openml, qualities_of
from collection.suites.specs import expand_tasks
from collection.suites.suite import SuiteError
from collection.tasks import CrossValidation, Task
from collection.tasks.procedures import GivenSplits, HoldOut, folds_fingerprint

TOO_SMALL = "a class has fewer rows than there are folds"
LISTABLE = tuple(name for name in SOURCES if hasattr(SOURCES[name].module, "names"))


@dataclass(frozen=True)
class Candidates:
    """Datasets that may come into a suite.

    Attributes
    ----------
    tasks : dict of str to Task
        By dataset spec, without fingerprints.
    datasets : dict of str to Dataset
        Those of them that could be loaded.
    failed : dict of str to str
        Why the others could not.
    """

    tasks: dict[str, Task]
    datasets: dict[str, Dataset]
    failed: dict[str, str]


def load_candidates(origins: Iterable[str], procedure: CrossValidation | HoldOut,
                    filters: Sequence[Filter] = ()) -> Candidates:
    """Load the datasets that may come into a suite.

    Parameters
    ----------
    origins : iterable of str
        Specs of tasks (`collection.suites.specs.expand_tasks`), or names of sources whose datasets
        can be listed (keel, sklearn, openml), which stand for all of them. Of OpenML's, only those
        are loaded that pass the filters by OpenML's own qualities.
    procedure : CrossValidation or HoldOut
        For what has no splits of its own.
    filters : sequence of Filter
        Conditions on qualities.
    """
    specs = [spec for origin in origins for spec in _listed(origin, filters)]
    tasks = {task.spec: task for task in expand_tasks(specs, procedure)}
    datasets, failed = {}, {}
    for spec in tasks:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of rows without a label, which are left out
                datasets[spec] = load_dataset(spec)
        except DatasetError as error:
            failed[spec] = str(error)
    return Candidates(tasks, datasets, failed)


def _listed(origin: str, filters: Sequence[Filter]) -> list[str]:
    if origin == "openml":
        return apply_filters(qualities_from_openml(list_openml()), filters)["dataset"].tolist()
    if origin in LISTABLE:
        return [f"{origin}:{name}" for name in list_datasets(origin)]
    return [origin]


def choose(candidates: Candidates, filters: Sequence[Filter] = (),
           criteria: Iterable[str] = ()) -> pd.DataFrame:
    """Say which candidates pass.

    Parameters
    ----------
    candidates : Candidates
        From `load_candidates`.
    filters : sequence of Filter
        Conditions on qualities; all must hold.
    criteria : iterable of str
        Automatic ones of `CRITERIA`, checked in the paper's order, those on rows last.

    Returns
    -------
    pandas.DataFrame
        A row per candidate: ``dataset``, its qualities (unknown where it could not be loaded),
        ``passes``, and ``why`` not: the first filter or criterion that it fails, `TOO_SMALL`, or
        the message of what failed.
    """
    criteria = list(criteria)
    check_known("automatic criterion", criteria, [*BY_QUALITIES, *BY_DATA])
    table = qualities_of(candidates.datasets.values())
    table["dataset"] = list(candidates.datasets)
    why = pd.Series("", index=table.index)
    for condition in filters:
        why[(why == "") & ~condition.passes(table)] = str(condition)
    checked = check_qualities(table, [name for name in BY_QUALITIES if name in criteria])
    for name in checked:
        why[(why == "") & ~checked[name].eq(True)] = CRITERIA[name].requires
    folds = table["dataset"].map(lambda spec: _stratified_folds(candidates.tasks[spec]))
    why[(why == "") & (table["smallest_class"] < folds)] = TOO_SMALL
    for name in (name for name in BY_DATA if name in criteria):
        for i, spec in table.loc[why == "", "dataset"].items():
            dataset = candidates.datasets[spec]
            if not dataset.is_regression and not CRITERIA[name].by_data(dataset):
                why[i] = CRITERIA[name].requires
    failed = pd.DataFrame(candidates.failed.items(), columns=["dataset", "why"])
    found = pd.concat([table.assign(why=why), failed], ignore_index=True)
    return found.assign(passes=found["why"] == "")


def _stratified_folds(task: Task) -> int:
    """Return the rows that every class needs."""
    procedure = task.procedure
    if not getattr(procedure, "stratified", False):
        return 0
    return procedure.folds if isinstance(procedure, CrossValidation) else 2


def make_tasks(candidates: Candidates, chosen: Iterable[str],
               metrics: Mapping[str, str] | None = None) -> tuple[Task, ...]:
    """Return the tasks of the datasets chosen, with their targets and fingerprints.

    Parameters
    ----------
    candidates : Candidates
        From `load_candidates`.
    chosen : iterable of str
        Specs of its datasets.
    metrics : mapping of str to str, optional
        What each kind of problem is judged by, of tasks that state no metric of their own.

    Raises
    ------
    SuiteError
        Where none is chosen.
    """
    tasks = []
    for spec in chosen:
        dataset = candidates.datasets[spec]
        task = candidates.tasks[spec]
        folds = (folds_fingerprint(task.procedure.splits(dataset))
                 if not isinstance(task.procedure, GivenSplits) else "")
        tasks.append(replace(task, target=task.target or dataset.target_name,
                             metric=task.metric or (metrics or {}).get(dataset.problem, ""),
                             fingerprint=dataset.fingerprint, splits=folds))
    if not tasks:
        raise SuiteError("No dataset passes: a suite needs one task at least. "
                         "`make suite DO=filter` says what each one fails.")
    return tuple(tasks)


def list_openml() -> pd.DataFrame:
    """Return the active datasets that OpenML lists, with its qualities.

    Raises
    ------
    DatasetError
        Where the server cannot be asked.
    """
    with staging(), explained("openml"):
        return openml.datasets.list_datasets(status="active", output_format="dataframe")
