"""Lay out what Sphinx reads: pages as they stand, notebooks as papermill executed them."""

import ast
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import nbformat
from claims import chapter_of, read_claims, with_links
from nbformat import NotebookNode
from running import Chapter, read_page, read_stamps

from analysis.notebook import LAST, plain

#: What pages name that lies elsewhere in the project, as it is.
LINKED = ("book/_static", "book/references.bib", "book/published", "book/_ext")
SHOWN = re.compile(r'<data value="(\w+)">(.*?)</data>')
GLUED = re.compile(r"\{glue:text\}`(\w+)((?:\.\w+)?)`")
#: How papermill tags the cell of values that it was given.
GIVEN = "injected-parameters"
PAGE = re.compile(r"\]\((\w+)\.md(?=[)#])")
LINK = re.compile(r'<a class="claim"[^>]*>(.*?)</a>')
GLUE = "application/papermill.record/text/plain"
#: Kinds of output that a downloaded notebook is without.
HEAVY = {"image/svg+xml", GLUE}
#: What a downloaded notebook says first.
NEEDS = """*{title}* is a chapter of *Learning Curves, Re-examined*. To run it anew, in any folder:

```console
$ pip install "PATH[data]" jupyter papermill   # PATH: a copy of the book's repository, or its wheel
$ papermill THIS.ipynb out.ipynb -p NAME VALUE  # or open it in Jupyter
```

The cell below gives the parameters. Tables and numbers are written to `results/`.{more}"""
ANEW = """ It reads `lcdb11-anew`, which is too large for the wheel and lies in the repository, in \
`data/lcdb11-anew`: call it in a copy of the repository, or after `pip install --editable PATH`."""


def stage(pages: Iterable[Path], chapters: Iterable[Chapter], made: Path, source: Path) -> None:
    """Lay out the pages of a book in a folder; what has not changed is left as it is.

    Parameters
    ----------
    pages : iterable of Path
        In the project's folder ``book/``.
    chapters : iterable of Chapter
        Those with code, which have run.
    made : Path
        Where those that ran lie.
    source : Path
        The folder that Sphinx reads.
    """
    root, executed = Path(__file__).parent.parent, {chapter.name: chapter for chapter in chapters}
    (source / "book").mkdir(parents=True, exist_ok=True)
    for name in LINKED:
        if not (source / name).is_symlink() and (root / name).exists():
            (source / name).symlink_to(root / name)
    claims = read_claims()
    of = claims["file"].map(chapter_of)
    laid = set()
    for page in pages:
        keys = list(claims.loc[of == page.stem, "key"])
        if page.stem in executed:
            notebook = shown(page, nbformat.read(made / f"{page.stem}.ipynb", 4))
            for cell in notebook.cells:
                if cell.cell_type == "markdown":
                    cell.source = _to_notebooks(cell.source, executed)
                elif "parameters" in cell.metadata.get("tags", ()):
                    _fold_settings(cell)
                for output in cell.get("outputs", ()):
                    if text := output.get("data", {}).get("text/markdown"):
                        output["data"]["text/markdown"] = _to_notebooks(text, executed)
            text = nbformat.writes(link_claims(notebook, keys))
            name = f"{page.stem}.ipynb"
        else:
            text, name = _to_notebooks(page.read_text(), executed), page.name
        laid.add(name)
        _write(source / "book" / name, text)
    for left in (source / "book").glob("*.[im][pd]*"):
        if left.name not in laid:
            left.unlink()
    _write(source / "stamps.json", json.dumps(read_stamps(made)))  # none has run: no stamp


def _to_notebooks(text: str, executed: Iterable[str]) -> str:
    """Let links to pages that were executed lead to their notebooks."""
    return PAGE.sub(lambda at: f"]({at[1]}.{'ipynb' if at[1] in executed else 'md'}", text)


def _fold_settings(cell: NotebookNode) -> None:
    """Let a cell of parameters be a line that names them, and opens: the answer comes first."""
    names = ", ".join(target.id for statement in ast.parse(cell.source).body
                      for target in statement.targets)
    cell.metadata["tags"] = [*cell.metadata["tags"], "settings", "hide-input"]
    cell.metadata["mystnb"] = {"code_prompt_show": f"Settings: {names}",
                               "code_prompt_hide": "Settings"}


def _write(file: Path, text: str) -> None:
    if not file.exists() or file.read_text() != text:
        file.write_text(text)


