"""A chapter is executed again exactly when what it depends on has changed."""

import shutil
import sqlite3
from contextlib import closing

import chapter_dependencies as deps
import pytest

from collection.paths import ROOT

CHAPTER = """---
kernelspec: {name: python3}
---
# A chapter

```{code-cell} python3
:tags: [hide-input]
import analysis
from analysis.drawing.tables import show_table
curves = analysis.load_curves("lcdb10")
from collection.datasets import load_dataset
from collection.curve import gather
```

```{code-cell} python3
---
mystnb: {figure: {name: a}}
---
show_table(curves)
```
"""


@pytest.fixture
def copy(tmp_path):
    """Return a copy of the project's code with one small chapter."""
    ignore = shutil.ignore_patterns("__pycache__", "cache")
    for folder in ("analysis", "chapters", "collection", "data"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignore)
    shutil.copy(ROOT / "requirements.lock", tmp_path)
    chapter = tmp_path / "book" / "chapter.md"
    chapter.parent.mkdir()
    chapter.write_text(CHAPTER)
    return tmp_path


def stamp(copy):
    return deps.stamp(copy, copy / "book" / "chapter.md")


def edit(path):
    path.write_bytes(path.read_bytes() + b"\n# changed\n")


def test_modules_are_followed_through_imports_and_lazy_names(copy):
    modules = {p.relative_to(copy).as_posix()
               for p in deps.modules_of(copy, copy / "book" / "chapter.md")}
    assert {"analysis/__init__.py", "analysis/databases/load.py", "analysis/drawing/tables.py",
            "analysis/databases/lcdb10.py", "collection/container.py"} <= modules
    assert "analysis/ensembles/diversity.py" not in modules


@pytest.mark.parametrize("path", [
    "analysis/databases/load.py", "analysis/databases/lcdb10.py", "collection/container.py",
    "requirements.lock", "data/lcdb10_subset.csv",
    "collection/datasets/keel.py", "collection/learners/modern.py", "collection/collect.md",
])
def test_a_change_that_matters_changes_the_stamp(copy, path):
    before = stamp(copy)
    edit(copy / path)
    assert stamp(copy) != before


@pytest.mark.parametrize("path", ["analysis/ensembles/diversity.py", "book/chapter.md"])
def test_a_change_that_does_not_matter_leaves_it(copy, path):
    before = stamp(copy)
    edit(copy / path)
    assert stamp(copy) == before


def test_another_database_changes_the_stamp(copy, monkeypatch):
    before = stamp(copy)
    monkeypatch.setenv("DATABASE", "mini")
    assert stamp(copy) != before


@pytest.fixture
def collected(copy, monkeypatch):
    """Return the store of a database that was asked for by its folder, relative to the project."""
    monkeypatch.setenv("DATABASE", "my_curves")
    store = copy / "my_curves" / "curves.sqlite"
    store.parent.mkdir()
    store.write_bytes(b"few curves")
    return store


@pytest.mark.parametrize("change", [
    lambda store: store.write_bytes(b"few curves and others"),
    lambda store: (store.parent / "curves.sqlite-wal").write_bytes(b"others, in the log still"),
    lambda store: store.unlink(),
], ids=["grown", "grown in its log", "gone"])
def test_a_database_folder_that_grew_changes_the_stamp(copy, collected, change):
    before = stamp(copy)
    change(collected)
    assert stamp(copy) != before


def test_reading_a_database_folder_leaves_the_stamp(copy, collected):
    before = stamp(copy)
    (collected.parent / "curves.sqlite-wal").touch()
    (collected.parent / "curves.sqlite-shm").write_bytes(b"index")
    (collected.parent / "collect.ipynb").write_text("{}")
    assert stamp(copy) == before


def test_the_store_itself_can_be_named(copy, collected, monkeypatch):
    monkeypatch.setenv("DATABASE", "my_curves/curves.sqlite")
    before = stamp(copy)
    collected.write_bytes(b"few curves and others")
    assert stamp(copy) != before


def test_a_store_changes_the_stamp_by_growing_not_by_being_read(copy, monkeypatch, tmp_path):
    out = tmp_path / "grown"
    monkeypatch.setenv("DATABASE", str(out))
    stamps = {stamp(copy)}
    out.mkdir()
    with closing(sqlite3.connect(out / "curves.sqlite")) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        for statement in ("CREATE TABLE fits (value REAL)", "INSERT INTO fits VALUES (0.1)"):
            writer.execute(statement)
            writer.commit()
            stamps.add(stamp(copy))
    stamps.add(written := stamp(copy))
    with closing(sqlite3.connect(f"file:{out / 'curves.sqlite'}?mode=ro", uri=True)) as reader:
        assert reader.execute("SELECT value FROM fits").fetchall() == [(0.1,)]
        assert stamp(copy) == written
    assert stamp(copy) == written and len(stamps) == 4


def test_the_place_of_the_summary_changes_the_stamp(copy, monkeypatch, tmp_path):
    monkeypatch.delenv("LEARNING_CURVES_PUBLISHED", raising=False)
    stamps = {stamp(copy)}
    for place, text in (("published/lcdb11", "[0.1]"), ("other/lcdb11", "[0.12]")):
        file = tmp_path / place / "er" / "61.json"
        file.parent.mkdir(parents=True)
        file.write_text(text)
        monkeypatch.setenv("LEARNING_CURVES_PUBLISHED", str(file.parent.parent.parent))
        stamps.add(stamp(copy))
    file.write_text("[0.2]")
    cached = copy / "data" / "cache" / "lcdb11-summary" / "meta.json"
    stamps.add(stamp(copy))
    cached.parent.mkdir(parents=True)
    cached.write_text("{}")
    assert len(stamps | {stamp(copy)}) == 5


def test_every_chapter_can_be_read():
    for chapter in (ROOT / "book").glob("*.md"):
        assert "".join(deps.code_cells(chapter)) or "{code-cell}" not in chapter.read_text()
        deps.stamp(ROOT, chapter)


def test_every_name_that_analysis_offers_exists():
    import analysis

    for name in analysis.__all__:
        assert getattr(analysis, name) is not None
