"""Where the means of LCDB 1.1 are; apart from how to get them, which needs a downloader."""

import os
from pathlib import Path

from collection.paths import ROOT, cache_dir

SOURCE_VARIABLE = "LCDB11_SUMMARY"
BESIDE = ROOT.parent / "shared" / "published" / "lcdb11"  # a copy beside the checkout
META = "meta.json"


def summary_folder(folder: str | Path | None = None) -> Path:
    """Return the folder that has the summary.

    Parameters
    ----------
    folder : path, optional
        Where to look; by default where ``make lcdb11-summary`` puts it, then the folder that
        the environment variable ``LCDB11_SUMMARY`` names, then ``shared/published/lcdb11``
        beside the checkout.

    Raises
    ------
    FileNotFoundError
        Where none of them has ``meta.json``.
    """
    named = os.environ.get(SOURCE_VARIABLE)
    places = ([Path(folder)] if folder is not None else
              [cached_summary(), *([Path(named)] if named else []), BESIDE])
    for place in places:
        if (place / META).is_file():
            return place
    raise FileNotFoundError(
        f"No {META} of the LCDB 1.1 summary in {' or '.join(map(str, places))}. Get it with "
        f"`make lcdb11-summary SOURCE=<folder or web address>`, or set {SOURCE_VARIABLE} to the "
        "folder that has it.")


def cached_summary() -> Path:
    """Return the folder that ``make lcdb11-summary`` puts the files in."""
    return cache_dir() / "lcdb11-summary"
