"""Whether repeats are independent, on a reader's curves."""

from notebook_runs import run
from tiny_databases import tiny_database


def test_of_few_datasets_it_cannot_be_told(tmp_path):
    page = run("repeats", tmp_path, database=tiny_database("few", tmp_path))
    assert "Of so few datasets it cannot be told" in page.said and "nan" not in page.said.split()
    table = page.table("variance").query("learner == 'all'")
    assert table["by"].tolist() == 3 * ["outer", "inner"] and table["ratio"].between(0, 3).all()
    verdicts = page.table("verdicts").set_index("repeats")["percent"]
    assert len(verdicts) == 4 and verdicts["by either seed"] <= verdicts["independent"]
    (dealt,) = [output["text"] for cell in page.notebook.cells if "stratify" in cell["source"]
                for output in cell.get("outputs", ()) if "text" in output]
    assert len(dealt.splitlines()) == 2 and len(set(dealt.splitlines())) == 1
    assert set(dealt.split()) == {"0", "1"}
