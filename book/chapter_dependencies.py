"""What a chapter's results depend on, as a stamp: it runs again where that has changed.

A stamp is a hash of the chapter's code cells, of the modules that it imports, directly or not,
lazily or by a name in a string, of what lies beside them or in a folder that they name, of the
shipped data, of the lock file, of its parameters and of the authors' files that are at hand.
"""

import ast
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

PACKAGES = ("analysis", "lab", "commands", "collection")
CODE_CELL = re.compile(r"^```\{code-cell\}.*?\n(.*?)^```", re.MULTILINE | re.DOTALL)
MODULE_NAME = re.compile(rf"({'|'.join(PACKAGES)})(\.\w+)+(:\w+)?")
#: A place in the project that a module names; `data` is seen as a whole, `results` is written.
PLACE = re.compile(r'\bROOT / ("(?!data|results)[\w.]+"(?: / "[\w.]+")*)')
LOADED = re.compile(r"^%load (\S+)$", re.MULTILINE)
OPTIONS = re.compile(r"\A(---\n.*?\n---\n|(:[\w-]+:[^\n]*\n)+)", re.DOTALL)

#: Pages that cite what other chapters have computed: they run after all others, whichever changed.
CITING = ("book/intro", "book/findings", "book/ledger")


class Project:
    """The files of the project as they are now, each read, hashed and parsed once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        code = [path for package in PACKAGES for path in (root / package).rglob("*")
                if path.is_file() and path.suffix != ".pyc"]
        self._hashes = {path: _hash_of(path) for path in code}
        self._lazy = dict(_lazy_names(root, code))
        self._needed: dict[Path, set[Path]] = {}
        self.outside = [json.dumps(_files_in(_at_hand(root))),
                         *self._contents([root / "requirements.lock", *_data(root),
                                         *(root / "book" / "figures").glob("*.py")])]

    def stamp(self, chapter: Path, given: Mapping[str, object] | None = None) -> str:
        """Return the hash of everything that the results of `chapter` depend on.

        Parameters
        ----------
        chapter : Path
        given : mapping, optional
            Its parameters other than the defaults; of a folder of curves, its files matter.
        """
        modules, given = self.modules_of(chapter), dict(given or {})
        files = _files_in(_database_files(self.root, str(given.get("database", ""))))
        return self.hash_of({*modules, *_beside(modules), *_named(self.root, modules)},
                            *code_cells(chapter), json.dumps([given, files], sort_keys=True),
                            *self.outside)

    def whole(self, chapters: Iterable[Path]) -> str:
        """Return the hash of everything that the results of any of the chapters depend on."""
        code = set(self._hashes)
        return self.hash_of({*code, *_named(self.root, code), *chapters}, *self.outside)

    def hash_of(self, files: Iterable[Path], *others: str) -> str:
        """Return the hash of files, by their names and what is in them, and of other texts."""
        return hashlib.sha256("\0".join([*others, *self._contents(files)]).encode()).hexdigest()

    def modules_of(self, chapter: Path) -> set[Path]:
        """Return the scripts that a chapter shows, and the modules that it or they import."""
        scripts = included(chapter)
        return {*scripts, *self.reached_from(
            ["\n".join(code_cells(chapter)), *(script.read_text() for script in scripts)])}

    def reached_from(self, sources: Iterable[str]) -> set[Path]:
        """Return the modules that code imports or names, directly or through others."""
        seen, todo = set(), [file for source in sources for file in self._imported(source)]
        while todo:
            if (file := todo.pop()) not in seen:
                seen.add(file)
                if file not in self._needed:
                    self._needed[file] = self._imported(file.read_text())
                todo += self._needed[file]
        return seen

    def _imported(self, source: str) -> set[Path]:
        return {file for name in _named_modules(source) for file in self._files(name)}

    def _files(self, name: str) -> Iterator[Path]:
        """Yield the files of a dotted name: of its module, and of the packages around it."""
        parts = name.split(".")
        for n in range(1, len(parts) + 1):
            place = self.root.joinpath(*parts[:n])
            yield from {place / "__init__.py", place.with_suffix(".py")} & self._hashes.keys()
            there = self._lazy.get(".".join(parts[:n]), {}).get(".".join(parts[n:n + 1]))
            if there and there != name:  # a module may have the name of what it defines
                yield from self._files(there)

    def _contents(self, files: Iterable[Path]) -> Iterator[str]:
        """Yield the name of each file and the hash of what is in it."""
        for file in sorted(files):
            yield str(file.relative_to(self.root))
            if file not in self._hashes:
                self._hashes[file] = _hash_of(file)
            yield self._hashes[file]


def _hash_of(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def code_cells(chapter: Path) -> Iterator[str]:
    """Yield the code of each cell of a text notebook, without the cell's options."""
    for cell in CODE_CELL.findall(chapter.read_text()):
        code = OPTIONS.sub("", cell)
        yield "\n".join(line for line in code.splitlines() if not line.lstrip().startswith("%"))


