"""The page on ensembles: what it keeps, by a second path, and what other curves lack."""

import pytest
from notebook_runs import run


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return run("ensemble_curves", tmp_path_factory.mktemp("page"), alpha=0.1)


def test_what_is_significant_hangs_on_the_level(page):
    """Stacking's p is .055: clear at a tenth, open at a twentieth."""
    p = page.numbers.loc["stack_single_p", "value"]
    assert 0.05 < p < 0.1 and "Better than the member" in page.said
    assert "too few to be sure" not in page.said


def test_curves_without_ensembles_lack_them(tmp_path):
    lacks = run("ensemble_curves", tmp_path, database="mini")
    assert "mini has none" in lacks.said and lacks.numbers.empty
