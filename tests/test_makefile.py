"""The Makefile as a newcomer meets it."""

import os
import re
import subprocess

from collection.paths import ROOT


def make(*arguments, **environment):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(["make", *arguments], cwd=ROOT, env=env | environment,
                          capture_output=True, text=True, check=False)


def test_help_explains_every_target():
    shown = make("help").stdout
    targets = re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"book", "test", "collect", "lint", "bench", "clean"} <= set(targets)
    for target in targets:
        assert re.search(rf"^  {target} +\w", shown, re.MULTILINE), f"help is silent on {target}"


def test_an_unsuitable_python_is_refused_with_the_way_out(tmp_path):
    for name in ("python3.11", "python3.12", "python3", "python"):
        fake = tmp_path / name
        fake.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.13.0" || exit 1\n')
        fake.chmod(0o755)
    answer = make("book", f"VENV={tmp_path / 'env'}", PATH=f"{tmp_path}:/usr/bin:/bin")
    if "Making the environment" in answer.stdout:
        raise AssertionError("another Python was found on the PATH")
    assert answer.returncode != 0
    assert "Python 3.11 or 3.12" in answer.stderr and "3.13.0" in answer.stderr
    assert "PYTHON=" in answer.stderr and "environment.yml" in answer.stderr
    assert not (tmp_path / "env").exists()
