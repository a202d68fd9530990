"""An official context from a local server, resumed, checked, opened."""

import dataclasses
import json
import shutil
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from analysis.databases.tabrepo import TabRepo, TabRepoError
from collection.official import download
from collection.official import tabrepo as contexts
from collection.official.tabrepo import official_contexts
from collection.project.naming import UnknownNameError
from commands import COMMANDS
from commands import tabrepo as command


@pytest.fixture
def bucket(context, tmp_path, monkeypatch):
    """A server with the synthetic context, and that context with addresses there."""
    served = tmp_path / "bucket"
    shutil.copytree(context / "official" / "bucket" / "contexts" / "2025_11_22", served)
    for path in served.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    monkeypatch.setattr(download, "PAUSE", 0)
    monkeypatch.setattr(download, "ATTEMPTS", 1)

    asked = []

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            asked.append(self.path)
            super().do_GET()

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=served))
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    datasets = json.loads((context / "expected.json").read_text())["official"]["datasets"]
    names = ["configs.parquet", "baselines.parquet", "task_metadata.csv",
             *(f"model_predictions/{d}/{f}/{name}" for d in datasets for f in range(3)
               for name in contexts.OF_TASK), "configs/configs_knn.json"]
    known = contexts.Context("small", "1 MB", tuple(datasets), {n: address + n for n in names},
                             frozenset(["configs/configs_knn.json"]))
    yield known, served, asked
    server.shutdown()
    server.server_close()


def test_a_context_comes_whole_and_opens(bucket, tmp_path, capsys):
    known, _, asked = bucket
    folder = tmp_path / "here"
    assert command.fetch_context(known, folder) == 0
    assert "note: configs_knn.json: http" in capsys.readouterr().err
    repository = TabRepo(folder)
    assert repository.datasets == list(known.datasets) and len(contexts.read_record(folder)) == 48
    assert repository.predictions("wavy-reg", 0, "test").shape[1] == 50
    assert len(asked) == 49
    command.fetch_context(known, folder)
    assert asked[49:] == ["/configs/configs_knn.json"]  # the rest is there
    assert TabRepo(folder, datasets=["wavy-reg"]).datasets == ["wavy-reg"]


def test_what_lacks_is_told_and_fetched_by_the_next_run(bucket, tmp_path, capsys):
    known, served, _ = bucket
    file, folder = "model_predictions/wavy-reg/2/pred-val.dat", tmp_path / "here"
    (served / file).rename(tmp_path / "aside")
    assert command.fetch_context(known, folder) == 1
    said = capsys.readouterr()
    assert "pred-val.dat: http" in said.err and "404" in said.err and "Run it again" in said.out
    (tmp_path / "aside").rename(served / file)
    assert command.fetch_context(known, folder) == 0
    assert contexts.is_whole(folder, file, contexts.read_record(folder), thorough=True)


def test_the_first_file_that_cannot_be_had_is_the_last_asked_for(bucket, tmp_path, capsys):
    known, served, asked = bucket
    for file in served.rglob("*.dat"):
        file.unlink()
    assert command.fetch_context(known, tmp_path / "here") == 1
    assert 1 <= len({path for path in asked if path.endswith(".dat")}) <= 2 * command.THREADS
    assert "404" in capsys.readouterr().err


def test_a_server_that_nobody_can_reach_is_asked_once(bucket, tmp_path, monkeypatch, capsys):
    known, _, asked = bucket
    nowhere = {name: url.replace(url.split("/")[2], "127.0.0.1:9") for name, url in
               known.files.items()}
    monkeypatch.setattr(download, "PAUSE", 60)
    started = time.monotonic()
    assert command.fetch_context(dataclasses.replace(known, files=nowhere), tmp_path / "here") == 1
    told = capsys.readouterr().err
    assert time.monotonic() - started < 30 and not asked
    assert told.count("error:") == 1 and "configs.parquet" in told and "no connection" in told
    assert "Nothing more was tried" in told


def test_a_changed_file_is_refused_and_fetched_again(bucket, tmp_path):
    known, _, asked = bucket
    folder = tmp_path / "here"
    command.fetch_context(known, folder)
    table = folder / "task_metadata.csv"
    right = table.read_text()
    table.write_text(right.replace("two-moons_b", "two-moons_c"))  # the same size
    with pytest.raises(TabRepoError, match=r"task_metadata.csv is not the file that came: its size "
                                           r"or sha256 .* CHECK=yes"):
        TabRepo(folder)
    del asked[:]
    assert command.fetch_context(known, folder, thorough=True) == 0
    assert sorted(asked) == ["/configs/configs_knn.json", "/task_metadata.csv"]
    assert table.read_text() == right and TabRepo(folder).configs
    (folder / "model_predictions/wavy-reg/0/pred-val.dat").write_bytes(b"short")
    with pytest.raises(TabRepoError, match=r"pred-val\.dat is not the file that came"):
        TabRepo(folder)


def test_the_official_contexts_are_those_of_tabrepos_code(context, capsys):
    said = json.loads((context / "official" / "official_contexts.json").read_text())
    assert set(official_contexts()) == set(said["contexts"])
    for name, known in official_contexts().items():
        assert len(known.datasets) == said["contexts"][name]["n_datasets"]
        assert len(known.files) - len(known.optional) == said["contexts"][name]["n_files"]
    small = contexts.find_context("D244_F3_C1530_3")
    theirs = {f.removeprefix("contexts/2023_11_14/")
              for f in said["files_of_D244_F3_C1530_3"]}
    assert set(small.files) - small.optional == theirs
    address = said["base_url"] + "contexts/2023_11_14/"
    assert small.files["configs.parquet"] == address + "configs.parquet"
    with pytest.raises(UnknownNameError, match="D244_F3_C1530_30"):
        contexts.find_context("D244_F3_C1530_3O")
    assert COMMANDS["tabrepo"].run([]) == 0 and "211 datasets" in capsys.readouterr().out
    assert COMMANDS["tabrepo"].run(["CONTEXT=D244"]) == 1
    assert "Unknown TabRepo context" in capsys.readouterr().err


def test_a_disk_without_room_is_told_before(bucket, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(download, "disk_usage", lambda _: type("U", (), {"free": 1000})())
    assert command.fetch_context(bucket[0], tmp_path / "here") == 1
    assert "Choose a smaller context" in capsys.readouterr().err
    assert not (tmp_path / "here" / contexts.RECORD).exists()
