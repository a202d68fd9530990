"""What make evaluate and make merge run: the notebook, then a word on it."""

import re
import signal
import subprocess
import sys
import time

import nbformat
import pandas as pd
import pytest

from analysis.commands import main
from collection.project.paths import ROOT
from collection.store.connection import NoStoreError
from collection.store.evaluation_reader import open_evaluations, read_evaluations

pytestmark = pytest.mark.usefixtures("forked")


def evaluate(capfd, *arguments):
    """Return exit status, what was said, and what was complained about."""
    status = main(["evaluate", *arguments])
    said = capfd.readouterr()
    return status, said.out, said.err


def test_the_notebook_runs_and_resumes_and_its_parts_are_merged(capfd, tmp_path):
    out = tmp_path / "my runs"
    arguments = ["TASKS=keel:iris sklearn:diabetes", "FOLDS=3", "WORKERS=1", f"OUT={out}",
                 "LEARNERS=KNN LDA sklearn.svm.SVC(C=-1)", "PREDICTIONS=yes", "BAGS=2"]
    status, said, err = evaluate(capfd, *arguments)
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
    shown = [output.data for cell in nbformat.read(out / "evaluate.ipynb", as_version=4).cells
             for output in cell.get("outputs", ()) if "data" in output]
    assert sum("image/png" in output for output in shown) == 1
    assert any("InvalidParameterError" in str(output) for output in shown)

    before = read_evaluations(out)
    status, said, err = evaluate(capfd, *arguments)
    assert status == 0 and "All 12 evaluations are in the store." in err
    pd.testing.assert_frame_equal(read_evaluations(out), before)  # times as well
    status, _, err = evaluate(capfd, *arguments, "BAGS=0")
    assert status == 1 and "BAGS was 2 and is now 0" in err

    assert main(["merge", f"FROM='{out}'", f"OUT={tmp_path / 'all'}"]) == 0
    assert "12 evaluations were added" in capfd.readouterr().out
    assert main(["merge", f"OUT={tmp_path / 'all'}"]) == 1
    assert "merge: FROM is missing" in capfd.readouterr().err


def test_what_gives_no_log_loss_is_said(capfd, tmp_path):
    status, out, _ = evaluate(
        capfd, "TASKS=sklearn:wine sklearn:diabetes", "FOLDS=3", "WORKERS=1",
        "LEARNERS=sklearn.svm.SVC(C=10) sklearn.svm.SVR(C=-1)", f"OUT={tmp_path / 'runs'}")
    assert status == 0 and "3 evaluations ok" in out and "3 evaluations error: " in out
    for name, metric in (("wine", "log_loss"), ("diabetes", "rmse")):
        assert f"{name}: no evaluation has {metric}, by which it is judged. All failed, or" in out


def test_a_run_that_is_stopped_leaves_all_it_has_in_one_file(tmp_path):
    out = tmp_path / "runs"
    script = ("import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
              "from analysis.commands import main; sys.exit(main(sys.argv[1:]))")
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
