"""Portfolios on tasks: under budgets, and with each dataset left out."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest

from analysis import portfolios
from analysis.ensembles import BudgetError, measure_errors, select_ensemble
from analysis.portfolios import TaskPredictions, TaskRecord

CONFIGS, ROWS = 12, 40


def load(valid, test, labels, configs):
    return TaskPredictions(valid[configs], labels[0], test[configs], labels[1])


def make_record(dataset: str, fold: int) -> TaskRecord:
    """Return a task with predictions, and the errors that follow from them."""
    rng = np.random.default_rng([ord(dataset), fold])
    labels = rng.permutation(np.arange(2 * ROWS) % 2).reshape(2, ROWS)
    signal = rng.uniform(-0.3, 0.3, (1, CONFIGS, 1)) + 0.1
    valid, test = np.clip(0.5 + signal * (2 * labels[:, None] - 1)
                          + rng.normal(size=(2, CONFIGS, ROWS), scale=0.2), 0, 1)
    return TaskRecord(dataset, fold, "auc", measure_errors(valid, labels[0], "auc"),
                      measure_errors(test, labels[1], "auc"), rng.uniform(1, 5, CONFIGS),
                      rng.random(CONFIGS), partial(load, valid, test, labels))


@pytest.fixture(scope="module")
def records():
    return [make_record(dataset, fold) for dataset in "abcd" for fold in range(3)]


def test_a_portfolio_is_learned_without_the_dataset_left_out(records):
    order = portfolios.LeftOut(records, 6).portfolio("b").order
    others = [r for r in records if r.dataset != "b"]
    expected = portfolios.select_portfolio(np.array([r.test_error for r in others]), 6,
                                           np.full(9, 1 / 3))
    np.testing.assert_array_equal(order, expected.order)
    turned = [replace(r, test_error=1 - r.test_error) if r.dataset == "b" else r for r in records]
    np.testing.assert_array_equal(portfolios.LeftOut(turned, 6).portfolio("b").order, order)
    assert portfolios.LeftOut(turned, 6).portfolio("a").order.tolist() != portfolios.LeftOut(
        records, 6).portfolio("a").order.tolist()


def test_evaluation_is_what_selecting_and_averaging_gives(records):
    record, order = records[4], np.array([7, 2, 9, 0])
    best, ensemble = portfolios.evaluate_portfolio(order, record, members=5)
    chosen = order[record.valid_error[order].argmin()]
    assert best["error"] == record.test_error[chosen] and best["members"] == 1
    assert best["infer_time"] == record.infer_time[chosen] and best["budget"] == np.inf
    seen = record.load(order)
    expected = select_ensemble(seen.valid, seen.valid_labels, "auc", 5, "published")
    mean = np.tensordot(expected.weights, seen.test, 1)
    assert ensemble["error"] == measure_errors(mean[None], seen.test_labels, "auc")[0]
    assert ensemble["train_time"] == pytest.approx(record.train_time[order].sum())
    assert ensemble["infer_time"] == pytest.approx(
        record.infer_time[order[expected.weights > 0]].sum())
    assert ensemble["members"] == (expected.weights > 0).sum() and not ensemble["fallback"]


def test_a_budget_trains_configs_in_order_and_the_fallback_stands_in(records):
    record, order = records[0], np.array([3, 1, 5])
    times = record.train_time[order].cumsum()
    budgets = [times[0], times[0] + 1e-6, times[2] + 1, None]
    rows = portfolios.evaluate_portfolio(order, record, budgets, fallback=8,
                                         ensemblers=["single_best"])
    assert [r["configs"] for r in rows] == [1, 1, 3, 3]
    assert [r["fallback"] for r in rows] == [True, False, False, False]
    assert rows[0]["error"] == record.test_error[8]
    assert rows[1]["error"] == record.test_error[3]
    with pytest.raises(BudgetError, match="used up by the first config"):
        portfolios.evaluate_portfolio(order, record, [0.5])


def test_only_the_configs_asked_for_are_loaded(records):
    asked = []
    record = replace(records[0], load=lambda c: (asked.append(c), records[0].load(c))[1])
    portfolios.evaluate_portfolio([3, 1], record, ensemblers=["greedy"])
    portfolios.evaluate_portfolio([3, 1], record, ensemblers=["single_best"])
    assert [c.tolist() for c in asked] == [[3, 1]]


def test_the_study_does_not_depend_on_workers(records):
    one, two = (portfolios.leave_one_out(records, size=4, budgets=(8.0, None), fallback=0,
                                         members=4, workers=w) for w in (1, 2))
    pd.testing.assert_frame_equal(one, two)
    assert len(one) == 4 * 3 * 2 * 2 and one["dataset"].unique().tolist() == list("abcd")
    assert (one["configs"] <= 4).all()


@pytest.mark.parametrize("procedure", portfolios.PROCEDURES)
def test_every_procedure_can_be_studied(records, procedure):
    table = portfolios.leave_one_out(records, 3, procedure, ensemblers=["single_best"])
    assert len(table) == 12 and table["error"].notna().all()


@pytest.mark.parametrize(("spoil", "message"), [
    (lambda r: r[:3], "only a"), (lambda r: [*r, r[0]], "a, fold 0 comes twice"),
    (lambda r: [*r[:-1], replace(r[-1], train_time=np.ones(3))],
     "d, fold 2: errors and times of 12 configs"), (lambda r: [], "There are no tasks")])
def test_tasks_that_do_not_fit_together_are_named(records, spoil, message):
    with pytest.raises(ValueError, match="`tasks` is empty"):
        portfolios.evaluate_ensembles("nowhere", tasks=[])
    with pytest.raises(ValueError, match=message):
        portfolios.LeftOut(spoil(records))


def test_a_random_search_trains_in_an_order_of_its_own_on_each_task(records):
    found = portfolios.search_randomly(records, [4.0, 8.0, None], [1, 5, 7], draws=20, fallback=5,
                                       ensemblers=["single_best"])
    assert len(found) == 12 * 20 * 3 and found["draw"].nunique() == 20
    whole = found[found["budget"] == np.inf]
    for record in records:  # the order does not matter in the end, and nothing else is trained
        own = whole[(whole["dataset"] == record.dataset) & (whole["fold"] == record.fold)]
        best = [1, 5, 7][record.valid_error[[1, 5, 7]].argmin()]
        assert (own["error"] == record.test_error[best]).all()
        assert own["train_time"].to_numpy() == pytest.approx(record.train_time[[1, 5, 7]].sum())
    paid = found[(found["budget"] < np.inf) & ~found["fallback"]]
    assert (paid["train_time"] < paid["budget"]).all() and (paid["configs"] == 1).any()
    first = found[(found["budget"] == 8.0)].groupby(["dataset", "fold"])["train_time"]
    assert (first.nunique() > 1).sum() >= 9  # of 12: not the same order everywhere
    again = portfolios.search_randomly(records, [4.0, 8.0, None], [1, 5, 7], draws=20, fallback=5,
                                       ensemblers=["single_best"])
    pd.testing.assert_frame_equal(found, again)
