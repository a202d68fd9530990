"""Stores of every released version: read, gone on with and merged, also when something was added.

``kept/VERSION.zip`` holds what that version's writers wrote: curves of *iris* and *prices* (numbers
to predict; not in 1.0.0), and evaluations, as folders ``curves``, ``shards``, ``evaluations``.
"""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from collection.containers.curves import CurveKey, Status
from collection.containers.evaluations import Evaluation
from collection.project.paths import ROOT
from collection.running.curve import Fit
from collection.store import UnreadableStoreError, open_store, read_curve_predictions, read_fits
from collection.store.curves import CURVES
from collection.store.evaluation_reader import open_evaluations, read_evaluations
from collection.store.evaluation_reader import read_predictions as read_said
from collection.store.evaluations import EVALUATIONS, EvaluationKey, EvaluationWriter
from collection.store.merge import merge
from collection.store.shards import open_writer

KEPT = sorted((Path(__file__).parent / "kept").glob("*.zip"))
SETTINGS = {"TIME_LIMIT": 5.0, "ANCHORS": [16, 32]}
KEY = CurveKey("iris", "KNN", "none", "no", 0, 1)


def unpacked(archive, folder):
    """Return the folders of stores that a version wrote, by name."""
    with zipfile.ZipFile(archive) as kept:
        kept.extractall(folder)
    return {path.name: path for path in sorted(folder.iterdir())}


def check_curves(folder):
    """Hold what is read against what every version wrote."""
    fits = read_fits(folder).query("dataset == 'iris' and learner == 'KNN'")
    assert fits["status"].tolist() == ["ok", "error"] * 2
    assert fits["message"].tolist() == ["", "ValueError: né"] * 2
    assert fits["error_rate_test"].tolist()[::2] == [0.5, 0.5]
    assert fits["train_time"].tolist()[::2] == [0.125, 0.125]
    found = open_store(folder).sel(dataset="iris", learner="KNN", anchor=16, inner=1)
    np.testing.assert_array_equal(found["log_loss"].squeeze(), [0.5, 1, 2])
    said = read_curve_predictions(folder, **vars(KEY))[16]["test_probability"]
    np.testing.assert_array_equal(said, [[0.25, 0.75], [0.5, 0.5]])


def check_evaluations(folder):
    """The same of evaluations."""
    table = read_evaluations(folder).set_index(["task", "learner"])
    assert table.loc[("number", "failed"), "message"] == "no"
    assert table["auc_valid"].dropna().tolist() == [0.75] * 2
    assert table["rmse_test"].dropna().tolist() == [1.0] * 2
    found = open_evaluations(folder).sel(task="two", learner="LDA", split="valid")
    assert found["error"].item() == 0.25 and found["hyperparameters"] == '{"C": 1}'
    said = read_said(folder, "two", 0, "valid", ["LDA"])
    np.testing.assert_array_equal(said, [[0, 0.25, 0.5]])


def go_on(folder, learner, metrics=None, status=Status.ok):
    """Add an evaluation, or a curve of iris."""
    metrics = metrics or {"error_rate": (0.0, 0.25, 0.5)}
    if (folder / EVALUATIONS.file).exists():
        with EvaluationWriter(folder, {"BAGS": 8}, {}) as store:
            store.add_learner(learner, "", {})
            store.add(EvaluationKey("two", learner, 0, 0), SimpleNamespace(
                evaluation=Evaluation(status, measures=metrics), seconds=1.0, worker=""))
        return read_evaluations(folder)
    with open_writer(folder, SETTINGS, {}) as store:
        key = CurveKey("iris", learner, "none", "no", 0, 0)
        store.add_all({key: SimpleNamespace(fits=[Fit(16, status, **metrics)], seconds=1.0,
                                            worker="")})
    return read_fits(folder)


CHECKS = {"curves": check_curves, "shards": check_curves, "evaluations": check_evaluations}


