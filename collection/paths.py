"""Where things lie: the one module that knows the project's folders, and its address.

In a checkout, data and the papers' tables lie in it, and results are written to it. Installed
from a wheel, they lie in the package ``learning_curves_data`` beside this one, nothing is written
there, and results go to the folder that the command is called in.
"""

import os
from pathlib import Path

CODE = Path(__file__).resolve().parent
IN_CHECKOUT = (CODE.parent / "data" / "lcdb10_files.csv").exists()
ROOT = CODE.parent if IN_CHECKOUT else Path.cwd()
_INSTALLED = CODE.parent / "learning_curves_data"
DATA = ROOT / "data" if IN_CHECKOUT else _INSTALLED
#: The papers' own tables, and results of ours that are kept.
PRINTED = ROOT / "book" / "published" if IN_CHECKOUT else _INSTALLED / "published"
COMPUTED = ROOT / "book" / "computed" if IN_CHECKOUT else _INSTALLED / "computed"
RESULTS = ROOT / "results"


def cache_dir() -> Path:
    """Return the folder for downloads and conversions, created if absent.

    The environment variable ``LEARNING_CURVES_CACHE`` names it; otherwise it is ``data/cache`` in
    a checkout, and the user's cache folder where the package is installed. Everything in it can
    be made again.

    Raises
    ------
    OSError
        Where it cannot be created; the message names it and the variable.
    """
    named = os.environ.get("LEARNING_CURVES_CACHE")
    folder = Path(named) if named else _own_cache()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OSError(f"The cache folder {folder} cannot be created ({error.strerror}): name "
                      "another with the environment variable LEARNING_CURVES_CACHE.") from error
    return folder


def _own_cache() -> Path:
    if IN_CHECKOUT:
        return DATA / "cache"
    import pooch

    return Path(pooch.os_cache("learning-curves"))


def published_dir() -> Path | None:
    """Return the folder with data that others published, outside the project; None without one.

    The environment variable ``LEARNING_CURVES_PUBLISHED`` names it, and nothing else does: no
    module looks elsewhere. ``lcdb11/`` in it has the means of LCDB 1.1 (``meta.json``, ``er/``).
    """
    named = os.environ.get("LEARNING_CURVES_PUBLISHED")
    return Path(named).absolute() if named else None


def repository_url() -> str:
    """Return the address that the code is published at, from ``REPOSITORY_URL``; else empty."""
    return os.environ.get("REPOSITORY_URL", "").strip().rstrip("/")
