"""DA1's page on curves of a reader's own, few as they may be, and on some learners of LCDB 1.0."""

from notebook_runs import run
from tiny_databases import tiny_database


def test_shares_are_of_the_curves_that_exist(tmp_path):
    few = run("da1", tmp_path, database=tiny_database("few", tmp_path))
    assert few.numbers.loc["n_curves", "value"] == 8
    rows = few.table("by_learner").query("verdict == 'peaking'").set_index("learner")["rate"]
    assert rows["LDA"] == rows["QDA"] == 100 and rows["KNN"] == 0
    assert few.numbers.loc["ill_behaved", "value"] == 50
    assert set(few.table("definitions")["denominator"]) == {8}
    # Nothing is said that few curves cannot tell.
    assert "Three" not in few.said and "LCDB 1.0" not in few.said
    assert "leaders_share" not in few.numbers.index


def test_procedure_and_learners_are_the_reader_s(tmp_path):
    page = run("da1", tmp_path, database=tiny_database("few", tmp_path), learners=["LDA"],
               procedure="nadeau_bengio", at_least=0.5)
    assert page.numbers.loc["n_curves", "value"] == 2
    assert page.numbers.loc["ill_behaved", "value"] == 0  # no violation is as large
    assert set(page.table("rates")["procedure"]) == {"published", "corrected", "nadeau_bengio"}
