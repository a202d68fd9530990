"""One door for people's files: damage, pipes and bombs are answered by every command in a line."""

import gzip
import os

import pytest

from collection.project import opening
from collection.project.opening import open_file, parse_toml, read_bytes
from commands import main

TABLE = "size,error,y\n" + "".join(f"{16 + k},0.{k % 90 + 10},{'pq'[k % 2]}\n" for k in range(500))
#: How each command is given a file.
GIVEN = {
    "collect": ["collect", "DATASETS=csv:{}?target=y", "LEARNERS=KNN", "OUT=out"],
    "evaluate": ["evaluate", "TASKS=csv:{}?target=y", "LEARNERS=KNN", "OUT=out"],
    "compare": ["compare", "LEARNER=sklearn.svm.SVC()", "TASKS=csv:{}?target=y", "OUT=out"],
    "report": ["report", "CSV={}", "TARGET=y", "OUT=out"],
    "points": ["report", "POINTS={}", "OUT=out"],
    "order": ["order", "CSV={}", "OUT=out"],
    "create": ["suite", "DO=create", "NAME=mine", "FROM=csv:{}?target=y", "OUT=out.toml"],
}


def cut(path):
    path.write_bytes(gzip.compress(TABLE.encode())[:-900])


def bomb(path):
    path.write_bytes(gzip.compress(TABLE.encode() + b"1,2,p\n" * 500_000, mtime=0))


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize(("name", "make", "words"), [
    ("cut.csv.gz", cut, "cannot be unpacked"), ("pipe.csv", os.mkfifo, "a device or a pipe"),
    ("bomb.csv.gz", bomb, "unpacks to more than"), ("none.csv", lambda path: None, "none.csv")])
def test_every_command_tells_what_is_wrong_with_a_file(tmp_path, monkeypatch, capfd, given, name,
                                                      make, words):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(opening, "SMALL", 1e6)
    make(tmp_path / name)
    assert main([part.format(name) for part in GIVEN[given]]) == 1
    said = capfd.readouterr()
    assert words in said.err and "Traceback" not in said.err + said.out
    assert not (tmp_path / "out").exists() and not (tmp_path / "out.toml").exists()


def test_a_file_is_read_in_blocks_and_no_more_than_is_there(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_bytes(content := os.urandom(3 * opening.BLOCK + 7))
    asked = []
    monkeypatch.setattr(opening._Blocks, "readinto", lambda self, into, of=opening._Blocks.readinto:
                        asked.append(len(into)) or of(self, into))
    assert read_bytes(tmp_path / "a.csv", ValueError) == content
    assert max(asked) <= opening.BLOCK and len(asked) == 5
    with pytest.raises(KeyError, match="more than 0 MB"):
        read_bytes(tmp_path / "a.csv", KeyError, 100)


def test_memory_that_lacks_is_told(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text(TABLE)

    def lacking(*_):
        raise MemoryError
    monkeypatch.setattr(opening._Blocks, "readall", lacking)
    with pytest.raises(ValueError, match="does not fit into the memory"):
        read_bytes(tmp_path / "a.csv", ValueError)


def test_what_befalls_a_source_is_told_whatever_its_reader_makes_of_it(tmp_path):
    bomb(tmp_path / "a.csv.gz")
    with (pytest.raises(KeyError, match="more than 1 MB"),
          open_file(tmp_path / "a.csv.gz", KeyError, 1e6) as file):
        try:
            file.read()
        except KeyError:
            raise ValueError("C error") from None


def test_keys_and_values_of_toml_may_not_lie_too_deep():
    for text in (".".join("a" * 20_000) + " = 1", "a = " + "[" * 5000 + "]" * 5000):
        with pytest.raises(ValueError, match="too deep"):
            parse_toml(text, ValueError, "my.toml")
