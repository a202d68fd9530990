"""Tables as people have them: one corpus, read alike by Python, the command and the page."""

import contextlib
import re

import pandas as pd
import pytest
from order_corpus import CORPUS

from analysis.leaderboards import load_results, order, order_page
from analysis.leaderboards.cells import DirectionError, ResultsError
from collection.datasets.files import read_cells
from collection.reading.names import is_summary
from commands import COMMANDS


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", CORPUS)
def test_every_file_is_read_or_answered(tmp_path, capsys, monkeypatch, name):
    monkeypatch.setattr(order_page, "render_page", lambda worth, title, said: worth.order.read)
    content, expected = CORPUS[name]
    expected = expected if isinstance(expected, str) else expected[0]
    (tmp_path / name).write_bytes(content)
    try:
        found = order(load_results(tmp_path / name), 200)
    except ResultsError as error:
        assert expected in str(error)
        assert "\n" not in str(error)
    else:
        assert found.read == expected
    out = tmp_path / "out"
    status = COMMANDS["order"].run([f"CSV={tmp_path / name}", f"OUT={out}", "RESAMPLES=200"])
    said = capsys.readouterr()
    if " methods, " in expected:
        assert status == 0
        assert said.out.splitlines()[0] == re.sub("`([^`]+)`", r"'\1'", expected)
        assert (out / "order.html").read_text() == expected
    else:
        assert status == 1
        assert re.sub("`([^`]+)`", r"'\1'", expected) in said.err
        assert said.err.count("\n") == 1
        assert not out.exists()


ADDED = {"note": "ab", "std": [0.25, 0.5], "accuracy": [0.5, 0.75], "seconds": [0.5, 1.5],
         "n_params": [10**6, 10**7], "phase": ["train", "test"], "status": ["ok", "failed"],
         "config": "AB", "domain": "xy"}


@pytest.mark.parametrize("name", ["wide.csv", "n_rows.csv", "balanced.csv", "metric_column.csv"])
def test_no_column_more_or_by_another_name_changes_an_answer_without_a_word(tmp_path, name):
    (tmp_path / name).write_bytes(CORPUS[name][0])
    names, rows, _ = read_cells(tmp_path / name)

    def read(names, rows):
        table = load_results(pd.DataFrame(rows, columns=names))
        cells = table.pivot_table("value", "method", "task")
        return cells.rename(index={"zzz": ""}).sort_index(), table.attrs["read"]

    try:
        before = read(names, rows)[0]
    except ResultsError:  # of a file that says more than its cells do
        return
    changed = [([*names, more], [[*row, str(cells[k % 2])] for k, row in enumerate(rows)], more)
               for more, cells in ADDED.items() if more not in names]
    changed += [([*names[:k], "zzz", *names[k + 1:]], rows, old) for k, old in enumerate(names)
                if old not in before.index and not is_summary(old)]
    for new_names, new_rows, what in changed:
        with contextlib.suppress(ResultsError):
            after, said = read(new_names, new_rows)
            words = [*said["out"], said["layout"], said["told"]]
            assert after.equals(before) or any(f"`{what}`" in word or "`zzz`" in word
                                               for word in words), what


def test_what_is_not_told_is_asked_with_who_leads_either_way(tmp_path):
    (tmp_path / "x.csv").write_bytes(CORPUS["asked.csv"][0])
    with pytest.raises(DirectionError, match="If higher, KNN leads; if lower, RF"):
        load_results(tmp_path / "x.csv")
    found = order(load_results(tmp_path / "x.csv", lower_is_better=True))
    assert found.ranks["method"].tolist() == ["RF", "GBM", "SVM", "LR", "KNN"]
    assert "lower is better (as you said)" in str(found)
    by_metric = load_results(tmp_path / "x.csv", {"value": "brier"})
    assert order(by_metric).read.startswith("8 tasks × 5 methods, a column per method; lower is "
                                            "better (`brier`, no value negative): RF 0.12")


def test_what_was_noticed_of_a_file_is_said(tmp_path):
    rows = "".join(f"t{task},{method},.{task + 10 * place}\n" for task in range(8)
                   for place, method in enumerate(["größe", "b"], 5))
    (tmp_path / "x.csv").write_bytes(f"task,method,auc\n{rows}".encode("cp1252"))
    with pytest.warns(UserWarning, match="not in UTF-8"):
        found = order(load_results(tmp_path / "x.csv"))
    assert any("not in UTF-8" in note for note in found.notes)
