"""Evaluations as readers open them: by the folder that make evaluate wrote."""

import numpy as np
import pytest
from own_tables_here import fit_here
from tabrepo_folder import open_whole, without

import analysis
from collection.project.naming import UnknownNameError
from collection.running.evaluation_plan import make_plan
from collection.running.evaluation_settings import check_settings
from collection.running.work import run
from collection.store import NoStoreError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs")
    settings = check_settings({
        "TASKS": "sklearn:breast_cancer sklearn:wine", "LEARNERS": "KNN GaussianNB", "FOLDS": "0 1",
        "BAGS": "3", "PREDICTIONS": "yes", "WORKERS": "1", "OUT": str(out)})
    with fit_here():
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


A, B, C = "KNeighbors_c1_BAG_L1", "RandomForest_c1_BAG_L1", "LinearModel_c1_BAG_L1"


@pytest.fixture
def whole():
    return open_whole()


def test_a_subset_has_what_was_asked_for(whole):
    part = whole.subset(tasks=["wavy-reg"], learners=[B, A], folds=[2, 0])
    assert part.evaluations.sizes["task"] == 1
    assert part.evaluations["learner"].values.tolist() == [B, A]
    assert part.evaluations["fold"].values.tolist() == [2, 0]
    assert part.predictions("wavy-reg", 2, "test", [A]).shape == (1, 50)
    with pytest.raises(UnknownNameError, match="learner 'LinearModel_c1_BAG_L1'"):
        part.predictions("wavy-reg", 2, "test", [C])
    with pytest.raises(UnknownNameError, match="task 'wavy'"):
        whole.subset(tasks=["wavy"])


def test_a_fallback_stands_in_for_what_was_not_run(whole):
    gaps = without(whole, B, "two-moons_b").with_fallback(A)
    found = gaps.predictions("two-moons_b", 1, "test", [C, B, A])
    assert found["learner"].values.tolist() == [C, B, A]
    np.testing.assert_array_equal(found.sel(learner=B), found.sel(learner=A))
    elsewhere = gaps.predictions("wavy-reg", 1, "test", [B, A])
    assert not np.array_equal(elsewhere.sel(learner=B), elsewhere.sel(learner=A))
    with pytest.raises(UnknownNameError, match="fallback learner 'KNeighbors_c1'"):
        whole.with_fallback("KNeighbors_c1")
    with pytest.raises(UnknownNameError, match=r"fold 7\. Known: 0, 1, 2"):
        gaps.predictions("wavy-reg", 7, "test", [A])
    with pytest.raises(UnknownNameError, match=r"repeat 1\. Known: 0"):
        gaps.predictions("wavy-reg", 0, "test", [A], repeat=1)