def outlives(archive, folder, **added):
    """Read, go on with, and merge with what was gone on with, every store of a version."""
    first, second = (unpacked(archive, folder / name) for name in ("first", "second"))
    for name, path in second.items():
        CHECKS[name](path)
        table = go_on(path, "new", **added)
        CHECKS[name](path)
        own = table.query("learner == 'new'")
        for metric, values in added.get("metrics", {}).items():
            assert own[f"{metric}_test"].tolist() == [values[2]]
            assert table.query("learner != 'new'")[f"{metric}_test"].isna().all()
        if "status" in added:
            assert own["status"].tolist() == [added["status"].name]
        same = len(read_evaluations(first[name]) if name == "evaluations" else
                   read_fits(first[name]).drop_duplicates(["dataset", "inner"]))
        merged = merge([path], first[name])
        assert (merged.added, merged.same) == (1, same)
        CHECKS[name](first[name])


@pytest.mark.parametrize("archive", KEPT, ids=lambda path: path.stem)
def test_a_store_of_a_released_version_is_read_gone_on_with_and_merged(archive, tmp_path):
    outlives(archive, tmp_path)


# What CONTRIBUTING.md has somebody do who adds a metric of tasks; and a metric of curves, a status,
# a learner and a column of a subject.
ADDED = {
    "containers/metrics.py": (
        ("def rmse(", "def made_up_error(true, predicted):\n    return 0.125\n\n\ndef rmse("),
        ('    TaskMetric("rmse"', '    TaskMetric("made_up_error", CLASSES),\n'
                                  '    TaskMetric("rmse"')),
    "running/fitting.py": (
        ('found = {"error_rate"', 'found = {"made_up_error": metrics.made_up_error(true, '
                                  'said.labels), "error_rate"'),),
    "containers/evaluations.py": (
        ('    Metric("rmse"', '    Metric("made_up_error", "…", "1", DIMS),\n    Metric("rmse"'),),
    "containers/curves.py": (
        ('    Metric("log_loss"', '    Metric("made_up_error", "…", of="classes"),\n'
                                  '    Metric("log_loss"'),
        ("    invalid = 5", "    cold = 6\n    invalid = 5")),
    "containers/learners.csv": (("SVM_Linear,SVM_Linear,", "new,new,new,,classic\n"
                                                            "SVM_Linear,SVM_Linear,"),),
    "running/curve.py": (("    log_loss: tuple", "    made_up_error: tuple[float, ...] = NONE\n"
                                                 "    log_loss: tuple"),),
    "store/evaluations.py": (('"licence": "TEXT",', '"licence": "TEXT", "year": "INTEGER",'),),
    "store/curves.py": (("licence TEXT,", "licence TEXT, year INTEGER NOT NULL DEFAULT 0,"),),
}
SCRIPT = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[3:]
from test_kept_stores import Status, outlives
outlives(Path(sys.argv[1]), Path(sys.argv[2]), metrics={"made_up_error": (0.25, 0.5, 0.75)},
         status=Status.cold)
"""


@pytest.fixture(scope="module")
def later(tmp_path_factory):
    """Return a copy of the package with all that added to it."""
    folder = tmp_path_factory.mktemp("later")
    shutil.copytree(ROOT / "collection", folder / "collection",
                    ignore=shutil.ignore_patterns("__pycache__"))
    for name, changes in ADDED.items():
        file = folder / "collection" / name
        text = file.read_text()
        for before, after in changes:
            assert text.count(before) == 1, (name, before)
            text = text.replace(before, after)
        file.write_text(text)
    return folder


@pytest.mark.parametrize("archive", KEPT, ids=lambda path: path.stem)
def test_stores_outlive_a_metric_a_status_a_learner_and_a_column(archive, later, tmp_path):
    subprocess.run([sys.executable, "-c", SCRIPT, archive, tmp_path, later, Path(__file__).parent],
                   check=True, env={**os.environ, "PYTHONPATH": str(later)})
    for path in (tmp_path / "second").iterdir():
        before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
        for use in (CHECKS[path.name], lambda folder: go_on(folder, "newer"),
                    lambda folder: merge([folder], tmp_path / "merged")):
            with pytest.raises(UnreadableStoreError, match=r"was written by a later version .*"
                                                           "made_up_error_train"):
                use(path)
        assert before == {file: file.read_bytes() for file in before}


def test_a_new_status_raises_the_version_of_stores():
    # A reader of before has no name for it; see `collection.store.connection.StoreFormat.version`.
    known = {2: max(Status)}
    assert known[CURVES.version] == known[EVALUATIONS.version] == Status.invalid
