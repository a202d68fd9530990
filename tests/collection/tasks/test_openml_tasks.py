"""Tasks of OpenML: their own splits, on recorded ones and from a server on loopback."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from openml_server import error

from collection.datasets import DatasetError
from collection.datasets.openml_source import cache_root, server_folder
from collection.suites.specs import expand_tasks
from collection.tasks import GivenSplits, Task, TaskError, load_task
from collection.tasks.split_files import read_split_file


@pytest.fixture
def recorded(published, cache) -> Path:
    """The cache with OpenML's tasks 1 and 3 as they were sent."""
    folder = server_folder(cache_root()) / "tasks"
    shutil.copytree(published / "openml" / "tasks", folder)
    return folder


def test_recorded_tasks_are_read_without_a_server(recorded):
    anneal, chess = expand_tasks(["openml:task/1", "openml:task/3"])
    assert (anneal.dataset, anneal.target, anneal.metric) == ("openml:1", "class", "error_rate")
    assert chess.spec == "openml:3?target=class" and chess.name == "openml:task/3"
    assert chess.procedure.places() == [(0, fold) for fold in range(10)]


def test_the_recorded_splits_of_kr_vs_kp_are_stratified_on_keels_rows(recorded):
    task = load_task(Task("keel:chess", procedure=GivenSplits("openml:task/3")))
    assert [len(fold.test) for fold in task.folds] == [320] * 6 + [319] * 4
    assert sorted(np.concatenate([f.test for f in task.folds])) == list(range(3196))
    shares = [np.mean(task.labels[fold.test]) for fold in task.folds]
    assert np.ptp(shares) < 0.005  # which they would not be on rows in another order


def test_splits_of_another_dataset_are_refused(recorded):
    with pytest.raises(TaskError, match=r"repeat 0, fold 0 names row .* rows 0 to 845"):
        load_task(Task("keel:vehicle", procedure=GivenSplits("openml:task/3")))
    with pytest.raises(TaskError, match=r"lacks .* of 3196 rows"):
        load_task(Task("keel:chess", procedure=GivenSplits("openml:task/1")))


def test_a_damaged_task_says_so(recorded):
    (recorded / "1" / "task.xml").write_text("<oml:task")
    with pytest.raises(TaskError, match=r"task\.xml is damaged .* Delete it"):
        expand_tasks(["openml:task/1"])
    with pytest.raises(ValueError, match="openml:task/ID"):
        expand_tasks(["openml:task/one"])


SPLITS = "@attribute type {TRAIN,TEST}\n" + "".join(
    f"@attribute {name} numeric\n" for name in ("rowid", "repeat", "fold")) + "@data\n"


@pytest.fixture
def served(server, table):
    server.add_table(table)
    server.add_task(12, 5, "colour", splits="splits.arff")
    lines = [f"{'TEST' if row % 2 == fold else 'TRAIN'},{row},0,{fold}"
             for fold in range(2) for row in range(24)]
    server.add("/splits.arff", SPLITS + "\n".join(lines) + "\n")
    server.add_suite("Small", [12])
    return server


def test_a_task_is_fetched_once_and_whole(served):
    [task] = expand_tasks(["openml:task/12", "openml:suite/Small"])
    assert task == Task("openml:5", "colour", GivenSplits("openml:task/12"), "error_rate",
                        "openml:task/12")
    served.stop()
    assert expand_tasks(["openml:task/12"]) == [task]
    folder = server_folder(cache_root()) / "tasks" / "12"
    assert sorted(f.name for f in folder.iterdir()) == ["datasplits.arff", "task.xml"]
    rows = read_split_file(folder / "datasplits.arff")
    assert [len(test) for _, test in rows.values()] == [12, 12]


def test_splits_that_count_rows_without_a_label_are_refused(served):
    [task] = expand_tasks(["openml:task/12"])
    with (pytest.warns(UserWarning, match="5 of 24 rows"),
          pytest.raises(TaskError, match="5 rows without a label")):
        load_task(task)


def test_where_the_splits_do_not_come_nothing_is_kept(served):
    served.add("/splits.arff", error(1, "no"), status=500)
    with pytest.raises(DatasetError, match="openml:task/12: "):
        expand_tasks(["openml:task/12"])
    assert not (server_folder(cache_root()) / "tasks").exists()


def test_an_openml_task_is_evaluated_on_its_own_splits(served, tmp_path, monkeypatch):
    from collection.running.evaluation_plan import make_plan
    from collection.running.evaluation_settings import check_settings

    served.add_task(13, 5, "class", splits="splits.arff")
    settings = check_settings({"TASKS": "openml:task/13 keel:wine", "LEARNERS": "KNN",
                               "OUT": str(tmp_path), "FOLDS": "10"})
    plan = make_plan(settings)
    own, wine = plan.tasks
    assert [fold.test.tolist() for fold in own.folds] == [
        list(range(0, 24, 2)), list(range(1, 24, 2))]
    assert own.row["metric"] == "error_rate" and len(wine.folds) == 10
    assert [key.fold for key in plan.jobs if key.task == "openml:task/13"] == [0, 1]
