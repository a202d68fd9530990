"""A chapter is executed again exactly when what it depends on has changed."""

import shutil
import sys

import pytest

from collection.paths import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import chapter_dependencies as deps

CHAPTER = """---
kernelspec: {name: python3}
---
# A chapter

```{code-cell} python3
:tags: [hide-input]
import analysis
from analysis.tables import show_table
curves = analysis.load_curves("lcdb10")
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
    for folder in ("analysis", "collection", "data"):
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
    assert {"analysis/__init__.py", "analysis/load.py", "analysis/tables.py",
            "analysis/databases/lcdb10.py", "collection/container.py"} <= modules
    assert "analysis/gallery.py" not in modules


@pytest.mark.parametrize("path", [
    "analysis/load.py", "analysis/databases/lcdb10.py", "collection/container.py",
    "requirements.lock", "data/lcdb10_subset.csv",
])
def test_a_change_that_matters_changes_the_stamp(copy, path):
    before = stamp(copy)
    edit(copy / path)
    assert stamp(copy) != before


@pytest.mark.parametrize("path", ["analysis/gallery.py", "book/chapter.md"])
def test_a_change_that_does_not_matter_leaves_it(copy, path):
    before = stamp(copy)
    edit(copy / path)
    assert stamp(copy) == before


def test_another_database_changes_the_stamp(copy, monkeypatch):
    before = stamp(copy)
    monkeypatch.setenv("DATABASE", "mini")
    assert stamp(copy) != before


def test_every_chapter_can_be_read():
    for chapter in (ROOT / "book").glob("*.md"):
        assert "".join(deps.code_cells(chapter)) or "{code-cell}" not in chapter.read_text()
        deps.stamp(ROOT, chapter)


def test_every_name_that_analysis_offers_exists():
    import analysis

    for name in analysis.__all__:
        assert getattr(analysis, name) is not None
