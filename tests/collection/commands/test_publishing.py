"""Publishing on OpenML: each run once, whatever breaks, and the key nowhere to be seen."""

from dataclasses import replace

import pytest
from openml_writes import API, GOOD_KEY, NS, Desk

from collection.commands.publishing import PublishError, import_runs, publish_suite
from collection.datasets import DatasetError
from collection.suites.suite import Suite, SuiteError
from collection.tasks import CrossValidation, GivenSplits, Task
from collection.tasks.procedures import HoldOut
from collection.tasks.split_files import write_split_file


@pytest.fixture
def desk(server, monkeypatch):
    monkeypatch.setenv("OPENML_APIKEY", GOOD_KEY)
    return Desk(server)


@pytest.fixture
def suite(server, table, tmp_path):
    """Two tasks of OpenML's, with its splits, on a dataset of all kinds of columns."""
    frame, kinds = table
    server.add_dataset(7, frame, "class", kinds=kinds)
    tasks = []
    from collection.datasets import load_dataset

    folds = list(CrossValidation(3).splits(load_dataset("openml:7")))
    file = tmp_path / "splits.arff"
    write_split_file(file, folds)
    for number in (31, 32):
        server.add_task(number, 7, "class", splits=f"splits/{number}")
        server.add(f"/splits/{number}", file.read_bytes())
        tasks.append(Task("openml:7", "class", GivenSplits(f"openml:task/{number}"),
                          name=f"openml:task/{number}"))
    return Suite("pair", "1.0", tuple(tasks), description="Two tasks.")


WAYS = ((1, 1, "10-fold Crossvalidation"), (6, 1, "33% Holdout set"), (12, 2, "33% Holdout set"))


@pytest.fixture
def mine(desk, suite, server):
    """A suite of a task that is new to OpenML and of one that is there."""
    ways = "".join(
        f"<oml:estimationprocedure><oml:id>{number}</oml:id><oml:ttid>{kind}</oml:ttid>"
        f"<oml:name>{name}</oml:name><oml:type>x</oml:type></oml:estimationprocedure>"
        for number, kind, name in WAYS)
    server.add(f"{API}/estimationprocedure/list",
               f"<oml:estimationprocedures {NS}>{ways}</oml:estimationprocedures>".encode())
    return Suite("mine", "1.0", (Task("openml:7", "class", HoldOut(0.33), metric="auc"),
                                 suite.tasks[0]))


