"""The Makefile as a newcomer meets it."""

import os
import re
import shutil
import subprocess
import sys

import pandas as pd
import pytest

from benchmarks.__main__ import keep
from collection.project.paths import ROOT


def make(*arguments, **environment):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(["make", "UV=", *arguments], cwd=ROOT, env=env | environment,
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


@pytest.fixture
def environment(tmp_path):
    """Return a folder that looks like an environment, whose Python tells what it is asked to do.

    It fails where it is asked to run something that FAILS names.
    """
    python = tmp_path / "env" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'''#!/bin/sh
        case "$*" in *"sys.version_info"*) exec {sys.executable} "$@";; esac
        echo "python $*"
        case "$*" in *"$FAILS"*) exit 3;; esac
    ''')
    python.chmod(0o755)
    return tmp_path / "env"


# As GNU make 3.81, which macOS has, runs a recipe: without the Makefile's own shell flags.
OLD_MAKE = ".SHELLFLAGS=-c"


def test_an_environment_that_is_there_is_used_and_not_made_anew(environment):
    said = make("book", f"VENV={environment}", OLD_MAKE, FAILS="nothing")
    assert said.returncode == 0, said.stderr
    assert re.fullmatch(r"python -m pip install .*--constraint requirements\.lock "
                        r"--editable \.\[book\]\npython book/build\.py\n", said.stdout)
    assert make("book", f"VENV={environment}", FAILS="nothing").stdout == "python book/build.py\n"


def test_uv_installs_where_it_is_there(environment):
    uv = environment / "bin" / "uv"
    uv.write_text('#!/bin/sh\necho "uv $*"\n')
    uv.chmod(0o755)
    said = make("book", f"VENV={environment}", f"UV={uv}", OLD_MAKE, FAILS="nothing")
    assert said.stdout == (
        f"uv pip install --quiet --python {environment}/bin/python --constraint requirements.lock "
        "--editable .[book]\npython book/build.py\n")


def test_an_environment_of_another_python_is_refused_and_left_alone(tmp_path):
    python = tmp_path / "env" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\n[ $1 = --version ] && echo Python 3.13.0 || exit 1\n")
    python.chmod(0o755)
    answer = make("book", f"VENV={tmp_path / 'env'}")
    assert answer.returncode != 0 and not answer.stdout
    assert f"{tmp_path / 'env'}/ is an environment of Python 3.13.0" in answer.stderr
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == [python]


@pytest.mark.parametrize(("target", "fails"), [
    ("book", "book/build.py"), ("unit", "pytest"), ("html-checks", "pytest"),
    ("env", "pip install"), ("bench", "benchmarks"), ("lint", "")])
def test_what_fails_is_no_success_on_an_old_make_either(environment, target, fails):
    ruff = environment / "bin" / "ruff"
    shutil.copy(environment / "bin" / "python", ruff)
    answer = make(target, f"VENV={environment}", OLD_MAKE, FAILS=fails)
    assert answer.returncode != 0
    assert "The book is in" not in answer.stdout


def test_the_parts_of_the_test_run_in_order_also_with_j(environment):
    shutil.copy(environment / "bin" / "python", environment / "bin" / "ruff")
    said = make("-j8", "test", f"VENV={environment}", FAILS="nothing").stdout
    steps = ["pip install", "[book,deep,evaluations,excel,tables,test]", "check .", "not book",
             "book/build.py", "-m book"]
    places = [said.index(step) for step in steps]
    assert places == sorted(places)


def test_one_test_and_one_page_are_what_is_named(environment):
    said = make("unit", f"VENV={environment}", "ONLY=tests/x tests/y", FAILS="nothing").stdout
    assert said.splitlines()[-1] == "python -m pytest -m not book tests/x tests/y"
    for name, heard in [("da1", "da1"), ("a'; echo b; '", "a'; echo b; '"),
                        ('"$$(echo b)"', '"$(echo b)"'), ("`echo b`", "`echo b`")]:
        said = make("page", f"VENV={environment}", f"NAME={name}", FAILS="nothing").stdout
        assert said.splitlines()[-1] == f"python book/build.py {heard}"
        if name != "da1":
            refused = make("chapter", f"VENV={environment}", f"NAME={name}", FAILS="nothing")
            assert f"chapter: '{heard}' is no name" in refused.stderr
    nameless = make("page", f"VENV={environment}", FAILS="nothing")
    assert nameless.returncode and "make page NAME=da1" in nameless.stderr


def test_a_build_of_torch_without_cuda_is_taken_from_the_index_that_is_named(environment):
    said = make("env-test", f"VENV={environment}", "TORCH_INDEX=file:///wheels", FAILS="nothing")
    torch, rest = [line for line in said.stdout.splitlines() if "pip install" in line][1:]
    assert torch.endswith(" requirements.lock --no-deps --index-url file:///wheels torch")
    assert rest.endswith("--editable .[book,deep,evaluations,excel,tables,test]")
    plain = make("-B", "env-test", f"VENV={environment}", FAILS="nothing").stdout
    assert "--index-url" not in plain and plain.count("pip install") == 2


def test_the_lock_demands_nothing_of_cuda_itself():
    """It is only a constraint: what is to be installed stands in pyproject.toml."""
    asked = (ROOT / "pyproject.toml").read_text()
    assert not re.search(r"nvidia|cuda|triton", asked)
    assert "--constraint requirements.lock" in (ROOT / "Makefile").read_text()
    assert not re.search(r"(-r|--requirement) requirements", (ROOT / "Makefile").read_text())


def test_variables_of_make_are_no_parameters_of_a_command():
    """`make` here has UV= on its command line; what a command does not know is still refused."""
    answer = make("order", "BEST=yes", f"VENV={os.path.dirname(os.path.dirname(sys.executable))}")
    assert "Unknown parameter 'BEST'" in answer.stderr and "UV" not in answer.stderr


def test_a_copy_runs_its_own_code_whichever_an_environment_has_installed(environment):
    python = environment / "bin" / "python"
    python.write_text(python.read_text().replace('echo "python $*"', 'echo "from $PYTHONPATH"'))
    said = make("order", f"VENV={environment}", PYTHONPATH="/other/copy", FAILS="nothing")
    assert said.stdout.splitlines()[-1] == f"from {ROOT}:/other/copy"


def test_benchmarks_that_are_run_again_take_the_place_of_theirs_alone(tmp_path):
    path = tmp_path / "benchmarks.csv"
    whole = pd.DataFrame({"benchmark": ["b", "b", "c"], "seconds": [1.25, 2.0, 1 / 3]})
    keep(whole, path)
    path.write_text(path.read_text().replace(pd.read_csv(path)["computed_on"][0], "2020-02-02"))
    keep(pd.DataFrame({"benchmark": ["a", "b"], "seconds": [0.5, 4.0]}), path)
    kept = pd.read_csv(path)
    assert kept[["benchmark", "seconds"]].values.tolist() == [["a", 0.5], ["b", 4.0],
                                                              ["c", 0.333333]]
    assert kept["computed_on"].eq("2020-02-02").tolist() == [False, False, True]
