"""``make book`` in a small project of its own: parameters, what runs, and put in place whole."""

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest

from collection.containers.curves import CurveKey, Status
from collection.project.paths import ROOT
from collection.running.curve import Fit
from collection.running.curve_plan import make_plan
from collection.running.curve_settings import check_settings
from collection.store import StoreWriter

SETTINGS = check_settings({"DATASETS": "keel:iris", "LEARNERS": "KNN", "WORKERS": "1"})


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Return a project with two chapters, and stores of one to four curves."""
    root = tmp_path_factory.mktemp("project") / "here"
    shutil.copytree(Path(__file__).with_name("small_book"), root)
    for name in ("analysis", "lab", "commands", "collection", "data", "requirements.lock"):
        (root / name).symlink_to(ROOT / name)
    for file in (ROOT / "book").glob("*.py"):
        shutil.copy(file, root / "book")
    shutil.copy(ROOT / "book" / "claims.csv", root / "book")
    for count in (1, 2, 3, 4):
        with StoreWriter(root / f"curves{count}", {}, {}) as store:
            store.add_dataset(make_plan(SETTINGS).datasets[0].row)
            for inner in range(count):
                store.add_curve(CurveKey("iris", "KNN", "none", "no", 0, inner),
                                [Fit(16, Status.ok)], 1.0, "")
    with StoreWriter(root / "empty", {}, {}):
        pass
    (root / "others").mkdir()
    (root / "temporary").mkdir()
    (root / "others" / "fits.parquet").touch()
    return root


def environment(given, processes="2"):
    """Return what make sets: it names what it was given in MAKEFLAGS."""
    flags = " -- " + " ".join(f"{name}={value}" for name, value in given.items())
    return {"MAKEFLAGS": flags, "BOOK_PROCESSES": processes, "PYTHONPATH": str(ROOT), **given}


@pytest.fixture
def build(monkeypatch, capsys):
    """Return what builds a project as make does, in this process: its exit status, what it says."""
    def built(project, *page, processes="2", **given):
        with monkeypatch.context() as patch, mock.patch.dict(os.environ):
            os.environ.update(environment(given, processes))
            patch.setattr(tempfile, "tempdir", str(project / "temporary"))
            patch.syspath_prepend(project / "book")
            patch.chdir(project)
            for file in (ROOT / "book").glob("*.py"):  # the project's are imported, not ours
                patch.setitem(sys.modules, file.stem, None)
                del sys.modules[file.stem]
            status = importlib.import_module("build").main(*page)
        assert not list((project / "temporary").glob("*.json"))  # how to reach ended kernels
        return SimpleNamespace(status=status, **capsys.readouterr()._asdict())

    return built


def held(project, folder="_build"):
    """Return the files in a folder, and when they changed."""
    return sorted((p, p.stat().st_mtime_ns) for p in project.glob(f"{folder}/**/*"))


@pytest.fixture
def refused(project, build):
    """Return `build`'s message where it is one, and tell that nothing is built."""
    def told(**given):
        before = held(project)
        said = build(project, **given)
        assert said.status in (1, 2) and before == held(project)
        assert not said.out and said.err.startswith("book: ") and said.err.count("\n") == 1
        return said.err

    return told


@pytest.mark.parametrize("processes", ["abc", "-1", "0", "1.5"])
def test_a_number_of_processes_that_is_none_is_told_in_a_line(refused, processes):
    refused(processes=processes)


def page(project, name="chapter", folder="html"):
    """Return what a built page says."""
    text = (project / "_build" / folder / "book" / f"{name}.html").read_text()
    return re.sub(r"<[^>]+>", "", text)


