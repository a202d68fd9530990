"""OpenML's tasks: ``openml:task/ID`` with the splits, target and metric that it has there.

They are kept in the cache of the ``openml`` package, whole or not at all, and read from there
without the network and without its pickles.
"""

from pathlib import Path
from xml.etree import ElementTree

import openml

from collection.datasets.openml_cache import cache_root, server_folder, staging
from collection.datasets.openml_errors import explained
from collection.datasets.openml_files import OML
from collection.naming import UnknownNameError
from collection.tasks.metric import TASK_METRICS
from collection.tasks.procedures import GivenSplits
from collection.tasks.task import Task, TaskError

TASK, SPLITS = "task.xml", "datasplits.arff"
SUPERVISED = ("1", "2")  # OpenML's types of task: classification, regression
BY_OPENML_NAME = {metric.openml: metric.name for metric in TASK_METRICS.values() if metric.openml}


def get_task(spec: str) -> Task:
    """Return the task ``openml:task/ID``, from the cache or the server.

    Raises
    ------
    DatasetError
        Where the server cannot be asked or refuses.
    TaskError
        Where it is no supervised classification or regression, or its description is damaged.
    """
    file = _folder(spec) / TASK
    try:
        root = ElementTree.parse(file).getroot()
    except ElementTree.ParseError as error:
        raise TaskError(f"{spec}: {file} is damaged ({error}). Delete it and try again.") from error
    if _text(root, "task_type_id") not in SUPERVISED:
        raise TaskError(f"{spec} is a {_text(root, 'task_type') or 'task of an unknown type'}; "
                        "only supervised classification and regression can be evaluated here.")
    number, target = _text(root, "data_set_id"), _text(root, "target_feature")
    if not number or not target:
        raise TaskError(f"{spec}: {file} names no dataset or no target. Delete it and try again.")
    metric = BY_OPENML_NAME.get(_text(root, "evaluation_measure"), "")
    return Task(f"openml:{number}", target, GivenSplits(spec), metric, name=spec)


def get_suite_tasks(name: str) -> list[Task]:
    """Return the tasks of the OpenML suite called `name`, or numbered so, in its order."""
    with staging(), explained(f"openml:suite/{name}"):
        numbers = openml.study.get_suite(name).tasks or []
    if not numbers:
        raise TaskError(f"openml:suite/{name} has no tasks.")
    return [get_task(f"openml:task/{number}") for number in numbers]


def split_file(spec: str) -> Path:
    """Return the file with the splits of ``openml:task/ID``."""
    return _folder(spec) / SPLITS


def _folder(spec: str) -> Path:
    """Return the folder of a task in the cache, fetched if it is not there whole."""
    number = spec.removeprefix("openml:task/")
    if not (number.isascii() and number.isdigit()):
        raise UnknownNameError("OpenML task", spec, ["openml:task/ID"])
    folder = server_folder(cache_root()) / "tasks" / number
    if all((folder / name).is_file() for name in (TASK, SPLITS)):
        return folder
    with staging() as stage, explained(spec):
        fetched = server_folder(stage) / "tasks" / number
        task = openml.tasks.get_task(int(number), download_splits=False, download_data=False,
                                     download_qualities=False, download_features_meta_data=False)
        url = getattr(task, "estimation_procedure", {}).get("data_splits_url")
        if not url:
            raise TaskError(f"{spec} has no splits.")
        openml._api_calls._download_text_file(source=str(url), output_path=fetched / SPLITS)
        folder.mkdir(parents=True, exist_ok=True)
        for name in (TASK, SPLITS):  # each is whole; the splits, without which it is not, last
            (fetched / name).replace(folder / name)
    return folder


def _text(root: ElementTree.Element, tag: str) -> str:
    element = next(root.iter(f"{OML}{tag}"), None)
    return "" if element is None else (element.text or "").strip()
