"""OpenML's tasks of type *Learning Curve*: from the server's files to curves, and to its form.

The dataset and the folds are recorded; the samples are made of them as the server does: 64, 91,
128 … rows, round(2^(6 + s/2)), and last the whole training set.
"""

import shutil

import arff
import numpy as np
import pytest

import analysis
from collection.datasets import load_dataset
from collection.datasets.openml_source import cache_root, server_folder
from collection.running.curve_plan import make_plan
from collection.running.curve_settings import check_settings
from collection.running.openml_curves import read_samples, write_runs
from collection.running.work import run
from collection.suites.specs import expand_tasks
from collection.tasks import TaskError
from collection.tasks.split_files import read_split_file

HEAD = "@relation splits\n@attribute type {TRAIN,TEST}\n" + "".join(
    f"@attribute {name} numeric\n" for name in ("rowid", "repeat", "fold", "sample")) + "@data\n"


def as_text(samples):
    """Return a file of splits from (repeat, fold, sample, training rows, test rows)."""
    return HEAD + "".join(f"{side},{row},{r},{f},{s}\n" for r, f, s, *rows in samples
                          for side, numbers in zip(("TRAIN", "TEST"), rows, strict=True)
                          for row in numbers)


def sampled(folds):
    for (repeat, fold), (train, test) in folds.items():
        sizes = [round(2 ** (6 + s / 2)) for s in range(20)]
        for s, size in enumerate([*(n for n in sizes if n < len(train)), len(train)]):
            yield repeat, fold, s, train[:size], test


@pytest.fixture
def task(published, cache):
    """The cache with dataset 2 and a task on it, of which two folds are left."""
    folder = server_folder(cache_root())
    shutil.copytree(published / "openml" / "datasets" / "2", folder / "datasets" / "2")
    place = folder / "tasks" / "61"
    place.mkdir(parents=True)
    text = (published / "openml" / "tasks" / "1" / "task.xml").read_text()
    for before, now in (("_type_id>1<", "_type_id>3<"), ("data_set_id>1<", "data_set_id>2<"),
                        ("Supervised Classification", "Learning Curve"),
                        ("task_id>1<", "task_id>61<")):
        assert before in text
        text = text.replace(before, now)
    (place / "task.xml").write_text(text)
    folds = read_split_file(published / "openml" / "tasks" / "1" / "datasplits.arff")
    (place / "datasplits.arff").write_text(
        as_text(sampled({place: folds[place] for place in ((0, 0), (0, 8))})))
    return place


@pytest.fixture
def written(task, tmp_path):
    """OpenML's files of what two learners predicted on the task; the store is in ``out``."""
    settings = check_settings({"DATASETS": "openml:task/61", "LEARNERS": "KNN GaussianNB",
                               "OUT": str(tmp_path / "out"), "PREDICTIONS": "yes", "WORKERS": "1"})
    plan = make_plan(settings)
    assert [(key.outer, key.inner) for key in plan.jobs] == [(0, 0)] * 2 + [(0, 8)] * 2
    run(settings, plan)
    return write_runs(settings.out, plan.given_splits())


def test_from_recorded_answers_to_curves_and_to_openmls_form(task, written, tmp_path):
    curves = analysis.load_curves(str(tmp_path / "out"))
    name = load_dataset("openml:task/61").name
    errors = curves["error_rate"].sel(dataset=name, learner="KNN").squeeze(drop=True)
    assert errors["anchor"].values.tolist() == [64, 91, 128, 181, 256, 362, 512, 724, 808, 809]
    valid, test = errors.sel(split="valid"), errors.sel(split="test")
    assert test.isnull().all() and valid.count() == 18  # each fold has its own largest sample
    assert valid.sel(anchor=64).mean() > valid.sel(anchor=724).mean()
    assert "ill_behaved" in analysis.detect_shapes(curves["error_rate"].sel(split="valid"))

    assert [path.name for path in written] == ["61-GaussianNB-none-no.arff", "61-KNN-none-no.arff"]
    told = arff.loads(written[1].read_text())
    names = [name for name, _ in told["attributes"]]
    assert names[:6] == ["repeat", "fold", "sample", "row_id", "prediction", "correct"]
    assert names[6:] == [f"confidence.{c}" for c in "12345U"]  # of 4 there is no row
    assert {row[names.index("confidence.4")] for row in told["data"]} == {0}
    splits = read_samples(task / "datasplits.arff", "x").folds
    for (repeat, fold), (split, sizes) in splits.items():
        for sample, size in enumerate(sizes):
            rows = [row for row in told["data"] if row[:3] == [repeat, fold, sample]]
            assert [row[3] for row in rows] == split.valid.tolist()
            wrong = np.mean([row[4] != row[5] for row in rows])
            assert wrong == valid.sel(inner=fold, anchor=size)
            assert all(abs(sum(row[6:]) - 1) < 1e-9 for row in rows)


