"""Tasks: their splits, what makes one impossible, and the records they are kept as."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold

from collection.containers.metrics import TASK_METRICS, choose_metrics
from collection.datasets.dataset import make_dataset
from collection.learners import find_learner
from collection.project.naming import UnknownNameError
from collection.running.evaluate import evaluate
from collection.suites.specs import expand_tasks
from collection.tasks import (
    CrossValidation,
    Fold,
    GivenSplits,
    Task,
    TaskError,
    from_record,
    load_task,
    to_record,
)
from collection.tasks.procedures import WholeData, check_folds
from collection.tasks.split_files import read_split_file, write_split_file


def own(path, labels, target="target"):
    pd.DataFrame({"x": range(len(labels)), "y": labels}).to_csv(path, index=False)
    return f"csv:{path}?{target}=y"


def test_cross_validation_is_scikit_learns_with_a_seed_per_repeat():
    task = load_task(Task("keel:wine", procedure=CrossValidation(folds=5, repeats=2, seed=3)))
    target = task.dataset.target
    for repeat in range(2):
        expected = StratifiedKFold(5, shuffle=True, random_state=3 + repeat).split(target, target)
        for fold, (train, test) in enumerate(expected):
            found = task.fold(repeat, fold)
            np.testing.assert_array_equal(found.train, train)
            np.testing.assert_array_equal(found.test, test)
    assert task.task.procedure.places() == [(f.repeat, f.fold) for f in task.folds]
    assert (task.name, task.problem, task.metric) == ("wine", "multiclass", "log_loss")
    assert (np.unique(target)[task.labels] == target).all()


def test_a_regression_task_is_split_without_classes(tmp_path):
    task = load_task(Task("sklearn:diabetes", procedure=CrossValidation(folds=4)))
    assert (task.problem, task.metric) == ("regression", "rmse")
    assert task.labels.dtype == float and sum(len(f.test) for f in task.folds) == 442
    assert load_task(Task(own(tmp_path / "a.csv", np.arange(30) / 7, "regress"))).metric == "rmse"


@pytest.mark.parametrize(("target", "stratified"), [
    ("target", True), ("target", False), ("regress", False)])
def test_duplicates_can_be_kept_together(tmp_path, target, stratified):
    """Rows with gaps are twins of the same rows alone."""
    x = np.tile(np.r_[np.arange(10.0), [np.nan]], 4)
    z = np.where(np.isnan(x), np.repeat(np.arange(4.0), 11) // 2, x)  # two pairs with a gap
    y = np.tile([0, 1], 22)
    pd.DataFrame({"x": x, "z": z, "y": y}).to_csv(tmp_path / "gaps.csv", index=False)
    procedure = CrossValidation(4, keep_duplicates_together=True, stratified=stratified)
    task = load_task(Task(f"csv:{tmp_path}/gaps.csv?{target}=y", procedure=procedure))
    rows = pd.DataFrame({"x": x, "z": z}).fillna(-1).apply(tuple, axis=1)
    for fold in task.folds:
        assert not set(rows[fold.train]) & set(rows[fold.test])
    with_gap = [set(z[fold.test][np.isnan(x[fold.test])]) for fold in task.folds]
    assert sorted(len(found) for found in with_gap) == [0, 0, 1, 1]
    assert {len(fold.test) for fold in task.folds} <= {10, 12}


@given(st.lists(st.integers(1, 8), min_size=4, max_size=20), st.integers(2, 4), st.booleans())
def test_groups_fill_folds_evenly(sizes, folds, shuffle):
    groups = np.repeat(np.arange(len(sizes)), sizes)
    dataset = make_dataset(pd.DataFrame({"x": groups.astype(float), "y": 0.5 + np.arange(
        float(len(groups)))}), "y", name="groups", source="groups", regression=True)
    procedure = CrossValidation(folds, shuffle=shuffle, keep_duplicates_together=True)
    filled = [len(fold.test) for fold in procedure.splits(dataset)]
    assert sum(filled) == sum(sizes) and max(filled) - min(filled) <= max(sizes)


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("stratified", [False, True])
def test_repeats_have_seeds_that_differ(stratified, together):
    dataset = make_dataset(pd.DataFrame({"x": np.arange(40.0), "y": ["a", "b"] * 20}), "y",
                           name="own", source="own")
    folds = CrossValidation(2, repeats=3, stratified=stratified,
                            keep_duplicates_together=together).splits(dataset)
    assert len({tuple(fold.test) for fold in folds}) == 6


@pytest.mark.parametrize(("labels", "changes", "message"), [
    (["a"] * 40 + ["b"] * 9, {}, r"class 'b' has 9 row\(s\), fewer than the 10 folds"),
    (["a", "b"] * 3, {}, "6 rows, too few for 10 folds"),
    (["a", "b"] * 9, {"metric": "rmse"}, "'rmse' does not measure a binary problem; these do: e"),
    (["a", "b"] * 9, {"target": "x"}, "the task's target is 'x', while csv:.* has 'y'"),
    (["a", "b"] * 9, {"fingerprint": "0" * 64}, "not what it was when the task was made"),
])
def test_a_task_that_cannot_be_carried_out_says_why(tmp_path, labels, changes, message):
    spec = own(tmp_path / "mine.csv", labels)
    with pytest.raises(TaskError, match=message):
        load_task(Task(spec, **changes))


def test_what_a_cross_validation_cannot_be(tmp_path):
    for wrong in ({"folds": 1}, {"repeats": 0}, {"repeats": 2, "shuffle": False}):
        with pytest.raises(TaskError):
            CrossValidation(**wrong)
    with pytest.raises(UnknownNameError, match="'auc'"):
        Task("keel:wine", metric="acu")


FOLDS = [Fold(0, 0, np.array([0, 1, 2]), np.array([3, 4])),
         Fold(0, 1, np.array([2, 3, 4]), np.array([0, 1]))]


@pytest.mark.parametrize(("train", "test", "message"), [
    ([0, 1], [3, 4], "lacks 1 of 5 rows, such as row 2"),
    ([0, 1, 2, 3], [3, 4], r"overlaps: 1 row\(s\) are in training and test"),
    ([0, 1, 2], [3, 4, 5], "names row 5, while the dataset has rows 0 to 4"),
    ([0, 1, 2, -1], [3, 4], "names row -1"),
    ([0, 1, 2, 2], [3, 4], "names row 2 2 times"),
    ([0, 1, 2, 3, 4], [], "5 training and 0 test rows"),
])
def test_splits_that_are_none_say_where(tmp_path, train, test, message):
    spec = own(tmp_path / "five.csv", ["a", "b", "a", "b", "a"])
    wrong = [FOLDS[0], Fold(0, 1, np.array(train, int), np.array(test, int))]
    with pytest.raises(TaskError, match=f"repeat 0, fold 1 .*{message}"):
        check_folds(wrong, 5, "five")
    write_split_file(tmp_path / "own.arff", wrong)
    if len(test):
        with pytest.raises(TaskError, match=message):
            load_task(Task(spec, procedure=GivenSplits(str(tmp_path / "own.arff"))))


@pytest.mark.parametrize(("text", "message"), [
    ("", "no ARFF file with the columns type, rowid, repeat, fold"),
    ("@attribute type {TRAIN,TEST}\n@data\nTRAIN\n", "no ARFF file with the columns"),
    ("@attribute type x\n@attribute rowid x\n@attribute repeat x\n@attribute fold x\n@data\n"
     "TRAIN,1,0", "damaged"),
    ("@attribute type x\n@attribute rowid x\n@attribute repeat x\n@attribute fold x\n@data\n"
     "LEARN,1,0,0", "a row of type 'LEARN'"),
])
def test_a_damaged_file_of_splits_is_said_to_be_so(tmp_path, text, message):
    (tmp_path / "s.arff").write_text(text)
    with pytest.raises(TaskError, match=message):
        read_split_file(tmp_path / "s.arff")
    with pytest.raises(TaskError, match="There is no file"):
        read_split_file(tmp_path / "none.arff")


tasks = st.builds(
    Task, st.sampled_from(["keel:wine", "csv:a b.csv?target=y"]), st.sampled_from(["", "y"]),
    st.builds(CrossValidation, st.integers(2, 20), st.integers(1, 5), st.integers(0, 9),
              st.booleans()) | st.just(GivenSplits("openml:task/3")),
    st.sampled_from(["", *TASK_METRICS]), st.sampled_from(["", "mine"]))


@given(tasks)
def test_a_task_comes_back_from_its_record(task):
    assert from_record(to_record(task)) == task


@pytest.mark.parametrize(("record", "error", "message"), [
    ({"target": "y"}, TaskError, "names no dataset"),
    ({"dataset": "keel:wine", "targte": "y"}, UnknownNameError, "'target'"),
    ({"dataset": "keel:wine", "version": 3}, TaskError, "version must be text, not 3"),
    ({"dataset": "keel:wine", "procedure": "10-fold"}, TaskError, "must have a kind"),
    ({"dataset": "keel:wine", "procedure": {"kind": "crossvalidation"}}, UnknownNameError,
     "'cross-validation'"),
    ({"dataset": "keel:wine", "procedure": {"kind": "given", "sauce": "x"}}, UnknownNameError,
     "'source'"),
    ({"dataset": "keel:wine", "procedure": {"kind": "cross-validation", "folds": "10"}}, TaskError,
     "folds of its procedure must be int"),
])
def test_a_wrong_record_says_what_is_wrong(record, error, message):
    with pytest.raises(error, match=message):
        from_record(record)


def test_specs_become_tasks_each_once():
    procedure = CrossValidation(folds=3)
    found = expand_tasks(["keel:wine", "sklearn:wine", "keel:wine"], procedure)
    assert found == [Task("keel:wine", procedure=procedure),
                     Task("sklearn:wine", procedure=procedure)]


def test_the_metric_of_each_kind_of_problem():
    assert choose_metrics(["error_rate"]) == {
        "binary": "error_rate", "multiclass": "error_rate", "regression": "rmse"}
    assert choose_metrics(["auc", "multiclass=f1", "mae"]) == {
        "binary": "auc", "multiclass": "f1", "regression": "mae"}
    assert TASK_METRICS["auc"].error(0.75) == 0.25 and TASK_METRICS["rmse"].error(3.0) == 3.0
    for word, message in (("regression=auc", "does not measure a regression"),
                          ("binry=auc", "'binary'"), ("acu", "'auc'")):
        with pytest.raises(ValueError, match=message):
            choose_metrics([word])


def test_numbers_to_predict_are_checked_on_the_way_in():
    frame = pd.DataFrame({"x": [1.0, 2, 3], "y": [4.0, None, 5]})
    with pytest.warns(UserWarning, match="1 of 3 rows"):
        dataset = make_dataset(frame, "y", name="n", source="s", regression=True)
    assert dataset.target.tolist() == [4, 5] and dataset.problem == "regression"
    assert not len(dataset.classes) and dataset.target_name == "y"
    with pytest.raises(ValueError, match="is 1 in every row"):
        make_dataset(frame.assign(y=1.0), "y", name="n", source="s", regression=True)


def test_all_rows_are_on_both_sides():
    task = load_task(Task("sklearn:wine", procedure=WholeData()))
    (fold,) = task.folds
    np.testing.assert_array_equal(fold.train, np.arange(178))
    np.testing.assert_array_equal(fold.test, fold.train)
    assert task.task.procedure.places() == [(0, 0)]
    assert from_record(to_record(task.task)) == task.task
    (made,) = evaluate(task, find_learner("GaussianNB"), 0, 0)
    train, _, test = made.measures["log_loss"]
    assert train == test < 0.1
    with pytest.raises(TaskError, match="lacks"):
        check_folds([Fold(0, 0, fold.train[1:], fold.test[1:])], 178, "wine", overlaps=True)


def test_folds_of_a_hold_out_need_not_test_every_row():
    check_folds([Fold(0, 0, np.arange(3), np.arange(3, 5))], 5, "five")
