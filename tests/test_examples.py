"""The scripts in examples/: short, each run by the gallery, which shows what it left."""

import os
import re
import subprocess
import sys

import pytest

from collection.project.paths import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
GALLERY = (ROOT / "book" / "examples.md").read_text()


def test_nine_tasks_each_in_the_gallery():
    assert len(EXAMPLES) == 9
    for pattern in (r"%load \.\./examples/(\w+)\.py", r'page\.figure\(figure, "(\w+)"\)'):
        assert set(re.findall(pattern, GALLERY)) == {p.stem for p in EXAMPLES}


def test_scripts_are_short():
    assert all(len(p.read_text().splitlines()) <= 40 for p in EXAMPLES)


@pytest.mark.book
def test_each_left_an_answer_and_a_picture_in_the_book():
    page = (ROOT / "_build" / "html" / "book" / "examples.html").read_text()
    shown = page.split("<section id=")[1:]
    assert len(shown) == 9
    for section in shown:
        printed = re.search(r'class="output[^>]*stream[^>]*>(.*?)</pre>', section, re.DOTALL)
        assert printed and re.search(r"\d", re.sub("<[^>]+>", "", printed[1])), section[:60]
        shows = re.search(r'<img [^>]*src="\.\./_images/[^"]+\.png"|<svg\b', section)
        assert shows, section[:60]


@pytest.mark.parametrize("name", ["compare_my_classifier", "how_much_more_data"])
def test_scripts_that_start_processes_run_as_a_user_runs_them(name, tmp_path):
    env = os.environ | {"MPLBACKEND": "Agg", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, ROOT / "examples" / f"{name}.py"], cwd=tmp_path, env=env,
                          text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert re.search(r"\d", done.stdout) and "Traceback" not in done.stderr
    assert (tmp_path / f"{name}.png").stat().st_size > 5000
