"""A server that fails: one clear message, nothing half in the cache, and the next try works."""

import multiprocessing
import shutil
import signal
import threading

import openml
import pytest
import requests
from openml_server import API, Answer, to_parquet

from collection.datasets import DatasetError, load_dataset, openml_source

ARFF = "/data/v1/download/5/data.arff"
PARQUET = "/datasets/0000/0005/dataset_5.pq"


def fails_then_works(server, cache, folder, message, repair):
    """Loading says `message` and leaves nothing; after `repair` it works, also without server."""
    with pytest.raises(DatasetError, match=message) as caught:
        load_dataset("openml:5")
    assert str(caught.value).startswith("openml:5: ") and "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500
    assert not folder.exists() and list(cache.iterdir()) == []
    repair()
    assert load_dataset("openml:5").n_rows == 24
    server.stop()
    assert load_dataset("openml:5").n_rows == 24


def test_unreachable(server, table, monkeypatch, cache, folder):
    server.add_table(table)
    there = openml.config.server
    closed = "http://127.0.0.1:9/api/v1/xml"
    monkeypatch.setattr(openml.config, "server", closed)
    fails_then_works(server, cache, folder, f"cannot be reached.*{closed}",
                     lambda: monkeypatch.setattr(openml.config, "server", there))


@pytest.mark.parametrize("part", [f"{API}/data/5", f"{API}/data/features/5",
                                  f"{API}/data/qualities/5", ARFF])
@pytest.mark.parametrize(("page", "status"), [
    ("<html><p>Bad gateway</html>", 502), ("<html>Bad gateway</html>", 502), ("", 502),
    ("<html><body>Please log in</body></html>", 200)])
def test_a_page_in_place_of_the_answer(server, table, cache, folder, part, page, status):
    server.add_table(table)
    good = server.answers[part]
    server.answers[part] = Answer(page.encode(), status=status)
    said = "HTTP status 502|not what OpenML sends|does not have the checksum"
    fails_then_works(server, cache, folder, said, lambda: server.answers.update({part: good}))


@pytest.mark.parametrize("part", [f"{API}/data/5", f"{API}/data/features/5", ARFF, PARQUET])
def test_connection_breaks_in_the_middle(server, table, cache, folder, part):
    server.add_table(table, parquet=to_parquet(table[0]) if part == PARQUET else None)
    answer = server.answers[part]
    answer.cut = len(answer.body) // 2
    fails_then_works(server, cache, folder, "connection broke",
                     lambda: setattr(answer, "cut", None))


@pytest.mark.parametrize(("checksum", "keep", "message"), [
    ("", 0, "does not have the checksum"), (None, 4, "cut short"), (None, 1, "cut short")])
def test_truncated_where_it_lies(server, table, cache, folder, checksum, keep, message):
    """Within a row or between two, with a checksum or without."""
    server.add_table(table, md5=checksum)
    whole = server.answers[ARFF].body
    server.answers[ARFF].body = whole[: whole.rindex(b"\n", 0, len(whole) * 9 // 10) + keep]
    fails_then_works(server, cache, folder, message,
                     lambda: setattr(server.answers[ARFF], "body", whole))


@pytest.mark.parametrize(("spoil", "message"), [
    (lambda frame: to_parquet(frame)[:len(to_parquet(frame)) // 2], "cut short"),
    (lambda frame: to_parquet(frame.head(20)), "20 rows where OpenML counts 24"),
    (lambda frame: to_parquet(frame.drop(columns="size")), "5 columns where OpenML lists 6")])
def test_parquet_that_is_not_whole(server, table, cache, folder, spoil, message):
    server.add_table(table, parquet=spoil(table[0]))
    fails_then_works(server, cache, folder, message,
                     lambda: setattr(server.answers[PARQUET], "body", to_parquet(table[0])))


@pytest.mark.parametrize("file", ["dataset.arff", "description.xml", "features.xml"])
@pytest.mark.parametrize("damage", [
    lambda path, whole: path.write_bytes(b"\n".join(whole.split(b"\n")[:-5])),  # rows are gone
    lambda path, whole: path.unlink()])
def test_a_damaged_or_incomplete_cache_is_fetched_again(server, table, folder, file, damage):
    server.add_table(table)
    load_dataset("openml:5")
    path = folder / "5" / file
    damage(path, whole := path.read_bytes())
    assert load_dataset("openml:5").n_rows == 24 and path.read_bytes() == whole


def test_another_process_was_faster(server, table, folder, tmp_path):
    server.add_table(table)
    load_dataset("openml:5")
    shutil.move(folder / "5", tmp_path / "copy")
    server.answers[ARFF].before = lambda: shutil.copytree(tmp_path / "copy", folder / "5")
    assert load_dataset("openml:5").n_rows == 24
    assert {f.name for f in (folder / "5").iterdir()} == {
        f.name for f in (tmp_path / "copy").iterdir()}


def test_server_falls_silent(server, table, cache, folder, monkeypatch):
    server.add_table(table)
    release = threading.Event()
    server.answers[ARFF].before = lambda: release.wait(60)
    monkeypatch.setattr(openml_source, "SILENCE", 0.5)
    fails_then_works(server, cache, folder, "fallen silent", release.set)
    assert requests.Session is not openml_source._ImpatientSession


def test_killed_while_downloading(server, table, folder):
    server.add_table(table)
    asked, release = threading.Event(), threading.Event()
    server.answers[ARFF].before = lambda: (asked.set(), release.wait(60))
    process = multiprocessing.get_context("fork").Process(
        target=load_dataset, args=("openml:5",), daemon=True)
    process.start()
    assert asked.wait(60)
    process.kill()
    process.join()
    release.set()
    assert process.exitcode == -signal.SIGKILL and not (folder / "5").exists()
    server.answers[ARFF].before = lambda: None
    assert load_dataset("openml:5").n_rows == 24
