"""A chapter is executed again exactly when what it depends on has changed."""

import shutil
import sqlite3
from contextlib import closing

import chapter_dependencies as deps
import pytest

from collection.project.paths import ROOT

CHAPTER = """---
kernelspec: {name: python3}
---
# A chapter

```{code-cell} python3
:tags: [hide-input]
import analysis
import analysis.fitting as models
from analysis import statistics
from analysis.extrapolation import predict
from analysis.drawing.tables import show_table
curves = analysis.load_curves("lcdb10")
from collection.datasets import load_dataset
from collection.running.curve import gather
```

```{code-cell} python3
---
mystnb: {figure: {name: a}}
---
show_table(curves, models.registry.LABELS, statistics.quantiles.resample)
```

```{code-cell} python3
%load ../examples/shown.py
```
"""
SHOWN = """from analysis.report import Costs
from collection.project.paths import ROOT
EXAMPLES = ROOT / "examples"
"""
#: What the chapter depends on, by why it does.
MATTERS = {
    "reached by a lazy name": "analysis/databases/load.py",
    "imported by what is": "analysis/databases/lcdb10.py",
    "the package around": "analysis/databases/__init__.py",
    "imported": "analysis/drawing/tables.py",
    "below a name in words": "analysis/fitting/registry.py",
    "below a lazy room": "analysis/statistics/families.py",
    "of the name of what it defines": "analysis/extrapolation/predict.py",
    "of another package": "collection/containers/curves.py",
    "named in a string": "collection/datasets/keel.py",
    "a learner named in a string": "collection/learners/modern.py",
    "beside a module": "collection/collect.md",
    "shown": "examples/shown.py",
    "lazily imported by what is shown": "analysis/report/answers.py",
    "imported by what that imports": "analysis/report/metrics.py",
    "in a folder that a module names": "examples/other.py",
    "the lock file": "requirements.lock",
    "shipped": "data/lcdb10_subset.csv",
    "published": "book/published/printed.csv",
    "computed before": "book/computed/kept.csv",
}


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """Return a copy of the project's code with one small chapter."""
    root = tmp_path_factory.mktemp("copy")
    for folder in deps.PACKAGES:
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "requirements.lock", root)
    for path, text in {"book/chapter.md": CHAPTER, "examples/shown.py": SHOWN,
                       **dict.fromkeys([p for why, p in MATTERS.items() if not (root / p).exists()
                                        and why != "shown"], "1\n")}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.fixture
def copy(copied, monkeypatch):
    """Return the copy, with no published data and no cache but its own."""
    for name in ("LEARNING_CURVES_PUBLISHED", "LEARNING_CURVES_CACHE"):
        monkeypatch.delenv(name, raising=False)
    return copied


def stamp(copy, database=None):
    given = {"database": str(database)} if database else {}
    return deps.Project(copy).stamp(copy / "book" / "chapter.md", given)


@pytest.mark.parametrize(("path", "matters"), [
    *((path, True) for path in MATTERS.values()), ("analysis/ensembles/weighted.py", False),
    ("commands/report/assurance.py", False), ("lab/trial/laws.py", False),
    ("book/chapter.md", False)])
def test_a_change_changes_the_stamp_where_it_matters(copy, path, matters):
    before, text = stamp(copy), (copy / path).read_bytes()
    try:
        (copy / path).write_bytes(text + b"\n# changed\n")
        assert (stamp(copy) != before) == matters
    finally:
        (copy / path).write_bytes(text)


def test_the_whole_changes_where_any_stamp_does(copy):
    chapter = copy / "book" / "chapter.md"
    wholes = {deps.Project(copy).whole([chapter])}
    for path in ("analysis/ensembles/weighted.py", "data/lcdb10_subset.csv", "requirements.lock"):
        (copy / path).write_bytes((copy / path).read_bytes() + b"\n")
        wholes.add(deps.Project(copy).whole([chapter]))
    assert len(wholes) == 4


def test_another_database_changes_the_stamp(copy):
    assert stamp(copy, "mini") != stamp(copy)


@pytest.fixture
def collected(copy):
    """Return a store in the project."""
    store = copy / "my_curves" / "curves.sqlite"
    store.parent.mkdir()
    store.write_bytes(b"few curves")
    yield store
    shutil.rmtree(store.parent)


@pytest.mark.parametrize("named", ["my_curves", "my_curves/curves.sqlite"])
def test_a_database_folder_changes_the_stamp_by_its_curves_alone(copy, collected, named):
    before = stamp(copy, named)
    (collected.parent / "curves.sqlite-wal").touch()
    (collected.parent / "curves.sqlite-shm").write_bytes(b"index")
    (collected.parent / "collect.ipynb").write_text("{}")
    assert stamp(copy, named) == before
    collected.write_bytes(b"few curves and others")
    grown = stamp(copy, named)
    collected.unlink()
    assert len({before, grown, stamp(copy, named)}) == 3


def test_a_store_changes_the_stamp_by_growing_not_by_being_read(copy, tmp_path):
    out = tmp_path / "grown"
    stamps = {stamp(copy, out)}
    out.mkdir()
    with closing(sqlite3.connect(out / "curves.sqlite")) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        for statement in ("CREATE TABLE fits (value REAL)", "INSERT INTO fits VALUES (0.1)"):
            writer.execute(statement)
            writer.commit()
            stamps.add(stamp(copy, out))
    stamps.add(written := stamp(copy, out))
    with closing(sqlite3.connect(f"file:{out / 'curves.sqlite'}?mode=ro", uri=True)) as reader:
        assert reader.execute("SELECT value FROM fits").fetchall() == [(0.1,)]
        assert stamp(copy, out) == written
    assert stamp(copy, out) == written and len(stamps) == 4


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
    project = deps.Project(ROOT)
    for chapter in (ROOT / "book").glob("*.md"):
        assert any(deps.code_cells(chapter)) or "{code-cell}" not in chapter.read_text()
        project.stamp(chapter)
