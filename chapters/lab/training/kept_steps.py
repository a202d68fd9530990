"""Results of training steps, kept in the cache by the code and the data that they depend on.

A recipe that was stopped goes on, and a changed module repeats only the steps that use it.
"""

import ast
import hashlib
import logging
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from analysis.extrapolation.artefacts import arrays_of, write
from chapters.lab.training.examples import Source
from collection.project.paths import cache_dir

LOG = logging.getLogger(__name__)
#: Whose code results depend on.
PACKAGES = ("analysis.extrapolation", "analysis.fitting", "chapters.lab.training")


class KeptSteps:
    """Keeps the results of steps.

    Parameters
    ----------
    source : Source
        What is learnt from: other data, or other folds, are other steps.
    folder : Path, optional
        By default one in the cache.
    """

    def __init__(self, source: Source, folder: Path | None = None):
        self.folder = folder or cache_dir() / "extrapolators"
        self._source = _digest(source.errors.tobytes(), source.fold.tobytes(),
                               str(source.learners).encode())
        self._paths: dict[str, Path] = {}

    def step(self, name: str, compute: Callable[[], dict[str, np.ndarray]],
             *code: str) -> dict[str, np.ndarray]:
        """Return the arrays of a step, computed unless they are kept.

        Parameters
        ----------
        name : str
        compute : callable
            Without arguments.
        *code : str
            What the result depends on: modules, with all that they import of `PACKAGES`; other
            texts, such as settings, are taken as they are.
        """
        parts = [code_of(c) if c.startswith(PACKAGES) else c.encode() for c in code]
        path = self.folder / f"{name}-{_digest(self._source.encode(), *parts)}.npz"
        self._paths[name] = path
        if not path.exists():
            LOG.info("%s …", name)
            write(path, compute())
        return self.read(name)

    def read(self, name: str) -> dict[str, np.ndarray]:
        """Return the arrays of a step that has been done."""
        return arrays_of(self._paths[name])


@cache
def code_of(module: str) -> bytes:
    """Return the source of a module and of all that it imports of `PACKAGES`."""
    done: dict[str, bytes] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in done:
            continue
        done[name] = Path(find_spec(name).origin).read_bytes()
        waiting += [node.module for node in ast.walk(ast.parse(done[name]))
                    if isinstance(node, ast.ImportFrom)
                    and str(node.module).startswith(PACKAGES)]
    return b"".join(done[name] for name in sorted(done))


def _digest(*parts: bytes) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]
