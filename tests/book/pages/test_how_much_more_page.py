"""The page on how much more data: chances as likely as they say, against every outcome added up."""

from math import comb

import pytest
from notebook_runs import run


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return run("how_much_more", tmp_path_factory.mktemp("page"), off=5, shown="latest")


def test_tenths_are_counted_within_what_is_asked(page):
    tenths = page.table("chances").query(
        "kind == 'classes' and role == 'new' and tenth >= 0 and n_families >= 5")
    near = sum(abs(row.came - row.said) <= 0.05 for row in tenths.itertuples())
    assert f"{near} of {len(tenths)} were at most 5 points off" in page.said
    expected = [sum(comb(n, k) * p**k * (1 - p)**(n - k) for p, n in zip(
        tenths["said"], tenths[column], strict=True) for k in range(n + 1)
        if abs(k / n - p) <= 0.05 + 1e-12) for column in ("n_families", "n_cases")]
    assert page.numbers.loc["tenths_right", "value"] == "{:.0f} to {:.0f}".format(*expected)


def test_what_held_is_of_the_tables_that_are_named(page):
    ranges = page.table("row_ranges").query("method == 'report' and times == 0")
    for kind in ("classes", "numbers"):
        latest = ranges.query("kind == @kind and role == 'latest'").iloc[0]
        kept = page.numbers.loc[f"held_{kind}_latest"]
        assert kept["value"] == pytest.approx(100 * latest["coverage90"])
        assert kept["n"] == latest["n_tables"]
