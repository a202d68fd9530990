"""The status page's sums of published numbers: as the files say, and whole where one is lacking."""

import re

import pytest
import status

ABSENT = "not compared number by number in this build"


@pytest.fixture
def results(tmp_path):
    for k, file in enumerate(status.CHECKED.values()):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("item,verdict\n" + "a,equal\n" * (k + 1) + "b,different\n")
    return tmp_path


def test_verdicts_are_counted_paper_by_paper(results):
    page = status._published(results)
    for k, paper in enumerate(status.CHECKED):
        assert f">{paper}</td>" in page
        assert f">{k + 2}</td>" in page
    assert "equal: 4; different: 1" in page and ABSENT not in page


def test_four_sums_lead_and_add_up(results):
    file = results / status.CHECKED["TabRepo"]
    file.write_text("verdict\nholds\nnot testable\nneeds the summary\nequal as printed\n")
    page = status._sums(results)
    covered, waiting, out, rest = (int(n) for n in re.findall(r"<strong>(\d+)</strong>", page))
    assert (covered, waiting, out, rest) == (13, 2, 2, 9) and covered == waiting + out + rest
    assert "different: 3" in page and "holds: 1" not in page and "not testable:" not in page


def test_a_long_table_is_folded(results):
    assert "<details><summary>4 files" in status._results(results)


@pytest.mark.parametrize("content", [None, "", "item,verdict\n", "item,outcome\na,equal\n"])
def test_a_file_that_is_not_there_or_says_nothing_is_told(results, content):
    file = results / status.CHECKED["TabRepo"]
    file.unlink()
    if content is not None:
        file.write_text(content)
    page = status._published(results)
    assert page.count(ABSENT) == 1 and "TabRepo" in page


def test_a_file_may_hold_how_many_numbers_have_each_verdict(results):
    file = results / status.CHECKED["LCDB 1.1"]
    file.write_text("verdict,numbers,kept\nequal,1200,30\ndifferent,34,0\nclose,0,0\n")
    page = status._published(results)
    assert ">1,234</td>" in page and "equal: 1,200; different: 34<" in page


def test_speeds_are_shown_as_they_were_kept(tmp_path):
    assert status._speed(tmp_path / "benchmarks.csv") == ""
    (tmp_path / "benchmarks.csv").write_text(
        "benchmark,what,seconds,against,rival_seconds,ratio,computed_on\n"
        "order,a <b> table,2.5,loops,5000,2000,2026-01-02\n")
    table = status._speed(tmp_path / "benchmarks.csv")
    assert "2026-01-02" in table and "a &lt;b&gt; table" in table
    assert re.findall(r'"text">([\d.,e+]+)<', table) == ["2.5", "2,000.0"]
