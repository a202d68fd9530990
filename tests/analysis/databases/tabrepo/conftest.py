"""The two repositories that TabRepo's own code wrote, and what its API answers for them."""

import json
import shutil

import pytest
from published_data import at_hand

from analysis.databases.tabrepo import TabRepo


@pytest.fixture(scope="session")
def context():
    return at_hand("tabrepo", "context")


@pytest.fixture(params=["to_dir", "official"])
def answered(request, context):
    """A repository, and the answers of TabRepo's API."""
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
