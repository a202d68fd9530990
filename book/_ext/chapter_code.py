"""From a page to what is behind it: a figure's cell and numbers, each chapter as a notebook.

Code is where the repository is published (``REPOSITORY_URL``); else the book has a copy of it.
"""

import html
import importlib
import inspect
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import nbformat
from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from sphinx.errors import ExtensionError
from staging import downloaded

from collection.project.paths import FIGURE_NUMBERS

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "book" / "figures"))
NOTEBOOKS, NUMBERS, COPIES = "notebooks", "figures", "code"
COPY = """<!doctype html>
<html lang="en" data-theme="light"><head><meta charset="utf-8"><title>{path}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="{up}_static/pygments.css"></head>
<body class="highlight"><main><h1>{path}</h1>
<p>As it was when the book was built; <a href="{up}index.html">back to the book</a>.</p>
{code}</main></body></html>
"""


def setup(app) -> dict:
    """Connect to Sphinx."""
    app.connect("doctree-resolved", link_figures)
    app.connect("html-page-context", offer_notebook)
    app.connect("build-finished", write_notebooks)
    app.connect("build-finished", copy_code)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def link_figures(app, doctree, docname: str) -> None:
    """Put behind each caption links to the figure's cell and its numbers."""
    chapter = Path(app.env.doc2path(docname))
    sources = {name: cell.source for cell in cells(chapter) if (name := _figure_name(cell))}
    for cell in _elements(doctree, "cell_code"):
        for figure in cell.findall(nodes.figure):
            name = next((name for name in figure["names"] if name in sources), None)
            shown = next(_elements(cell, "cell_code_source"), None)
            links = {"numbers": name and _copy_numbers(app, sources[name],
                                                       f"{chapter.stem}-{name}.csv")}
            if name and shown is not None:
                shown["ids"].append(f"code-{name}")
                links = {"code": f"#code-{name}"} | links
            for caption in figure.findall(nodes.caption):
                for text, link in links.items():
                    if link:
                        caption += [nodes.Text(" "), nodes.reference(
                            "", text, refuri=link, internal=False, classes=["figure-code"])]


def _elements(node: nodes.Node, kind: str) -> Iterator[nodes.container]:
    """Yield the parts of a notebook of a kind."""
    return (part for part in node.findall(nodes.container) if part.get("nb_element") == kind)


def _copy_numbers(app, source: str, name: str) -> str | None:
    """Copy a figure's numbers beside the pages; return the address, None where none were kept."""
    from figure_numbers import cell_key  # takes a second, for pages with figures only

    kept = Path(os.environ.get(FIGURE_NUMBERS, "")) / f"{cell_key(source)}.csv"
    if not kept.is_file():
        return None
    place = Path(app.outdir) / NUMBERS / name
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(kept, place)
    return f"../{NUMBERS}/{name}"


def _figure_name(cell) -> str | None:
    return cell.metadata.get("mystnb", {}).get("figure", {}).get("name")


def code_address(repository: str, domain: str, info: dict[str, str]) -> str | None:
    """Return the address of a function's code, as it was built; seen from a page of ``book/``.

    Parameters
    ----------
    repository : str
        Its address; empty: the copy that `copy_code` makes is meant.
    domain : str
        Of Sphinx; only Python's has code.
    info : dict
        ``module`` and ``fullname``, as autodoc names them.

    Raises
    ------
    ExtensionError
        For a name that is not there.
    """
    if domain != "py":
        return None
    package, _, function = ".".join(filter(None, info.values())).rpartition(".")
    try:
        thing = inspect.unwrap(getattr(importlib.import_module(package), function))
    except (ImportError, AttributeError) as error:
        raise ExtensionError(f"{package}.{function} is not there to be documented.") from error
    lines, first = inspect.getsourcelines(thing)
    decorators = next((k for k, line in enumerate(lines) if line.startswith(("def ", "class "))), 0)
    return _place(repository, Path(inspect.getsourcefile(thing)), first + decorators)


def _place(repository: str, file: Path, line: int) -> str:
    path = file.resolve().relative_to(ROOT)
    if not repository:
        return f"../{COPIES}/{path}.html#L-{line}"
    return f"{repository}/blob/{revision()}/{path}#L{line}"


def copy_code(app, exception: Exception | None) -> None:
    """Copy the files of code that pages link to, a page each with a place for every line."""
    if exception is not None:
        return
    out = Path(app.outdir)
    pages = [page.read_text() for page in (out / "book").glob("*.html")]
    link = re.compile(rf'href="\.\./{COPIES}/([^"#]+)\.html#')
    for path in sorted({path for page in pages for path in link.findall(page)}):
        copied = out / COPIES / f"{path}.html"
        if _is_of_now(copied, ROOT / path):
            continue
        code = highlight((ROOT / path).read_text(), PythonLexer(), HtmlFormatter(linespans="L"))
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_text(COPY.format(path=html.escape(path), code=code,
                                      up="../" * (path.count("/") + 1)))


def _is_of_now(made: Path, source: Path) -> bool:
    """Tell whether a file was made after its source, and this module, last changed."""
    changed = max(source.stat().st_mtime, Path(__file__).stat().st_mtime)
    return made.exists() and made.stat().st_mtime > changed


@cache
def revision() -> str:
    """Return the commit that is built; "main" where there is no git."""
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=Path(__file__).parent, text=True,
                          capture_output=True, check=False)
    return done.stdout.strip() or "main"


@cache
def cells(chapter: Path) -> list:
    """Return the code cells of an executed notebook; none of other pages."""
    if chapter.suffix != ".ipynb":
        return []
    return [cell for cell in nbformat.read(chapter, 4).cells if cell.cell_type == "code"]


def offer_notebook(app, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Link a chapter that has code to its notebook."""
    if doctree is not None and cells(Path(app.env.doc2path(pagename))):
        name = f"../{NOTEBOOKS}/{Path(pagename).name}.ipynb"
        context["body"] += (
            f'<p class="about-page"><a href="{name}" download>This chapter as a notebook</a>: it '
            "runs in any folder, once the package is installed; its first cell says how.</p>")


def write_notebooks(app, exception: Exception | None) -> None:
    """Write each chapter that has code as a notebook that runs in any folder."""
    if exception is not None:
        return
    folder = Path(app.outdir) / NOTEBOOKS
    folder.mkdir(exist_ok=True)
    for name in app.env.found_docs:
        page = Path(app.env.doc2path(name))
        if cells(page):
            title = app.env.titles[name].astext()
            notebook = downloaded(nbformat.read(page, 4), title)
            (folder / f"{page.stem}.ipynb").write_text(nbformat.writes(notebook))
