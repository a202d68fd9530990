"""What is shipped is what it was when it was shipped, or said not to be."""

import shutil
from subprocess import run

import numpy as np
import pytest

from analysis.databases.shipped import open_shipped
from collection.project import paths


def test_every_shipped_file_is_stated_and_is_what_is_stated():
    listed = run(["git", "ls-files", "data"], cwd=paths.ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("no checkout of git")
    stated = dict(reversed(line.split("  ")) for line in paths.CHECKSUMS.read_text().splitlines())
    files = {name.removeprefix("data/") for name in listed.stdout.split()}
    assert set(stated) == files - {paths.CHECKSUMS.name}
    assert {name: paths.sha256_of(paths.DATA / name) for name in stated} == stated


def test_a_flipped_bit_is_told_before_anything_is_read(tmp_path, monkeypatch):
    folder = shutil.copytree(paths.DATA / "large_classes", tmp_path / "large_classes")
    monkeypatch.setattr(paths, "DATA", tmp_path)
    content = (folder / "fits.parquet").read_bytes()
    assert open_shipped(folder, "large_classes").sizes["dataset"]
    rng = np.random.default_rng(0)
    for bit in rng.integers(8 * len(content), size=5):
        flipped = bytearray(content)
        flipped[bit // 8] ^= 1 << bit % 8
        (folder / "fits.parquet").write_bytes(flipped)
        with pytest.raises(paths.DamagedFileError, match=r"large_classes/fits\.parquet is damaged"):
            open_shipped(folder, "large_classes")
    (folder / "fits.parquet").write_bytes(content)
    assert open_shipped(folder, "large_classes").sizes["dataset"]
