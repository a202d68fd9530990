"""Every figure of the paper has a counterpart, or it is said what is lacking."""

import re

import pytest

from analysis.published.printed import published_table
from chapters.ledger.tables import chapter_titles

TABLE = published_table("counterparts").fillna("")


def test_all_21_figures_are_there_once():
    items = TABLE["item"][TABLE["item"].str.startswith("Figure")]
    numbers = [int(n) for item in items for n in re.findall(r"\d+", item)]
    assert sorted(numbers) == list(range(1, 22))


@pytest.mark.parametrize("chapters", sorted(set(TABLE["chapter"])))
def test_the_chapters_exist_and_have_titles(chapters):
    titles = chapter_titles(chapters)
    assert len(titles.split("; ")) == len(chapters.split(", ")) and "#" not in titles
