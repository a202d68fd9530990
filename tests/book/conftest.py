"""The built book behind a local server, and a browser to read it with."""

import functools
import http.server
import shutil
import sys
import threading

import pytest
from browsing import HTML, lone_panel

from collection.project.paths import ROOT

sys.path[:0] = [str(ROOT / "book" / "_ext"), str(ROOT / "book")]  # what Sphinx finds there


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
def page(tmp_path_factory, request):
    """Return the address of a page with a module's panel alone, opened as a file."""
    return lone_panel(tmp_path_factory.mktemp("panel"), request.module.STATIC)


@pytest.fixture(scope="module")
def browser(tmp_path_factory, request):
    """A browser; it notes its requests only for modules that ask for them, since that is slow."""
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        pytest.skip("Debian's packages chromium and chromium-driver are not installed")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    profile = tmp_path_factory.mktemp("profile")
    # Pages are all of one place: a process for each, and one in reserve, would only take time.
    for flag in ("headless=new", "no-sandbox", "disable-gpu", "no-first-run", "disable-sync",
                 "disable-background-networking", "disable-component-update", "disable-extensions",
                 "renderer-process-limit=1", "disable-features=IsolateOrigins,site-per-process,"
                 "SpareRendererForSitePerProcess,BackForwardCache,Translate,MediaRouter,"
                 "OptimizationHints", "window-size=1400,1000", f"user-data-dir={profile}"):
        options.add_argument(f"--{flag}")
    logs = {"performance": "ALL"} if hasattr(request.module, "requested") else {}
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", **logs})
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    # As a window that is looked at: whether another has the focus depends on the machine.
    driver.execute_cdp_cmd("Emulation.setFocusEmulationEnabled", {"enabled": True})
    driver.set_page_load_timeout(60)
    yield driver
    driver.quit()
