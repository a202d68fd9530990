"""Around the chapters: terms that show their meaning, the status page, paper."""

import hashlib
import itertools
import json
import re

import pytest
from browsing import HTML, js, opened_page, wait_for

from collection.project.paths import ROOT

pytestmark = pytest.mark.book
PAGES = sorted((HTML / "book").glob("*.html"))
TERM = re.compile(r'<a class="glossary-term[^"]*" href="[^"#]*#([^"]+)"')


@pytest.fixture(scope="module")
def glossary():
    return (HTML / "book" / "glossary.html").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_a_term_is_linked_once_on_a_page_and_is_in_the_glossary(page, glossary):
    linked = TERM.findall(page.read_text())
    assert len(linked) == len(set(linked))
    assert all(f'id="{term}"' in glossary for term in linked)


def test_most_chapters_use_terms():
    told = [p for p in PAGES if "cell_output" in p.read_text()]
    using = [p.stem for p in told if TERM.search(p.read_text())]
    assert len(using) >= 0.7 * len(told)


@pytest.mark.browser
def test_a_meaning_shows_on_focus_and_escape_closes_it(browser, site):
    from selenium.webdriver.common.keys import Keys

    opened_page(browser, f"{site}/book/shapes.html")
    wait_for(browser, "document.querySelector('a.glossary-term[aria-describedby]') !== null")
    browser.execute_script("document.querySelector('a.glossary-term').focus()")
    shown = "document.getElementById('term-meaning')"
    term = js(browser, "document.querySelector('a.glossary-term').hash.slice(1)")
    assert not js(browser, f"{shown}.hidden")
    text = js(browser, f"{shown}.textContent")
    assert text == js(browser, "window.glossaryMeanings[arguments[0]]", term)
    browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert js(browser, f"{shown}.hidden")


def test_status_lists_every_chapter_that_runs():
    page = (HTML / "book" / "status.html").read_text()
    for chapter in (HTML / "book").glob("*.html"):
        source = ROOT / "book" / f"{chapter.stem}.md"
        if source.exists() and "{code-cell}" in source.read_text():
            assert f'href="{chapter.name}"' in page, chapter.stem


def test_status_tells_the_checksum_of_every_result():
    page = (HTML / "book" / "status.html").read_text()
    told = dict(re.findall(
        r'href="\.\./results/([^"]+)".*?<code>([0-9a-f]{16})</code>', page))
    files = {p.relative_to(HTML / "results").as_posix(): p
             for p in (HTML / "results").rglob("*.csv")}
    assert files and set(told) == set(files)
    for name, digest in told.items():
        assert hashlib.sha256(files[name].read_bytes()).hexdigest().startswith(digest)


@pytest.mark.browser
def test_on_paper_the_navigation_is_gone_and_tables_are_whole(browser, site):
    opened_page(browser, f"{site}/book/da1.html")
    wait_for(browser, "document.querySelector('.table-scroll') !== null")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        hidden = js(
            browser, "getComputedStyle(document.querySelector('.bd-sidebar-primary')).display")
        cut = js(browser, "[...document.querySelectorAll('.table-scroll')]"
                            ".filter(n => n.scrollHeight > n.clientHeight + 2).length")
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert hidden == "none" and cut == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_a_page_tells_what_it_is_and_how_to_cite_it(page):
    text = page.read_text()
    found = re.search(r'<meta property="og:description" content="([^"]{20,260})"', text)
    assert found
    (image,) = re.findall(r'<meta property="og:image" content="\.\./([^"]+)"', text)
    assert (HTML / image).is_file()
    assert image.startswith("_images/") == ("<figure" in text)
    (told,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', text)
    kinds = [thing["@type"] for thing in json.loads(told)["@graph"]]
    assert kinds[0] == ("Book" if page.stem == "intro" else "Chapter")
    assert ("Dataset" in kinds) == (page.stem == "database")
    assert 'id="cite-this-page"' in text and "@misc{reexamined-" in text


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_a_page_can_be_read_by_everybody(page):
    """Our own list: language, one title, headings in order, images with words, named controls."""
    text = page.read_text()
    article = text[text.index("<article"):text.index("</article>")]
    assert re.search(r'<html[^>]* lang="en"', text)
    levels = [int(n) for n in re.findall(r"<h([1-6])[ >]", article)]
    assert levels.count(1) == 1 and levels[0] == 1
    assert all(b <= a + 1 for a, b in itertools.pairwise(levels)), levels
    images = re.findall(r"<img [^>]*>", article)
    alts = [re.search(r'alt="([^"]{8,})"', image)[1] for image in images]
    assert not [alt for alt in alts if re.search(r"_images/|\.(?:png|svg)$", alt)]
    links = re.findall(r"<a [^>]*>(.*?)</a>", article, re.S)
    assert all(re.sub(r"<[^>]*>", "", link).strip() or "aria-label" in link or "alt=" in link
               for link in links)
    ids = re.findall(r' id="([^"]+)"', article)
    assert len(ids) == len(set(ids))


def test_the_search_keeps_the_entries_of_pages_that_a_second_build_does_not_write(tmp_path):
    from sphinx.cmd.build import main

    (tmp_path / "conf.py").write_text("from light import keep_entries\n"
                                      "def setup(app):\n"
                                      "    app.connect('env-updated', keep_entries)\n")
    (tmp_path / "index.rst").write_text("Title\n=====\n")
    (tmp_path / "page.rst").write_text(
        ":orphan:\n\nPage\n====\n\n.. index:: ! how many rows\n\nText\n")
    for text in ("one", "another"):
        (tmp_path / "other.rst").write_text(f":orphan:\n\nOther\n=====\n\n{text}\n")
        assert main(["-q", str(tmp_path), str(tmp_path / "out")]) == 0
        index = (tmp_path / "out" / "searchindex.js").read_text()
        assert '"indexentries": {"how many rows": [[2, "index-0", true]]}' in index
