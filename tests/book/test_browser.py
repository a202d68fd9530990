"""The book in a real browser: search answers, mathematics is set, tables sort, no outside call."""

import re

import pytest
from browsing import HTML, js, opened_page, requested, screen_of, wait_for

pytestmark = [pytest.mark.book, pytest.mark.browser]


@pytest.mark.parametrize("page", sorted(
    p.relative_to(HTML).as_posix() for p in HTML.glob("book/*.html")) if HTML.exists() else [])
def test_a_page_asks_no_other_host_logs_no_error_and_fits_a_phone(browser, site, page):
    browser.get_log("performance"), browser.get_log("browser")
    opened_page(browser, f"{site}/{page}")
    wait_for(browser, "document.readyState === 'complete'")
    assert not [url for url in requested(browser) if url.startswith("http")
                and not url.startswith(f"{site}/")]
    errors = [e for e in browser.get_log("browser") if e["level"] == "SEVERE"]
    assert not errors
    with screen_of(browser, 390, 844):
        assert js(browser, "document.documentElement.scrollWidth") <= 390


def test_search_finds_a_chapter(browser, site):
    opened_page(browser, f"{site}/search.html?q=dipping")
    assert wait_for(browser, "Array.from(document.querySelectorAll('#search-results li a'))"
                             ".some(a => a.getAttribute('href').includes('shapes'))")


def test_search_leads_whoever_needs_rows_to_the_page_that_says_how_many(browser, site):
    opened_page(browser, f"{site}/search.html?q=how+many+rows+do+I+need")
    wait_for(browser, "document.querySelectorAll('#search-results li a').length > 3")
    first = js(browser, "document.querySelector('#search-results li a').getAttribute('href')")
    assert "how_much_more" in first


def test_the_code_of_a_page_is_shown_without_a_second_bar(browser, site):
    opened_page(browser, f"{site}/book/da1.html")
    wait_for(browser, "document.getElementById('code-switch') !== null")
    shown = ("[...document.querySelectorAll('.bd-article details.hide')]"
             ".filter(d => !d.closest('details.fold, .tag_settings'))"
             ".map(d => [d.checkVisibility(), d.querySelector('summary').checkVisibility()])")
    assert not any(part for part, _ in js(browser, shown))
    browser.execute_script("document.getElementById('code-switch').click()")
    parts = js(browser, shown)
    browser.execute_script("document.getElementById('code-switch').click()")
    assert parts and all(part and not bar for part, bar in parts)


def test_settings_are_a_line_that_opens_by_itself(browser, site):
    opened_page(browser, f"{site}/book/da1.html")
    wait_for(browser, "document.getElementById('code-switch') !== null")
    settings = "document.querySelector('.tag_settings details')"
    line, opened = js(browser, f"[{settings}.querySelector('summary').innerText, {settings}.open]")
    assert "database" in line and "procedure" in line and not opened
    browser.execute_script(f"{settings}.querySelector('summary').click()")
    assert js(browser, f"{settings}.querySelector('pre').checkVisibility()")
    assert not js(browser, "document.documentElement.classList.contains('code-shown')")
    said = js(browser, "document.querySelector('.answer.container').innerText")
    assert said.endswith("In brackets: 95 % intervals.")
    below = js(browser, "[...document.querySelectorAll('.answer.container, .bd-article figure, "
                        ".tag_settings, .bd-article h2')].map(e => e.className + e.tagName)")
    first = [next(i for i, one in enumerate(below) if what in one)
             for what in ("answer", "FIGURE", "tag_settings", "H2")]
    assert first == sorted(first)  # a newcomer meets the answer and its figure first


@pytest.mark.parametrize("state", ["#%E0%A4%A", "#constructor", "#cited-none"])
def test_an_address_that_leads_nowhere_is_harmless(browser, site, state):
    browser.get("about:blank")
    browser.get_log("browser")
    opened_page(browser, f"{site}/book/da1.html{state}")
    wait_for(browser, "document.readyState === 'complete'")
    assert not [e for e in browser.get_log("browser") if e["level"] == "SEVERE"]


def test_mathematics_is_set(browser, site):
    opened_page(browser, f"{site}/book/shapes.html")
    assert wait_for(browser, "document.querySelectorAll('mjx-container').length") > 0


def test_long_table_sorts_by_a_click_and_back(browser, site):
    opened_page(browser, f"{site}/book/da4.html")
    wait_for(browser, "document.querySelector('table.sortable') !== null")
    column = "Array.from(document.querySelectorAll('table.sortable')[0].tBodies[0].rows)" \
             ".map(r => r.cells[r.cells.length - 1].textContent)"
    head = "document.querySelectorAll('table.sortable')[0].tHead.rows[0].lastElementChild"

    def numbers():
        return [float(v.replace(",", "")) for v in js(browser, column)]

    values = numbers()
    browser.execute_script(f"{head}.click()")
    assert numbers() == sorted(values)
    browser.execute_script(f"{head}.click()")
    assert numbers() == sorted(values, reverse=True)


def luminance(colour):
    """Return the relative luminance of a CSS colour such as ``rgb(1, 2, 3)`` (WCAG 2)."""
    parts = [float(x) for x in re.findall(r"[\d.]+", colour)][:3]
    linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


GROUND = """
let e = arguments[0], c;
while (e) { c = getComputedStyle(e).backgroundColor;
            if (c !== 'rgba(0, 0, 0, 0)' && c !== 'transparent') return c; e = e.parentElement; }
return 'rgb(255, 255, 255)';
"""


def contrast(browser, piece):
    """Return the contrast of a piece's text with what is behind it (WCAG 2)."""
    ink = js(browser, "getComputedStyle(arguments[0]).color", piece)
    dark, light = sorted([luminance(ink), luminance(browser.execute_script(GROUND, piece))])
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_tables_and_captions_can_be_read(browser, site, theme):
    from selenium.webdriver.common.by import By

    opened_page(browser, f"{site}/book/da1.html")
    wait_for(browser, "document.querySelector('.table-scroll td') !== null")
    browser.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
    pieces = browser.find_elements(
        By.CSS_SELECTOR, ".table-scroll th, .table-scroll td, .table-caption, figcaption p")
    assert len(pieces) > 50
    for piece in pieces[:60] + pieces[-10:]:
        assert contrast(browser, piece) >= 4.5, (piece.tag_name, piece.text)


def test_names_of_rows_stay_where_a_figure_is_moved_sideways(browser, site):
    with screen_of(browser, 390, 844):
        opened_page(browser, f"{site}/book/da1.html")
        names, learners = browser.execute_script("""
            const frame = document.querySelector('.drawn-frame');
            frame.scrollLeft = 1e4;
            const words = [...frame.querySelectorAll('.drawn-names text')];
            return [words.map((one) => one.getBoundingClientRect().left),
                    words.map((one) => one.textContent)]""")
    assert len(learners) == 9 and "linear discriminant analysis" in learners
    assert min(names) >= 0 and max(names) < 390
