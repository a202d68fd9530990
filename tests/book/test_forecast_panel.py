"""The panel of *How much more data do I need?* in a real browser.

That its numbers are Python's, ``tests/commands/report/test_points.py`` holds.
"""

import re

import pytest
from browsing import js, opened_page, wait_for

from analysis.extrapolation.compact import PATH
from collection.project.paths import ROOT

pytestmark = pytest.mark.browser
STATIC = ROOT / "book" / "_static" / "forecast"
READY = "document.getElementById('forecast-panel').dataset.ready"


def typed(browser, **parts):
    """Put text into the panel's fields; return its answer and its message."""
    for name, text in parts.items():
        browser.execute_script(
            "const field = document.querySelector(`#forecast-panel [data-part=${arguments[0]}]`);"
            "field.value = arguments[1]; field.dispatchEvent(new Event('input'));", name, text)
    return [browser.find_element("css selector", f"#forecast-panel [data-part={name}]").text
            for name in ("answer", "message")]


def test_it_answers_as_one_types(browser, page):
    opened_page(browser, page)
    answer, message = typed(browser, points="100 0.3\n200 0.25\n400 0.21\n800 0.18", tested="200",
                            wanted="5%")
    assert answer.startswith("5.0 % error: probably not reached. Even with 51,000 rows the chance")
    assert re.search(r"is below 50 % \(with [\d,]+: 5 %\)\.", answer)
    assert not message
    assert "\nNow 18.0 % at 800 rows; with twice as many about" in answer
    assert len(browser.find_elements("css selector", "#forecast-panel circle.point")) == 4
    took = browser.execute_script(
        "const field = document.querySelector('#forecast-panel textarea');"
        "const start = performance.now(); field.dispatchEvent(new Event('input'));"
        "return performance.now() - start")
    assert took < 1000, "an answer at each key should not take a second"


@pytest.mark.parametrize("points, part", [
    ("", "Give a line for each size"),
    ("100 0.3\n200 0.25\n400 0.2", "3 different sizes"),
    ("100 0.3\n200 0.25\n400 12\n800 0.1", "Line 3: the error 12 is not between 0 and 1"),
    ("100 0.3\n-200 0.25\n400 0.1\n800 0.1", "Line 2: -200 is no number of rows"),
    ("100 0.3\n200\n400 0.1\n800 0.1", "Line 2 has no error"),
    ("100 0.3\n200 x\n400 0.1\n800 0.1", "Line 2: error is x, not a number"),
    ("what,error\n100,0.3", "no column size"),
    ("1e300 0.3\n200 0.3\n400 0.1\n800 0.1", "1e300 is no number of rows"),
])
def test_what_it_cannot_use_it_says(browser, page, points, part):
    opened_page(browser, page)
    answer, message = typed(browser, points=points)
    assert part in message and not answer


def test_it_reads_what_the_report_writes(browser, page, tmp_path):
    file = tmp_path / "points.csv"
    file.write_text("learner,size,repeat,error,tested\n" + "".join(
        f"{name},{size},{r},{e + r / 100},150\n" for name, shift in (("KNN", 0), ("a forest", 0.1))
        for size, e in ((50, 0.3 + shift), (100, 0.25 + shift), (200, 0.2 + shift),
                        (400, 0.18 + shift))
        for r in (0, 1)).replace("a forest", '"a forest"'))
    opened_page(browser, page)
    browser.find_element("css selector", "#forecast-panel input[type=file]").send_keys(str(file))
    wait_for(browser, "document.querySelectorAll('#forecast-panel circle.point').length === 16", 20)
    answer, message = typed(browser, tested="")
    assert "KNN: now" in answer and "a forest: now" in answer and not message
    assert "leaves out" not in answer, "the file says how many rows were tested on"


def test_a_link_carries_the_points(browser, page):
    opened_page(browser, page)
    text = "10 0.5\n20 0.45\n40 0.4\n80 0.41"
    typed(browser, points=text, tested="77", wanted="")
    browser.find_element("css selector", "#forecast-panel [data-part=link]").click()
    address = wait_for(browser, "location.hash.length > 10 && location.href", 20)
    opened_page(browser, address)
    fields = js(browser, "['points', 'tested', 'wanted'].map((name) => "
                           "document.querySelector(`#forecast-panel [data-part=${name}]`).value)")
    assert fields == [text, "77", ""]
    assert js(browser, READY) == "forecast"


def test_what_the_page_loads_is_small():
    assert PATH.stat().st_size < 300_000
