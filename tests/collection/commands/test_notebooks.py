"""What make collect and make evaluate refuse, and what they run: a notebook, then a word on it."""

import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from jupytext import read
from papermill import PapermillExecutionError, execute_notebook, inspect_notebook

from collection.commands.command import make_variables
from collection.commands.notebook import NotebookError, run_notebook
from collection.project import locks
from collection.project.paths import ROOT
from collection.running import curve_settings as settings
from collection.running import evaluation_settings
from collection.store import open_store, read_fits
from collection.store.base import held
from collection.store.connection import NoStoreError
from collection.store.evaluation_reader import open_evaluations, read_evaluations
from commands import main
from commands.gathering import EVALUATE_NOTEBOOK, NOTEBOOK

pytestmark = pytest.mark.usefixtures("forked")


def run(capfd, *arguments):
    """Return exit status, what was said, and what was complained about."""
    status = main(arguments)
    said = capfd.readouterr()
    return status, said.out, said.err


def collect(capfd, *arguments):
    return run(capfd, "collect", *arguments)


KINDS = {"collect": (NOTEBOOK, settings.PARAMETERS),
         "evaluate": (EVALUATE_NOTEBOOK, evaluation_settings.PARAMETERS)}


@pytest.mark.parametrize(("notebook", "parameters"), KINDS.values())
def test_the_notebooks_parameters_are_those_of_make(notebook, parameters, tmp_path):
    nbformat.write(read(notebook), tmp_path / "its.ipynb")
    assert list(inspect_notebook(tmp_path / "its.ipynb")) == list(parameters)


@pytest.mark.parametrize(("command", "told"), [
    ("collect", ["[3.5h]", "[required]"]), ("evaluate", ["[my_runs]", "make evaluate TASKS="])])
def test_help_lists_every_parameter_with_its_default(capfd, command, told):
    status, out, _ = run(capfd, command, "--help")
    assert status == 0 and all(text in out for text in told)
    assert all(f"\n  {name}, --" in out for name in KINDS[command][1])


@pytest.mark.parametrize(("command", "arguments", "message"), [
    ("collect", ["LERNERS=KNN"], "Unknown parameter 'LERNERS'. Did you mean 'LEARNERS'"),
    ("collect", [], "DATASETS is missing"),
    ("collect", ["DATASETS=keel:iris", "LDA"], "'LDA' is not of the form KEY=VALUE"),
    ("collect", ["DATASETS=csv:nowhere.csv?target=y"], "nowhere.csv"),
    ("collect", ["DATASETS=keel:iris", "LEARNERS=numpy.ndarray(shape=2)"],
     "not a scikit-learn classifier"),
    ("evaluate", ["TASK=keel:iris"], "Unknown parameter 'TASK'. Did you mean 'TASKS'"),
    ("evaluate", ["TASKS=csv:nowhere.csv?target=y"], "nowhere.csv"),
])
def test_what_is_wrong_is_one_message_and_nothing_is_written(
        capfd, tmp_path, monkeypatch, command, arguments, message):
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capfd, command, *arguments)
    assert status == 1 and not out
    assert err.startswith(f"{command}: ") and message in err and err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_makes_variables_are_read_as_make_understood_them(tmp_path):
    makefile = tmp_path / "Makefile"
    makefile.write_text(textwrap.dedent("""\
        collect:
        \t@env | grep -E "^(MAKEFLAGS|DATASETS|LERNERS|PYTHON)="
    """))
    said = subprocess.run(
        ["make", "-s", "-f", makefile, "collect", "DATASETS=csv:my data.csv?target=a 'b' $$c",
         'LERNERS="KNN" LDA', "PYTHON=python3"], capture_output=True, text=True, check=True,
        env={k: v for k, v in os.environ.items() if not k.startswith("MAKE")}).stdout
    environment = dict(line.split("=", 1) for line in said.splitlines())
    assert make_variables(environment, besides=["PYTHON"]) == {
        "DATASETS": "csv:my data.csv?target=a 'b' $c", "LERNERS": '"KNN" LDA'}
    assert make_variables({}) == {}


def test_a_misspelt_variable_of_make_is_an_error(capfd, monkeypatch):
    monkeypatch.setenv("MAKEFLAGS", " -- LERNERS=KNN DATASETS=keel:iris PYTHON=python3")
    status, _, err = collect(capfd, "--make", "PYTHON")
    assert status == 1 and "Unknown parameter 'LERNERS'" in err


