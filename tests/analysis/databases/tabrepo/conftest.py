"""The two repositories that TabRepo's own code wrote, and what its API answers for them."""

import json
import shutil

import pytest
from tabrepo_folder import CONTEXT

from analysis.databases.context_writer import write_context
from analysis.databases.tabrepo import TabRepo


@pytest.fixture(scope="session")
def context():
    if not CONTEXT.exists():
        pytest.skip("needs ../shared/published/tabrepo/context")
    return CONTEXT


@pytest.fixture(scope="session")
def written(context, tmp_path_factory):
    """The same repositories, read and written anew by this project."""
    folder = tmp_path_factory.mktemp("written")
    return {name: write_context(context / name, folder / name) for name in ("to_dir", "official")}


@pytest.fixture(params=["to_dir", "official", "to_dir, written", "official, written"])
def answered(request, context, written):
    """A repository, and the answers of TabRepo's API."""
    name, _, again = request.param.partition(", ")
    if again:
        expected = json.loads((context / "expected.json").read_text())[name]
        return TabRepo(written[name]), expected
    expected = json.loads((context / "expected.json").read_text())[request.param]
    return TabRepo(context / request.param), expected


@pytest.fixture
def copy(context, tmp_path):
    """A copy of the first repository, to be damaged."""
    shutil.copytree(context / "to_dir", tmp_path / "to_dir")
    for path in (tmp_path / "to_dir").rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    (tmp_path / "to_dir").chmod(0o755)
    return tmp_path / "to_dir"
