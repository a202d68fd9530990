"""A small collection with predictions, its ensembles, and what is shipped of them."""

from types import SimpleNamespace

import pytest
from small_collection import gather

from analysis.ensemble_curves.compute import compute_ensembles
from analysis.ensemble_curves.shipped import ship


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """The folders of the members, of the ensembles, and of the shipped files."""
    folder = tmp_path_factory.mktemp("ensembles")
    members, ensembles, files = (folder / name for name in ("members", "ensembles", "files"))
    gather(members)
    compute_ensembles(members, ensembles)
    ship(ensembles, files)
    return SimpleNamespace(members=members, ensembles=ensembles, files=files)
