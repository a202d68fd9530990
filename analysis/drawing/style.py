"""One look for every figure: colour-blind safe, on an opaque ground."""

import sys
from zlib import crc32

import matplotlib as mpl

from collection.containers.learner_names import LEARNERS

#: The axis of rows, on every figure.
SIZE = "training-set size [rows]"
#: Okabe and Ito's colours, distinct to every reader.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
#: Learners of the paper by their titles, which tables of a page show.
TITLES = {learner.title: name for name, learner in LEARNERS.items()}
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


def learner_style(name: str) -> tuple[str, str]:
    """Return the colour and the marker that a learner or method has in every figure.

    Learners of the paper differ from each other; another name has a place of its own by its
    letters, which it may share with one of them.
    """
    known = list(LEARNERS)
    name = name if name in known else TITLES.get(name, name)
    place = known.index(name) if name in known else crc32(name.encode()) % 64
    return PALETTE[place % len(PALETTE)], MARKERS[(place + place // len(PALETTE)) % len(MARKERS)]


def use_style() -> None:
    """Set seaborn's and matplotlib's defaults for the book; call it once in a chapter.

    In a notebook, figures are drawn as SVG with letters that are text, and as PNG with twice the
    pixels.
    """
    in_notebook = sys.modules.get("IPython")
    if in_notebook and (shell := in_notebook.get_ipython()) is not None:
        from matplotlib_inline.config import InlineBackend

        InlineBackend.instance(parent=shell).figure_formats = {"svg", "retina"}
    import seaborn as sns  # which takes a while to load

    sns.set_theme(context="notebook", style="ticks", palette=PALETTE)
    mpl.rcParams.update({
        "figure.figsize": (7, 3.6),
        "figure.dpi": 110,
        "figure.constrained_layout.use": True,
        "figure.facecolor": "white",
        "axes.facecolor": "white",
        "savefig.facecolor": "white",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlesize": "medium",
        "legend.frameon": False,
        "image.cmap": "viridis",
        "svg.fonttype": "none",
        "svg.hashsalt": "figure",  # the same names of parts in every build
    })
