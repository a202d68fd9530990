"""The recipe on a toy database: examples hold what they say, training resumes, files predict."""

from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from analysis.databases.load import load_curves
from analysis.extrapolation.artefacts import read, unpack_gaussian
from analysis.extrapolation.features import NAMES, features
from analysis.extrapolation.folds import draw_folds
from analysis.extrapolation.network import Network, inputs, standardise
from analysis.extrapolation.trees import Trees
from analysis.extrapolation.windows import set_scenes
from chapters.lab.training import kept_steps, networks, recipe
from chapters.lab.training.examples import (
    Source,
    View,
    full_names,
    make_examples,
    make_windows,
    single_windows,
)
from chapters.lab.training.kept_steps import KeptSteps, code_of
from chapters.lab.training.recipe import train

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
    return Source(errors, SIZES, names, names, LEARNERS, draw_folds(names.tolist()))


def test_every_dataset_of_lcdb10_has_a_name_to_tell_its_family_by():
    errors = load_curves("lcdb10")["error_rate"]
    names = full_names(errors)
    assert len(names) == 248 and all(names)
    known = dict(zip(errors["dataset"].values.tolist(), names, strict=True))
    assert (known[201], known[40713], known[1112]) == ("pol", "dis", "KDDCup09_churn")
    assert known[54] == "vehicle"


def test_examples_show_the_start_and_ask_for_what_came_later(source):
    examples = make_examples(source, (View(2, 2, False, 3, 2),))
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
    seen = make_examples(source, (View(1, 1, False, 2, 1),)).seen
    assert np.isnan(seen.noise).all()  # a single repeat
    for number in np.unique(seen.dataset):
        assert len(set(seen.last[seen.dataset == number])) == 1


def test_views_alone_hide_the_others_and_half_of_the_names(source):
    seen = make_examples(source, (View(1, 2, True, 2, 1),)).seen
    assert len(np.unique(seen.dataset)) == len(seen.dataset)
    assert 0.3 < np.mean(seen.learner == "") < 0.7


def test_windows_hold_the_curve_around_a_size(source):
    windows, fold = make_windows(source)
    assert windows.shape[1] == len(LEARNERS) and len(fold) == len(windows)
    stored = single_windows(windows, fold, 50)
    assert len(stored["past"]) == 50
    assert np.isfinite(stored["future"][:, 1].astype(float)).all()


def test_networks_run_in_numpy_as_in_torch():
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    net = networks.layers(7, networks.WIDE).eval()
    own = Network(np.zeros(7), np.ones(7), *networks.weights_of(net))
    x = np.random.default_rng(0).standard_normal((5, 7)).astype(np.float32)
    expected = net(torch.from_numpy(standardise(x, own.shift, own.scale))).detach().numpy()
    assert own.predict(x) == pytest.approx(expected, abs=1e-5)
    kept = Network.from_arrays(own.arrays("n"), "n")
    assert kept.predict(x) == pytest.approx(expected, abs=1e-2)


@pytest.mark.deep
def test_training_writes_what_predicts_and_resumes(source, tmp_path, monkeypatch):
    pytest.importorskip("torch")
    small = {"max_iter": 5, "max_leaf_nodes": 4}
    monkeypatch.setattr(recipe, "GROWTH", recipe.GROWTH | small)
    monkeypatch.setattr(recipe, "SPREAD_GROWTH", recipe.SPREAD_GROWTH | small)
    monkeypatch.setattr(networks, "WIDE", networks.WIDE._replace(epochs=1, batch=64))
    steps = KeptSteps(source, tmp_path / "steps")
    train(source, tmp_path / "first", steps)
    first = {p.name: p for p in (tmp_path / "first").iterdir()}
    assert set(first) == {"datasets.csv", "gaussians.npz", "windows.npz", "trees.npz",
                          "networks.npz"}

    seen = make_examples(source, (View(2, 2, False, 1, 1),)).seen
    targets = 2 * seen.sizes[seen.last][:, None]
    model = unpack_gaussian(read("gaussians", tmp_path / "first"), "gaussian5")
    x = features(seen, targets, model)[:, 0]
    assert x.shape[1] == len(NAMES)
    trees = Trees.from_arrays(read("trees", tmp_path / "first"), "location0")
    assert np.isfinite(trees.predict(x)).all()
    net = Network.from_arrays(read("networks", tmp_path / "first"), "network0_1")
    values = inputs(x, seen, set_scenes(seen, LEARNERS))
    assert np.isfinite(net.predict(values)).all()

    def again(*_, **__):
        raise AssertionError("a step that was done is done again")

    for name in ("fit_gaussian", "described", "expected", "train_network"):
        monkeypatch.setattr(recipe, name, again)
    train(source, tmp_path / "second", steps)
    for name in ("trees", "networks"):
        one, other = (read(name, tmp_path / part) for part in ("first", "second"))
        assert all((one[key] == other[key]).all() for key in one)


@pytest.mark.parametrize(("changed", "again"), [
    ("network", ["combined", "network"]), ("registry", []),
    ("formulas", ["POW2", "combined", "network"]),
    ("gaussian", ["combined", "gaussian", "network"])])
def test_a_changed_module_repeats_only_the_steps_that_use_it(
        changed, again, source, tmp_path, monkeypatch):
    steps = {"gaussian": recipe.GAUSSIAN, "network": recipe.NETWORK} | {
        name: recipe._code(recipe.EXTRAPOLATORS[name]) for name in ("POW2", "combined")}
    plain = code_of.__wrapped__
    text = find_spec(f"analysis.extrapolation.{changed}").loader.get_data(
        find_spec(f"analysis.extrapolation.{changed}").origin)

    def cook():
        made = []
        cache = KeptSteps(source, tmp_path)
        for name, code in steps.items():
            cache.step(name, lambda name=name: made.append(name) or {"x": SIZES}, *code)
        return sorted(made)

    assert cook() == sorted(steps)
    assert cook() == []
    monkeypatch.setattr(kept_steps, "code_of", lambda m: plain(m).replace(text, text + b"#"))
    assert cook() == again


def test_other_folds_are_other_steps(source, tmp_path):
    other = replace(source, fold=source.fold[::-1].copy())
    for one in (source, other):
        KeptSteps(one, tmp_path).step("a", lambda: {"x": SIZES}, "settings")
    assert len(list(tmp_path.iterdir())) == 2
