"""The gallery shows each shape where it is, and says where there is none."""

from notebook_runs import run
from tiny_databases import tiny_database


def test_peaks_are_shown_one_of_a_learner(tmp_path):
    page = run("shapes", tmp_path, database=tiny_database("few", tmp_path), examples=1)
    shown = page.table("gallery").query("shape == 'peaking'")
    assert len(shown) == 1 and set(shown["learner"]) <= {"LDA", "QDA"}
    assert shown["anchor"].tolist() == [32] and shown["size"].item() > 0.1
    assert page.numbers.loc["n_procedures", "value"] == len(page.table("procedures"))


def test_of_flat_curves_none_is_shown(tmp_path):
    page = run("shapes", tmp_path, database=tiny_database("flat", tmp_path))
    assert "peaks, dips or drops at once" in page.said and page.table("gallery").empty
