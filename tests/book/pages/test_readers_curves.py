"""Pages on a reader's few curves: they say what these tell, or what lacks, and no dash."""

import re

import pytest
from notebook_runs import run
from tiny_databases import tiny_database

#: A number or verdict that is not there.
NOTHING = re.compile(r"–|\bnan\b|\(no interval\)")


@pytest.mark.parametrize("database", ["one", "few"])
@pytest.mark.parametrize("page", ["da2", "da3", "da4", "leakage", "performance"])
def test_of_few_curves_no_page_claims_what_they_do_not_tell(page, database, tmp_path):
    ran = run(page, tmp_path, database=tiny_database(database, tmp_path))
    assert "cannot tell: " in ran.said and not NOTHING.search(ran.said)
    assert "LCDB" not in ran.said


@pytest.mark.parametrize(("page", "database"), [("da2", "scaled"), ("da3", "flat")])
def test_what_kind_of_curve_lacks_is_said(page, database, tmp_path):
    ran = run(page, tmp_path, database=tiny_database(database, tmp_path))
    assert re.search("without (and with )?scaling|0 non-monotone", ran.said)


def test_a_parameter_that_a_page_lacks_is_refused_with_those_it_has(tmp_path):
    with pytest.raises(Exception, match="Unknown parameter of this notebook"):
        run("da2", tmp_path, databse="mini")
