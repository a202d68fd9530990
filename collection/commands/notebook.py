"""Run a parameterised notebook that is kept as text: MyST Markdown in, executed notebook out."""

import socket
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import jupytext
import nbformat
import papermill
from papermill.exceptions import PapermillExecutionError

from collection.project.paths import CODE
from collection.project.results_folder import written_as_own

KERNEL = "python3"


class NotebookError(RuntimeError):
    """A notebook that stopped; the message says where and why."""


def run_notebook(source: Path, target: Path, parameters: Mapping[str, object]) -> None:
    """Execute a text notebook with parameters; what its cells print is shown as they run.

    Parameters
    ----------
    source : Path
        MyST Markdown, with a cell tagged ``parameters`` that gives each its default.
    target : Path
        Where the executed notebook goes, also when a cell fails.
    parameters : mapping of str to object
        In place of the defaults: those that the commands know are those of the notebooks.

    Raises
    ------
    NotebookError
        Where a cell failed.
    OSError
        Where the executed notebook cannot be written, with its path.
    """
    with tempfile.TemporaryDirectory() as folder:
        untouched, made = Path(folder) / f"{source.stem}.ipynb", Path(folder) / "made.ipynb"
        nbformat.write(jupytext.read(source), untouched)
        try:
            papermill.execute_notebook(
                untouched, made, dict(parameters), kernel_name=KERNEL, progress_bar=False,
                stdout_file=sys.stdout, stderr_file=sys.stderr, coalesce_streams=True,
                extra_arguments=["--log-level=CRITICAL"])  # it complains of being ended
        except OSError as error:
            raise OSError(error.errno, error.strerror, error.filename or str(target)) from error
        except PapermillExecutionError as error:
            raise NotebookError(f"{error.evalue} (cell {error.cell_index} of {target}, "
                                f"{error.ename})") from error
        finally:
            _without_paths(made, target)


def _without_paths(made: Path, target: Path) -> None:
    """Take out of an executed notebook what tells of the machine: its folders, its name."""
    try:
        notebook = nbformat.read(made, nbformat.NO_CONVERT)
    except (OSError, ValueError):  # it was never begun, or stopped while it was written
        return
    for name in ("input_path", "output_path", "environment_variables"):
        notebook.metadata.get("papermill", {}).pop(name, None)
    text = nbformat.writes(notebook)
    folders = {Path.cwd(): ".", target.parent.absolute(): ".", CODE.parent: ".",
               Path(sys.prefix): "python", Path(tempfile.gettempdir()): "tmp",
               Path("~").expanduser(): "~"}
    for folder in sorted(folders, key=lambda folder: -len(str(folder))):
        if len(folder.parts) > 1:
            text = text.replace(str(folder), folders[folder])
    with written_as_own(target) as part:
        part.write_text(text.replace(socket.gethostname(), "this machine"), encoding="utf-8")