def shown(page: Path, made: NotebookNode) -> NotebookNode:
    """Return a page's notebook with the outputs of its cells, up to where it ended itself.

    The text is that of the page as it stands: where words alone changed, nothing ran again.
    """
    notebook = read_page(page)
    ran = [cell for cell in made.cells if cell.cell_type == "code"]
    cells = []
    for cell in notebook.cells:
        cells.append(cell)
        if cell.cell_type != "code":
            continue
        done = ran.pop(0)
        cell.outputs, cell.execution_count = done.outputs, done.execution_count
        if cell.metadata.pop("script", False):  # what it writes to stderr is its progress
            cell.outputs = [one for one in done.outputs if one.get("name") != "stderr"]
        if ran and GIVEN in ran[0].metadata.get("tags", ()):
            cells.append(ran.pop(0))
        if any(LAST in output.get("metadata", {}) for output in cell.outputs):
            break
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
        cell.metadata.pop("papermill", None)
    notebook.cells = cells
    notebook.metadata["language_info"] = made.metadata["language_info"]
    return notebook


def link_claims(notebook: NotebookNode, keys: Iterable[str]) -> NotebookNode:
    """Make of the first place where a page says the number of each claim a link to itself."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            linked = with_links(cell.source, keys)
            keys = [key for key in keys if f'id="claim-{key}"' not in linked]
            cell.source = linked
        for output in cell.get("outputs", ()):
            if text := output.get("data", {}).get("text/markdown"):
                output["data"]["text/markdown"] = _shown_numbers(text, keys)
                keys = [key for key in keys if f'<data value="{key}"' not in text]
    return notebook


def _shown_numbers(text: str, keys: Iterable[str]) -> str:
    left = set(keys)

    def number(found: re.Match) -> str:
        if found[1] not in left:
            return found[2]
        left.remove(found[1])
        return f'<a class="claim" id="claim-{found[1]}" href="#claim-{found[1]}">{found[2]}</a>'

    return SHOWN.sub(number, text)


def downloaded(notebook: NotebookNode, title: str) -> NotebookNode:
    """Return a page's notebook as a reader takes it away: it runs in any folder, and says so first.

    Text that has numbers in it becomes a cell that says them, so that they are those of the run;
    what only the book's builder knows is written plainly.
    """
    glued = {output["metadata"]["scrapbook"]["name"]: output["data"][GLUE].strip("'\"")
             for cell in notebook.cells for output in cell.get("outputs", ())
             if GLUE in output.get("data", {})}
    cells = [nbformat.v4.new_markdown_cell(NEEDS.format(
        title=title, more=ANEW if any("lcdb11-anew" in cell.source for cell in notebook.cells
                                      if cell.cell_type == "code") else ""))]
    kept, waiting = set(), []  # an answer may stand above the cells that keep its numbers
    for cell in notebook.cells:
        if cell.cell_type == "code":
            kept |= {output["metadata"]["scrapbook"]["name"] for output in cell.outputs
                     if GLUE in output.get("data", {})}
            cell.outputs = [light for output in cell.outputs if (light := _lighter(output))]
            cells.append(cell)
        elif GLUED.search(cell.source):
            waiting.append(cell.source)
        else:
            cell.source = plain(cell.source)
            cells.append(cell)
        said = [text for text in waiting if {at[0] + at[1] for at in GLUED.findall(text)} <= kept]
        cells += [_saying(text, glued) for text in said]
        waiting = [text for text in waiting if text not in said]
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    return nbformat.v4.new_notebook(metadata=notebook.metadata, cells=cells)


def _saying(text: str, glued: Mapping[str, str]) -> NotebookNode:
    """Return a cell that says a text with the numbers of its run, and said it with these."""
    said = plain(GLUED.sub(lambda at: glued[at[1] + at[2]], text))
    source = 'page.say(r"""' + plain(GLUED.sub(r"{\1\2}", text)) + '""")'
    return nbformat.v4.new_code_cell(source, outputs=[nbformat.v4.new_output(
        "display_data", {"text/markdown": said})], metadata={
            "jupyter": {"source_hidden": True}, "tags": ["hide-input"]})


def _lighter(output: NotebookNode) -> NotebookNode | None:
    """Return an output without what only the book's builder reads; None where nothing is left."""
    data = {kind: value for kind, value in output.get("data", {}).items() if kind not in HEAVY}
    if "data" in output and not data:
        return None
    if "text/markdown" in data:
        data["text/markdown"] = plain(LINK.sub(r"\1", data["text/markdown"]))
    if "text/html" in data:
        data["text/html"] = data["text/html"].replace("../results/", "results/")
    return NotebookNode(output | {"data": data}) if "data" in output else output
