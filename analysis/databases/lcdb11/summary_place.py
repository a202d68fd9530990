"""Where the means of LCDB 1.1 are; apart from how to get them, which needs a downloader."""

from pathlib import Path

from analysis.records.at_hand import NotAtHandError
from collection.paths import cache_dir, published_dir

META = "meta.json"


def summary_folder(folder: str | Path | None = None) -> Path:
    """Return the folder that has the summary.

    Parameters
    ----------
    folder : path, optional
        Where to look; by default where ``make lcdb11-summary`` puts it, then the folder
        ``lcdb11`` among the published data (`collection.paths.published_dir`).

    Raises
    ------
    NotAtHandError
        Where neither has ``meta.json``.
    FileNotFoundError
        Where `folder` was given and has none.
    """
    if folder is not None and not (Path(folder) / META).is_file():
        raise FileNotFoundError(f"{folder} has no {META}: it is no summary of LCDB 1.1.")
    places = ([Path(folder)] if folder is not None else
              [p for p in (cached_summary(), published_summary()) if p])
    for place in places:
        if (place / META).is_file():
            return place
    raise NotAtHandError(
        f"No {META} of the LCDB 1.1 summary in {' or '.join(map(str, places))}. Get it with "
        "`make lcdb11-summary SOURCE=<folder or web address>`.")


def cached_summary() -> Path:
    """Return the folder that ``make lcdb11-summary`` puts the files in."""
    return cache_dir() / "lcdb11-summary"


def published_summary() -> Path | None:
    """Return where the summary is among the published data, if there are any; it may be absent."""
    published = published_dir()
    return published / "lcdb11" if published else None