def test_openml_python_writes_and_reads_the_same(task, written, tmp_path, monkeypatch):
    import openml
    from openml.tasks import OpenMLSplit

    told = arff.loads(written[1].read_text())
    monkeypatch.setattr(openml.config, "_root_cache_directory", cache_root())
    known = openml.tasks.get_task(61, download_data=False, download_qualities=False)
    names = [name.removeprefix("confidence.") for name, _ in told["attributes"]]
    rows = [openml.runs.functions.format_prediction(
        known, *map(int, row[:2]), int(row[3]), *row[4:6], int(row[2]),
        dict(zip(names[6:], row[6:], strict=True))) for row in told["data"]]
    theirs = openml.runs.OpenMLRun(61, None, 2, data_content=rows)
    theirs.flow = "any"  # what is written of a run does not depend on it
    written = arff.loads(arff.dumps(theirs._generate_arff_dict()))
    assert (told["attributes"], told["data"]) == (written["attributes"], written["data"])

    ours = read_samples(task / "datasplits.arff", "x").folds
    splits = OpenMLSplit._from_arff_file(task / "datasplits.arff")
    for (repeat, fold), (split, sizes) in ours.items():
        assert len(splits.split[repeat][fold]) == len(sizes)
        for sample, size in enumerate(sizes):
            train, test = splits.get(repeat, fold, sample)
            assert train.tolist() == split.train[:size].tolist()
            assert test.tolist() == split.valid.tolist()
    curves = analysis.load_curves(str(tmp_path / "out")).sel(learner="KNN", split="valid")
    errors = curves["error_rate"].squeeze()
    right = theirs.get_metric_fn(lambda true, said: np.mean(np.equal(true, said)))
    last = [errors.sel(inner=fold, anchor=sizes[-1]) for (_, fold), (_, sizes) in ours.items()]
    assert right == pytest.approx(1 - np.array(last), abs=1e-12)


def test_some_folds_may_be_chosen_and_a_part_is_no_run(task, tmp_path):
    given = {"DATASETS": "openml:task/61", "LEARNERS": "KNN", "OUT": str(tmp_path / "out"),
             "ANCHORS": "64 128", "PREDICTIONS": "yes", "WORKERS": "1"}
    plan = make_plan(check_settings(given | {"INNER": "8"}))
    assert [(key.outer, key.inner) for key in plan.jobs] == [(0, 8)]
    assert next(iter(plan.jobs.values())).anchors == (64, 128)
    run(check_settings(given | {"INNER": "8"}), plan)
    assert write_runs(tmp_path / "out", plan.given_splits()) == []
    with pytest.raises(ValueError, match="none of the repeats OUTER"):
        make_plan(check_settings(given | {"OUTER": "7"}))


def test_each_type_of_task_is_told_its_command(task, published):
    with pytest.raises(TaskError, match="make collect DATASETS=\"openml:task/61\""):
        expand_tasks(["openml:task/61"])
    shutil.copytree(published / "openml" / "tasks" / "1", task.parent / "1")
    with pytest.raises(TaskError, match=r"Supervised Classification, no Learning Curve.*evaluate"):
        load_dataset("openml:task/1")


@pytest.mark.parametrize(("samples", "words"), [
    ([(0, 0, 0, [1, 2], [9]), (0, 0, 1, [1, 3, 4], [9])], "fold 0: sample 1 does not hold"),
    ([(0, 0, 0, [1, 2], [9]), (0, 0, 1, [2, 1], [9])], "sample 1 does not hold"),
    ([(0, 1, 0, [1, 2], [9]), (0, 1, 1, [1, 2, 3], [8])], "fold 1: sample 1 tests other rows"),
    ([(2, 0, 0, [1, 2], [2, 9])], "repeat 2, fold 0 overlaps: 1 row"),
])
def test_samples_that_are_not_nested_are_refused(tmp_path, samples, words):
    file = tmp_path / "splits.arff"
    file.write_text(as_text(samples))
    with pytest.raises(TaskError, match=words):
        read_samples(file, "openml:task/5")


def test_a_file_without_samples_and_rows_that_are_not_there_are_refused(tmp_path):
    file = tmp_path / "splits.arff"
    file.write_text(as_text([(0, 0, 0, [1, 2], [9])]).replace("sample", "draw"))
    with pytest.raises(TaskError, match=r"columns .*sample"):
        read_samples(file, "x")
    file.write_text(as_text([(0, 0, 0, [1, 2], [9])]))
    with pytest.raises(ValueError, match="name row 9, while the dataset has rows 0 to 4"):
        read_samples(file, "x").check(np.arange(5))
