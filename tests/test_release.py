"""What is released: one version everywhere, and a wheel that works in any folder."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

from collection import __version__
from collection.paths import ROOT


def test_one_version():
    cited = re.search(r"^version: (\S+)", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)[1]
    changed = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
    assert cited == changed == __version__


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The wheel's content in a folder, and an empty one to work in."""
    source, made, unpacked, empty = (tmp_path_factory.mktemp(n)
                                     for n in ("source", "made", "unpacked", "empty"))
    for folder in ("analysis", "collection", "data", "book/published", "book/computed"):
        shutil.copytree(ROOT / folder, source / folder,
                        ignore=shutil.ignore_patterns("cache", "__pycache__"))
    for file in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, source)
    (source / "data" / "cache").mkdir()
    (source / "data" / "cache" / "downloaded").touch()
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--wheel-dir", made,
                    "--no-build-isolation", source], check=True, cwd=empty)
    (wheel,) = made.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
    return wheel, unpacked, empty


def run(installed, *arguments, **environment):
    _, unpacked, empty = installed
    env = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "LEARNING_CURVES"))}
    env |= {"PYTHONPATH": str(unpacked), "XDG_CACHE_HOME": str(empty / "cache")} | environment
    return subprocess.run([sys.executable, *arguments], cwd=empty, env=env, text=True,
                          capture_output=True, check=False)


def test_the_wheel_holds_code_and_data_and_no_cache(installed):
    wheel, unpacked, _ = installed
    assert wheel.stat().st_size < 60e6
    tops = {path.name for path in unpacked.iterdir() if not path.name.endswith(".dist-info")}
    assert tops == {"analysis", "collection", "learning_curves_data"}
    assert not (unpacked / "learning_curves_data" / "cache").exists()
    assert (unpacked / "collection" / "collect.md").exists()


def test_the_shipped_data_open_from_any_folder(installed):
    code = """
import json, sys
import analysis, collection.paths as paths
assert not paths.IN_CHECKOUT
mini = analysis.load_curves("mini")
verdicts = analysis.detect_shapes(mini["error_rate"].sel(split="valid").isel(dataset=[0]))
print(json.dumps([analysis.__file__, mini.sizes["dataset"], sorted(verdicts.data_vars)]))
"""
    answer = run(installed, "-c", code)
    assert answer.returncode == 0, answer.stderr
    place, n_datasets, variables = json.loads(answer.stdout)
    assert str(installed[1]) in place and n_datasets > 10 and "ill_behaved" in variables


def test_a_cache_that_cannot_be_made_is_named(installed):
    answer = run(installed, "-c", "from collection.paths import cache_dir; cache_dir()",
                 LEARNING_CURVES_CACHE="/proc/no")
    assert "LEARNING_CURVES_CACHE" in answer.stderr.splitlines()[-1]
