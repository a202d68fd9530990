"""One table of commands for make, ``learning-curves`` and ``--help``."""

import errno
import os
import re
import subprocess
import sys
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collection import __version__
from collection.commands.command import STATUSES, Command, read_pairs, run_command
from collection.project.parameters import SettingsError
from collection.project.paths import ROOT
from collection.project.requirements import EXTRA_OF, install_line, lacking
from commands import COMMANDS, main


def test_the_table_is_listed_in_groups(capsys):
    assert main([]) == 0
    shown = capsys.readouterr().out
    assert all(re.search(rf"^  {name} +\w", shown, re.MULTILINE) for name in COMMANDS)
    assert shown.index("use:") < shown.index("gather:")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_there_and_make_runs_it(name):
    module, _, function = COMMANDS[name].where.partition(":")
    assert callable(getattr(import_module(module), function))
    assert f"-m commands {name} --make" in (ROOT / "Makefile").read_text()


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_shown_and_an_unknown_parameter_refused(capsys, name):
    assert main([name, "--help"]) == 0 and capsys.readouterr().out
    assert main([name, "OTU=x"]) == 1
    assert capsys.readouterr().err.startswith(f"{name}: ")


WORD = st.text("abcXYZ019_./:?", min_size=1, max_size=6)


@given(given=st.dictionaries(st.from_regex(r"[A-Z]{2,5}(_[A-Z]{2,4})?", fullmatch=True),
                             st.lists(WORD, min_size=1, max_size=3), max_size=4), data=st.data())
def test_options_say_the_same_as_pairs(given, data):
    expected = {name: " ".join(words) for name, words in given.items()}
    arguments = []
    for name, words in given.items():
        option = "--" + name.lower().replace("_", "-")
        arguments += data.draw(st.sampled_from([
            [f"{name}={expected[name]}"], [f"{option}={expected[name]}"], [option, *words],
            [option, expected[name]]]))
    assert read_pairs(arguments) == expected


def test_a_value_with_an_equals_sign_is_no_parameter():
    spec = "csv:my.csv?target=class"
    assert read_pairs(["--datasets", spec, "keel:iris", "OUT=x", "--workers=2"]) == {
        "DATASETS": f"{spec} keel:iris", "OUT": "x", "WORKERS": "2"}


@pytest.mark.parametrize(("arguments", "words"), [
    (["--out"], "--out has no value"), (["--cost-per-row", "--out", "x"], "--cost-per-row has no"),
    (["stray"], "'stray' is not of the form"), (["--out=x", "stray"], "'stray' is not of the")])
def test_an_option_without_a_value_is_refused(arguments, words):
    with pytest.raises(SettingsError, match=words):
        read_pairs(arguments)


def test_version_and_exit_statuses_are_told(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"learning-curves {__version__}\n"
    for asked in (["--help"], ["order", "--help"]):
        assert main(asked) == 0 and capsys.readouterr().out.endswith(f"{STATUSES}\n")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EFBIG])
def test_a_full_disk_is_told_with_what_to_do(capsys, number):
    def write(settings, values):
        raise OSError(number, "no room", "out/report.html")

    assert run_command(Command("report", "", {}, write), []) == 1
    told = r"report: .*'out/report\.html'\. Make room on its disk and run .* again\.\n"
    assert re.fullmatch(told, capsys.readouterr().err)


def test_an_unknown_command_is_answered_with_the_close_ones(capsys):
    assert main(["repotr"]) == 1
    assert "report" in capsys.readouterr().err


def test_a_library_that_is_absent_is_told_with_what_installs_it():
    for library, extra in EXTRA_OF.items():
        said = lacking(ModuleNotFoundError(name=f"{library}.inside"))
        assert library in said and install_line([extra]) in said


def test_what_installs_it_is_said_as_fits_the_place():
    assert install_line(["collect"], in_checkout=True).endswith("make env-test")
    assert '--editable ".[automl,deep]"' in install_line(["deep", "automl"], in_checkout=True)
    assert install_line(["deep", "collect"], in_checkout=False).endswith(
        'pip install "learning-curves-reexamined[collect,deep]"')


def test_a_learner_in_the_folder_worked_in_is_found_by_the_installed_command(tmp_path):
    (tmp_path / "mymodel.py").write_text(
        "from sklearn.naive_bayes import GaussianNB\nclass Mine(GaussianNB):\n    pass\n")
    call = ("from commands import main\nfor more in 'KNM', 'yourmodel.Mine()':\n"
            "    main(['collect', 'DATASETS=sklearn:iris', f'LEARNERS=mymodel.Mine() {more}'])")
    run = subprocess.run([sys.executable, "-P", "-c", call], cwd=tmp_path, capture_output=True,
                         env={**os.environ, "PYTHONPATH": str(ROOT)}, text=True)
    said = run.stderr.splitlines()
    assert "Unknown learner 'KNM'" in said[0] and "mymodel" not in said[0]
    assert "yourmodel" in said[1] and "mymodel" not in said[1]


def test_a_closed_output_and_a_folder_that_is_gone_are_no_bugs(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    (tmp_path / "gone").mkdir()
    for line, status, words in (
            ("exec {} -m commands --version >&-", 0, ""),
            ("exec {} -m commands order CSV=none.csv 2>&-", 1, ""),
            ("cd gone; rmdir ../gone; exec {} -m commands order CSV=x.csv", 1, "is not there any")):
        done = subprocess.run(["sh", "-c", line.format(sys.executable)], cwd=tmp_path,
                              env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == status and words in done.stderr
        assert "Traceback" not in done.stderr and "NoneType" not in done.stderr
