"""Pages on a reader's few curves: they say what these tell, or what lacks, and no dash."""

import re

import pytest
from notebook_runs import run
from tiny_databases import DATABASES, tiny_database

from collection.project.paths import ROOT

TEXTS = {page.stem: page.read_text() for page in sorted((ROOT / "book").glob("*.md"))}
#: Pages with a database to choose that say sentences of their results.
PAGES = [name for name, text in TEXTS.items()
         if re.search("^database = ", text, re.MULTILINE) and "page.lacks(" in text]
COMPARING = {"da2", "da3", "da4", "leakage", "performance"}  # datasets, of which there are few
#: A number or verdict that is not there.
NOTHING = re.compile(r"–|\bnan\b|\(no interval\)")
#: What such curves tell, or lack, where it is said.
TOLD = {("da2", "scaled"): "without (and with )?scaling", ("da3", "flat"): "0 non-monotone",
        ("da1", "one"): "Of the 1 learning curves of", ("da1", "flat"): "none clearly get worse",
        ("da1", "scaled"): r"no repeats of curves with the scaling \*none\*",
        ("closeup", "one"): "lacks some of it", ("closeup", "scaled"): "lacks some of it",
        ("closeup", "flat"): "No curve of a linear discriminant has a peak",
        ("repeats", "flat"): "nothing varies between seeds",
        ("repeats", "scaled"): "curves without scaling",
        ("suite_worth", "one"): "takes three learners on 20 unrelated datasets",
        ("suite_worth", "few"): "takes three learners on 20 unrelated datasets"}


def test_most_pages_on_curves_take_a_reader_s():
    assert len(PAGES) >= 12 and set(PAGES) >= COMPARING | {page for page, _ in TOLD}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return {name: tiny_database(name, tmp_path_factory.mktemp(name)) for name in DATABASES}


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("page", PAGES)
def test_of_few_curves_no_page_claims_what_they_do_not_tell(page, database, folders, tmp_path):
    said = run(page, tmp_path, database=folders[database]).said
    assert not NOTHING.search(said)
    assert re.search(TOLD.get((page, database), ""), said)
    if page in COMPARING and database in ("one", "few"):
        assert "cannot tell: " in said and "LCDB" not in said


def test_a_parameter_that_a_page_lacks_is_refused_with_those_it_has(tmp_path):
    with pytest.raises(Exception, match="Unknown parameter of this notebook"):
        run("da2", tmp_path, databse="mini")
