"""Results are put in place at once: a run killed at any line leaves the old ones or the new."""

import errno
import os
import sys

import pytest

from collection.commands import results_folder
from collection.commands.results_folder import results_of_a_run

NAMES = ("page.html", "a.csv", "b.csv")
OLD = {"page.html": "old", "a.csv": "old", "b.csv": "old"}
NEW = {"page.html": "new", "a.csv": "new"}
OTHERS = {"own.txt": "mine", "folds/runs.sqlite": "a store", "folds/deep/x.dat": "numbers"}


@pytest.fixture
def out(tmp_path):
    return lay(tmp_path / "out", OLD | OTHERS)


def lay(out, files):
    for name, text in files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text)
    return out


def held_by(out):
    return {str(p.relative_to(out)): p.read_text() for p in out.rglob("*")
            if p.is_file() and p.name != results_folder.LOCK} if out.exists() else None


def write(out, files=NEW):
    with results_of_a_run(out, NAMES) as folder:
        lay(folder, files)


def killed_at(line, out):
    """Write in a process that ends without a word at a line of the module; tell whether it did."""
    def traced(frame, event, _):
        nonlocal line
        if frame.f_code.co_filename != results_folder.__file__:
            return None
        line -= event == "line"
        return os._exit(9) if line < 0 else traced

    child = os.fork()
    if not child:
        sys.settrace(traced)
        write(out)
        os._exit(0)
    return os.waitpid(child, 0)[1] != 0


def test_a_disk_that_is_full_is_named(out):
    with pytest.raises(OSError, match=r"No space left on device: '.*out'"):  # noqa: SIM117
        with results_of_a_run(out, NAMES):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))  # as a write says it
    assert held_by(out) == OLD | OTHERS


def test_a_run_leaves_its_results_and_what_was_not_results(out, tmp_path):
    (out / ".whole-abc").mkdir()  # of a run of before that was killed
    write(out)
    assert held_by(out) == NEW | OTHERS
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    assert not (out / ".whole-abc").exists() and not (out / results_folder.LOCK).exists()


@pytest.mark.parametrize("at_once", [True, False])
def test_a_run_killed_anywhere_leaves_the_old_results_or_the_new(tmp_path, at_once, monkeypatch):
    if not at_once:  # a system without: there may be no folder for a moment, never half of one
        monkeypatch.delattr("ctypes.CDLL")
        monkeypatch.setattr("ctypes.CDLL", lambda *_, **__: object(), raising=False)
    seen, line = set(), 0
    while True:
        out = lay(tmp_path / str(line) / "out", OLD | OTHERS)
        if not killed_at(line, out):
            break
        state = held_by(out)
        assert state in (OLD | OTHERS, NEW | OTHERS) or (state is None and not at_once)
        seen.add(None if state is None else state["page.html"])
        write(out, {"page.html": "last"})
        assert held_by(out) == {"page.html": "last"} | OTHERS
        assert [p.name for p in out.parent.iterdir()] == ["out"]
        line += 1
    assert line > 30 and seen == ({"old", "new"} if at_once else {"old", "new", None})


def test_what_fails_leaves_nothing(out, tmp_path):
    for folder in (out, tmp_path / "fresh"):
        before = held_by(folder)
        with pytest.raises(ZeroDivisionError), results_of_a_run(folder, NAMES) as stage:
            lay(stage, NEW)
            raise ZeroDivisionError
        assert held_by(folder) == before
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_a_folder_that_is_worked_in_keeps_its_place(out, monkeypatch):
    monkeypatch.chdir(out)
    number = out.stat().st_ino
    write(out)
    assert out.stat().st_ino == number and held_by(out) == NEW | OTHERS


def test_what_stands_in_the_way_is_named(out):
    (out / "own.txt").rename(out / "b.txt")
    with pytest.raises(NotADirectoryError, match=r"b\.txt is a file"):
        write(out / "b.txt")
    (out / "page.html").unlink()
    (out / "page.html").mkdir()
    with pytest.raises(IsADirectoryError, match=r"page\.html is a folder"):
        write(out)
    assert (out / "a.csv").read_text() == "old"
