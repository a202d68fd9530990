"""The house of `analysis/`: arrows between rooms go down the floors, and nothing in a circle."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from collection.project.paths import ROOT

HOUSE = ROOT / "analysis"
#: Rooms by floor, the ground first; a room may import rooms of lower floors only.
FLOORS = (
    ("reading", "statistics", "ensembles", "published"),
    ("databases", "fitting", "shapes"),
    ("drawing", "extrapolation"),
    ("leaderboards", "selection", "report"),
    ("portfolios", "comparison", "trial"),
    ("ensemble_curves", "ledger"),
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS, 1) for room in rooms}
ROOMS = sorted(p.name for p in HOUSE.iterdir() if (p / "__init__.py").exists())


def imported_rooms(file: Path) -> Iterator[str]:
    """Yield the rooms of the house that a module imports, at its head or inside a function."""
    for node in ast.walk(ast.parse(file.read_text())):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{a.name}" for a in node.names]
        yield from (n.split(".")[1] for n in names if n.startswith("analysis."))


def test_every_room_has_its_floor():
    assert set(ROOMS) <= set(FLOOR)


@pytest.mark.parametrize("room", ROOMS)
def test_arrows_go_down(room):
    upward = {(file.name, other) for file in (HOUSE / room).rglob("*.py")
              for other in imported_rooms(file)
              if other in FLOOR and other != room and FLOOR[other] >= FLOOR[room]}
    assert not upward


def test_no_module_looks_outside_the_project():
    files = [file for place in ("analysis", "lab", "commands", "collection", "book")
             for file in (ROOT / place).rglob("*.[pm][yd]")]
    assert not {str(file.relative_to(ROOT)) for file in files
                if re.search(r"ROOT\.parent|root\.parent|Path\.home|\.\./shared", file.read_text())}


def test_the_root_holds_few_modules():
    assert len(list(HOUSE.glob("*.py"))) <= 8


def test_tests_mirror_the_rooms():
    for package in ("analysis", "lab", "commands", "collection"):
        tested = {p.name for p in (ROOT / "tests" / package).iterdir() if p.is_dir()}
        rooms = {p.name for p in (ROOT / package).iterdir() if (p / "__init__.py").exists()}
        assert tested - {"__pycache__"} <= rooms
