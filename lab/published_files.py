"""Files that others published, in the folder that ``LEARNING_CURVES_PUBLISHED`` names."""

from pathlib import Path

from analysis.published.computed import NotAtHandError
from collection.project.paths import published_dir


def at_hand(*parts: str) -> Path:
    """Return a file of the published data.

    Raises
    ------
    NotAtHandError
        Where it is not there.
    """
    folder = published_dir()
    if folder is None or not folder.joinpath(*parts).exists():
        raise NotAtHandError(f"{'/'.join(parts)} is not at hand: LEARNING_CURVES_PUBLISHED names "
                             "the folder that has it.")
    return folder.joinpath(*parts)
