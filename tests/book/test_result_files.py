"""The book has the tables that its chapters wrote, and no others."""

from types import SimpleNamespace

import result_files
from result_files import copy_results


def test_tables_of_an_earlier_build_go(tmp_path, monkeypatch):
    monkeypatch.setattr(result_files, "ROOT", tmp_path / "source")
    app = SimpleNamespace(outdir=tmp_path / "html")
    for table in ("source/results/da1/rates.csv", "html/results/da1/gone.csv"):
        (tmp_path / table).parent.mkdir(parents=True)
        (tmp_path / table).write_text("n\n1\n")
    copy_results(app, ValueError("a build that failed changes nothing"))
    assert [p.name for p in (tmp_path / "html").rglob("*.csv")] == ["gone.csv"]
    copy_results(app, None)
    assert [p.name for p in (tmp_path / "html").rglob("*.csv")] == ["rates.csv"]
