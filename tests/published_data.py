"""Data that others published: a folder beside the checkout, unless the environment names another.

What needs them is skipped where they are not there.
"""

import os
from pathlib import Path

from collection.project.paths import ROOT

VARIABLE = "LEARNING_CURVES_PUBLISHED"
PUBLISHED = Path(os.environ.get(VARIABLE) or ROOT.parent / "shared" / "published").absolute()
LCDB11 = PUBLISHED / "lcdb11"
