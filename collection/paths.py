"""Where things lie: the one module that knows the project's folders."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "data"
RESULTS = ROOT / "results"


def cache_dir() -> Path:
    """Return the folder for downloads and conversions, created if absent.

    ``data/cache`` in the checkout, unless the environment variable ``LEARNING_CURVES_CACHE``
    names another. Everything in it can be made again.
    """
    folder = Path(os.environ.get("LEARNING_CURVES_CACHE", DATA / "cache"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def published_dir() -> Path | None:
    """Return the folder with data that others published, outside the project; None without one.

    The environment variable ``LEARNING_CURVES_PUBLISHED`` names it, and nothing else does: no
    module looks elsewhere. ``lcdb11/`` in it has the means of LCDB 1.1 (``meta.json``, ``er/``).
    """
    named = os.environ.get("LEARNING_CURVES_PUBLISHED")
    return Path(named).absolute() if named else None
