"""Figures become part of their page: its colours, names of their own, letters that are text."""

import io
import re
from xml.etree import ElementTree

import drawn_figures
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from analysis.drawing import chart
from analysis.drawing.charts import as_svg, draw_heatmap, figure
from analysis.drawing.style import PALETTE, learner_style
from collection.containers.learner_names import LEARNERS
from collection.project.paths import ROOT


@figure
def drawn(heat=False):
    """A figure with a line, a clipped band, words and greys; or with cells."""
    result, ax = plt.subplots()
    if heat:
        draw_heatmap(ax, pd.DataFrame(np.eye(2)), "share", digits=1)
        return result
    ax.plot([1, 2, 3], [1, 3, 2], "o-", color=PALETTE[0], label="a line")
    ax.fill_between([1, 3], [0, 1], [2, 3], color=PALETTE[4], alpha=0.2)
    ax.axhline(2, color="0.4")
    ax.text(1, 1, "small & fine", fontsize=8)
    return result


def in_page(name="one", words='It "falls"', wordless=False, **settings):
    text = io.StringIO()
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": "figure"}):
        drawn(**settings).savefig(text, format="svg")
    return drawn_figures.in_page(text.getvalue(), name, words, wordless)


def test_colours_are_the_page_s_and_letters_are_text():
    page = in_page()
    assert f"var(--drawn-{PALETTE[0][1:].lower()}, {PALETTE[0].lower()})" in page
    assert "var(--drawn-ink)" in page and "var(--drawn-ground)" in page and "color-mix(" in page
    assert not re.search(r": #(?:000000|ffffff|262626|666666)\b", page)
    assert ">small &amp; fine</text>" in page and "font-family" not in page
    assert 'role="img" aria-label="It &quot;falls&quot;"' in page
    least = float(re.search(r"min-width: (\d+)px", page)[1])
    width = float(re.search(r"viewBox=\"0 0 ([\d.]+)", page)[1])
    assert 8 * least / width == pytest.approx(drawn_figures.LETTERS, rel=0.01)
    ElementTree.fromstring(page.replace("xlink:href", "href"))


def test_dots_say_their_value_and_a_thumbnail_its_axes():
    shown = pd.DataFrame({"name": ["a & b", "none", "c|d"], "v": [1, np.nan, 3.], "low": [.5, 0, 2],
                          "high": [2, 1, 4.], "by": ["one", "one", "two"]})
    svg = as_svg(chart.draw(shown, "dots", x="v", y="name", by="by", xlabel="points"))
    assert re.findall("<title>(.*?)</title>", svg) == ["a &amp; b: 1 [0.5, 2]", "c/d: 3 [2, 4]"]
    assert "values:" not in svg and "legend_1" in svg
    small = drawn_figures.in_page(svg, "it", "words", wordless=True)
    assert small.endswith('<p class="drawn-axes">→\N{NO-BREAK SPACE}points</p>')
    assert small.count("<use") < svg.count("<use") and "<text" not in small
    left, top, width, height = map(float, re.search('viewBox="([^"]*)"', small)[1].split())
    assert left > 20 and width < 7 * 72 and top + height < 200


def test_names_of_parts_are_each_figure_s_own_and_lead_within():
    one, two = in_page("one"), in_page("two")
    ids = [re.findall(r' id="([^"]+)"', page) for page in (one, two)]
    assert ids[0] and len(ids[0]) == len(set(ids[0])) and not set(ids[0]) & set(ids[1])
    assert set(re.findall(r'(?:href="|url\()#([^")]+)', one)) == set(ids[0])
    assert one == in_page("one")


def test_numbers_on_cells_keep_their_colours_as_cells_do():
    page = in_page(heat=True)
    fills = re.findall(r'<text style="(?:[^"]*; )?fill: ([^;"]+)', page)
    assert {"#fefefe", "#010101", "var(--drawn-ink)"} == set(fills)


def test_a_thumbnail_has_no_letters():
    page = in_page(wordless=True)
    assert page.startswith("<svg") and "<text" not in page and 'aria-hidden="true"' in page


def test_every_colour_of_the_kit_has_one_for_dark_pages():
    styles = (ROOT / "book" / "_static" / "book.css").read_text()
    dark = styles[styles.index('html[data-theme="dark"] {'):]
    used = {learner_style(name)[0].lower() for name in LEARNERS} | {c.lower() for c in PALETTE}
    assert {c for c in used if len(set(c[1::2])) > 1} == drawn_figures.NAMED
    assert all(f"--drawn-{colour[1:]}:" in dark for colour in drawn_figures.NAMED)


def test_what_is_written_keeps_its_digits():
    svg = ('<svg viewBox="0 0 9 9"><path d="M 1.23456 2"/>'
           '<text style="font-size: 11px">0.975</text></svg>')
    page = drawn_figures.in_page(svg, "one", "words", False)
    assert ">0.975<" in page and "M 1.23 2" in page
