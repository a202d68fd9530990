"""What every page says of itself: how to cite it, rebuild it, preview it, find it.

Where the book and its code are published is said once each, in the environment variables
``BOOK_URL`` and ``REPOSITORY_URL``: the workflow that publishes sets them. Without them addresses
are relative, there is no site map, and no page names a repository.
"""

import html
import json
import os
import re
from pathlib import Path

from docutils import nodes

from collection.project.paths import repository_url

#: Chapters that can be rebuilt on a reader's own curves, and what these need.
ON_YOUR_CURVES = {
    "book/shapes": "curves of any kind",
    "book/da1": "curves without scaling, with repeats",
    "book/da2": "curves under two scalings or more",
    "book/leakage": "curves with and without leakage: make collect … LEAKAGE=\"no yes\"",
    "book/performance": "curves of several learners on at least five datasets",
    "book/da3": "at least ten ill-behaved and ten well-behaved curves",
    "book/da4": "six learners or more on at least five datasets",
    "book/explorer": "curves of any kind",
}
ROOT = Path(__file__).resolve().parents[2]
PICTURE = "_static/book.png"
#: Databases that ship, by the chapter that describes them: name, and its description for machines.
DATASETS = {"book/database": ("lcdb11-anew: learning curves by the protocol of LCDB 1.1",
                              "data/lcdb11-anew")}
LONGEST = 200  # characters of a description


def setup(app) -> dict:
    """Connect to Sphinx."""
    app.connect("config-inited", set_address)
    app.connect("html-page-context", tell)
    app.connect("build-finished", write_site_map)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def set_address(app, config) -> None:
    """Take both addresses; Sphinx names each page by the book's as well."""
    if url := repository_url():
        config.html_theme_options |= {"repository_url": url, "use_repository_button": True}
    if address := os.environ.get("BOOK_URL", "").strip():
        config.html_baseurl = address.rstrip("/") + "/"


def write_site_map(app, exception: Exception | None) -> None:
    """List the pages in ``sitemap.xml``, where the book has an address."""
    base = app.config.html_baseurl
    if exception is None and base:
        pages = "".join(f"<url><loc>{base}{app.builder.get_target_uri(name)}</loc></url>\n"
                        for name in sorted(app.env.found_docs))
        Path(app.outdir, "sitemap.xml").write_text(
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{pages}</urlset>\n')
        Path(app.outdir, "robots.txt").write_text(f"User-agent: *\nSitemap: {base}sitemap.xml\n")


def tell(app, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Add descriptions to the head of a chapter, and what concerns the reader to its end."""
    if doctree is None or not pagename.startswith("book/"):
        return
    title = app.env.titles[pagename].astext()
    context["metatags"] = (context.get("metatags", "") + _metatags(app, pagename, title, doctree)
                           + _for_machines(app, pagename, title))
    context["body"] = context["body"] + _own_curves(pagename) + _citation(app, pagename, title)


def description(doctree) -> str:
    """Return the takeaway of a chapter, else its first paragraph, cut at a word."""
    boxes = [a for a in doctree.findall(nodes.admonition) if "Takeaway" in a.astext()[:20]]
    source = (boxes or [doctree])[0]
    paragraphs = [p.astext() for p in source.findall(nodes.paragraph)]
    text = " ".join((paragraphs or [""])[0].split())
    if len(text) <= LONGEST:
        return text
    return text[:LONGEST].rsplit(" ", 1)[0] + " …"


def picture(doctree) -> str:
    """Return where a chapter's first figure lies in the built book; the book's own for others."""
    for figure in doctree.findall(nodes.figure):
        if "picture" in figure:
            return figure["picture"]
        for image in figure.findall(nodes.image):
            _, there, name = image["uri"].rpartition("_images/")  # as the writer has left it
            if there:
                return there + name
    return PICTURE


def _metatags(app, pagename: str, title: str, doctree) -> str:
    base = app.config.html_baseurl
    told = {"og:title": title, "og:type": "article", "og:site_name": app.config.html_title,
            "og:description": description(doctree),
            "og:image": (base or "../") + picture(doctree)}
    if base:
        told["og:url"] = base + app.builder.get_target_uri(pagename)
    tags = "".join(f'<meta property="{name}" content="{html.escape(str(text))}">\n'
                   for name, text in told.items())
    if not any(node["name"] == "description" for node in doctree.findall(nodes.meta)):
        tags += f'<meta name="description" content="{html.escape(told["og:description"])}">\n'
    return tags


def _for_machines(app, pagename: str, title: str) -> str:
    """Return what search engines read: the book or a chapter of it, and a database that ships."""
    base, reference = app.config.html_baseurl, _reference(ROOT)
    book = {"@type": "Book", "name": reference["title"], "inLanguage": "en",
            "author": {"@type": "Organization", "name": reference["author"]},
            "datePublished": reference["released"], "version": reference["version"],
            "license": "https://opensource.org/license/mit"}
    if base:
        book["url"] = base
    told = [book if pagename == app.config.master_doc else
            {"@type": "Chapter", "name": title, "isPartOf": book}]
    if pagename in DATASETS:
        name, folder = DATASETS[pagename]
        told.append({"@type": "Dataset", "name": name, "description": f"{title}. {name}.",
                     "license": "https://opensource.org/license/mit", "isPartOf": book})
        if repository := app.config.html_theme_options.get("repository_url"):
            told[-1]["distribution"] = {
                "@type": "DataDownload", "encodingFormat": "text/csv",
                "contentUrl": f"{repository}/blob/main/{folder}/datasets.csv"}
    text = json.dumps({"@context": "https://schema.org", "@graph": told}).replace("<", "\\u003c")
    return f'<script type="application/ld+json">{text}</script>\n'


def _own_curves(pagename: str) -> str:
    if pagename not in ON_YOUR_CURVES:
        return ""
    return (
        '<section class="about-page" id="on-your-curves"><h2>On your curves</h2><p>Gather them '
        'with <code>make collect DATASETS="csv:mine.csv?target=class" OUT=my_curves</code> and '
        "build this chapter on them with <code>make book DATABASE=my_curves</code>. It needs "
        f"{html.escape(ON_YOUR_CURVES[pagename])}.</p></section>")


def _citation(app, pagename: str, title: str) -> str:
    """Return how to cite the page; its figures are cited by their number on it."""
    reference, base = _reference(ROOT), app.config.html_baseurl
    key = pagename.rsplit("/", 1)[1]
    bibtex = (f"@misc{{reexamined-{key},\n  title = {{{title}}},\n"
              f"  howpublished = {{Chapter of {reference['title']}}},\n"
              # Braces within: one author, whose name has a comma.
              f"  author = {{{{{reference['author']}}}}},\n  year = {{{reference['year']}}},\n"
              + (f"  url = {{{base}{pagename}.html}},\n" if base else "")
              + f"  version = {{{reference['version']}}},\n  note = {{{key}.html}}\n}}")
    return ('<details class="about-page cite" id="cite-this-page"><summary>Cite this page</summary>'
            "<p>A figure is cited by its number on the page; the sign behind its caption is a link "
            f"to it.</p><pre>{html.escape(bibtex)}</pre></details>")


def _reference(root: Path) -> dict[str, str]:
    text = (root / "CITATION.cff").read_text()

    def field(name: str) -> str:
        return re.search(rf'^\s*-?\s*{name}: "?([^"\n]+)"?$', text, re.MULTILINE)[1]

    return {"title": field("title"), "author": field("name"), "version": field("version"),
            "released": field("date-released"), "year": field("date-released")[:4]}
