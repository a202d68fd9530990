"""Comparing the learners of a stored study."""

import numpy as np
import pytest
import xarray as xr

from analysis.commands import COMMANDS
from analysis.comparison import make as runs
from analysis.comparison.make import evaluation_scores

main = COMMANDS["compare"].run


@pytest.fixture
def evaluations():
    """Two tasks, of three and two folds, two repeats of the first; one learner failed once."""
    error = np.full((2, 2, 2, 3, 3), np.nan)
    error[0, 0, :, :, 2], error[0, 1, :, :, 2] = 0.2, 0.4
    error[1, 0, 0, :2, 2], error[1, 1, 0, 0, 2] = 0.3, 0.1
    error[..., 0] = 9  # training rows: not looked at
    return xr.Dataset({"error": (("task", "learner", "repeat", "fold", "split"), error)}, {
        "task": ["one", "two"], "learner": ["A", "B"], "repeat": [0, 1], "fold": [0, 1, 2],
        "split": ["train", "valid", "test"]})


def test_scores_are_test_errors(evaluations):
    scores = evaluation_scores(evaluations)
    assert len(scores) == 2 * 6 + 2 * 2
    assert scores.groupby(["task", "method"])["error"].mean().to_dict() == pytest.approx({
        ("one", "A"): 0.2, ("one", "B"): 0.4, ("two", "A"): 0.3, ("two", "B"): 0.1})
    assert scores["error"].isna().sum() == 1
    assert not scores.duplicated(["task", "method", "fold"]).any()


def test_compare_by_command(evaluations, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(runs, "load_evaluations", lambda where: evaluations)
    assert main([f"RUNS={tmp_path}"]) == 0
    assert (tmp_path / "leaderboard.csv").read_text().startswith("learner,")
    assert "2 tasks" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["RUNS="], ["RUNS=no_such_folder"],
                                       ["RUNS=my_runs", "LEARNER=KNN"]])
def test_what_cannot_be_compared(arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 1
    assert capsys.readouterr().err.startswith("compare: ")
    assert not list(tmp_path.iterdir())
