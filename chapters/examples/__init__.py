"""Run a script of ``examples/`` as a user does, in a folder of its own; show its picture."""

import io
import os
import runpy
import tempfile
from contextlib import chdir, redirect_stderr
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from analysis.drawing.drawn import keep_drawn
from analysis.drawing.style import use_style
from collection.project.paths import ROOT

EXAMPLES = ROOT / "examples"


def run_example(name: str) -> Figure:
    """Run a script; return the figure that it leaves. What it prints is printed.

    Parameters
    ----------
    name : str
        Of a script in ``examples/``, without ``.py``.

    Raises
    ------
    ValueError
        Where it has saved no picture of its name.
    """
    os.environ.setdefault("MPLBACKEND", "Agg")
    use_style()
    with (tempfile.TemporaryDirectory() as folder, chdir(folder),
          redirect_stderr(io.StringIO())):  # progress
        left = runpy.run_path(str(EXAMPLES / f"{name}.py"))
        if not Path(f"{name}.png").is_file():
            raise ValueError(f"examples/{name}.py saved no picture {name}.png.")
    keep_drawn(left["figure"])
    plt.close(left["figure"])
    return left["figure"]
