"""Run the pages' notebooks by papermill, side by side, the longest first; keep those that ran.

A page runs again where its code, what that imports, the data or its parameters have changed. What
ran lies in ``_build/notebooks/``, with the stamp and the seconds of each.
"""

import ast
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from pkgutil import resolve_name

import jupytext
import nbformat
import papermill
import psutil
from chapter_dependencies import CITING, LOADED, Project, code_cells
from forked import Manager, Nursery
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from papermill.exceptions import PapermillExecutionError

from collection.project.naming import UnknownNameError, check_known
from collection.project.parameters import items

#: Bytes of memory that a chapter may take.
MEMORY = 2e9
#: Seconds that a cell may take.
TIMEOUT = 1800
#: How many run at a time, where not as many as there are cores.
PROCESSES = "BOOK_PROCESSES"
TAG = "parameters"
#: Of which names a parameter's value has to be.
KNOWN = {"procedure": "analysis.shapes:PROCEDURES", "models": "analysis.fitting:MODELS",
         "scaling": "collection.containers.curves:SCALINGS"}


@dataclass
class Chapter:
    """A page with code.

    Attributes
    ----------
    name : str
        Of its file, without the ending.
    path : Path
    defaults : dict
        Its parameters, with their values.
    given : dict
        Those that are to be other ones.
    stamp : str
        Of what its results depend on.
    expected : float
        Seconds that it took last time; 0: not known.
    """

    name: str
    path: Path
    defaults: dict[str, object]
    given: dict[str, object] = field(default_factory=dict)
    stamp: str = ""
    expected: float = 0
    manager: Manager | None = None

    def run(self, folder: Path, root: Path, nursery: Nursery | None) -> float:
        """Execute the notebook at the project's root; return the seconds it took."""
        began = time.perf_counter()
        source, made = folder / f".{self.name}.source.ipynb", folder / f".{self.name}.part.ipynb"
        notebook = read_page(self.path)
        nbformat.write(notebook, source)
        name = notebook.metadata["kernelspec"]["name"]
        with_scripts = LOADED.search(self.path.read_text())  # which leave files where they run
        here = tempfile.TemporaryDirectory() if with_scripts else nullcontext(root)
        self.manager = nursery.manager(name) if nursery else Manager(kernel_name=name)
        try:
            with here as place:
                papermill.execute_notebook(
                    source, made, self.given, kernel_name=name, language="python",
                    progress_bar=False, km=self.manager,
                    # Not `cwd`, by which papermill moves the whole process, others' threads too.
                    resources={"metadata": {"path": str(place)}},
                    execution_timeout=TIMEOUT, iopub_timeout=TIMEOUT,
                    extra_arguments=["--log-level=ERROR"],  # it warns of TCP each time
                    request_save_on_cell_execute=False)
            made.replace(folder / f"{self.name}.ipynb")
        finally:
            self.manager.close()
            for part in (source, made):
                part.unlink(missing_ok=True)
        return time.perf_counter() - began

    def kill(self) -> None:
        """End its kernel, if it has one yet."""
        if self.manager:
            self.manager.kill()


def read_page(page: Path) -> NotebookNode:
    """Return a page as a notebook; a cell ``%load SCRIPT`` is that script."""
    notebook = jupytext.read(page)
    for cell in notebook.cells:
        if cell.cell_type == "code" and (found := LOADED.fullmatch(cell.source)):
            cell.source = (page.parent / found[1]).resolve().read_text().strip()
            cell.metadata["script"] = True
    return notebook


def chapters_of(pages: Iterable[Path]) -> list[Chapter]:
    """Return those of some pages that have code."""
    return [Chapter(page.stem, page, defaults_of(page)) for page in pages
            if page.suffix == ".md" and any(code_cells(page))]


def defaults_of(page: Path) -> dict[str, object]:
    """Return what the cell tagged ``parameters`` of a page assigns; nothing without one."""
    cells = [cell.source for cell in read_page(page).cells
             if TAG in cell.metadata.get("tags", ())]
    return {node.targets[0].id: ast.literal_eval(node.value) for source in cells
            for node in ast.parse(source).body if isinstance(node, ast.Assign)}


def give_parameters(chapters: Iterable[Chapter], values: Mapping[str, str]) -> None:
    """Give each chapter those of some parameters that it has.

    Parameters
    ----------
    chapters : iterable of Chapter
    values : mapping of str to str
        Names, in capitals or not, and values as text.

    Raises
    ------
    UnknownNameError
        For a name that no chapter has, and a procedure, scaling, formula or learner that is none.
    ValueError
        For a value that is not of the kind of the default, or of another range: 0 to 1 where that
        is between them, else from 1 on, or 0 where that is the default; the message names the
        parameter.
    """
    chapters, values = list(chapters), {name.lower(): text for name, text in values.items()}
    check_known("parameter", values, dict.fromkeys(n for one in chapters for n in one.defaults))
    for name, where in KNOWN.items():
        if values.get(name):
            names = items(values[name]) if name == "models" else [values[name]]
            check_known(name.removesuffix("s"), names, resolve_name(where))
    for chapter in chapters:
        chapter.given = {name: _as(name, chapter.defaults[name], text)
                         for name, text in values.items() if name in chapter.defaults}
        if chapter.given.get("learners"):
            from analysis.databases.load import find_learner, load_curves  # takes a second

            curves = load_curves((chapter.defaults | chapter.given)["database"])
            for learner in chapter.given["learners"]:
                find_learner(curves, learner)


