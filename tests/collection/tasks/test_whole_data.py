"""Training and scoring on all rows: what it is, and that nothing else may overlap."""

import numpy as np
import pytest

from collection.evaluation.evaluate import evaluate
from collection.learners import find_learner
from collection.tasks import Fold, Task, TaskError, from_record, load_task, to_record
from collection.tasks.procedures import WholeData, check_folds


def test_all_rows_are_on_both_sides():
    task = load_task(Task("sklearn:wine", procedure=WholeData()))
    (fold,) = task.folds
    np.testing.assert_array_equal(fold.train, np.arange(178))
    np.testing.assert_array_equal(fold.test, fold.train)
    assert task.task.procedure.places() == [(0, 0)]
    assert from_record(to_record(task.task)) == task.task


def test_training_and_test_measures_are_the_same():
    task = load_task(Task("sklearn:breast_cancer", procedure=WholeData()))
    (made,) = evaluate(task, find_learner("GaussianNB"), 0, 0)
    train, _, test = made.measures["auc"]
    assert train == test > 0.9


def test_overlap_is_for_this_procedure_alone():
    rows = np.arange(4)
    check_folds([Fold(0, 0, rows, rows)], 4, "t", overlaps=True)
    for folds, message in (([Fold(0, 0, rows, rows)], "overlaps"),
                           ([Fold(0, 0, rows[:2], rows[2:3])], "lacks")):
        with pytest.raises(TaskError, match=message):
            check_folds(folds, 4, "t")
    with pytest.raises(TaskError, match="lacks"):
        check_folds([Fold(0, 0, rows[:3], rows[:3])], 4, "t", overlaps=True)
