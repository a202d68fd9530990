"""Results are put in place at once: a run killed at any line leaves the old ones or the new.

What no run wrote stays as it was, whatever its name, and refuses a run that would replace it.
"""

import ctypes
import errno
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from collection.project import results_folder
from collection.project.paths import ROOT, LinkError, unlinked
from collection.project.results_folder import (
    LOCK,
    MANIFEST,
    ForeignFileError,
    check_results,
    own_files,
    results_of_a_run,
    written_as_own,
)

#: Modules that open files to write in folders they have just made, or that a store has looked at.
OF_THEIR_OWN = {"collection/suites/bundle.py", "collection/store/evaluations.py"}
NAMES = ("page.html", "a.csv", "b.csv")
OLD = {"page.html": "old", "a.csv": "old", "b.csv": "old"}
NEW = {"page.html": "new", "a.csv": "new"}
OTHERS = {"own.txt": "mine", "folds/runs.sqlite": "a store", "folds/deep/x.dat": "numbers"}


@pytest.fixture
def out(tmp_path):
    return begun(tmp_path / "out")


def begun(out):
    """Return a folder with the results of a run, and files of somebody's own."""
    write(out, OLD)
    return lay(out, OTHERS)


def lay(out, files):
    for name, text in files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text)
    return out


def held_by(out):
    return {str(p.relative_to(out)): p.read_text() for p in out.rglob("*")
            if p.is_file() and not p.name.startswith(".results")} if out.exists() else None


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
    (out / ".results-abc").mkdir()  # somebody's own, for all its name
    write(out)
    assert held_by(out) == NEW | OTHERS and own_files(out) == set(NEW)
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    assert {p.name for p in out.iterdir()} == {*NEW, "own.txt", "folds", MANIFEST, ".results-abc"}
    if shutil.which("sha256sum"):
        subprocess.run(["sha256sum", "--check", "--quiet", MANIFEST], cwd=out, check=True)


@pytest.mark.parametrize("at_once", [True, False])
def test_a_run_killed_anywhere_leaves_the_old_results_or_the_new(tmp_path, at_once):
    """From a process of its own: to fork one as large as that of all tests takes long."""
    subprocess.run([sys.executable, "-c", "import sys, test_results_folder as own; "
                    "own.killed_at_every_line(sys.argv[1], sys.argv[2] == 'True')",
                    tmp_path, str(at_once)], cwd=Path(__file__).parent, check=True,
                   env={**os.environ, "PYTHONPATH": str(ROOT)})


def everything(folder):
    """Return all that lies in a folder, whatever name was drawn for it."""
    return frozenset((re.sub(r"results-\w+", "", str(p.relative_to(folder))), p.lstat().st_mode,
                      p.lstat().st_nlink, p.is_file() and p.read_bytes())
                     for p in folder.rglob("*"))


def killed_at_every_line(folder, at_once):
    if not at_once:  # a system without: files come one by one, each of them whole
        ctypes.CDLL = lambda *_, **__: object()
    whole = begun(Path(folder) / "whole" / "out")
    seen, left, line = set(), set(), 0
    while True:
        out = Path(folder) / str(line) / "out"
        shutil.copytree(whole, out)
        if not killed_at(line, out):
            break
        state = held_by(out)
        results = {name: text for name, text in state.items() if name in NAMES}
        assert {n: t for n, t in state.items() if n in OTHERS} == OTHERS
        assert results in (OLD, NEW) or (not at_once and all(
            text in (OLD.get(name), NEW.get(name)) for name, text in results.items()))
        seen.add(tuple(sorted(results.items())))
        tree = everything(out.parent)
        if tree not in left:  # else what the next run makes of it is known
            left.add(tree)
            write(out, {"page.html": "last"})
            assert held_by(out) == {"page.html": "last"} | OTHERS
            assert [p.name for p in out.parent.iterdir()] == ["out"]
        line += 1
    assert line > 30 and (len(seen) == 2 if at_once else len(seen) > 2)


@pytest.mark.parametrize("name", [".out.new", ".out.old", ".out.results-1", "out.new"])
def test_folders_beside_with_such_names_are_nobodys_but_the_users(out, tmp_path, name):
    beside = lay(tmp_path / name, OTHERS)
    write(out)
    assert held_by(beside) == OTHERS and held_by(out) == NEW | OTHERS


def test_what_no_run_wrote_refuses_one(tmp_path):
    own = lay(tmp_path / "own", {"b.csv": "mine"})
    with pytest.raises(ForeignFileError, match=r"b\.csv was written by no run known here"):
        write(own)
    assert held_by(own) == {"b.csv": "mine"} and not (own / LOCK).exists()


def test_results_that_were_changed_since_are_kept(out):
    (out / "a.csv").write_text("old, and a remark")
    with pytest.raises(ForeignFileError, match=r"a\.csv .* changed since"):
        write(out)
    assert held_by(out) == OLD | OTHERS | {"a.csv": "old, and a remark"}
    with pytest.raises(ForeignFileError), written_as_own(out / "a.csv") as part:
        part.write_text("another")


def test_what_is_changed_while_a_run_computes_is_kept(out):
    with pytest.raises(ForeignFileError), results_of_a_run(out, NAMES) as stage:
        lay(stage, NEW)
        (out / "b.csv").write_text("just now")
    assert held_by(out) == OLD | OTHERS | {"b.csv": "just now"}


def test_what_comes_while_the_folders_change_places_is_kept(out, monkeypatch):
    linked = results_folder._link

    def link(there, stage, but=()):
        linked(there, stage, but)
        if there == out:
            lay(out, {"late.txt": "late", "folds/late.txt": "late"})
    monkeypatch.setattr(results_folder, "_link", link)
    write(out)
    assert held_by(out) == NEW | OTHERS | {"late.txt": "late", "folds/late.txt": "late"}


