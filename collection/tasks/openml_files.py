"""The files of OpenML's tasks in the cache of the ``openml`` package, fetched where they lack.

Whole or not at all, and read from there without the network and without its pickles.
"""

from pathlib import Path
from xml.etree import ElementTree

import openml

from collection.containers.metrics import TASK_METRICS
from collection.datasets.openml_source import OML, cache_root, explained, server_folder, staging
from collection.project.naming import UnknownNameError
from collection.tasks.split_files import TaskError

TASK, SPLITS = "task.xml", "datasplits.arff"
SUPERVISED = ("1", "2")  # OpenML's types of task: classification, regression
BY_OPENML_NAME = {metric.openml: metric.name for metric in TASK_METRICS.values() if metric.openml}


def split_file(spec: str) -> Path:
    """Return the file with the splits of ``openml:task/ID``.

    Raises
    ------
    DatasetError
        Where the server cannot be asked or refuses.
    TaskError
        Where the task has no splits.
    UnknownNameError
        Where `spec` is not of that form.
    """
    return _folder(spec) / SPLITS


def describe_task(spec: str) -> tuple[str, str, str]:
    """Return dataset, target and our metric of ``openml:task/ID``, from the cache or the server.

    Raises
    ------
    DatasetError
        Where the server cannot be asked or refuses.
    TaskError
        Where it is no supervised classification or regression, or its description is damaged, or
        names no dataset or no target.
    """
    file = _folder(spec) / TASK
    try:
        root = ElementTree.parse(file).getroot()
    except ElementTree.ParseError as error:
        raise TaskError(f"{spec}: {file} is damaged ({error}). Delete it and try again.") from error
    kind, words, dataset, target, metric = (_text(root, tag) for tag in (
        "task_type_id", "task_type", "data_set_id", "target_feature", "evaluation_measure"))
    if not dataset or not target:
        raise TaskError(f"{spec}: {file} names no dataset or no target. Delete it and try again.")
    if kind not in SUPERVISED:
        raise TaskError(f"{spec} is a {words or 'task of an unknown type'}; "
                        "only supervised classification and regression can be evaluated here.")
    return f"openml:{dataset}", target, BY_OPENML_NAME.get(metric, "")


def _text(root: ElementTree.Element, tag: str) -> str:
    element = next(root.iter(f"{OML}{tag}"), None)
    return "" if element is None else (element.text or "").strip()


def suite_tasks(name: str) -> list[str]:
    """Return the specs of the tasks of the OpenML suite called `name`, or numbered so, in order.

    Raises
    ------
    DatasetError
        Where the server cannot be asked or has no such suite.
    TaskError
        Where the suite is empty.
    """
    with staging(), explained(f"openml:suite/{name}"):
        numbers = openml.study.get_suite(name).tasks or []
    if not numbers:
        raise TaskError(f"openml:suite/{name} has no tasks.")
    return [f"openml:task/{number}" for number in numbers]


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
