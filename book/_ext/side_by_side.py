"""Run the chapters that must run side by side, the longest first, before any page is read.

What ran goes to the book's execution cache, where its page finds it. A chapter that failed is not
kept: it runs once more, alone, when its page is read, and is told of as always.
"""

import json
import os
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import psutil
from chapter_dependencies import CITING
from forked import Nursery
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn, JupyterCacheAbstract
from myst_nb.core.read import create_nb_reader
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

#: Bytes of memory that a chapter may take.
MEMORY = 2e9
#: How many run at a time, where not as many as there are cores.
PROCESSES = "BOOK_PROCESSES"


def setup(app) -> dict:
    """Connect to Sphinx."""
    app.connect("env-before-read-docs", run_chapters)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


@dataclass
class Chapter:
    """A notebook that is to run, and the seconds that it took last time (0: not known)."""

    name: str
    path: Path
    notebook: NotebookNode
    expected: float
    client: NotebookClient | None = None

    def run(self, timeout: int, nursery: Nursery | None) -> float:
        """Execute the notebook in place, in the folder of its text; return the seconds it took."""
        began = time.perf_counter()
        manager = nursery and nursery.manager(self.notebook.metadata["kernelspec"]["name"])
        self.client = NotebookClient(  # times in the cells' metadata would hide it from its page
            self.notebook, manager, timeout=timeout, record_timing=False,
            # Where the machine is busy its output comes late: it is waited for, or it failed.
            iopub_timeout=timeout, raise_on_iopub_timeout=True,
            resources={"metadata": {"path": str(self.path.parent)}})
        self.client.execute(cleanup_kc=True)
        return time.perf_counter() - began

    def kill(self) -> None:
        """End its kernel, which has a session of its own and would outlive an interrupted build."""
        manager = self.client and self.client.km
        if manager and manager.has_kernel:
            manager.provisioner.process.kill()


def run_chapters(app, env, docnames: list[str]) -> None:
    """Run those of the pages to be read that the execution cache does not hold, and put them there.

    What each took is kept beside the pages, so that the longest comes first the next time.
    """
    cache = get_cache(app.config.nb_execution_cache_path)
    file = Path(app.outdir).parent / "chapter_seconds.json"
    took = json.loads(file.read_text()) if file.exists() else {}
    # One whose time is not known may be the longest: it is not left for the end.
    chapters = sorted((Chapter(name, Path(env.doc2path(name)), notebook, took.get(name, 0))
                       for name in docnames if (notebook := _to_run(env, name, cache))),
                      key=lambda chapter: (chapter.expected > 0, -chapter.expected))
    citing = [chapter for chapter in chapters if chapter.name in CITING]
    for some in ([chapter for chapter in chapters if chapter not in citing], citing):
        if some:
            _run(some, cache, took, file, app.config.nb_execution_timeout)


def _run(chapters: list[Chapter], cache: JupyterCacheAbstract, took: dict[str, float], file: Path,
         timeout: int) -> None:
    """Run chapters that do not need one another, telling how far they are."""
    workers = min(_processes(), len(chapters))
    left = sum(chapter.expected for chapter in chapters)
    forks = Nursery() if sys.platform == "linux" else nullcontext()
    with forks as nursery, ThreadPoolExecutor(workers) as pool:
        runs = {pool.submit(chapter.run, timeout, nursery): chapter
                for chapter in chapters}
        try:
            for done, run in enumerate(as_completed(runs), 1):
                chapter = runs[run]
                left -= chapter.expected
                soon = f", some {left / workers:.0f} s left" if left >= workers else ""
                if seconds := _seconds(run):
                    took[chapter.name] = seconds
                    cache.cache_notebook_bundle(
                        CacheBundleIn(chapter.notebook, str(chapter.path),
                                      data={"execution_seconds": seconds}),
                        check_validity=False, overwrite=True)
                    file.write_text(json.dumps(took, indent=1))
                    said = ""
                else:
                    said = " failed and will run once more, alone"
                print(f"{done} of {len(chapters)}, {chapter.path.stem}{said}{soon}", flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for chapter in chapters:
                chapter.kill()
            raise


def _to_run(env, name: str, cache: JupyterCacheAbstract) -> NotebookNode | None:
    """Return a page's notebook as its parser reads it; None where none is to run."""
    path = Path(env.doc2path(name))
    text = path.read_text()
    reader = create_nb_reader(str(path), env.myst_config, env.mystnb_config, text)
    if reader is None:
        return None
    notebook = reader.read(text)
    try:
        cache.match_cache_notebook(notebook)
    except KeyError:
        return notebook
    return None


def _seconds(run: Future) -> float | None:
    """Return what a chapter took, None where it failed."""
    try:
        return run.result()
    except (CellExecutionError, CellTimeoutError, DeadKernelError):
        return None


def _processes() -> int:
    """Return how many chapters run at a time: as many as cores, while memory lasts."""
    asked = int(os.environ.get(PROCESSES) or psutil.cpu_count())
    return min(asked, max(1, int(psutil.virtual_memory().available // MEMORY)))