def test_an_input_in_the_folder_of_results_is_refused(out, tmp_path):
    (tmp_path / "link").symlink_to(out)
    (tmp_path / "x.txt").symlink_to(out / "own.txt")
    for path in (out / "own.txt", tmp_path / "link" / "own.txt", tmp_path / "x.txt"):
        with pytest.raises(ForeignFileError, match="is read, and lies in the folder of the res"):
            check_results(out, NAMES, path)
    check_results(out, NAMES, out / "folds" / "runs.sqlite", None)


def modes(out):
    return {p: (p.stat().st_mode, p.stat().st_gid, p.stat().st_ino)
            for p in out.rglob("*") if str(p.relative_to(out)) in OTHERS}


@pytest.mark.parametrize("mode", [0o700, 0o2770, 0o1777, 0o750])
def test_the_folder_keeps_its_mode_group_and_owner(out, mode):
    groups = [group for group in os.getgroups() if group != os.getgid()]
    group = groups[0] if groups else 12345 if os.geteuid() == 0 else os.getgid()
    for folder in (out, out / "folds"):
        os.chown(folder, -1, group)
        folder.chmod(mode)
    (out / "own.txt").chmod(0o640)
    before = modes(out)
    write(out)
    for folder in (out, out / "folds"):
        at = folder.stat()
        assert (stat.S_IMODE(at.st_mode), at.st_gid) == (mode, group)
    assert modes(out) == before and held_by(out) == NEW | OTHERS
    assert mode & stat.S_ISGID == 0 or (out / "page.html").stat().st_gid == group


def test_the_folder_keeps_its_access_list(out):
    if not shutil.which("setfacl"):
        try:
            os.setxattr(out, "user.note", b"mine")
        except (OSError, AttributeError):
            pytest.skip("this file system has no attributes")
        write(out)
        assert os.getxattr(out, "user.note") == b"mine"
        return
    subprocess.run(["setfacl", "-m", "u:1:rx,d:u:1:rx", out], check=True)
    said = subprocess.run(["getfacl", "-p", out], capture_output=True, text=True).stdout
    write(out)
    assert subprocess.run(["getfacl", "-p", out], capture_output=True, text=True).stdout == said


def test_what_cannot_be_linked_stays_where_it_is(out, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(errno.EPERM, "protected")
    monkeypatch.setattr(os, "link", refuse)
    number = (out / "own.txt").stat().st_ino
    write(out)
    assert held_by(out) == NEW | OTHERS and (out / "own.txt").stat().st_ino == number
    assert [p.name for p in out.parent.iterdir()] == ["out"]


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


def races(folder, times):
    """Have two or four runs at once write their results to one folder, many times."""
    for number in range(times):
        out = Path(folder) / "out"
        if number % 5 == 0:
            shutil.rmtree(out, ignore_errors=True)
            lay(out, OTHERS if number % 2 else {})
        go, ready = os.pipe()
        runs = []
        for text in range(2 + 2 * (number % 2)):
            runs.append(os.fork())
            if not runs[-1]:
                os.close(ready)
                os.read(go, 1)  # all begin when the last has been made
                check_results(out, NAMES)
                write(out, dict.fromkeys(NAMES, str(text)))
                os._exit(0)
        os.close(go)
        os.close(ready)
        assert not any([os.waitpid(run, 0)[1] for run in runs])
        assert len({(out / name).read_text() for name in NAMES}) == 1
        assert own_files(out) == set(NAMES) and not (out / LOCK).exists()
        assert number % 5 or all((out / name).is_file() for name in OTHERS) == bool(number % 2)


def test_runs_at_once_lose_nothing(tmp_path):
    """``RACES=2000`` for many more."""
    subprocess.run([sys.executable, "-c", "import sys, test_results_folder as own; "
                    "own.races(sys.argv[1], int(sys.argv[2]))", tmp_path,
                    os.environ.get("RACES", "30")], cwd=Path(__file__).parent, check=True,
                   env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("name", [LOCK, MANIFEST, *NAMES])
def test_no_link_is_written_through(tmp_path, name):
    thesis, out = lay(tmp_path, {"thesis.txt": "mine"}) / "thesis.txt", tmp_path / "out"
    out.mkdir()
    (out / name).symlink_to(thesis)
    if name == MANIFEST:  # replaced, as it states nothing
        write(out)
    else:
        with pytest.raises((LinkError, ForeignFileError), match=f"{name} (is a link|was written)"):
            write(out)
        assert (out / name).is_symlink()
    assert thesis.read_text() == "mine"


def test_whatever_is_opened_to_be_added_to_is_no_link(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    (tmp_path / "link").symlink_to("thesis.txt")
    (tmp_path / "nowhere").symlink_to("none.txt")
    for name in ("link", "nowhere"):
        with pytest.raises(LinkError, match=f"{name} is a link"):  # noqa: SIM117
            with open(tmp_path / name, "a", opener=unlinked):
                pass
    assert (tmp_path / "thesis.txt").read_text() == "mine"
    assert not (tmp_path / "none.txt").exists()
    opened = re.compile(r"open\((?!.*opener)[^)]*[\"'](a|ab|w|wb|r\+b?)[\"']")
    plain = {path.relative_to(ROOT).as_posix() for package in ("analysis", "commands", "collection")
             for path in (ROOT / package).rglob("*.py") for line in path.read_text().splitlines()
             if opened.search(line)}
    assert plain == OF_THEIR_OWN
