"""The page on how much more data: chances as likely as they say."""

import numpy as np
import pytest

GIVEN = {"off": 5, "shown": "latest"}


def test_fifths_are_counted_within_what_is_asked(page):
    tenths = page.table("chances").query(
        "kind == 'classes' and role == 'new' and tenth >= 0 and n_families >= 5")
    off = [np.average(own["came"] - own["said"], weights=own["n_cases"])
           for _, own in tenths.groupby(tenths["tenth"] // 2)]
    near = sum(abs(by) <= 0.05 for by in off)
    assert f"{near} of {len(off)} were at most 5 points off" in page.said
    assert page.said.count("% there came in ") == len(off) - near > 0


def test_what_held_is_of_the_tables_that_are_named(page):
    ranges = page.table("row_ranges").query("method == 'report' and times == 0")
    for kind in ("classes", "numbers"):
        latest = ranges.query("kind == @kind and role == 'latest'").iloc[0]
        kept = page.numbers.loc[f"held_{kind}_latest"]
        assert kept["value"] == pytest.approx(100 * latest["coverage90"])
        assert kept["n"] == latest["n_tables"]
