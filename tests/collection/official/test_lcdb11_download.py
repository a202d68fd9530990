"""The downloader against a local server that behaves, breaks off, lies, refuses or is gone."""

import hashlib
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import numpy as np
import pytest

from collection.official import download
from collection.official.download import DownloadError, fetch, offer
from collection.official.lcdb11 import OfficialFile
from commands import COMMANDS

CONTENT = np.random.default_rng(0).bytes(3_000_000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@dataclass
class Behaviour:
    content: bytes = CONTENT
    ranges: bool = True
    breaks_off_after: int | None = None  # bytes of the first answer; later ones are whole
    always_breaks: bool = False
    status: int = 200
    requests: list[tuple[str, str | None]] = field(default_factory=list)


class Handler(BaseHTTPRequestHandler):
    def do_HEAD(self):
        self._answer(body=False)

    def do_GET(self):
        self._answer(body=True)

    def log_message(self, *_):
        pass

    def _answer(self, body):
        b = self.server.behaviour
        asked = self.headers.get("Range")
        b.requests.append((self.command, asked))
        if b.status != 200:
            self.send_error(b.status)
            return
        start = int(re.match(r"bytes=(\d+)-", asked)[1]) if asked and b.ranges else 0
        if start >= len(b.content):
            self.send_error(416)
            return
        self.send_response(206 if asked and b.ranges else 200)
        rest = b.content[start:]
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        if not body:
            return
        if b.breaks_off_after is not None:
            rest = rest[: b.breaks_off_after]
            if not b.always_breaks:
                b.breaks_off_after = None
        self.wfile.write(rest)


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(download, "PAUSE", 0)


@pytest.fixture
def server():
    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.behaviour = Behaviour()
    running.url = f"http://127.0.0.1:{running.server_port}/file"
    thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield running
    running.shutdown()
    running.server_close()


def get(server, folder, **options):
    return fetch("a.hdf5", server.url, SHA256, folder, progress=False, **options)


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def test_a_file_comes_once(server, tmp_path):
    path = get(server, tmp_path)
    assert path.read_bytes() == CONTENT
    get(server, tmp_path)
    assert server.behaviour.requests == [("GET", None)]
    assert names(tmp_path) == ["a.hdf5"]


@pytest.mark.parametrize("ranges", [True, False])
def test_a_connection_that_breaks_off_is_gone_on_with(server, tmp_path, ranges):
    server.behaviour.breaks_off_after, server.behaviour.ranges = 1_200_000, ranges
    assert get(server, tmp_path).read_bytes() == CONTENT
    first, second = server.behaviour.requests
    assert first == ("GET", None) and second[1].startswith("bytes=")
    assert 0 < int(second[1][6:-1]) <= 1_200_000


def test_a_later_call_goes_on_with_what_came(server, tmp_path):
    server.behaviour.breaks_off_after, server.behaviour.always_breaks = 500_000, True
    with pytest.raises(DownloadError, match=r"a\.hdf5: .* are kept; the next call goes on"):
        get(server, tmp_path)
    assert names(tmp_path) == ["a.hdf5.part"]
    kept = (tmp_path / "a.hdf5.part").stat().st_size
    assert len(server.behaviour.requests) == download.ATTEMPTS
    server.behaviour = Behaviour()
    assert get(server, tmp_path).read_bytes() == CONTENT
    assert server.behaviour.requests == [("GET", f"bytes={kept}-")]


def test_a_bad_part_from_before_is_thrown_away(server, tmp_path):
    (tmp_path / "a.hdf5.part").write_bytes(b"something else entirely")
    assert get(server, tmp_path).read_bytes() == CONTENT
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "a.hdf5.part").write_bytes(CONTENT + b"too long")
    assert get(server, tmp_path / "b").read_bytes() == CONTENT


