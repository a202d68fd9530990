"""Evaluations as readers open them: by the folder that make evaluate wrote."""

import numpy as np
import pytest

import analysis
from collection.running.evaluation_plan import make_plan, run
from collection.running.evaluation_settings import check_settings
from collection.store import NoStoreError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs")
    settings = check_settings({
        "TASKS": "sklearn:breast_cancer sklearn:wine", "LEARNERS": "KNN GaussianNB", "FOLDS": "0 1",
        "BAGS": "3", "PREDICTIONS": "yes", "WORKERS": "1", "OUT": str(out)})
    assert run(settings, make_plan(settings)).stored == 8
    return out


def test_errors_follow_from_predictions_and_labels(folder):
    runs = analysis.load_evaluations(folder)
    assert set(runs["error"].dims) == {"task", "learner", "repeat", "fold", "split"}
    assert dict(zip(runs["task"].values, runs["metric"].values, strict=True)) == {
        "breast_cancer": "auc", "wine": "log_loss"}
    for split in ("valid", "test"):
        said = analysis.load_predictions(folder, "wine", fold=1, split=split)
        true = analysis.load_labels(folder, "wine", fold=1, split=split)
        of_true = np.take_along_axis(said.values, true.values[None, :, None], axis=2)[..., 0]
        expected = -np.log(np.clip(of_true, 1e-12, None)).mean(axis=1)
        found = runs["error"].sel(task="wine", repeat=0, fold=1, split=split)
        finite = (of_true > 1e-6).all(axis=1)  # single precision tells 0 from almost 0 no more
        assert finite.any() or split == "valid"
        np.testing.assert_allclose(found.sel(learner=said["learner"])[finite], expected[finite],
                                   rtol=1e-4)
        labels = analysis.load_predictions(folder, "breast_cancer", 1, split, ["KNN"])[0] > 0.5
        true = analysis.load_labels(folder, "breast_cancer", 1, split)
        rate = runs["error_rate"].sel(task="breast_cancer", learner="KNN", split=split)
        assert np.mean(labels.values != true.values) == pytest.approx(
            rate.sel(repeat=0, fold=1).item(), abs=0.01)


def test_a_folder_without_evaluations_says_how_to_get_some(tmp_path):
    for load in (lambda: analysis.load_evaluations(tmp_path),
                 lambda: analysis.load_predictions(tmp_path, "wine", 0, "test"),
                 lambda: analysis.load_labels(tmp_path, "wine", 0, "test")):
        with pytest.raises(NoStoreError, match="make evaluate TASKS="):
            load()
