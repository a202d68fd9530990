"""Keep pages light: what a page does not use is not loaded, what is far below only when it nears.

The theme brings icons twice, as 1.5 MB of script and as fonts of 2,000 signs, and the search's
index with every page; the builder brings MathJax to pages without a formula. And what is searched
for stays the same however often the book is built.
"""

import logging
import re
from functools import partial
from pathlib import Path

from fontTools import subset
from PIL import Image
from sphinx.util.index_entries import split_index_msg

#: Scripts of no use: icons are fonts, and only the page of the search searches.
UNUSED = re.compile(r'\s*<script[^>]*(?:scripts/fontawesome|searchtools|language_data|searchindex)'
                    r'\.js[^>]*></script>')
SEARCHES = {"search.html"}
FORMULA = re.compile(r"\\[(\[]|\\begin\{")
IMAGE = re.compile(r'<img (?![^>]*\bloading=)([^>]*?\bsrc="([^"]+)"[^>]*)>')
ICON = re.compile(r"\bfa-[a-z0-9-]+")
FONTS = Path("_static/vendor/fontawesome/webfonts")


def setup(app) -> dict:
    """Connect to Sphinx, after what writes pages and adds scripts."""
    logging.getLogger("fontTools").setLevel(logging.WARNING)  # else it tells of every table
    app.connect("env-updated", keep_entries)
    app.connect("html-page-context", drop_mathjax, priority=950)
    app.connect("build-finished", lighten, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def keep_entries(app, env) -> None:
    """Keep the search's index entries of pages that are not written anew: Sphinx forgets them."""
    for page, entries in env.domaindata["index"]["entries"].items():
        env._search_index_index_entries.setdefault(page, sorted(
            {(word, target or "", main) for kind, value, target, main, _ in entries
             for word in split_index_msg(kind, value)}, key=str))


def drop_mathjax(app, pagename, templatename, context, doctree) -> None:
    """Leave MathJax away where there is no formula."""
    if not FORMULA.search(context.get("body", "")):
        context["script_files"] = [script for script in context.get("script_files", [])
                                   if "mathjax" not in str(script).lower()]


def lighten(app, exception: Exception | None) -> None:
    """Go through the pages that were written."""
    if exception is None:
        html = Path(app.outdir)
        pages = {path: path.read_text() for folder in (html, html / "book")
                 for path in folder.glob("*.html")}
        for path, text in pages.items():
            light = IMAGE.sub(partial(_lazy, path), text)
            if path.name not in SEARCHES:
                light = UNUSED.sub("", light)
            if light != text:
                path.write_text(light)
        _shrink_fonts(html, {name for text in pages.values() for name in ICON.findall(text)})


def _lazy(page: Path, image: re.Match) -> str:
    """Return an image that keeps its place while it is not loaded."""
    file, given = page.parent / image[2], image[1]
    if file.suffix == ".png" and file.is_file() and "width=" not in given:
        with Image.open(file) as opened:
            given = f'width="{opened.width}" height="{opened.height}" {given}'
    return f'<img loading="lazy" {given}>'


def _shrink_fonts(html: Path, icons: set[str]) -> None:
    """Reduce the fonts of icons to the signs of `icons`, and those that the theme itself sets."""
    styles = html / "_static" / "styles" / "pydata-sphinx-theme.css"
    if not styles.exists():
        return
    text = styles.read_text()
    rules = re.findall(r'((?:\.fa-[a-z0-9-]+:before,?)+)\{content:"([^"]+)"', text)
    signs = {sign for names, sign in rules if icons & set(ICON.findall(names))} | set(
        re.findall(r'--pst-icon-[a-z-]+:"([^"]+)"', text))
    codes = sorted(int(sign[1:], 16) if sign[0] == "\\" else ord(sign) for sign in signs)
    for font in (html / FONTS).glob("*.ttf"):
        kept = font.with_suffix(".woff")
        options = subset.Options(flavor="woff", notdef_outline=True)
        with subset.load_font(font, options) as whole:
            subsetter = subset.Subsetter(options)
            subsetter.populate(unicodes=codes)
            subsetter.subset(whole)
            subset.save_font(whole, kept, options)
        text = text.replace(f'{font.stem}.woff2) format("woff2")', f'{kept.name}) format("woff")')
    styles.write_text(text)
