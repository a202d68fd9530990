"""Data that others published: a folder beside the checkout, unless the environment names another.

What needs them is skipped where they are not there.
"""

import os
from pathlib import Path

import pytest

from collection.project.paths import ROOT

VARIABLE = "LEARNING_CURVES_PUBLISHED"
PUBLISHED = Path(os.environ.get(VARIABLE) or ROOT.parent / "shared" / "published").absolute()
LCDB11 = PUBLISHED / "lcdb11"


def at_hand(*parts: str) -> Path:
    """Return where a file or folder of it lies; a test is skipped without."""
    if not (path := PUBLISHED.joinpath(*parts)).exists():
        pytest.skip(f"needs the published data in {path}")
    return path
