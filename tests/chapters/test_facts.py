"""Facts: one table, and what sentences cite of it."""

import numpy as np
import pytest

from analysis.statistics.summary import Summary
from chapters import facts as kit
from chapters.facts import Facts, as_texts, show_facts


def example() -> Facts:
    rows = Facts()
    rows.add("share", Summary(15.432, 12.04, 18.06, 196), unit="%", digits=1)
    rows.add("n_curves", 3920)
    rows.add("worst", "linear discriminant analysis")
    rows.add("none", np.nan, unit="%")
    return rows


def test_values_come_with_units_and_intervals():
    assert as_texts(example().table()) == {
        "share": "15.4 %", "share.ci": "15.4 % [12.0, 18.1]", "share.range": "12.0 to 18.1 %",
        "n_curves": "3,920", "n_curves.ci": "3,920 (no interval)", "n_curves.range": "no interval",
        "worst": "linear discriminant analysis",
        "none": "–", "none.ci": "– (no interval)", "none.range": "no interval"}


@pytest.mark.parametrize("ends", [(1.0, np.nan), (np.nan, 3.0)])
def test_one_end_alone_is_no_interval(ends):
    rows = Facts()
    rows.add("share", 2.0, *ends, digits=1, unit="%")
    texts = as_texts(rows.table())
    assert (texts["share.ci"], texts["share.range"]) == ("2.0 % (no interval)", "no interval")


def test_the_table_is_written_unrounded(tmp_path, monkeypatch):
    glued, written = {}, {}
    monkeypatch.setattr(kit, "glue", lambda key, text, display: glued.update({key: text}))
    monkeypatch.setattr(kit, "write_result", lambda t, *where: written.update({where: t}))
    show_facts("da1", example().table())
    assert glued["share.ci"] == "15.4 % [12.0, 18.1]"
    table = written["da1", "facts"].set_index("key")
    assert table.loc["share", "value"] == 15.432 and table.loc["share", "n"] == 196


def test_below_zero_stands_a_minus_and_dates_keep_their_hyphens():
    rows = Facts()
    rows.add("less", -1.25, -2.0, -0.5, digits=1, unit="points")
    rows.add("day", "2026-01-02")
    texts = as_texts(rows.table())
    assert texts["less.ci"] == "−1.2 points [−2.0, −0.5]" and texts["less"] == "−1.2 points"
    assert texts["day"] == "2026-01-02"


def test_a_key_stands_there_once():
    rows = example()
    with pytest.raises(ValueError, match="worst"):
        rows.add("worst", "somebody else")
    table = rows.table()
    with pytest.raises(ValueError, match="share"):
        show_facts("da1", table.iloc[[0, 0]])
