"""The built book as a reader's browser gets it: links, hosts, weight, errors, search."""

import re
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest
from browsing import CONTENTS, HTML

from collection.project.paths import ROOT

PAGES = sorted(p for p in HTML.rglob("*.html") if "_static" not in p.parts) if HTML.exists() else []
LIMIT = 3_000_000
LOADING = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src",
           "video": "src", "audio": "src", "object": "data", "embed": "src"}
HINTS = {"canonical", "alternate", "license"}

pytestmark = pytest.mark.book


class Page(HTMLParser):
    """Collect a page's ids, links, what it loads, and its text."""

    def __init__(self, path):
        super().__init__()
        self.path, self.ids, self.links, self.loads, self.text = path, set(), [], [], []
        self.stderr = 0
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids |= {attrs[k] for k in ("id", "name") if attrs.get(k)}
        self.stderr += "stderr" in (attrs.get("class") or "").split()
        if tag == "a" and attrs.get("href"):
            self.links.append(attrs["href"])
        if tag in LOADING and attrs.get(LOADING[tag]) and attrs.get("rel") not in HINTS:
            self.loads.append(attrs[LOADING[tag]])

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def pages():
    assert PAGES, "there is no built book: run `make book` first"
    return {path.resolve(): Page(path) for path in PAGES}


def test_internal_links_lead_somewhere(pages):
    broken = []
    for path, page in pages.items():
        for link in page.links + page.loads:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
            if not target.exists() or (parts.fragment and target in pages and (
                unquote(parts.fragment) not in pages[target].ids
            )):
                broken.append((path.name, link))
    assert not broken


def test_pages_load_nothing_from_other_hosts(pages):
    outside = [(path.name, load) for path, page in pages.items() for load in page.loads
               if urlsplit(load).netloc]
    assert not outside


def test_styles_and_our_scripts_name_no_other_host():
    outside = []
    for style in HTML.rglob("*.css"):
        found = re.findall(r"(?:url\(|@import)\s*['\"]?\s*((?:https?:)?//[^'\")]+)",
                           style.read_text(encoding="utf-8", errors="replace"))
        outside += [(style.name, address) for address in found]
    assert not outside


def test_pages_weigh_little(pages):
    heavy = {p.name: p.stat().st_size for p in pages if p.stat().st_size > LIMIT}
    assert not heavy


def test_no_page_shows_an_error_or_stderr(pages):
    bad = []
    for path, page in pages.items():
        text = "".join(page.text)
        if page.stderr or "Traceback (most recent call last)" in text:
            bad.append(path.name)
        if "<Figure size" in text or "<Axes:" in text:
            bad.append(f"{path.name}: a figure shown as text")
        if "PosixPath(" in text:
            bad.append(f"{path.name}: a path of the machine that built it")
    assert not bad


def test_chapters_are_there_and_have_run():
    for chapter in CONTENTS:
        page = (HTML / "book" / f"{chapter}.html").read_text()
        if "{code-cell}" in (ROOT / "book" / f"{chapter}.md").read_text():
            assert "cell_output" in page, f"{chapter} has cells but shows no output"


def test_no_line_ends_between_a_number_and_its_percent_sign():
    pages = (HTML / "book" / f"{n}.html" for n in ("da1", "extrapolation", "findings"))
    found = [text for page in pages
             for text in re.findall("<p>(.*?)</p>", page.read_text(encoding="utf-8"), re.DOTALL)]
    assert sum("\N{NO-BREAK SPACE}%" in text for text in found) > 20
    assert not [text for text in found if re.search(r"\d %", text)]
