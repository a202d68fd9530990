"""Where peaks stand, on a reader's curves."""

from notebook_runs import run
from tiny_databases import tiny_database


def test_few_peaks_tell_no_place(tmp_path):
    page = run("closeup", tmp_path, database=tiny_database("few", tmp_path))
    assert "Too few peaks of linear discriminants on " in page.said
    assert page.table("peaks").query("learner == 'LDA'")["ratio"].tolist() == [8, 8]
    reach = page.table("lda_by_reach")
    assert not reach["inside"].any() and (reach["peaks"] == 2).all()
    assert "that could show" not in page.said and "nan" not in page.said.split()