def test_a_suite_is_published_with_its_tasks_each_once(desk, mine, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENML_APIKEY")
    told = publish_suite(mine, tmp_path / "out")
    assert told[0] == ("would publish: a task on dataset 7, target class, 33% Holdout set, judged "
                       "by area_under_roc_curve")
    assert told[1] == "linked: task 31" and told[2].startswith("would publish: a suite of 2 tasks")
    assert desk.posts == [] and not (tmp_path / "out").exists()
    monkeypatch.setenv("OPENML_APIKEY", GOOD_KEY)
    publish_suite(mine, tmp_path / "out", dry_run=False)
    (sent,) = desk.tasks.values()
    assert (sent["source_data"], sent["target_feature"], sent["estimation_procedure"]) == (
        "7", "class", "6")
    assert desk.studies[300]["tasks"] == [900, 31]
    publish_suite(mine, tmp_path / "out", dry_run=False)  # all is on record
    publish_suite(replace(mine, version="2.0"), tmp_path / "other", dry_run=False)
    assert len(desk.tasks) == 1 and desk.studies[301]["tasks"] == [900, 31]
    assert len(desk.studies) == 2
    fifth = replace(mine, tasks=(replace(mine.tasks[0], procedure=HoldOut(0.2)),))
    with pytest.raises(PublishError, match=r"does not split like that. It has: 10-fold .* 33% "):
        publish_suite(fifth, tmp_path / "fifth", dry_run=False)
    with pytest.raises(SuiteError, match="sklearn:wine is no dataset of OpenML"):
        publish_suite(Suite("x", "1", (Task("sklearn:wine"),)), tmp_path)


@pytest.mark.parametrize("path", ["/task/", "/study/"])
@pytest.mark.parametrize("how", ["refuse", "silent", "lost"])
def test_what_was_accepted_is_not_sent_again_after_an_interruption(desk, mine, tmp_path, path, how):
    desk.fail[path] = [how]
    with pytest.raises(PublishError, match=r"refused|broke|cannot be reached") as error:
        publish_suite(mine, tmp_path, dry_run=False)
    assert GOOD_KEY not in str(error.value)
    publish_suite(mine, tmp_path, dry_run=False)
    assert len(desk.tasks) == 1 and desk.studies
    before = list(desk.posts)
    publish_suite(mine, tmp_path, dry_run=False)
    assert desk.posts == before


def test_the_key_is_nowhere(desk, mine, tmp_path, capfd, caplog):
    caplog.set_level(0)
    publish_suite(mine, tmp_path, dry_run=False)
    texts = [p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()]
    assert texts and not any(GOOD_KEY.encode() in text for text in texts)
    out = capfd.readouterr()
    assert GOOD_KEY not in out.out + out.err + caplog.text


@pytest.mark.parametrize("key, message", [("", "There is no key"), ("wrong", "refused")])
def test_keys_that_do_not_do(desk, mine, tmp_path, monkeypatch, key, message):
    import openml

    monkeypatch.setenv("OPENML_APIKEY", key)
    monkeypatch.setattr(openml.config, "apikey", "")
    with pytest.raises(PublishError, match=message):
        publish_suite(mine, tmp_path, dry_run=False)
    assert desk.tasks == {} and openml.config.apikey == ""


def evaluations(*rows):
    listed = "".join(
        "<oml:evaluation>" + "".join(f"<oml:{k}>{v}</oml:{k}>" for k, v in {
            "run_id": run, "task_id": task, "setup_id": 1, "flow_id": 2, "flow_name": flow,
            "data_id": 7, "data_name": "x", "function": "predictive_accuracy",
            "upload_time": "2020", "uploader": 9, "uploader_name": "x", "value": value,
            "values": "[]", "array_data": ""}.items()) + "</oml:evaluation>"
        for run, task, flow, value in rows)
    return f"<oml:evaluations {NS}>{listed}</oml:evaluations>"


def test_runs_of_others(desk, suite, server, monkeypatch):
    import openml

    asked = []

    def answer(function, tasks, size, output_format):
        asked.append((function, tasks, size))
        if tasks == [32]:
            raise openml.exceptions.OpenMLServerNoResult("none", code=542)
        return openml.evaluations.functions.__list_evaluations(
            "evaluation/list", output_format="dataframe")

    server.add(f"{API}/evaluation/list", evaluations(
        (3, 31, "weka.J48", 0.75), (1, 31, "sklearn.tree", 0.5), (8, 31, "weka.J48", 0.9)))
    server.add(f"{API}/user/list/user_id/9", f"<oml:users {NS}><oml:user><oml:id>9</oml:id>"
               "<oml:username>x</oml:username></oml:user></oml:users>")
    monkeypatch.setattr(openml.evaluations, "list_evaluations", answer)
    found = import_runs(suite)
    assert found[["task", "method", "error", "run_id"]].to_numpy().tolist() == [
        [31, "sklearn.tree", 0.5, 1], [31, "weka.J48", 0.25, 3]]
    assert [a[1] for a in asked] == [[31], [32]]
    with pytest.raises(SuiteError, match="does not list runs by 'log_loss'"):
        import_runs(suite, "log_loss")


def test_nobody_ran_anything_and_a_server_that_is_down(desk, suite, server):
    with pytest.raises((SuiteError, DatasetError)):
        import_runs(suite)
    server.stop()
    with pytest.raises(DatasetError, match="cannot be reached"):
        import_runs(suite)
