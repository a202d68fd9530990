"""What the tests in a browser share."""

import json
import re
import shutil
from contextlib import contextmanager

from collection.project.paths import ROOT

HTML = ROOT / "_build" / "html"
CONTENTS = re.findall(r"book/([\w-]+)", (ROOT / "_toc.yml").read_text())  # its pages, in order


def opened_page(browser, address):
    """Load a page anew and return once its scripts have run.

    On a busy machine the driver comes back earlier; a click is then lost. Another address behind
    # alone would not load the page anew. There a load may hang, too, and is tried again.
    """
    from selenium.common.exceptions import TimeoutException

    for again in (True, True, False):
        try:
            browser.get("about:blank")
            browser.get(address)
            break
        except TimeoutException:
            if not again:
                raise
    wait_for(browser, "location.href !== 'about:blank' && document.readyState === 'complete'")


def wait_for(browser, script, seconds=180):
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, seconds).until(lambda b: b.execute_script(f"return {script}"))


def js(browser, expression, *values):
    """What an expression of JavaScript is; `values` are its ``arguments``."""
    return browser.execute_script(f"return {expression}", *values)


def requested(browser):
    """The addresses that the browser has asked for since this was looked at last."""
    messages = (json.loads(e["message"])["message"] for e in browser.get_log("performance"))
    return [m["params"]["request"]["url"] for m in messages
            if m["method"] == "Network.requestWillBeSent"]


@contextmanager
def screen_of(browser, width, height, scale=1):
    """Pages are as on a screen of this size while it lasts; a narrow one is a phone's."""
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 500})
    try:
        yield
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def lone_panel(folder, static):
    """A page with a panel alone, that a browser opens as a file; its address."""
    from forecast_panel import write_scripts

    for part in (static, static.with_name("reading")):
        shutil.copytree(part, folder / "_static" / part.name)
    write_scripts(folder)
    (folder / "book").mkdir()
    page = folder / "book" / "page.html"
    page.write_text(f"<!doctype html><meta charset='utf-8'>{(static / 'panel.html').read_text()}")
    return page.as_uri()
