"""A library that is absent is said before anything is gathered, and never stored as a failure."""

import sys

import pytest

from collection.command import main
from collection.container import CurveKey
from collection.curve import fit_once
from collection.datasets import load_dataset
from collection.learners import REGISTRY, find_learner
from collection.preprocess import prepare
from collection.requirements import (
    MissingLibraryError,
    check_installed,
    library,
)

OPTIONAL = ("catboost", "torch", "pytorch_tabnet", "pytabkit", "tabpfn")


@pytest.fixture
def absent(monkeypatch):
    """Make the optional libraries look as if they were not installed."""
    for name in (*OPTIONAL, *(m for m in sys.modules if m.split(".")[0] in OPTIONAL)):
        monkeypatch.setitem(sys.modules, name, None)


def test_every_learner_that_imports_a_library_when_it_is_fitted_says_so():
    modern = [learner for learner in REGISTRY.values() if "modern" in learner.path]
    assert modern and all(set(learner.requires) <= set(OPTIONAL) for learner in modern)
    assert all(learner.requires for learner in modern)


def test_absent_libraries_are_named_before_anything_is_gathered(absent, tmp_path, capfd):
    with pytest.raises(MissingLibraryError, match=r"catboost, which CatBoost needs; torch, which "
                       r"TabNet and RealMLP need; .*Install it with make env-test"):
        check_installed(map(find_learner, ["KNN", "CatBoost", "TabNet", "RealMLP"]))
    check_installed(map(find_learner, ["KNN", "sklearn.svm.SVC(C=2)"]))
    assert main(["DATASETS=keel:iris", "LEARNERS=KNN CatBoost", f"OUT={tmp_path / 'out'}"]) == 1
    assert capfd.readouterr().err.startswith("collect: Not installed: catboost, which CatBoost")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["CatBoost", "TabNet", "RealMLP", "TabPFNv2"])
def test_a_fit_without_its_library_raises_instead_of_counting_as_failed(absent, name):
    learner, task = find_learner(name), CurveKey("keel:iris", name, "none", "no", 0, 0)
    dataset = load_dataset(task.dataset)
    designs = prepare(dataset, 0, 0, task.scaling, task.leakage, learner.form, [16])
    with pytest.raises(MissingLibraryError, match="is not installed: make env-test"):
        fit_once(learner, designs.at(16), 16)


def test_a_part_of_a_library_that_is_absent_is_named():
    with pytest.raises(MissingLibraryError, match="no_such_library is not installed"):
        library("no_such_library")