def test_of_wrong_bytes_nothing_is_kept_and_a_file_from_before_stays(server, tmp_path):
    (tmp_path / "a.hdf5").write_bytes(b"edited by hand")
    server.behaviour.content = CONTENT[::-1]
    with pytest.raises(DownloadError, match=r"its sha256 is \w+, not .* Nothing was kept"):
        get(server, tmp_path)
    assert names(tmp_path) == ["a.hdf5"]
    assert (tmp_path / "a.hdf5").read_bytes() == b"edited by hand"


def test_another_listed_file_is_recognised(server, tmp_path):
    server.behaviour.content = other = b"the other file"
    elsewhere = {hashlib.sha256(other).hexdigest(): "LCDB11_ER_265_tabpfn.hdf5"}
    with pytest.raises(DownloadError, match=r"What came is LCDB11_ER_265_tabpfn\.hdf5") as caught:
        get(server, tmp_path, elsewhere=elsewhere)
    assert "same address for both" in str(caught.value)


@pytest.mark.parametrize("status, attempts", [(404, 1), (403, 1), (503, download.ATTEMPTS)])
def test_refusals_are_final_and_failures_are_tried_again(server, tmp_path, status, attempts):
    server.behaviour.status = status
    with pytest.raises(DownloadError, match=f"the server answers {status}"):
        get(server, tmp_path)
    assert len(server.behaviour.requests) == attempts
    assert names(tmp_path) == []


def test_sizes_are_told_beforehand(server, tmp_path):
    (tmp_path / "a.hdf5.part").write_bytes(CONTENT[:1000])
    told = offer("a.hdf5", server.url, SHA256, tmp_path)
    assert (told.size, told.here, told.done) == (len(CONTENT), 1000, False)
    assert [method for method, _ in server.behaviour.requests] == ["HEAD"]
    get(server, tmp_path)
    assert offer("a.hdf5", server.url, SHA256, tmp_path).done


# The command.

@pytest.fixture
def listed(server, monkeypatch):
    """Have the published list name two files at the local server, of which it sends one."""
    server.behaviour.content = CONTENT
    files = [OfficialFile(f"LCDB11_ER_265_{learners}.hdf5", "error_rate", "FULL", learners,
                          server.url, sha256)
             for learners, sha256 in (("tabnet", "0" * 64), ("tabpfn", SHA256))]
    monkeypatch.setattr("collection.official.lcdb11.official_files", lambda: files)
    return files


def test_command_gets_what_can_be_had_and_reports_the_rest(listed, tmp_path, capsys):
    assert COMMANDS["lcdb11"].run([f"OUT={tmp_path}"]) == 1
    out, err = capsys.readouterr()
    assert "3.0 MB" in out
    assert "What came is LCDB11_ER_265_tabpfn.hdf5" in err
    assert names(tmp_path) == ["LCDB11_ER_265_tabpfn.hdf5", "verified.json"]


def test_command_stops_where_nothing_can_be_reached(listed, server, tmp_path, capsys):
    server.shutdown()
    server.server_close()
    assert COMMANDS["lcdb11"].run([f"OUT={tmp_path}"]) == 1
    out, err = capsys.readouterr()
    said = [line for line in err.splitlines() if line.startswith("error: ")]
    assert len(said) == 1 and "tabnet" in said[0] and "no connection" in said[0]
    assert "\nNothing more was tried" in err and "0 of 2 files" in out


def test_command_tells_a_full_disk_before_the_first_byte(listed, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(download, "disk_usage", lambda _: SimpleNamespace(free=5_999_999))
    assert COMMANDS["lcdb11"].run([f"OUT={tmp_path}"]) == 1
    assert "6.0 MB are to come. Choose fewer files" in capsys.readouterr().err
    assert names(tmp_path) == []


def test_command_lists_without_fetching(listed, server, tmp_path, capsys):
    assert COMMANDS["lcdb11"].run(["LIST=yes", "LEARNERS=tabpfn", f"OUT={tmp_path}"]) == 0
    assert "To fetch" in capsys.readouterr().out
    assert {method for method, _ in server.behaviour.requests} == {"HEAD"}
    assert names(tmp_path) == []