def test_the_notebook_runs_and_resumes(capfd, tmp_path):
    out = tmp_path / "my curves"
    arguments = ["DATASETS=keel:iris", "LEARNERS=KNN sklearn.svm.SVC(C=-1) BernoulliNB", "OUTER=0",
                 "INNER=0 1", "ANCHORS=16 64", "WORKERS=1", f"OUT={out}"]
    status, said, err = collect(capfd, *arguments)
    assert status == 0, err
    assert re.search(r"8 fits ok\n", said) and "4 fits error: InvalidParameterError" in said
    assert re.search(r"6 curves, 0 of them in the store\. The others take about", err)
    assert "100% 6/6 curves" in err and "left" in err and "Traceback" not in err
    assert open_store(out).sizes["learner"] == 3
    shown = outputs(out / "collect.ipynb")
    assert sum("image/png" in output for output in shown) == 1
    failures = [output["text/html"] for output in shown if "InvalidParameterError" in str(output)]
    assert len(failures) == 1 and "SVC(C=-1)" in failures[0]

    before = read_fits(out)
    status, said, err = collect(capfd, *arguments)
    assert status == 0 and "All 6 curves are in the store." in err
    pd.testing.assert_frame_equal(read_fits(out), before)  # times as well: nothing was fitted
    status, _, err = collect(capfd, *arguments, "TIME_LIMIT=1h")
    assert status == 1 and "TIME_LIMIT was 12600.0 and is now 3600.0" in err


def outputs(path):
    notebook = nbformat.read(path, as_version=4)
    return [output.data for cell in notebook.cells for output in cell.get("outputs", ())
            if "data" in output]


