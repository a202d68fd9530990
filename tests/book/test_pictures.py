"""The README's pictures are what its commands leave today."""

import re
import shutil

import numpy as np
import pictures
import pytest
from PIL import Image

from collection.project.paths import ROOT

SEEN = 32  # of 255, from which a pixel differs
MOST = 0.03  # of the pixels; letters are set a little otherwise on another machine
README = (ROOT / "README.md").read_text()
pytestmark = pytest.mark.browser


def differing(one, other):
    """Return the share of pixels that differ, 1 where the sizes do."""
    a, b = (np.asarray(Image.open(file).convert("RGB"), int) for file in (one, other))
    return 1.0 if a.shape != b.shape else float((abs(a - b).max(axis=2) > SEEN).mean())


@pytest.mark.parametrize("name", [
    name if picture.command else pytest.param(name, marks=pytest.mark.book)
    for name, picture in pictures.PICTURES.items()])
def test_a_picture_shows_what_its_command_leaves(name, tmp_path):
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        pytest.skip("Debian's packages chromium and chromium-driver are not installed")
    pictures.make_picture(name, tmp_path / "now.png")
    share = differing(pictures.PLACE / f"{name}.png", tmp_path / "now.png")
    assert share <= MOST, f"{share:.1%} differ: python book/pictures.py makes it anew"


def test_the_readme_shows_them_and_runs_their_commands():
    assert set(re.findall(r"book/_static/(\w+)\.png", README)) == set(pictures.PICTURES)
    for picture in pictures.PICTURES.values():
        assert f"make {' '.join(picture.command) or 'book'}" in README


def test_other_pictures_differ(tmp_path):
    Image.new("RGB", (640, 780), "white").save(tmp_path / "blank.png")
    assert differing(pictures.PLACE / "report.png", tmp_path / "blank.png") > MOST
