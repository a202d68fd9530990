"""From a page to what is behind it: a figure's code and numbers, each chapter as a notebook."""

import ast
import os
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import jupytext
from docutils import nodes
from reference import code_address
from sphinx.errors import ExtensionError

from collection.paths import FIGURE_NUMBERS

NOTEBOOKS, NUMBERS = "notebooks", "figures"
PACKAGES = ("analysis", "chapters", "collection")


def setup(app) -> dict:
    """Connect to Sphinx."""
    app.connect("doctree-resolved", link_figures)
    app.connect("html-page-context", offer_notebook)
    app.connect("build-finished", write_notebooks)
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
            found[name] = next(filter(None, places), None)
    return {name: place for name, place in found.items() if place}


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
        place = code_address(repository, "py", {"module": module, "fullname": function})
    except (ExtensionError, TypeError, ValueError):
        return None
    return place.replace("/blob/main/", f"/blob/{revision()}/")


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
        if _cells(chapter):
            jupytext.write(jupytext.read(chapter), folder / f"{chapter.stem}.ipynb")
