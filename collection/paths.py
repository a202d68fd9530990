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
