"""From a page to its code: each figure to the function that drew it, each chapter as a notebook."""

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import jupytext
from docutils import nodes
from reference import code_address
from sphinx.errors import ExtensionError

NOTEBOOKS = "notebooks"
PACKAGES = ("analysis", "chapters", "collection")


def setup(app) -> dict:
    """Connect to Sphinx."""
    app.connect("doctree-resolved", link_figures)
    app.connect("html-page-context", offer_notebook)
    app.connect("build-finished", write_notebooks)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def link_figures(app, doctree, docname: str) -> None:
    """Put behind each caption a link to the code of the figure, at the revision that was built."""
    addresses = figure_code(Path(app.env.doc2path(docname)),
                            app.config.html_theme_options.get("repository_url", ""))
    for figure in doctree.findall(nodes.figure):
        address = next((addresses[name] for name in figure["names"] if name in addresses), None)
        for caption in figure.findall(nodes.caption) if address else ():
            caption += [nodes.Text(" "), nodes.reference(
                "", "code", refuri=address, internal=False, classes=["figure-code"])]


def figure_code(chapter: Path, repository: str) -> dict[str, str]:
    """Return the address of the function that draws each figure of a chapter, by its name.

    Parameters
    ----------
    chapter : Path
        A text notebook; others have no figures that are drawn.
    repository : str
        Its address.
    """
    cells = [cell for cell in _cells(chapter) if cell.cell_type == "code"]
    imported = {alias.asname or alias.name: f"{node.module}.{alias.name}"
                for cell in cells for node in ast.walk(ast.parse(cell.source))
                if isinstance(node, ast.ImportFrom) for alias in node.names}
    found = {}
    for cell in cells:
        if name := cell.metadata.get("mystnb", {}).get("figure", {}).get("name"):
            places = (address(repository, imported[head] + rest)
                      for head, rest in _calls(cell.source) if head in imported)
            found[name] = next(filter(None, places), None)
    return {name: place for name, place in found.items() if place}


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
