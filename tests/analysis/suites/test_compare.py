"""Comparing the learners of a stored study."""

import numpy as np
import pytest
import xarray as xr

from analysis.suites import compare
from analysis.suites.compare import evaluation_scores, main
from analysis.suites.own import suite_funnel
from collection.suites.shelf import find_suite


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
    monkeypatch.setattr(compare, "load_evaluations", lambda where: evaluations)
    assert main([str(tmp_path)]) == 0
    assert (tmp_path / "leaderboard.csv").read_text().startswith("learner,")
    assert "2 tasks" in capsys.readouterr().out


def test_what_cannot_be_compared(tmp_path, capsys):
    assert main([""]) == 1 and "make compare RUNS=" in capsys.readouterr().err
    assert main([str(tmp_path / "none")]) == 1
    assert "compare:" in capsys.readouterr().err


def test_the_funnel_ends_in_the_suite():
    suite = find_suite("classic")
    funnel = suite_funnel(suite)
    assert funnel["left"].iloc[0] == 148 and funnel["left"].iloc[-1] == len(suite.tasks)
    assert (funnel["left"].iloc[:-1].to_numpy() - funnel["left_out"].iloc[1:].to_numpy()
            == funnel["left"].iloc[1:].to_numpy()).all()
