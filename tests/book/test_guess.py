"""Cut a curve and guess: a game of ten real curves on the page about forecasts."""

import pytest
from browsing import js, opened_page, wait_for

pytestmark = [pytest.mark.book, pytest.mark.browser]
PAGE = "book/extrapolation.html"
TOLD = "document.querySelector('#guess [data-part=told]').textContent"
CLICK = "document.querySelector('#guess [data-part={}]').click()"
END = """const n = document.querySelector('#guess [data-part=end]');
n.value = arguments[0]; n.dispatchEvent(new Event('input'))"""
ROUND = "document.querySelector('#guess').dataset.round"


def visit(browser, site, address=""):
    opened_page(browser, f"{site}/{PAGE}{address}")
    wait_for(browser, "!document.querySelector('#guess').hidden")


def asked(browser):
    return js(browser, "document.querySelector('#guess [data-part=asked]').textContent")


def play(browser, number, end=300):
    wait_for(browser, f"{ROUND} === '{number}'")
    browser.execute_script(END, end)
    browser.execute_script(CLICK.format("show"))


def test_ten_curves_are_guessed_and_scored_and_a_link_says_the_score(browser, site):
    visit(browser, site, "#guess=7")
    browser.execute_script(CLICK.format("play"))
    first = None
    for number in range(1, 11):
        play(browser, number)
        first = first or asked(browser)
        told = js(browser, TOLD)
        assert "You were off by" in told and "the forecast by" in told
        if number < 10:
            browser.execute_script(CLICK.format("next"))
    assert "10 curves so far" in told
    address = js(browser, "location.hash")
    visit(browser, site, "")
    visit(browser, site, address)
    assert js(browser, TOLD).removeprefix("From the link: ") in told
    browser.execute_script(CLICK.format("play"))  # the same ten, again
    wait_for(browser, f"{ROUND} === '1'")
    assert asked(browser) == first


def test_a_curve_is_drawn_by_pointer(browser, site):
    visit(browser, site, "#guess=3")
    browser.execute_script(CLICK.format("play"))
    wait_for(browser, f"{ROUND} === '1'")
    assert js(browser, "document.querySelector('#guess [data-part=show]').disabled")
    for kind, x in (("pointerdown", 0.8), ("pointermove", 0.97)):
        browser.execute_script("""const svg = document.querySelector('#guess svg');
            svg.setPointerCapture = () => {}; const box = svg.getBoundingClientRect();
            svg.dispatchEvent(new PointerEvent(arguments[0], {buttons: 1, bubbles: true,
              clientX: box.left + arguments[1] * box.width, clientY: box.top + box.height / 2}))""",
                               kind, x)
    assert not js(browser, "document.querySelector('#guess [data-part=show]').disabled")
    drawn = "document.querySelectorAll('#guess polyline[stroke=\"#D55E00\"]').length"
    assert js(browser, drawn) == 1


@pytest.mark.parametrize("address", ["#guess=0", "#guess=9999999", "#guess=x", "#guess=7:1-2",
                                     "#guess=7:" + "1-2-3," * 11, "#guess=7:1-2-300"])
def test_an_address_that_no_game_wrote_begins_a_new_one(browser, site, address):
    visit(browser, site, address)
    assert js(browser, "window.guess.readGame(location.hash)") is None
    assert not js(browser, TOLD)


def test_a_score_is_how_far_each_was_off_in_points(browser, site):
    visit(browser, site)
    found = js(browser, "window.guess.misses({truth: 0.2, own: 0.25, forecast: 0.19, stays: 0.3})")
    assert found == [5, 1, 10]
