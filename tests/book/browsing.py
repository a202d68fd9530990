"""What the tests in a browser share."""

from collection.paths import ROOT

HTML = ROOT / "_build" / "html"


def wait_for(browser, script, seconds=180):
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, seconds).until(lambda b: b.execute_script(f"return {script}"))