def test_what_ran_is_kept_and_the_good_book_outlives_bad_ones(project, build):
    first = {"DATABASE": "curves1", "ALPHA": "0.01"}
    said = subprocess.run([sys.executable, project / "book" / "build.py"], cwd=project, text=True,
                          env={**os.environ, "TMPDIR": str(project / "temporary"),
                               **environment(first)}, capture_output=True, check=False)
    assert said.returncode == 0, said.stdout + said.stderr
    assert "2 of 2, " in said.stdout
    assert "There are 1 curves, at 0.01." in page(project) and "It is 1, see" in page(project)
    assert "alpha = 0.01" in page(project) and "Not said of two." in page(project)
    assert 'href="other.html"' in (project / "_build/html/book/chapter.html").read_text()
    assert "It ran in here" in page(project, "other")  # where results/ is written
    assert not list((project / "temporary").glob("*.json"))  # how to reach kernels that have ended
    assert (project / "results" / "chapter" / "numbers.csv").exists()
    said = build(project, DATABASE="curves4")
    assert said.status == 1 and "chapter failed:" in said.out
    assert "AssertionError" in said.out and "1 of 1, chapter" in said.out
    assert "_build/html/ still holds the book as it was before" in said.err
    assert "There are 1 curves" in page(project)
    moved = project.rename(project.with_name("elsewhere"))
    chapter = moved / "book" / "other.md"
    before = chapter.read_text()
    chapter.write_text(before.replace("# Another", "# Another one"))  # words alone: nothing runs
    try:
        said = build(moved)
        assert said.status == 0, said.out + said.err
        assert "There are 0 curves, at 0.05." in page(moved) and "1 of 1, chapter" in said.out
        assert "Another one" in page(moved, "other") and "It ran in here" in page(moved, "other")
    finally:
        chapter.write_text(before)
        moved.rename(project)


def test_a_chapter_that_lacks_something_says_it_and_shows_nothing_more(project, build):
    said = build(project, "chapter", DATABASE="curves2")
    assert said.status == 0, said.out + said.err
    assert said.out.endswith("The page is in _build/page/_build/html/book/chapter.html.\n")
    shown = page(project, folder="page/_build/html")
    assert "Two are too few." in shown and "Not said of two." not in shown
    assert "IPython.core" not in shown
    stamps = json.loads((project / "_build" / "notebooks" / "stamps.json").read_text())
    assert stamps["chapter"]["given"] == {"database": str(project / "curves2")}


@pytest.mark.parametrize(("given", "message"), [
    ({"DATABASE": "my_curves"}, "Unknown database (and no folder has that name) 'my_curves'"),
    ({"DATABASE": "lcdb1O"}, "'lcdb10'"),
    ({"DATABASE": "empty"}, "empty holds no finished curve yet"),
    ({"DATABASE": "regression"}, "regression holds no error rates"),
    ({"DATABASE": "$(touch here)\n'\"` .."}, "no folder has that name"),
    ({"DATABASE": "~nobody-here/x"}, "DATABASE: Could not determine home directory"),
    ({"DATABASE": "a" * 5000}, "DATABASE: "),
    ({"DATABASE": "_toc.yml"}, "DATABASE: _toc.yml is a file: a folder of curves is needed."),
    ({"PROCEDURE": "$(x) y"}, "Unknown p"),
    ({"ALPHA": "x"}, "ALPHA: 'x' is no float, as 0.05 is."),
    *(({"ALPHA": alpha}, f"ALPHA: {alpha} is no number between 0 and 1.")
      for alpha in ("2", "-1", "0", "1e400")),
    ({"ALPHA": "True"}, "ALPHA: 'True' is no float"),
    ({"LEAST": "-1"}, "LEAST: -1 is no number between 0 and 1."),
    ({"SCALING": "foo"}, "Unknown scaling 'foo'. Known: none, minmax, standard."),
    ({"LEARNERS": "LDA foo"}, "Unknown learner 'foo'."),
    ({"DATABASE": "others"}, "others/curves.sqlite. Collect curves into that folder first"),
    ({"ALPHS": ".01"}, "Unknown parameter 'alphs'. Did you mean 'alpha'?")])
def test_what_cannot_be_given_is_one_message_before_anything_is_built(refused, given, message):
    assert message in refused(**given)


def test_one_page_is_built_beside_the_book_and_fails_as_the_book_does(project, build):
    book = held(project, "_build/html")
    said = build(project, "chapter", DATABASE="curves3")
    assert said.status == 1 and "chapter failed: Unknown dataset 'soup'. Known: " in said.out
    assert "Traceback" not in said.out + said.err
    # Sphinx would keep the index entries of a page that is gone, and stop at them.
    other = build(project, "other").out
    assert ", 0 removed" in other and " of 1" not in other  # it ran for the book
    unknown = build(project, "chaptre")
    assert unknown.status == 2 and unknown.err.startswith("page: Unknown page 'chaptre'.")
    assert "'chapter'" in unknown.err and unknown.err.count("\n") == 1
    assert book == held(project, "_build/html")
