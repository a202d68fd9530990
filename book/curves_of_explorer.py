"""Write the explorer's files anew where code or data have changed, while notebooks run."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from chapter_dependencies import Project

#: Ends when its standard input does: with the build that began it, however that ends.
WRITE = """
import os, sys, threading
from pathlib import Path
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(1)), daemon=True).start()
sys.path.insert(0, sys.argv[2])
from explorer_files import export
export.export_databases(export.shown_databases(sys.argv[3]), Path(sys.argv[1]))
"""
CODE = Path(__file__).parent / "explorer_files"


class Writer:
    """A process that writes the explorer's curves; a context, at whose end it has ended.

    Parameters
    ----------
    project : Project
    build : Path
        Folder in which ``explorer_curves`` lies.
    database : str
        One more to show; empty: none.
    """

    def __init__(self, project: Project, build: Path, database: str) -> None:
        self._kept = build / "explorer_curves"
        self._part = self._kept.with_name(f"{self._kept.name}.{os.getpid()}")
        self._process = None
        files = sorted(CODE.glob("*.py"))
        self._stamp = project.hash_of([*project.reached_from(f.read_text() for f in files), *files],
                                      *project.outside, json.dumps(database))
        mark = self._kept / "stamp"
        if not mark.exists() or mark.read_text() != self._stamp:
            print("Writing the explorer's curves …", flush=True)
            for before in build.glob(f"{self._kept.name}*"):  # of a build that was stopped, too
                shutil.rmtree(before)
            self._process = subprocess.Popen(
                [sys.executable, "-c", WRITE, self._part, CODE.parent, database],
                stdin=subprocess.PIPE)

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, *_) -> None:
        if self._process and self._process.poll() is None:
            self._process.kill()

    def done(self) -> bool:
        """Wait until the files are whole; return whether they are."""
        if self._process is None:
            return True
        if self._process.wait():
            print("The explorer's curves were not written; see above.", file=sys.stderr)
            return False
        (self._part / "stamp").write_text(self._stamp)
        self._part.rename(self._kept)
        return True
