"""The first minute: a question, a curve that is real and three ways on the first screen."""

import gzip
from urllib.parse import urlsplit

import pytest
from browsing import HTML, js, opened_page, screen_of, wait_for

pytestmark = [pytest.mark.book, pytest.mark.browser]
PAGE = "book/intro.html"
LINE = "document.querySelector('#first-curve svg path.mean')"
WORDS = "document.querySelector('#first-curve [data-part=words]').textContent"


@pytest.fixture(params=[(1280, 800)])
def size(browser, site, request):
    """The page on a screen of this size."""
    with screen_of(browser, *request.param):
        opened_page(browser, f"{site}/{PAGE}")
        wait_for(browser, f"{LINE} !== null && {WORDS} !== ''")
        yield request.param


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], indirect=True)
def test_the_first_screen_has_a_question_a_curve_and_three_ways(browser, size):
    ends = browser.execute_script("""
        const bottom = (n) => n.getBoundingClientRect().bottom + scrollY;
        return [document.querySelector('.question'), document.querySelector('#first-curve svg'),
                ...document.querySelectorAll('.ways .sd-card')].map(bottom)""")
    assert len(ends) == 5 and ends == sorted(ends) and ends[-1] <= size[1]
    assert js(browser, "document.querySelector('.question').textContent.trim()").endswith("?")
    end = browser.execute_script("""
        const all = [...document.querySelectorAll('.findings .sd-col')];
        return [all.length, all[all.length - 1].getBoundingClientRect().bottom + scrollY]""")
    assert end[0] == 6 and end[1] <= 3 * size[1]


def test_it_shows_dilbert_then_another_and_leads_to_it(browser, size):
    words = js(browser, WORDS)
    assert "dilbert" in words and "inear discriminant" in words
    browser.execute_script("document.querySelector('[data-part=another]').click()")
    wait_for(browser, f"!{WORDS}.includes('dilbert')")
    link = js(browser, "document.querySelector('[data-part=open]').href")
    opened_page(browser, link)
    wait_for(browser, "document.querySelector('.explorer-panel[data-ready]') !== null")
    dataset = js(browser, "document.querySelector('[data-part=dataset]').value")
    assert dataset and "dilbert" not in dataset


def test_it_weighs_less_than_half_a_megabyte_as_servers_send_it(browser, size):
    names = js(browser, "performance.getEntriesByType('resource').map(e => e.name)")
    files = {HTML / PAGE, *(HTML / urlsplit(name).path.lstrip("/") for name in names)}
    packed = [len(file.read_bytes() if file.suffix in (".png", ".woff", ".bin")
                  else gzip.compress(file.read_bytes())) for file in files if file.is_file()]
    assert len(packed) > 20 and sum(packed) < 500_000
    assert not [name for name in names if "mathjax" in name or "searchindex" in name]


def test_opened_as_a_file_there_is_a_picture_instead(browser):
    opened_page(browser, (HTML / PAGE).as_uri())
    wait_for(browser, "document.readyState === 'complete'")
    assert js(browser, "document.getElementById('fig-intro').checkVisibility()")
    assert not js(browser, "document.getElementById('first-curve').checkVisibility()")
