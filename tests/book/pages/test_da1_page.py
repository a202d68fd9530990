"""DA1's page on curves of a reader's own, few as they may be, and on some learners of LCDB 1.0."""

import pytest
from notebook_runs import run
from tiny_databases import tiny_database


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    folder = tmp_path_factory.mktemp("few")
    return run("da1", folder, database=tiny_database("few", folder))


def test_shares_are_of_the_curves_that_exist(few):
    assert few.numbers.loc["n_curves", "value"] == 8
    rows = few.table("by_learner").query("verdict == 'peaking'").set_index("learner")["rate"]
    assert rows["LDA"] == rows["QDA"] == 100 and rows["KNN"] == 0
    assert few.numbers.loc["ill_behaved", "value"] == 50
    assert set(few.table("definitions")["denominator"]) == {8}


def test_nothing_is_said_that_few_curves_cannot_tell(few):
    assert "Three" not in few.said and "LCDB 1.0" not in few.said
    assert "leaders_share" not in few.numbers.index


@pytest.mark.parametrize(("name", "says"), [
    ("one", "Of the 1 learning curves of"), ("flat", "none clearly get worse"),
    ("scaled", "has no repeats of curves with the scaling *none*")])
def test_what_one_curve_and_flat_ones_tell(name, says, tmp_path):
    page = run("da1", tmp_path, database=tiny_database(name, tmp_path))
    assert says in page.said and not {"–", "nan"} & set(page.said.split())


def test_procedure_and_learners_are_the_reader_s(tmp_path):
    page = run("da1", tmp_path, database=tiny_database("few", tmp_path), learners=["LDA"],
               procedure="nadeau_bengio", at_least=0.5)
    assert page.numbers.loc["n_curves", "value"] == 2
    assert page.numbers.loc["ill_behaved", "value"] == 0  # no violation is as large
    assert set(page.table("rates")["procedure"]) == {"published", "corrected", "nadeau_bengio"}
