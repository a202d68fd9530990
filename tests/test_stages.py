"""The house: a later stage imports an earlier one, never the other way, and nothing in a circle.

Imports at a module's head, those inside its functions and those for the eyes of a checker of types
(``if TYPE_CHECKING``) count alike.
"""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from collection.project.paths import ROOT

#: The packages in the order in which data flow through them.
STAGES = ("collection", "analysis", "commands", "lab")
PACKAGES = tuple(name for name in STAGES if (ROOT / name).is_dir())


def modules_in(package: str) -> dict[str, Path]:
    """Return the files of a package by their dotted names."""
    files = (ROOT / package).rglob("*.py")
    return {_dotted(file.relative_to(ROOT)): file for file in files}


def _dotted(file: Path) -> str:
    return ".".join(file.with_suffix("").parts).removesuffix(".__init__")


MODULES = {name: file for package in PACKAGES for name, file in modules_in(package).items()}


@cache
def imported(module: str) -> frozenset[str]:
    """Return the modules of the project that a module imports."""
    file = MODULES[module]
    names = set(_names(ast.parse(file.read_text()), module, file.name == "__init__.py"))
    return frozenset(_module(name) for name in names if _module(name)) - {module}


def _names(tree: ast.AST, module: str, is_package: bool) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = module.split(".") if is_package else module.split(".")[:-1]
            base = above[:len(above) - node.level + 1] if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{start}.{alias.name}" for alias in node.names)


def _module(name: str) -> str:
    """Return the longest beginning of a dotted name that is a module of the project."""
    while name and name not in MODULES:
        name = name.rpartition(".")[0]
    return name


def circle_in(arrows: dict[str, set[str]]) -> list[str]:
    """Return a circle of arrows, or nothing."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def room_of(module: str) -> str:
    """Return the part of a package that a module is in, or itself where it is in none."""
    return ".".join(module.split(".")[:2])


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_knows_nothing_of_later_stages(package):
    later = STAGES[STAGES.index(package) + 1:]
    assert not {(module, other) for module in modules_in(package) for other in imported(module)
                if other.split(".")[0] in later}


@pytest.mark.parametrize("package", PACKAGES)
def test_no_module_is_in_a_circle(package):
    own = modules_in(package)
    assert not circle_in({module: imported(module) & set(own) for module in own})


def arrows_between_rooms(package: str) -> dict[str, set[str]]:
    """Return the rooms of a package, and those that each imports."""
    arrows: dict[str, set[str]] = {room_of(module): set() for module in modules_in(package)}
    for module in modules_in(package):
        arrows[room_of(module)] |= {room_of(other) for other in imported(module)
                                    if other.startswith(f"{package}.")} - {room_of(module)}
    del arrows[package]  # what the package itself offers stands above its rooms
    return arrows


@pytest.mark.parametrize("package", PACKAGES)
def test_no_room_is_in_a_circle(package):
    assert not circle_in(arrows_between_rooms(package))


def test_the_collection_has_few_rooms_and_few_arrows():
    arrows = arrows_between_rooms("collection")
    assert len(arrows) <= 14 and sum(map(len, arrows.values())) <= 45


def test_circles_and_imports_of_all_kinds_are_seen():
    assert circle_in({"a": {"b"}, "b": {"c"}, "c": {"a"}})
    assert not circle_in({"a": {"b", "c"}, "b": {"c"}})
    tree = ast.parse("import x.y\nfrom . import z\ndef f():\n    from ..up import w as v\n")
    assert set(_names(tree, "a.b.c", is_package=False)) == {"x.y", "a.b.z", "a.up.w"}
    assert set(_names(tree, "a.b.c", is_package=True)) == {"x.y", "a.b.c.z", "a.b.up.w"}
