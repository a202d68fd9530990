"""The README's commands, run as they stand there in a fresh clone."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import analysis
from collection.project.paths import DATA, ROOT

README = (ROOT / "README.md").read_text()
COMMANDS = [line.removeprefix("$ ").partition(" #")[0].strip()
            for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL)
            for line in block.splitlines() if line.startswith("$ ")]
BY_THE_GATE = ["make book"]  # which takes minutes, and which .ci/run runs in its clone
PYTHON = "".join(re.findall(r"```python\n(.*?)```", README, re.DOTALL))


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A clone of what is committed, and the folder that its package is installed into."""
    place = tmp_path_factory.mktemp("fresh")
    subprocess.run(["git", "clone", "--quiet", ROOT, place / "clone"], check=True)
    return place / "clone", place / "installed"


def run(clone, command):
    """Run a command; make takes this environment as it is, pip installs beside it."""
    folder, installed = clone
    words = shlex.split(command)
    if words[0] == "make":
        words += [f"VENV={sys.prefix}", f"--assume-old={sys.prefix}/.core"]
    if words[:2] == ["pip", "install"]:
        words = [sys.executable, "-m", *words, "--quiet", "--no-deps", "--no-build-isolation",
                 "--no-compile", "--target", str(installed)]
    if words[0] == "learning-curves":
        words[0] = str(installed / "bin" / words[0])
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(("MAKE", "PYTHONPATH"))}
    if not words[0].startswith(("make", sys.executable)):
        env["PYTHONPATH"] = str(installed)
    return subprocess.run(words, cwd=folder, env=env, text=True, capture_output=True, check=False)


def test_every_command_of_the_readme_runs_and_leaves_nothing_for_git(clone):
    assert len(COMMANDS) >= 5 and set(BY_THE_GATE) < set(COMMANDS)
    assert "make test" in (ROOT / ".ci" / "run").read_text()
    for command in COMMANDS:
        if command not in BY_THE_GATE:
            done = run(clone, command)
            assert done.returncode == 0, f"{command}:\n{done.stdout}\n{done.stderr}"
    for page in ("my_report/report.html", "my_order/order.html"):
        assert (clone[0] / page).stat().st_size > 10_000
    left = subprocess.run(["git", "status", "--porcelain"], cwd=clone[0], text=True,
                          capture_output=True, check=True).stdout
    assert not left


def test_the_lines_of_python_run():
    names = {}
    few = '(split="valid").isel(dataset=[0], learner=[0, 1])'
    exec(PYTHON.replace('(split="valid")', few), names)
    assert set(names["fits"]["model"].values) == {"POW4", "MMF4", "WBL4"}
    assert "ill_behaved" in names["shapes"] and len(names["table"])
    assert names["shapes"].sizes["learner"] == names["fits"].sizes["learner"] == 2


def test_the_sample_files_are_measurements_of_ours():
    curve = analysis.load_curves("mini")["error_rate"].sel(
        dataset="chess", learner="KNN", scaling="none", leakage="no",
        split="valid").isel(outer=0, inner=0)
    points = pd.read_csv(ROOT / "examples" / "points.csv")
    errors = curve.sel(anchor=points["size"].values).round(4)
    assert points["error"].tolist() == errors.values.tolist()
    assert (points["tested"] == int(curve["valid_size"])).all()
    runs = pd.read_csv(DATA / "small" / "baselines.csv").query("split == 'test'")
    results = pd.read_csv(ROOT / "examples" / "results.csv").set_index(["task", "method"])["auc"]
    means = runs.groupby(["dataset", "method"])["auc"].mean().round(4)
    assert results.tolist() == means.loc[results.index].tolist() and len(results) == 6 * 44


def test_every_file_that_the_readme_leads_to_is_there():
    places = re.findall(r"\]\(([^)#:]+)\)", README)
    assert len(places) > 10 and all((ROOT / Path(place)).exists() for place in places)


def test_its_numbers_are_the_book_s_and_the_paper_s():
    claims = pd.read_csv(ROOT / "book" / "claims.csv", dtype=str).set_index("key")["number"]
    table = pd.read_csv(ROOT / "book" / "published" / "table4.csv", dtype=str)
    printed = table[(table["database"] == "LCDB 1.1 FULL") & (table["scaling"] == "none")
                    & (table["property"] == "ill_behaved")]["value"].item()
    assert claims["ill_behaved"].partition(" [")[0] in README and f"{printed} %" in README
