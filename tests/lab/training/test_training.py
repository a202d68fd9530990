"""The recipe on a toy database: examples hold what they say, and what is written predicts."""

import numpy as np
import pytest

from analysis.databases.load import load_curves
from analysis.extrapolation.artefacts import Trees, read, unpack_gaussian
from analysis.extrapolation.features import features
from analysis.extrapolation.seen import FOLDS, FUTURE
from lab.training import examples as training
from lab.training import recipe
from lab.training.recipe import measure_residuals, train

SIZES = np.round(16 * 2 ** (np.arange(16) / 2))
LEARNERS = ("KNN", "LDA", "QDA", "MLP", "SGDClassifier", "Perceptron")


@pytest.fixture(scope="module")
def source():
    rng = np.random.default_rng(0)
    shape = (12, len(LEARNERS), 1, 1, 1)
    curve = rng.uniform(0, 0.2, shape) + rng.uniform(0.5, 1.5, shape) * SIZES ** -rng.uniform(
        0.2, 0.7, shape)
    errors = (curve + 0.01 * rng.standard_normal((12, len(LEARNERS), 2, 2, len(SIZES)))).clip(0, 1)
    errors[3, :, :, :, 12:] = np.nan
    errors[4, 2] = np.nan
    names = np.array([f"d{k}" for k in range(12)])
    folds = training.draw_folds(names.tolist())
    return training.Source(errors, SIZES, names, names, LEARNERS, folds)


def test_every_dataset_of_lcdb10_has_a_name_to_tell_its_family_by():
    errors = load_curves("lcdb10")["error_rate"]
    names = training.full_names(errors)
    assert len(names) == 248 and all(names)
    known = dict(zip(errors["dataset"].values.tolist(), names, strict=True))
    assert (known[201], known[40713], known[1112]) == ("pol", "dis", "KDDCup09_churn")
    assert known[54] == "vehicle"


def test_examples_show_the_start_and_ask_for_what_came_later(source):
    examples = training.make_examples(source, (training.View(2, 2, False, 3, 2),))
    rows, column = np.nonzero(np.isfinite(examples.truth))
    assert len(rows) > 200
    whole = source.truth
    seen = examples.seen
    learner = np.array([LEARNERS.index(n) for n in seen.learner])
    for row, k in zip(rows[::7], column[::7], strict=True):
        at = np.flatnonzero(examples.targets[row, k] == SIZES)[0]
        matches = whole[:, learner[row], at] == examples.truth[row, k]
        assert matches.sum() == 1
        shown = seen.values[row]
        expected = whole[matches.argmax(), learner[row]]
        assert shown[: seen.last[row] + 1] == pytest.approx(expected[: seen.last[row] + 1])
        assert at > seen.last[row] >= 3


def test_a_dataset_is_cut_at_one_size_for_all_learners(source):
    seen = training.make_examples(source, (training.View(1, 1, False, 2, 1),)).seen
    assert np.isnan(seen.noise).all()  # a single repeat
    for number in np.unique(seen.dataset):
        assert len(set(seen.last[seen.dataset == number])) == 1


def test_views_alone_hide_the_others_and_half_of_the_names(source):
    seen = training.make_examples(source, (training.View(1, 2, True, 2, 1),)).seen
    assert len(np.unique(seen.dataset)) == len(seen.dataset)
    assert 0.3 < np.mean(seen.learner == "") < 0.7


@pytest.mark.filterwarnings("ignore:All-NaN")  # toy curves end before the farthest size
def test_the_usual_fall_is_the_median_of_the_other_folds(source):
    windows, fold = training.make_windows(source)
    found = training.usual_falls(windows, fold)
    assert found.shape == (FOLDS + 1, len(FUTURE)) and (found[:, :4] < 0).all()
    now, ahead = 5, 7  # positions of the size that windows stand at, and one doubling later
    one = windows[fold != 2][:, :, [now - 1, now, ahead]].reshape(-1, 3)
    one = one[np.isfinite(one).all(1)]
    assert found[2, 1] == pytest.approx(np.median(one[:, 2] - one[:, 1]), abs=1e-3)


def test_what_is_shipped_is_what_the_recipe_gives():
    # Folds are those of the day of training.
    found = training.usual_falls(*training.make_windows(training.open_source()))
    assert read("usual")["fall"][FOLDS] == pytest.approx(found[FOLDS])


def test_training_writes_what_predicts(source, tmp_path, monkeypatch):
    small = {"max_iter": 5, "max_leaf_nodes": 4}
    monkeypatch.setattr(recipe, "GROWTH", recipe.GROWTH | small)
    monkeypatch.setattr(recipe, "SPREAD_GROWTH", recipe.SPREAD_GROWTH | small)
    train(source, tmp_path / "first")
    first = {p.name: p for p in (tmp_path / "first").iterdir()}
    assert set(first) == {"datasets.csv", "gaussians.npz", "usual.npz", "trees.npz"}

    seen = training.make_examples(source, (training.View(2, 2, False, 1, 1),)).seen
    targets = 2 * seen.sizes[seen.last][:, None]
    model = unpack_gaussian(read("gaussians", tmp_path / "first"), "gaussian5")
    x = features(seen, targets, model)[:, 0]
    trees = [Trees.from_arrays(read("trees", tmp_path / "first"), f"location{out}").predict(x)
             for out in (0, FOLDS)]
    assert np.isfinite(trees).all() and (trees[0] != trees[1]).any()


def test_residuals_are_how_far_off_each_was(source, monkeypatch):
    monkeypatch.setattr(recipe, "EXTRAPOLATORS", {
        name: recipe.EXTRAPOLATORS[name] for name in ("LAST1", "POW2")})
    found = measure_residuals(source)
    assert found["extrapolators"].tolist() == ["LAST1", "POW2"]
    assert found["residual"].shape == found["scale"].shape == (len(found["ill"]), 2)
    assert (found["scale"] > 0).all() and (found["horizon"] > 0).all()
    assert np.abs(found["residual"][:, 1]).mean() < np.abs(found["residual"][:, 0]).mean()
