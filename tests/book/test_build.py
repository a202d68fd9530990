"""``make book DATABASE=…`` in a small project of its own: checked first, and put in place whole."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from collection.containers.curves import CurveKey, Status
from collection.project.paths import ROOT
from collection.running.curve import Fit
from collection.running.curve_plan import make_plan
from collection.running.curve_settings import check_settings
from collection.store import StoreWriter

CHAPTER = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {name: python3, display_name: Python 3}
---
# A chapter

```{code-cell} python3
import os
import analysis
curves = analysis.load_curves(os.environ["DATABASE"])
print("There are", int(curves["status"].sum() >= 0) * curves.sizes["inner"], "curves.")
assert curves.sizes["inner"] < 4
```
"""
OTHER = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {name: python3, display_name: Python 3}
---
# Another

```{code-cell} python3
:tags: [hide-input]
from pathlib import Path
print("It ran in", Path.cwd().name)
```
"""
CONFIG = """\
title: A book
only_build_toc_files: true
exclude_patterns: [_build, analysis, collection, data]
execute: {execute_notebooks: cache, cache: _build/.jupyter_cache, stderr_output: error}
sphinx:
  local_extensions: {chapter_dependencies: book/_ext, side_by_side: book/_ext}
  recursive_update: true
  config: {nb_execution_show_tb: true}
"""
SETTINGS = check_settings({"DATASETS": "keel:iris", "LEARNERS": "KNN", "WORKERS": "1"})


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Return a project with one chapter, and stores of one to four curves."""
    root = tmp_path_factory.mktemp("project") / "here"
    (root / "book" / "_ext").mkdir(parents=True)
    for name in ("analysis", "chapters", "lab", "collection", "data", "requirements.lock"):
        (root / name).symlink_to(ROOT / name)
    for name in ("build.py", "_ext/chapter_dependencies.py", "_ext/forked.py",
                 "_ext/side_by_side.py"):
        shutil.copy(ROOT / "book" / name, root / "book" / name)
    nursery = root / "book" / "_ext" / "forked.py"
    nursery.write_text(re.sub(r"(?s)\nLOADED = \(.*?\)\n", '\nLOADED = ("ipykernel.kernelapp",)\n',
                              nursery.read_text()))  # these chapters use none of the rest
    (root / "_toc.yml").write_text(
        "format: jb-book\nroot: book/chapter\nchapters: [{file: book/other}]\n")
    (root / "_config.yml").write_text(CONFIG)
    (root / "book" / "chapter.md").write_text(CHAPTER)
    (root / "book" / "other.md").write_text(OTHER)
    for count in (1, 2, 4):
        with StoreWriter(root / f"curves{count}", {}, {}) as store:
            store.add_dataset(make_plan(SETTINGS).datasets[0].row)
            for inner in range(count):
                store.add_curve(CurveKey("iris", "KNN", "none", "no", 0, inner),
                                [Fit(16, Status.ok)], 1.0, "")
    return root


def build(project, database, processes="2", page=()):
    return subprocess.run(
        [sys.executable, project / "book" / "build.py", *page], cwd=project, text=True, check=False,
        capture_output=True, env={**os.environ, "DATABASE": database, "PYTHONPATH": str(ROOT),
                                  "BOOK_PROCESSES": processes})


@pytest.mark.parametrize("processes", ["abc", "-1", "0", "1.5"])
def test_a_number_of_processes_that_is_none_is_told_in_a_line(project, processes):
    said = build(project, "curves1", processes)
    assert said.returncode == 1 and said.stderr.startswith("book: BOOK_PROCESSES: ")
    assert said.stderr.count("\n") == 1


def page(project, name="chapter"):
    return (project / "_build" / "html" / "book" / f"{name}.html").read_text()


def test_what_ran_is_kept_and_the_good_book_outlives_bad_ones(project):
    said = build(project, "curves1")
    assert said.returncode == 0, said.stdout + said.stderr
    assert "2 of 2, " in said.stdout and "Executing notebook" not in said.stdout
    assert "There are 1 curves" in page(project) and "It ran in book" in page(project, "other")
    again = build(project, "curves1")
    assert again.returncode == 0 and " of 2" not in again.stdout
    for alone in (False, True):  # the second time, nothing has changed since the first failed
        said = build(project, "curves4")
        assert said.returncode == 1 and "AssertionError" in said.stdout
        assert alone or "chapter failed and will run once more, alone" in said.stdout
        assert "_build/html/ still holds the book as it was before" in said.stderr
        assert "There are 1 curves" in page(project)
    moved = project.rename(project.with_name("elsewhere"))
    try:
        said = build(moved, "curves2", processes="1")
        assert said.returncode == 0, said.stdout + said.stderr
        assert "Executing notebook" not in said.stdout and "2 of 2, " in said.stdout
        assert "There are 2 curves" in page(moved)
    finally:
        moved.rename(project)


@pytest.mark.parametrize(("database", "message"), [
    ("my_curves", "Unknown database (and no folder has that name) 'my_curves'"),
    ("lcdb1O", "'lcdb10'"), ("book", "book/curves.sqlite. Collect curves into"),
    ("empty", "empty holds no finished curve yet"),
    ("regression", "regression holds no error rates")])
def test_what_cannot_be_opened_is_one_message_before_anything_is_built(project, database, message):
    with StoreWriter(project / "empty", {}, {}):
        pass
    held = sorted((p, p.stat().st_mtime_ns) for p in project.glob("_build/**/*"))
    said = build(project, database)
    assert said.returncode == 1 and not said.stdout
    assert said.stderr.startswith("book: DATABASE: ") and said.stderr.count("\n") == 1
    assert message in said.stderr
    assert held == sorted((p, p.stat().st_mtime_ns) for p in project.glob("_build/**/*"))


def test_one_page_is_built_beside_the_book_and_fails_as_the_book_does(project):
    book = sorted((p, p.stat().st_mtime_ns) for p in project.glob("_build/html/**/*"))
    said = build(project, "curves2", page=["chapter"])
    assert said.returncode == 0, said.stdout + said.stderr
    made = project / "_build" / "page" / "_build" / "html" / "book"
    assert said.stdout.endswith("The page is in _build/page/_build/html/book/chapter.html.\n")
    assert "There are 2 curves" in (made / "chapter.html").read_text()
    assert [path.name for path in made.iterdir()] == ["chapter.html"]
    assert build(project, "curves4", page=["chapter"]).returncode == 1
    unknown = build(project, "curves2", page=["chaptre"])
    assert unknown.returncode == 2 and unknown.stderr.startswith("page: Unknown page 'chaptre'.")
    assert "'chapter'" in unknown.stderr and unknown.stderr.count("\n") == 1
    assert book == sorted((p, p.stat().st_mtime_ns) for p in project.glob("_build/html/**/*"))
