"""The book in a real browser: search answers, mathematics is set, tables sort, no outside call."""

import functools
import http.server
import shutil
import threading

import pytest

from collection.paths import ROOT

HTML = ROOT / "_build" / "html"
pytestmark = [pytest.mark.book, pytest.mark.browser]


@pytest.fixture(scope="module")
def site():
    assert HTML.exists(), "there is no built book: run `make book` first"
    handler = functools.partial(QuietHandler, directory=HTML)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        pytest.skip("Debian's packages chromium and chromium-driver are not installed")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    profile = tmp_path_factory.mktemp("profile")
    for flag in ("headless=new", "no-sandbox", "disable-gpu", "no-first-run", "disable-sync",
                 "disable-background-networking", "disable-component-update",
                 "window-size=1400,1000", f"user-data-dir={profile}"):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    yield driver
    driver.quit()


def wait_for(browser, script, seconds=20):
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, seconds).until(lambda b: b.execute_script(f"return {script}"))


def requested_hosts(browser):
    import json

    messages = (json.loads(e["message"])["message"] for e in browser.get_log("performance"))
    return {m["params"]["request"]["url"].split("/")[2] for m in messages
            if m["method"] == "Network.requestWillBeSent"
            and m["params"]["request"]["url"].startswith("http")}


@pytest.mark.parametrize("page", sorted(
    p.relative_to(HTML).as_posix() for p in HTML.glob("book/*.html")) if HTML.exists() else [])
def test_page_asks_no_other_host_and_logs_no_error(browser, site, page):
    browser.get_log("performance"), browser.get_log("browser")
    browser.get(f"{site}/{page}")
    wait_for(browser, "document.readyState === 'complete'")
    assert requested_hosts(browser) <= {site.removeprefix("http://")}
    errors = [e for e in browser.get_log("browser") if e["level"] == "SEVERE"]
    assert not errors


def test_search_finds_a_chapter(browser, site):
    browser.get(f"{site}/search.html?q=dipping")
    found = wait_for(browser, "Array.from(document.querySelectorAll('#search-results li a'))"
                              ".map(a => a.getAttribute('href'))")
    assert any("shapes" in link for link in found)


def test_mathematics_is_set(browser, site):
    browser.get(f"{site}/book/shapes.html")
    assert wait_for(browser, "document.querySelectorAll('mjx-container').length") > 0


def test_long_table_sorts_by_a_click_and_back(browser, site):
    browser.get(f"{site}/book/da1.html")
    wait_for(browser, "document.querySelector('table.sortable') !== null")
    column = "Array.from(document.querySelectorAll('table.sortable')[0].tBodies[0].rows)" \
             ".map(r => r.cells[r.cells.length - 1].textContent)"
    head = "document.querySelectorAll('table.sortable')[0].tHead.rows[0].lastElementChild"
    values = [float(v.replace(",", "")) for v in browser.execute_script(f"return {column}")]
    browser.execute_script(f"{head}.click()")
    up = [float(v.replace(",", "")) for v in browser.execute_script(f"return {column}")]
    assert up == sorted(values)
    browser.execute_script(f"{head}.click()")
    down = [float(v.replace(",", "")) for v in browser.execute_script(f"return {column}")]
    assert down == sorted(values, reverse=True)
