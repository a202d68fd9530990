"""Pages as those see them who use a keyboard, a screen reader or strong contrast: axe-core's rules.

Light on a desk and dark on a phone; what axe calls serious or critical is refused.
"""

from importlib.util import find_spec
from pathlib import Path

import pytest
from browsing import HTML, wait_for

PAGES = ("intro", "explorer", "how_much_more", "order", "da1", "use_report", "bibliography",
         "status")
RUN = """
const done = arguments[arguments.length - 1];
axe.run({resultTypes: ["violations"]}).then(found => done(found.violations
  .filter(rule => ["serious", "critical"].includes(rule.impact))
  .map(rule => [rule.id, rule.nodes.map(node => node.html)])));
"""


@pytest.fixture(scope="module")
def axe():
    """The rules' own script."""
    found = find_spec("axe_selenium_python")
    if found is None:
        pytest.skip("axe-selenium-python is not installed")
    (script,) = Path(found.origin).parent.rglob("axe.min.js")
    return script.read_text()


@pytest.fixture(params=[("light", 1280), ("dark", 390)], ids=["light", "dark phone"])
def screen(browser, request):
    theme, width = request.param
    for command, value in (
            ("setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]}),
            ("setDeviceMetricsOverride", {"width": width, "height": 844, "deviceScaleFactor": 1,
                                          "mobile": False})):
        browser.execute_cdp_cmd(f"Emulation.{command}", value)
    yield browser
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.book
@pytest.mark.parametrize("page", PAGES)
def test_nothing_serious_stands_in_anybodys_way(screen, axe, page):
    screen.get((HTML / "book" / f"{page}.html").as_uri())
    wait_for(screen, 'document.readyState === "complete"')
    screen.execute_script(axe)
    screen.set_script_timeout(60)
    assert screen.execute_async_script(RUN) == []
