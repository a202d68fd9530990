"""Execute a chapter again when the code or the data that it depends on has changed.

The execution cache of the book looks at a chapter's own cells only. Here each chapter gets a
stamp: a hash of the modules that it imports, directly or through others, of the shipped data, of
the lock file and of the chosen database. A chapter whose stamp differs from that of the last
build loses its entry in the cache and is built anew.
"""

import ast
import hashlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from jupyter_cache import get_cache

PACKAGES = ("analysis", "collection")
CODE_CELL = re.compile(r"^```\{code-cell\}.*?\n(.*?)^```", re.MULTILINE | re.DOTALL)
OPTIONS = re.compile(r"\A(---\n.*?\n---\n|(:[\w-]+:[^\n]*\n)+)", re.DOTALL)


def setup(app) -> dict:
    """Connect to Sphinx."""
    app.connect("env-get-outdated", outdated_chapters)
    app.connect("build-finished", write_stamps)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def outdated_chapters(app, env, added: set, changed: set, removed: set) -> list[str]:
    """Return the chapters whose stamp has changed, forgetting what the cache holds of them."""
    app.chapter_stamps = {doc: stamp(Path(app.srcdir), Path(env.doc2path(doc)))
                          for doc in env.found_docs}
    known = _read(app)
    stale = [doc for doc, now in app.chapter_stamps.items() if known.get(doc) != now]
    for doc in stale:
        _forget(app, env.doc2path(doc))
    return stale


def write_stamps(app, exception: Exception | None) -> None:
    """Keep the stamps of a build that succeeded."""
    if exception is None and app.statuscode == 0 and hasattr(app, "chapter_stamps"):
        _stamp_file(app).write_text(json.dumps(app.chapter_stamps, indent=1))


def stamp(root: Path, chapter: Path) -> str:
    """Return the hash of everything outside `chapter` that its results depend on."""
    digest = hashlib.sha256((os.environ.get("DATABASE", "") + _at_hand(root)).encode())
    files = [*modules_of(root, chapter), root / "requirements.lock", *_data(root)]
    for file in sorted(set(files)):
        digest.update(str(file.relative_to(root)).encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def modules_of(root: Path, chapter: Path) -> set[Path]:
    """Return the project's modules that a chapter imports, directly or through others."""
    exports = _exports(root)
    todo, seen = list(_imports("\n".join(code_cells(chapter)), exports)), set()
    while todo:
        module = todo.pop()
        for file in _files(root, module):
            if file not in seen:
                seen.add(file)
                todo += _imports(file.read_text(), exports)
    return seen


def code_cells(chapter: Path) -> Iterator[str]:
    """Yield the code of each cell of a text notebook, without the cell's options."""
    for cell in CODE_CELL.findall(chapter.read_text()):
        code = OPTIONS.sub("", cell)
        yield "\n".join(line for line in code.splitlines() if not line.lstrip().startswith("%"))


def _imports(source: str, exports: dict[str, str]) -> Iterator[str]:
    """Yield the names of modules that `source` imports or reaches as ``analysis.name``."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
            if node.module == "analysis":
                yield from (exports[a.name] for a in node.names if a.name in exports)
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "analysis":
            yield exports.get(node.attr, f"analysis.{node.attr}")


def _exports(root: Path) -> dict[str, str]:
    """Return the table in ``analysis/__init__.py`` that says where each name lives."""
    for node in ast.parse((root / "analysis" / "__init__.py").read_text()).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "_EXPORTS":
            return ast.literal_eval(node.value)
    raise LookupError("analysis/__init__.py has no table _EXPORTS")


def _files(root: Path, module: str) -> Iterator[Path]:
    """Yield the files of a module of ours: it, and the packages around it; else nothing."""
    parts = module.split(".")
    if parts[0] not in PACKAGES:
        return
    for n in range(1, len(parts) + 1):
        place = root.joinpath(*parts[:n])
        for file in (place / "__init__.py", place.with_suffix(".py")):
            if file.exists():
                yield file


def _data(root: Path) -> list[Path]:
    shipped = [p for p in (root / "data").rglob("*") if p.is_file()]
    compared = [p for name in ("published", "computed")
                for p in (root / "book" / name).rglob("*") if p.is_file()]
    return [p for p in shipped if "cache" not in p.relative_to(root / "data").parts] + compared


def _at_hand(root: Path) -> str:
    """Return which of the authors' files are there: names and sizes, not their content."""
    cache = Path(os.environ.get("LEARNING_CURVES_CACHE", root / "data" / "cache"))
    places = [*cache.glob("lcdb11*/**/*"), root.parent / "shared" / "published" / "lcdb11"]
    return json.dumps(sorted([p.name, p.stat().st_size] for p in places if p.exists()))


def _forget(app, path: str) -> None:
    cache = get_cache(app.config.nb_execution_cache_path)
    for record in cache.list_cache_records():
        if Path(record.uri) == Path(path):
            cache.remove_cache(record.pk)


def _stamp_file(app) -> Path:
    return Path(app.outdir).parent / "chapter_stamps.json"


def _read(app) -> dict[str, str]:
    file = _stamp_file(app)
    return json.loads(file.read_text()) if file.exists() else {}
