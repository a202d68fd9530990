"""Names of strangers in terminals, on pages and in spreadsheets."""

import io

import pandas as pd
import pytest

from collection.project.shown import HIDDEN, visible, visible_output, write_csv
from commands import COMMANDS

NAMES = ["=1+1", "@B", "-x", "x\x1b]0;title\x07", "rtl\u202egnp", "a\rb", 'q"q', "plain"]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_an_order_shows_names_as_escapes_and_guards_its_tables(tmp_path, capsys):
    table = pd.DataFrame([[f"t\x1b[2J{k}", *[(k % 2 + m) / 10 for m in range(8)]]
                          for k in range(7)], columns=["error", *NAMES])
    write_csv(table, tmp_path / "x.csv")
    out = tmp_path / "out"
    assert COMMANDS["order"].run([f"CSV={tmp_path / 'x.csv'}", f"OUT={out}", "RESAMPLES=100"]) == 0
    said = capsys.readouterr()
    page = (out / "order.html").read_text()
    for text in (said.out, said.err, page):
        assert not HIDDEN.search(text)
    assert "x\\x1b]0;title\\x07" in page
    methods = pd.read_csv(out / "ranks.csv")["method"]
    assert set(methods) == {"'=1+1", "'@B", "'-x", *NAMES[3:5], "a b", *NAMES[6:]}


def test_what_programs_read_reads_back_and_numbers_stay_numbers():
    table = pd.DataFrame({"name": [*NAMES, "-0.5"], "value": [-1.5] * 9})
    again = pd.read_csv(io.StringIO(write_csv(table), newline=""))
    assert again["name"].tolist() == table["name"].tolist()
    assert again["value"].tolist() == table["value"].tolist()
    assert write_csv(table.tail(1), guarded=True) == "name,value\n-0.5,-1.5\n"


def test_a_bar_of_progress_begins_its_line_anew(capsys):
    with visible_output():
        print("\rhalf\rdone\x1b[1m", end="")
    assert capsys.readouterr().out == "\rhalf\\rdone\\x1b[1m"
    assert visible("Wälder 模型 \u200d\t\n") == "Wälder 模型 \u200d\t\n"
