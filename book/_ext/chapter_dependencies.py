"""Execute a chapter again when the code or the data that it depends on has changed.

The execution cache of the book looks at a chapter's own cells only. Here each chapter gets a
stamp: a hash of the modules that it imports, directly or through others or by a name in a
string, of the shipped data, of the lock file, of the chosen database and of the authors' files
that are at hand. A chapter whose stamp differs from that of the last build loses its entry in the
cache and is built anew.
"""

import ast
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from jupyter_cache import get_cache

PACKAGES = ("analysis", "chapters", "collection")
CODE_CELL = re.compile(r"^```\{code-cell\}.*?\n(.*?)^```", re.MULTILINE | re.DOTALL)
MODULE_NAME = re.compile(rf"({'|'.join(PACKAGES)})(\.\w+)+")
INCLUDED = re.compile(r"^```+\{literalinclude\} (\S+)", re.MULTILINE)
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
    database = os.environ.get("DATABASE", "")
    outside = json.dumps([database, _files_in(_database_files(root, database)),
                          _files_in(_at_hand(root))])
    digest = hashlib.sha256(outside.encode())
    modules = modules_of(root, chapter)
    files = [*modules, *_beside(modules), root / "requirements.lock", *_data(root)]
    for file in sorted(set(files)):
        digest.update(str(file.relative_to(root)).encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def modules_of(root: Path, chapter: Path) -> set[Path]:
    """Return the scripts that a chapter shows, and the project's modules that either imports."""
    exports = _exports(root)
    scripts = included(chapter)
    code = "\n".join([*code_cells(chapter), *(script.read_text() for script in scripts)])
    todo, seen = list(_imports(code, exports)), set(scripts)
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


def included(chapter: Path) -> list[Path]:
    """Return the scripts that a chapter shows whole, and so has run."""
    return [(chapter.parent / name).resolve() for name in INCLUDED.findall(chapter.read_text())]


def _imports(source: str, exports: dict[str, str]) -> Iterator[str]:
    """Yield the names of modules that `source` imports, reaches as ``analysis.name`` or names.

    A string that reads as a module of ours stands for one that is loaded when it is needed:
    sources of datasets, learners.
    """
    for node in _nodes(source):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
            if node.module == "analysis":
                yield from (exports[a.name] for a in node.names if a.name in exports)
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "analysis":
            yield exports.get(node.attr, f"analysis.{node.attr}")
        elif isinstance(node, ast.Constant) and MODULE_NAME.fullmatch(str(node.value)):
            yield node.value


def _nodes(source: str) -> Iterator[ast.AST]:
    """Yield the nodes of a module, without those of its table `_EXPORTS`."""
    tree = ast.parse(source)
    tree.body = [node for node in tree.body if not _is_exports(node)]
    yield from ast.walk(tree)


def _is_exports(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_EXPORTS"


def _exports(root: Path) -> dict[str, str]:
    """Return the table in ``analysis/__init__.py`` that says where each name lives."""
    for node in ast.parse((root / "analysis" / "__init__.py").read_text()).body:
        if _is_exports(node):
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


def _beside(modules: set[Path]) -> set[Path]:
    """Return the files of other kinds that lie beside modules: notebooks, settings."""
    return {file for folder in {module.parent for module in modules} for file in folder.iterdir()
            if file.is_file() and file.suffix not in (".py", ".pyc")}


def _database_files(root: Path, database: str) -> Iterator[Path]:
    """Yield the files of the database that was asked for, if it is a folder or a store.

    A path is relative to the checkout, where ``make book`` is called.
    """
    path = root / database
    if database and path.exists():
        shards = path.glob("shards/*/*.sqlite*")
        yield from (*path.glob("*.sqlite*"), *shards) if path.is_dir() else [path]


def _at_hand(root: Path) -> Iterator[Path]:
    """Yield the authors' files that are at hand: official ones, and the published means."""
    found = _cache(root).glob("lcdb11*/**/*")
    yield from (path for path in found if path.name != "verified.json")  # written when opened
    if published := os.environ.get("LEARNING_CURVES_PUBLISHED"):
        yield from Path(root, published, "lcdb11").glob("**/*.json")


def _cache(root: Path) -> Path:
    return Path(os.environ.get("LEARNING_CURVES_CACHE", root / "data" / "cache"))


def _files_in(files: Iterable[Path]) -> list[tuple[str, int, int]]:
    """Return name, size and time of change of files that may be too large to be read.

    Empty ones (locks, the log of a store that was closed) hold nothing.
    """
    return sorted((f.name, f.stat().st_size, f.stat().st_mtime_ns) for f in files
                  if f.is_file() and f.stat().st_size and not f.name.endswith("-shm"))


def _forget(app, path: str) -> None:
    """Remove a chapter from the cache, which may have been filled before the checkout was moved."""
    chapter = Path(path).relative_to(app.srcdir).parts
    cache = get_cache(app.config.nb_execution_cache_path)
    for record in cache.list_cache_records():
        if Path(record.uri).parts[-len(chapter):] == chapter:
            cache.remove_cache(record.pk)


def _stamp_file(app) -> Path:
    return Path(app.outdir).parent / "chapter_stamps.json"


def _read(app) -> dict[str, str]:
    file = _stamp_file(app)
    return json.loads(file.read_text()) if file.exists() else {}
