"""The scripts in examples/: short, run as a user runs them, each shown in the gallery."""

import os
import re
import subprocess
import sys

import pytest

from collection.project.paths import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
GALLERY = (ROOT / "book" / "examples.md").read_text()


def test_eight_tasks_each_in_the_gallery():
    assert len(EXAMPLES) == 8
    assert set(re.findall(r'run_example\("(\w+)"\)', GALLERY)) == {p.stem for p in EXAMPLES}
    assert set(re.findall(r"\{literalinclude\} \.\./examples/(\w+)\.py", GALLERY)) == {
        p.stem for p in EXAMPLES}


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_a_script_is_short_and_leaves_an_answer_and_a_picture(script, tmp_path):
    assert len(script.read_text().splitlines()) <= 40
    env = os.environ | {"MPLBACKEND": "Agg", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, script], cwd=tmp_path, env=env, text=True,
                          capture_output=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert re.search(r"\d", done.stdout) and "Traceback" not in done.stderr
    assert (tmp_path / f"{script.stem}.png").stat().st_size > 5000