def included(chapter: Path) -> list[Path]:
    """Return the scripts that are cells of a chapter."""
    return [(chapter.parent / name).resolve() for name in LOADED.findall(chapter.read_text())]


@cache
def _named_modules(source: str) -> frozenset[str]:
    """Return the dotted names of ours that `source` imports, reaches below an import, or names.

    A string that reads as a module of ours stands for one that is loaded when it is needed:
    sources of datasets, learners, commands.
    """
    nodes = list(ast.walk(ast.parse(source)))
    names, bound = set(), {}
    for node in nodes:
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
            bound.update((a.asname, a.name) if a.asname else (a.name.split(".")[0],) * 2
                         for a in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found = {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
            names.update([node.module, *found.values()])
            bound.update(found)
        elif isinstance(node, ast.Constant) and MODULE_NAME.fullmatch(str(node.value)):
            names.add(node.value.partition(":")[0])
    for node in nodes:
        rest = []
        while isinstance(node, ast.Attribute):
            rest.append(node.attr)
            node = node.value
        if rest and isinstance(node, ast.Name) and node.id in bound:
            names.add(".".join([bound[node.id], *reversed(rest)]))
    return frozenset(name for name in names if name.partition(".")[0] in PACKAGES)


def _lazy_names(root: Path, code: Iterable[Path]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each package that loads names when they are first used, and where each is defined.

    The stub beside it says so, which ``lazy_loader`` reads as well.
    """
    for file in code:
        package = ".".join(file.parent.relative_to(root).parts)
        if file.name == "__init__.pyi":
            yield package, {
                name.name: f"{package}.{node.module}.{name.name}"
                for node in ast.parse(file.read_text()).body
                if isinstance(node, ast.ImportFrom) and node.module for name in node.names}


def _named(root: Path, modules: Iterable[Path]) -> set[Path]:
    """Return the files that modules name, and those in the folders that they name."""
    places = [root.joinpath(*re.findall(r"[\w.]+", place)) for module in modules
              if module.suffix == ".py" for place in PLACE.findall(module.read_text())]
    return {file for place in places for file in (place, *place.glob("*.*")) if file.is_file()}


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
    """Yield the authors' files that are at hand: official ones, and what else they published."""
    found = _cache(root).glob("lcdb11*/**/*")
    yield from (path for path in found if path.name != "verified.json")  # written when opened
    if published := os.environ.get("LEARNING_CURVES_PUBLISHED"):
        yield from Path(root, published).rglob("*")


def _cache(root: Path) -> Path:
    return Path(os.environ.get("LEARNING_CURVES_CACHE", root / "data" / "cache"))


def _files_in(files: Iterable[Path]) -> list[tuple[str, int, int]]:
    """Return name, size and time of change of files that may be too large to be read.

    Empty ones (locks, the log of a store that was closed) hold nothing.
    """
    return sorted((f.name, f.stat().st_size, f.stat().st_mtime_ns) for f in files
                  if f.is_file() and f.stat().st_size and not f.name.endswith("-shm"))
