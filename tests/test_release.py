"""What is released: one version everywhere, and a wheel that works in any folder."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

import nbformat
import pytest
import yaml

from collection import __version__
from collection.project.paths import ROOT

sys.path.append(str(ROOT / "book"))
from running import read_page
from staging import downloaded


def test_one_version():
    cited = re.search(r"^version: (\S+)", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)[1]
    changed = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
    assert cited == changed == __version__


def test_a_tag_a_commit_and_an_issue_have_their_forms():
    def read(path):
        return yaml.safe_load((ROOT / path).read_text())

    steps = read(".github/workflows/release.yml")["jobs"]["release"]["steps"]
    assert "make release" in [step.get("run") for step in steps]
    assert "release.sh" in (ROOT / "Makefile").read_text()
    (hook,) = read(".pre-commit-config.yaml")["repos"][0]["hooks"]
    assert hook["entry"] == "make lint"
    for name in ("wrong_number", "dataset", "bug"):
        form = read(f".github/ISSUE_TEMPLATE/{name}.yml")
        assert {"name", "description", "body"} <= set(form)
        assert all(part["type"] in ("input", "textarea") and part["attributes"]["label"]
                   for part in form["body"])


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The wheel's content in a folder, and an empty one to work in."""
    source, made, unpacked, empty = (tmp_path_factory.mktemp(n)
                                     for n in ("source", "made", "unpacked", "empty"))
    for folder in ("analysis", "collection", "commands", "data", "book/computed", "book/published"):
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
    assert wheel.stat().st_size < 45e6
    tops = {path.name for path in unpacked.iterdir() if not path.name.endswith(".dist-info")}
    assert tops == {"analysis", "collection", "commands", "learning_curves_data"}
    assert not (unpacked / "learning_curves_data" / "cache").exists()
    sampled = unpacked / "learning_curves_data" / "lcdb11-anew"
    assert (sampled / "vehicle.parquet").exists() and not (sampled / "magic.parquet").exists()
    assert (unpacked / "collection" / "collect.md").exists()
    assert all((unpacked / name).exists() for name in (
        "analysis/py.typed", "analysis/__init__.pyi", "collection/py.typed"))
    (metadata,) = unpacked.glob("*.dist-info/METADATA")
    assert "Project-URL" not in metadata.read_text()  # REPOSITORY_URL is not set


def test_the_shipped_data_open_from_any_folder(installed):
    """The one that is left out opens by its folder."""
    code = f"""
import json
import analysis, collection.project.paths as paths
assert not paths.IN_CHECKOUT
mini = analysis.load_curves("mini")
verdicts = analysis.detect_shapes(mini["error_rate"].sel(split="valid").isel(dataset=[0]))
anew = analysis.load_curves({str(ROOT / "data/lcdb11-anew")!r})
print(json.dumps([analysis.__file__, mini.sizes["dataset"], sorted(verdicts.data_vars),
                  anew.sizes["learner"]]))
analysis.load_curves("lcdb11-anew")
"""
    answer = run(installed, "-c", code)
    assert "folder data/lcdb11-anew has all and opens by its path" in answer.stderr.splitlines()[-1]
    place, n_datasets, variables, learners = json.loads(answer.stdout)
    assert str(installed[1]) in place and n_datasets > 10 and "ill_behaved" in variables
    assert learners == 34


@pytest.mark.parametrize(("page", "says"), [
    ("da2", "folder data/lcdb11-anew has all and opens by its path"), ("suites", "")])
def test_a_downloaded_notebook_runs_on_the_wheel_or_says_what_it_lacks(installed, page, says):
    empty = installed[2]
    nbformat.write(downloaded(read_page(ROOT / "book" / f"{page}.md"), page), empty / "in.ipynb")
    ran = run(installed, "-m", "papermill", "in.ipynb", "out.ipynb", "--kernel", "python3")
    assert ran.returncode == 0, ran.stderr
    assert says in (empty / "out.ipynb").read_text()
    assert (empty / "results" / page / "numbers.csv").is_file()


def test_a_cache_that_cannot_be_made_is_named(installed):
    answer = run(installed, "-c", "from collection.project.paths import cache_dir; cache_dir()",
                 LEARNING_CURVES_CACHE="/proc/no")
    assert "LEARNING_CURVES_CACHE" in answer.stderr.splitlines()[-1]