def _as(name: str, default: object, text: str) -> object:
    """Return a text as a value of the kind of a default."""
    if isinstance(default, str):
        return text
    if isinstance(default, list | tuple):
        return [_as(name, default[0] if default else "", item) for item in items(text)]
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        value = None
    kind = int | float if isinstance(default, float) else type(default)
    if default is not None and (not isinstance(value, kind) or isinstance(value, bool)):
        raise ValueError(f"{name.upper()}: {text[:60]!r} is no {type(default).__name__}, as "
                         f"{default!r} is.")
    if default is None:
        return text if value is None else value
    share, least = isinstance(default, float) and default < 1, min(default, 1)
    if not ((default == 0 <= value or value > 0) and value < 1 if share else
            least <= value < float("inf")):
        raise ValueError(f"{name.upper()}: {text[:60]} is no number "
                         + ("between 0 and 1." if share else f"of {least} or more."))
    return value


def run_chapters(chapters: list[Chapter], project: Project, folder: Path) -> bool:
    """Run the chapters whose results depend on what has changed; return whether all are whole.

    Parameters
    ----------
    chapters : list of Chapter
    project : Project
        At whose root notebooks run and write ``results/``.
    folder : Path
        Where those that ran are kept.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kept = read_stamps(folder)
    whole = project.whole(chapter.path for chapter in chapters)
    for chapter in chapters:
        citing = whole if f"book/{chapter.name}" in CITING else ""
        chapter.stamp = project.hash_of([], project.stamp(chapter.path, chapter.given), citing)
        chapter.expected = kept.get(chapter.name, {}).get("seconds", 0)
    # One whose time is not known may be the longest: it is not left for the end.
    stale = sorted((c for c in chapters if not (folder / f"{c.name}.ipynb").exists()
                    or kept.get(c.name, {}).get("stamp") != c.stamp),
                   key=lambda chapter: (chapter.expected > 0, -chapter.expected))
    citing = [chapter for chapter in stale if f"book/{chapter.name}" in CITING]
    good = True
    for some in ([chapter for chapter in stale if chapter not in citing], citing):
        if some and good:
            good = _run(some, project.root, folder, kept)
    return good


def read_stamps(folder: Path) -> dict[str, dict]:
    """Return of each chapter that ran its ``stamp``, ``seconds``, ``built`` and parameters."""
    file = folder / "stamps.json"
    return json.loads(file.read_text()) if file.exists() else {}


def _run(chapters: list[Chapter], root: Path, folder: Path, kept: dict[str, dict]) -> bool:
    """Run chapters that do not need one another, telling how far they are."""
    workers, good = min(_processes(), len(chapters)), True
    left = sum(chapter.expected for chapter in chapters)
    several = sys.platform == "linux" and len(chapters) > 1
    forks = Nursery() if several else nullcontext()
    with forks as nursery, ThreadPoolExecutor(workers) as pool:
        runs = {pool.submit(chapter.run, folder, root, nursery): chapter for chapter in chapters}
        try:
            for done, run in enumerate(as_completed(runs), 1):
                chapter = runs[run]
                left -= chapter.expected
                soon = f", some {left / workers:.0f} s left" if left >= workers else ""
                failed = _why_it_failed(run)
                if not failed:
                    kept[chapter.name] = {
                        "stamp": chapter.stamp, "seconds": run.result(), "given": chapter.given,
                        "built": datetime.now().strftime("%Y-%m-%d %H:%M")}
                    (folder / "stamps.json").write_text(json.dumps(kept, indent=1))
                print(f"{done} of {len(chapters)}, {chapter.name}{failed}{soon}", flush=True)
                good = good and not failed
        finally:  # of a build that is stopped, no kernel stays
            pool.shutdown(wait=False, cancel_futures=True)
            for chapter in chapters:
                chapter.kill()
    return good


def _why_it_failed(run: Future) -> str:
    """Return what is said of a chapter that failed, nothing of one that is whole."""
    try:
        run.result()
    except (PapermillExecutionError, CellTimeoutError, DeadKernelError) as error:
        if getattr(error, "ename", "") == UnknownNameError.__name__:  # which says what is known
            return f" failed: {error.evalue}"
        return f" failed:\n{error}\n"
    return ""


def _processes() -> int:
    """Return how many chapters run at a time: as many as cores, while memory lasts."""
    asked = int(os.environ.get(PROCESSES) or psutil.cpu_count())
    return min(asked, max(1, int(psutil.virtual_memory().available // MEMORY)))
