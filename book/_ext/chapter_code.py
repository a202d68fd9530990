"""From a page to what is behind it: a figure's code and numbers, each chapter as a notebook.

Code is where the repository is published (``REPOSITORY_URL``); else the book has a copy of it.
"""

import ast
import html
import importlib
import inspect
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import jupytext
from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from sphinx.errors import ExtensionError

from collection.project.paths import FIGURE_NUMBERS

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS, NUMBERS, COPIES = "notebooks", "figures", "code"
PACKAGES = ("analysis", "chapters", "lab", "collection")
DRAWN = re.compile(r'\.draw\("(\w+)"\)')  # a chart of the page's chapter
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
    """Put behind each caption links to the figure's code, as it was built, and its numbers."""
    chapter = Path(app.env.doc2path(docname))
    cells = {name: cell for cell in _code_cells(chapter) if (name := _figure_name(cell))}
    addresses = figure_code(chapter, app.config.html_theme_options.get("repository_url", ""))
    for figure in doctree.findall(nodes.figure):
        name = next((name for name in figure["names"] if name in cells), None)
        links = {"code": addresses.get(name), "numbers": name and _copy_numbers(
            app, cells[name].source, f"{chapter.stem}-{name}.csv")}
        for caption in figure.findall(nodes.caption):
            for text, link in links.items():
                if link:
                    caption += [nodes.Text(" "), nodes.reference(
                        "", text, refuri=link, internal=False, classes=["figure-code"])]


def _copy_numbers(app, source: str, name: str) -> str | None:
    """Copy a figure's numbers beside the pages; return the address, None where none were kept."""
    from analysis.drawing.drawn import cell_key  # takes a second, for pages with figures only

    kept = Path(os.environ.get(FIGURE_NUMBERS, "")) / f"{cell_key(source)}.csv"
    if not kept.is_file():
        return None
    place = Path(app.outdir) / NUMBERS / name
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(kept, place)
    return f"../{NUMBERS}/{name}"


def figure_code(chapter: Path, repository: str) -> dict[str, str]:
    """Return the address of the function that draws each figure of a chapter, by its name.

    Parameters
    ----------
    chapter : Path
        A text notebook; others have no figures that are drawn.
    repository : str
        Its address.
    """
    cells = _code_cells(chapter)
    imported = {alias.asname or alias.name: f"{node.module}.{alias.name}"
                for cell in cells for node in ast.walk(ast.parse(cell.source))
                if isinstance(node, ast.ImportFrom) for alias in node.names}
    found = {}
    for cell in cells:
        if name := _figure_name(cell):
            places = (address(repository, imported[head] + rest)
                      for head, rest in _calls(cell.source) if head in imported)
            chart = DRAWN.search(cell.source)
            found[name] = (chart_address(repository, imported["chapter"], chart[1])
                           if chart and "chapter" in imported else next(filter(None, places), None))
    return {name: place for name, place in found.items() if place}


def chart_address(repository: str, chapter: str, chart: str) -> str:
    """Return where a chapter's chart is drawn: a function, or its place in the table of charts.

    Parameters
    ----------
    repository : str
        Its address, or empty.
    chapter : str
        Full name of the `chapters.chapter.Chapter`.
    chart : str
        Its name there.
    """
    module = importlib.import_module(chapter.rpartition(".")[0])
    drawn = module.chapter.charts.get(chart)
    if inspect.isfunction(drawn) and drawn.__name__ != "<lambda>":
        return code_address(repository, "py", {"module": drawn.__module__,
                                               "fullname": drawn.__qualname__})
    lines = Path(module.__file__).read_text().splitlines()
    line = next(n for mark in (f'"{chart}":', "charts=") for n, text in enumerate(lines, 1)
                if mark in text)
    return _place(repository, Path(module.__file__), line)


def _code_cells(chapter: Path) -> list:
    return [cell for cell in _cells(chapter) if cell.cell_type == "code"]


def _figure_name(cell) -> str | None:
    return cell.metadata.get("mystnb", {}).get("figure", {}).get("name")


def address(repository: str, full_name: str) -> str | None:
    """Return where a function's code is, None where it is no function of the project."""
    module, _, function = full_name.rpartition(".")
    if full_name.partition(".")[0] not in PACKAGES:
        return None
    try:
        return code_address(repository, "py", {"module": module, "fullname": function})
    except (ExtensionError, TypeError, ValueError):
        return None


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
    return _place(repository, Path(inspect.getsourcefile(thing)), inspect.getsourcelines(thing)[1])


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


def _calls(source: str) -> Iterator[tuple[str, str]]:
    """Yield what a cell's last expression calls, the outermost first: its first name, the rest."""
    body = ast.parse(source).body
    for node in ast.walk(body[-1]) if body and isinstance(body[-1], ast.Expr) else ():
        if isinstance(node, ast.Call):
            head, dot, rest = ast.unparse(node.func).partition(".")
            yield head, dot + rest


@cache
def _cells(chapter: Path) -> list:
    if chapter.suffix != ".md" or "{code-cell}" not in chapter.read_text():
        return []
    return jupytext.read(chapter).cells


def offer_notebook(app, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Link a chapter that has code to its notebook."""
    if doctree is not None and _cells(Path(app.env.doc2path(pagename))):
        name = f"../{NOTEBOOKS}/{Path(pagename).name}.ipynb"
        context["body"] += (
            f'<p class="about-page"><a href="{name}" download>This chapter as a notebook</a>: it '
            "runs in the folder <code>book/</code> of the repository, in its environment "
            "(<code>make env</code>).</p>")


def write_notebooks(app, exception: Exception | None) -> None:
    """Write each chapter that has code as a notebook without outputs."""
    if exception is not None:
        return
    folder = Path(app.outdir) / NOTEBOOKS
    folder.mkdir(exist_ok=True)
    for name in app.env.found_docs:
        chapter = Path(app.env.doc2path(name))
        notebook = folder / f"{chapter.stem}.ipynb"
        if not _is_of_now(notebook, chapter) and _cells(chapter):
            jupytext.write(jupytext.read(chapter), notebook)
