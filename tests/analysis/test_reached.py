"""The rule of `analysis`: it holds what a reader would import or run, and nothing else.

What only maintainers' targets compute with lives in `lab/`.
"""

import re
import sys
from pathlib import Path

import pytest

from collection.project.paths import ROOT

sys.path.append(str(ROOT / "book"))
from chapter_dependencies import Project, code_cells

HOUSE = ROOT / "analysis"
#: Modules that none of these reaches, and why they are here all the same; at most three.
EXCEPTIONS: dict[Path, str] = {}


def doors() -> dict[str, list[str]]:
    """Return the code by which a reader comes in: what names the modules that are reached."""
    stub = (HOUSE / "__init__.pyi").read_text()
    page = (ROOT / "book" / "reference.md").read_text()
    return {
        "offered": [stub.replace("from . ", "from analysis ").replace("from .", "from analysis.")],
        "commands": ["import commands.__main__"],
        "pages": ["\n".join(code_cells(page)) for page in (ROOT / "book").glob("*.md")],
        "examples": [script.read_text() for script in (ROOT / "examples").glob("*.py")],
        "reference": [f"import analysis, collection\n{name}"
                      for name in re.findall(r"^\.\. autofunction:: (\S+)", page, re.MULTILINE)]}


@pytest.fixture(scope="module")
def project():
    return Project(ROOT)


def test_every_module_is_reached_by_what_a_reader_imports_or_runs(project):
    reached = project.reached_from(source for sources in doors().values() for source in sources)
    assert set(HOUSE.rglob("*.py")) - reached == set(EXCEPTIONS) and len(EXCEPTIONS) <= 3


@pytest.mark.parametrize(("door", "leads_to"), [
    ("offered", "shapes/detect.py"), ("commands", "leaderboards/order_page.py"),
    ("examples", "report/answers.py"), ("reference", "ensembles/greedy.py")])
def test_each_door_leads_somewhere_and_not_everywhere(project, door, leads_to):
    reached = project.reached_from(doors()[door])
    assert HOUSE / leads_to in reached and set(HOUSE.rglob("*.py")) - reached > set(EXCEPTIONS)


def test_a_room_that_is_named_reaches_what_it_needs_and_not_all_that_lies_in_it(project):
    reached = project.reached_from(["from analysis import trial"])
    assert HOUSE / "trial" / "__init__.py" in reached
    assert HOUSE / "trial" / "tasks.py" not in reached
