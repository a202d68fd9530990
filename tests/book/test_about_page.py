"""What a page says of itself to others, with and without the book's address on the web."""

import json
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import about_page
import pytest
from docutils import nodes

from collection.project.paths import ROOT

PAGES = ("book/intro", "book/da1", "book/database")


@pytest.fixture
def app(tmp_path):
    """A build of three pages, of which one has a figure."""
    config = SimpleNamespace(html_baseurl="", html_title="The book", master_doc="book/intro",
                             html_theme_options={"repository_url": "https://code.example/book"})
    builder = SimpleNamespace(get_target_uri=lambda name: f"{name}.html")
    return SimpleNamespace(config=config, builder=builder, srcdir=ROOT, outdir=tmp_path,
                           env=SimpleNamespace(found_docs=set(PAGES)))


def page_with(figure: bool) -> nodes.document:
    doctree = nodes.document(None, None)
    doctree += nodes.paragraph("", "What this page is about, in some words.")
    if figure:
        doctree += nodes.figure("", nodes.image(uri="../_images/a.png"))
    return doctree


def tags(app, name, figure=True):
    text = about_page._metatags(app, name, "A title", page_with(figure))
    return dict(re.findall(r'<meta property="([^"]+)" content="([^"]*)">', text))


def test_without_an_address_pictures_are_beside_the_page(app, monkeypatch):
    monkeypatch.delenv("BOOK_URL", raising=False)
    about_page.set_address(app, app.config)
    assert tags(app, "book/da1")["og:image"] == "../_images/a.png"
    assert tags(app, "book/da1", figure=False)["og:image"] == "../_static/book.png"
    assert "og:url" not in tags(app, "book/da1")
    about_page.write_site_map(app, None)
    assert not list(app.outdir.iterdir())


@pytest.mark.parametrize("given", ["https://there.example/book", "https://there.example/book/ "])
def test_one_address_makes_everything_absolute(app, given, monkeypatch):
    monkeypatch.setenv("BOOK_URL", given)
    about_page.set_address(app, app.config)
    told = tags(app, "book/da1")
    assert told["og:image"] == "https://there.example/book/_images/a.png"
    assert told["og:url"] == "https://there.example/book/book/da1.html"
    about_page.write_site_map(app, None)
    places = ElementTree.parse(app.outdir / "sitemap.xml").iter()
    urls = [node.text for node in places if node.tag.endswith("loc")]
    assert urls == sorted(f"https://there.example/book/{name}.html" for name in PAGES)
    assert "https://there.example/book/sitemap.xml" in (app.outdir / "robots.txt").read_text()


def test_machines_are_told_the_book_a_chapter_and_a_database(app):
    def graph(name):
        text = about_page._for_machines(app, name, "</script> of a title")
        assert text.count("</script>") == 1
        return json.loads(re.search(r">(.*)</script>", text)[1])["@graph"]

    assert graph("book/intro")[0]["@type"] == "Book"
    (chapter,) = graph("book/da1")
    assert chapter["isPartOf"]["@type"] == "Book" and chapter["name"].startswith("</script>")
    _, database = graph("book/database")
    place = database["distribution"]["contentUrl"].removeprefix("https://code.example/book/blob/main/")
    assert (ROOT / place).is_file()


def test_without_a_repository_none_is_named(app, monkeypatch):
    monkeypatch.delenv("REPOSITORY_URL", raising=False)
    app.config.html_theme_options.clear()
    about_page.set_address(app, app.config)
    assert app.config.html_theme_options == {}
    assert "contentUrl" not in about_page._for_machines(app, "book/database", "A title")
    monkeypatch.setenv("REPOSITORY_URL", "https://there.example/code/")
    about_page.set_address(app, app.config)
    assert "https://there.example/code/blob/" in about_page._for_machines(
        app, "book/database", "A title")


def test_the_workflow_that_publishes_says_the_addresses():
    workflow = (ROOT / ".github" / "workflows" / "publish.yml").read_text()
    assert "BOOK_URL: ${{ steps.pages.outputs.base_url }}" in workflow
    assert "REPOSITORY_URL: ${{ github.server_url }}/${{ github.repository }}" in workflow


def test_no_file_names_a_repository_that_nobody_made():
    """The paper's own, and the tables that say what is theirs, may be named."""
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, text=True, capture_output=True,
                           check=True).stdout.split("\n")
    ours = re.compile(r"github\.com/[\w-]+/learning-curves-reexamined")
    texts = {name: (ROOT / name).read_bytes().decode(errors="ignore")
             for name in filter(None, files) if Path(name).suffix in
             {".py", ".md", ".toml", ".yml", ".cff", ".json", ".txt", ".csv"}}
    assert not [name for name, text in texts.items() if ours.search(text)]
