"""Suites: expanded to the datasets of their tasks, once, and offline afterwards."""

import pytest
from openml_server import API, Answer, error

from collection.datasets import DatasetError, expand_specs, load_dataset


@pytest.fixture
def suite(server, table):
    """Three tasks on two datasets, one of which has another target than its dataset."""
    frame, kinds = table
    for number in (5, 6):
        server.add_dataset(number, frame, "class", kinds=kinds)
    server.add_task(11, 6, "class")
    server.add_task(12, 5, "colour")
    server.add_task(13, 6, "class")
    server.add_suite("Small", [11, 12, 13])
    return server


def test_expands_in_order_each_dataset_once_and_again_without_the_server(suite):
    specs = expand_specs(["keel:vehicle", "openml:suite/Small", "openml:6", "keel:vehicle",
                          "csv:a.csv?target=b"])
    assert specs == ["keel:vehicle", "openml:6", "openml:5?target=colour", "csv:a.csv?target=b"]
    suite.stop()
    assert expand_specs(["openml:suite/Small"]) == specs[1:3]


def test_specs_load(suite):
    with pytest.warns(UserWarning, match="5 of 24 rows"):
        first, second = (load_dataset(s) for s in expand_specs(["openml:suite/Small"]))
    assert list(first.classes) == ["10", "2", "9"]
    assert list(second.classes) == ["a b", "blue", "red"] and second.unlabelled_rows == 5
    assert "class" in second.features and second.source == "openml:5?target=colour"


def test_recorded_tasks(server, table, published):
    frame, kinds = table
    for task, dataset in ((1, 1), (3, 3)):
        text = (published / "openml" / "tasks" / str(task) / "task.xml").read_bytes()
        server.add(f"{API}/task/{task}", text)
        server.add_dataset(dataset, frame, "class", kinds=kinds)
    server.add_suite("99", [1, 3])
    assert expand_specs(["openml:suite/99"]) == ["openml:1", "openml:3"]


@pytest.mark.parametrize("break_it, message", [
    (lambda s: s.add_task(12, 5, "size", regression=True), "task 12 is a Supervised Regression"),
    (lambda s: s.add_suite("Small", []), "has no tasks"),
    (lambda s: s.add_suite("Small", [11], kind="run"), "not what OpenML sends.*entity type"),
    (lambda s: s.add(f"{API}/study/Small", error(600, "No suite"), status=412),
     "refused.*No suite"),
    (lambda s: s.answers.update({f"{API}/task/13": Answer(b"", status=503)}), "HTTP status 503"),
    (lambda s: setattr(s.answers[f"{API}/study/Small"], "cut", 100), "connection broke"),
])
def test_failures_keep_nothing(suite, cache, break_it, message):
    before = dict(suite.answers)
    break_it(suite)
    with pytest.raises(DatasetError, match=message):
        expand_specs(["openml:suite/Small"])
    assert list(cache.iterdir()) == []
    suite.answers.update(before)
    for answer in suite.answers.values():
        answer.cut = None
    assert len(expand_specs(["openml:suite/Small"])) == 2


def test_unreachable(suite):
    suite.stop()
    with pytest.raises(DatasetError, match=r"openml:suite/Small: the server cannot be reached"):
        expand_specs(["openml:suite/Small"])


def test_a_suite_is_not_a_dataset(cache):
    with pytest.raises(DatasetError, match="expand_specs"):
        load_dataset("openml:suite/OpenML-CC18")
