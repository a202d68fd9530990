"""The pictures of the README, made by the commands that stand there: ``python book/pictures.py``.

A test makes them anew and compares.
"""

import functools
import http.server
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from commands import main as run

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / "book" / "_static"
FLAGS = ("headless=new", "no-sandbox", "disable-gpu", "hide-scrollbars", "no-first-run",
         "disable-sync", "disable-background-networking", "disable-component-update")


@dataclass(frozen=True)
class Picture:
    """A page, what makes it, and the size of the window that shows it.

    Attributes
    ----------
    page : str
        Within what the command leaves, or within the built book.
    command : tuple of str
        For ``python -m commands``; empty for the built book.
    width, height : int
        In pixels.
    """

    page: str
    command: tuple[str, ...]
    width: int
    height: int


PICTURES = {
    "report": Picture("report.html", ("report", "POINTS=examples/points.csv"), 640, 780),
    "order": Picture("order.html", ("order", "CSV=examples/results.csv"), 640, 780),
    "book": Picture("book/intro.html", (), 1200, 780),
}


def main() -> int:
    """Make all pictures anew; return the exit status."""
    for name in PICTURES:
        make_picture(name, PLACE / f"{name}.png")
    return 0


def make_picture(name: str, file: Path) -> None:
    """Run the command of a picture in a folder of its own, and write what its page looks like."""
    picture = PICTURES[name]
    with tempfile.TemporaryDirectory() as place:
        folder = ROOT / "_build" / "html"
        if picture.command:
            folder = Path(place)
            if run([*picture.command, f"OUT={folder}"]):
                raise RuntimeError(f"{' '.join(picture.command)} failed; what was wrong is above.")
        with served(folder) as site, browser(picture) as shown:
            shown.get(f"{site}/{picture.page}")
            wait_until_drawn(shown)
            shown.save_screenshot(str(file))


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine while it lasts; give the address."""
    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


@contextmanager
def browser(picture: Picture) -> Iterator:
    """Give a browser whose window has the picture's size."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in FLAGS:
        options.add_argument(f"--{flag}")
    with webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver"))) as shown:
        shown.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": picture.width, "height": picture.height, "deviceScaleFactor": 1,
            "mobile": False})
        shown.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-reduced-motion", "value": "reduce"},
            {"name": "prefers-color-scheme", "value": "light"}]})
        yield shown


def wait_until_drawn(shown) -> None:
    """Wait until a page is whole, and its curve is drawn where it has one."""
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(shown, 60).until(lambda b: b.execute_script(
        "const curve = document.querySelector('#first-curve');"
        "return document.readyState === 'complete'"
        " && (!curve || curve.querySelector('path.mean') !== null)"))


if __name__ == "__main__":
    sys.exit(main())
