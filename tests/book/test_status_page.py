"""The status page's sums of published numbers: as the files say, and whole where one is lacking."""

import re

import pytest
import status


@pytest.fixture
def results(tmp_path):
    (tmp_path / "ledger").mkdir()
    (tmp_path / status.CHECKED).write_text(
        "paper,standing,numbers\nLCDB 1.1,reproduced,1200\nLCDB 1.1,cannot be told here,34\n"
        "TabRepo,reproduced,3\nTabRepo,in part,4\nTabRepo,not reproduced,2\n")
    return tmp_path


def test_verdicts_are_counted_paper_by_paper(results):
    page = status._published(results)
    assert ">1,234</td>" in page and "reproduced: 1,200; cannot be told here: 34<" in page
    assert "reproduced: 3; in part: 4; not reproduced: 2<" in page


def test_four_sums_lead_and_add_up(results):
    page = status._sums(results)
    covered, waiting, out, rest = (int(n.replace(",", "")) for n in re.findall(
        r"<strong>([\d,]+)</strong>", page))
    assert (covered, waiting, out, rest) == (1243, 34, 1203, 6) and covered == waiting + out + rest
    assert "in part: 4; not reproduced: 2" in page


def test_without_a_ledger_nothing_is_claimed(tmp_path):
    assert status._sums(tmp_path) == "" and "<td" not in status._published(tmp_path)


def test_a_long_table_is_folded(results):
    assert "<details><summary>1 files" in status._results(results)


def test_speeds_are_shown_as_they_were_kept(tmp_path):
    assert status._speed(tmp_path / "benchmarks.csv") == ""
    (tmp_path / "benchmarks.csv").write_text(
        "benchmark,what,seconds,against,rival_seconds,ratio,computed_on\n"
        "order,a <b> table,2.5,loops,5000,2000,2026-01-02\n")
    table = status._speed(tmp_path / "benchmarks.csv")
    assert "2026-01-02" in table and "a &lt;b&gt; table" in table
    assert re.findall(r'"text">([\d.,e+]+)<', table) == ["2.5", "2,000.0"]