def written(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_collection_that_is_refused_leaves_the_notebook_of_the_one_before(
        capfd, tmp_path, monkeypatch):
    data = pd.DataFrame({"x": [i % 13 for i in range(60)], "y": ["p", "q"] * 30})
    data.to_csv(tmp_path / "own.csv", index=False)
    arguments = [f"DATASETS=csv:{tmp_path}/own.csv?target=y", "LEARNERS=KNN", "OUTER=0", "INNER=0",
                 "ANCHORS=16", "WORKERS=1", f"OUT={tmp_path / 'out'}"]
    assert collect(capfd, *arguments)[0] == 0
    before = written(tmp_path / "out")
    (data + data).to_csv(tmp_path / "own.csv", index=False)  # the same name, other data
    status, said, err = collect(capfd, *arguments)
    assert status == 1 and not said and err.count("\n") == 1
    assert "already holds curves of a dataset called 'own'" in err
    assert written(tmp_path / "out") == before
    data.to_csv(tmp_path / "own.csv", index=False)
    monkeypatch.setattr(locks, "PATIENCE", 0.2)
    for lock in ("curves.lock", "collect.lock"):
        with held(tmp_path / "out" / lock):
            status, said, err = collect(capfd, *arguments)
        assert status == 1 and not said and err.startswith("collect: Another run is writing to ")
        assert written(tmp_path / "out") == before


def test_what_is_odd_about_a_dataset_is_noted_before_anything_else(capfd, tmp_path):
    rows = "".join(f"{i},{i % 7},{'pq'[i % 2]},{'pq'[i % 2]}\n" for i in range(60))
    (tmp_path / "own.csv").write_text("id,x,class,again\n" + rows)
    _, _, err = collect(capfd, f"DATASETS=csv:{tmp_path}/own.csv?target=class", "LEARNERS=KNN",
                        "ANCHORS=4096", f"OUT={tmp_path}/out")
    identifier, copy, refusal = err.splitlines()
    assert identifier.startswith("collect: note: csv:") and "'id' is of no use" in identifier
    assert "'again' tells the target 'class' without error" in copy
    assert refusal.startswith("collect: ANCHORS: none of them suits")


def test_a_parameter_that_papermill_itself_is_given_and_the_notebook_lacks_is_an_error(tmp_path):
    nbformat.write(read(NOTEBOOK), tmp_path / "collect.ipynb")
    asked = {"DATASTS": "keel:wine", "OUT": str(tmp_path / "out")}
    with pytest.raises(PapermillExecutionError, match="Unknown parameter 'DATASTS'"):
        execute_notebook(tmp_path / "collect.ipynb", tmp_path / "done.ipynb", asked,
                         kernel_name="python3", progress_bar=False)
    assert not (tmp_path / "out").exists()


def test_a_notebook_that_stops_is_told_and_kept(tmp_path):
    with pytest.raises(NotebookError, match=r"too many .*out\.ipynb, ValueError"):
        run_notebook(Path(__file__).with_name("stopping.md"), tmp_path / "out.ipynb", {"N": 9})
    assert (tmp_path / "out.ipynb").exists()


def test_evaluations_are_made_resumed_and_merged(capfd, tmp_path):
    out = tmp_path / "my runs"
    arguments = ["TASKS=keel:iris sklearn:diabetes", "FOLDS=3", "WORKERS=1", f"OUT={out}",
                 "LEARNERS=KNN LDA sklearn.svm.SVC(C=-1)", "PREDICTIONS=yes", "BAGS=2"]
    status, said, err = run(capfd, "evaluate", *arguments)
    assert status == 0, err
    assert "9 evaluations ok\n" in said and "3 evaluations error: InvalidParameterError" in said
    assert f'analysis.load_evaluations("{out}")' in said
    assert "12 evaluations, 0 of them in the store." in err and "100% 12/12 evaluations" in err
    assert "Traceback" not in err
    runs = pd.read_csv(out / "runs.csv")
    assert len(runs) == 12 and (runs["status"] == "error").sum() == runs["error"].isna().sum() == 3
    knn = runs[(runs["task"] == "iris") & (runs["learner"] == "KNN")]["error"].mean()
    told = said[said.index("Mean test error"):]
    assert re.search(rf"^iris .*{knn:.4g}", told, re.MULTILINE) and "runs.csv" in told
    assert open_evaluations(out).sizes["learner"] == 3
    shown = outputs(out / "evaluate.ipynb")
    assert sum("image/png" in output for output in shown) == 1
    assert any("InvalidParameterError" in str(output) for output in shown)

    before = read_evaluations(out)
    status, said, err = run(capfd, "evaluate", *arguments)
    assert status == 0 and "All 12 evaluations are in the store." in err
    pd.testing.assert_frame_equal(read_evaluations(out), before)  # times as well
    status, _, err = run(capfd, "evaluate", *arguments, "BAGS=0")
    assert status == 1 and "BAGS was 2 and is now 0" in err

    assert main(["merge", f"FROM='{out}'", f"OUT={tmp_path / 'all'}"]) == 0
    assert "12 evaluations were added" in capfd.readouterr().out
    assert main(["merge", f"OUT={tmp_path / 'all'}"]) == 1
    assert "merge: FROM is missing" in capfd.readouterr().err


def test_what_gives_no_log_loss_is_said(capfd, tmp_path):
    status, out, _ = run(
        capfd, "evaluate", "TASKS=sklearn:wine sklearn:diabetes", "FOLDS=3", "WORKERS=1",
        "LEARNERS=sklearn.svm.SVC(C=10) sklearn.svm.SVR(C=-1)", f"OUT={tmp_path / 'runs'}")
    assert status == 0 and "3 evaluations ok" in out and "3 evaluations error: " in out
    for name, metric in (("wine", "log_loss"), ("diabetes", "rmse")):
        assert f"{name}: no evaluation has {metric}, by which it is judged. All failed, or" in out


def test_a_run_that_is_stopped_leaves_all_it_has_in_one_file(tmp_path):
    out = tmp_path / "runs"
    script = ("import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
              "from commands import main; sys.exit(main(sys.argv[1:]))")
    command = [sys.executable, "-c", script, "evaluate", "TASKS=keel:vehicle", "FOLDS=40",
               "LEARNERS=KNN GaussianNB LDA", "WORKERS=1", f"OUT={out}"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        for _ in range(1200):
            time.sleep(0.1)
            if evaluations_in(out) >= 3:
                break
        process.send_signal(signal.SIGTERM)
        told = process.communicate(timeout=300)[1]
    assert process.returncode == 130 and "evaluate: stopped. Run the same command again" in told
    assert "Traceback" not in told
    assert [file.name for file in out.glob("evaluations.sqlite*")] == ["evaluations.sqlite"]
    assert 3 <= evaluations_in(out) < 120


def evaluations_in(folder):
    try:
        return len(read_evaluations(folder))
    except NoStoreError:
        return 0
