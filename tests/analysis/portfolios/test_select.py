"""Portfolios: published cases, the loops they stand for, and bad input."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published_data import PUBLISHED

from analysis.leaderboards.measures import normalized_errors, ranks
from analysis.portfolios import (
    PROCEDURES,
    select_portfolio,
    similar_weights,
)
from collection.project.naming import UnknownNameError

FILE = PUBLISHED / "tabrepo" / "portfolio_cases.npz"
KNOWN = json.loads(str(np.load(FILE)["index_json"]))["greedy"] if FILE.exists() else [None]


@pytest.mark.parametrize("case", KNOWN, ids=lambda case: case["case"] if case else "absent")
def test_published_procedure_gives_the_published_portfolio(case):
    if case is None:
        pytest.skip("needs ../shared/published/tabrepo/portfolio_cases.npz")
    with np.load(FILE) as file:
        arrays = {name: file[f"{case['case']}/{name}"] for name in ("error", "order", "trace")}
        weights = file[f"{case['case']}/weights"] if case["weighted"] else None
    found = select_portfolio(arrays["error"], case["k"], weights)
    np.testing.assert_array_equal(found.order, arrays["order"])
    np.testing.assert_allclose(found.trace, arrays["trace"], atol=1e-9)


@st.composite
def tables(draw):
    """Errors, shape (task, config), often equal; weights or None."""
    tasks, configs = draw(st.integers(1, 30)), draw(st.integers(2, 40))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    errors = rng.integers(0, 6, (tasks, configs)) / 10 if draw(st.booleans()) else rng.random(
        (tasks, configs))
    weights = rng.choice([1, 1 / 2, 1 / 3], tasks) if draw(st.booleans()) else None
    return errors, weights


def published_loop(errors, size, weights):
    """The published selection, with a data frame of ranks."""
    values = pd.DataFrame(errors).rank(axis=1)
    if weights is not None:
        values = values.multiply(weights, axis=0)
    order, trace = [], []
    for _ in range(size):
        means = values.cumsum().iloc[-1] / len(values)  # as pandas sums, until 3
        best = int(means.idxmin())
        if trace and means[best] == trace[-1]:
            break
        order.append(best)
        trace.append(means[best])
        values = values.clip(upper=values[best], axis=0)
    return order, trace


@settings(max_examples=60)
@given(tables(), st.integers(1, 50))
def test_published_procedure_is_the_published_loop(table, size):
    errors, weights = table
    order, trace = published_loop(errors, size, weights)
    found = select_portfolio(errors, size, weights)
    assert found.order.tolist() == order
    np.testing.assert_allclose(found.trace, trace, rtol=0, atol=1e-12)


@settings(max_examples=60)
@given(tables(), st.integers(1, 12), st.sampled_from(["paper", "normalized"]))
def test_each_pick_lowers_the_criterion_most(table, size, procedure):
    errors, weights = table
    found = select_portfolio(errors, size, weights, procedure)
    values = errors if procedure == "paper" else normalized_errors(errors)
    values = values if weights is None else values * weights[:, None]
    least = np.full(len(errors), np.inf)
    for pick, mean in zip(found.order, found.trace, strict=True):
        means = np.minimum(values, least[:, None]).mean(axis=0)
        assert means[pick] == pytest.approx(means.min(), abs=1e-12)
        least = np.minimum(least, values[:, pick])
        assert mean == pytest.approx(least.mean())
    assert len(set(found.order)) == len(found.order)
    if procedure == "paper":
        assert len(found.order) == min(size, errors.shape[1])


@settings(max_examples=60)
@given(tables(), st.integers(0, 1000))
def test_cost_aware_picks_gain_most_per_second(table, seed):
    errors, weights = table
    times = np.random.default_rng(seed).choice([1.0, 2.0, 60.0], errors.shape[1])
    found = select_portfolio(errors, 6, weights, "cost_aware", train_times=times)
    values = ranks(errors) * (1 if weights is None else weights[:, None])
    least, mean = values.max(axis=1), values.max(axis=1).mean()
    for pick in found.order:
        gains = (mean - np.minimum(values, least[:, None]).mean(axis=0)) / times
        gains[found.order[:list(found.order).index(pick)]] = 0
        assert gains[pick] == pytest.approx(gains.max(), abs=1e-12)
        least = np.minimum(least, values[:, pick])
        mean = least.mean()


def test_equal_costs_leave_the_order():
    errors = np.random.default_rng(2).random((25, 30))
    plain = select_portfolio(errors, 10)
    cost = select_portfolio(errors, 10, procedure="cost_aware", train_times=np.full((25, 30), 7.0))
    np.testing.assert_array_equal(plain.order, cost.order)


def test_cheap_configs_come_earlier_where_they_are_nearly_as_good():
    errors = np.array([[0.1, 0.11, 0.5], [0.1, 0.11, 0.5], [0.1, 0.11, 0.5]])
    assert select_portfolio(errors, 3).order[0] == 0
    found = select_portfolio(errors, 3, procedure="cost_aware", train_times=np.array([100, 1, 1]))
    assert found.order.tolist() == [1, 0]


def test_costs_are_means_by_the_weights_of_tasks():
    """By weights the first takes (3 · 1 + 1 · 9) / 4 = 3 s; without them 5 s, more than 4 s."""
    errors = np.array([[0.1, 0.1, 0.9]] * 2)
    times = np.array([[1.0, 4.0, 9.0], [9.0, 4.0, 9.0]])
    order = [select_portfolio(errors, 1, weights, "cost_aware", train_times=times).order[0]
             for weights in (np.array([3.0, 1.0]), None)]
    assert order == [0, 1]


def test_similar_tasks_decide():
    errors = np.array([[0.1, 0.3], [0.1, 0.3], [0.1, 0.3], [0.3, 0.1]])
    features = np.array([[1.0, 10], [2, 11], [3, 12], [900, 5000]])
    assert select_portfolio(errors, 1).order == [0]
    for query, expected in (([2.0, 11], 0), ([950.0, 6000], 1)):
        found = select_portfolio(errors, 1, procedure="similar", features=features,
                                 query=np.array(query))
        assert found.order == [expected]


def test_similarity_is_by_rank_and_bears_unknown_features():
    features = np.array([[1.0, np.nan], [5, 2], [9, 4]])
    weights = similar_weights(features, np.array([1.0, 2]))
    assert weights[0] == 1 and weights[0] > weights[1] > weights[2] > 0
    stretched = similar_weights(features**3, np.array([1.0, 8]))
    np.testing.assert_allclose(weights, stretched)
    np.testing.assert_array_equal(similar_weights(np.ones((3, 2)), np.ones(2)), 1)


def test_what_no_portfolio_can_be_made_of_is_refused():
    errors = np.random.default_rng(1).random((4, 3))
    with pytest.raises(ValueError, match=r"1 of 12 errors are NaN .* task 2, config 1"):
        select_portfolio(np.where(np.arange(12).reshape(4, 3) == 7, np.nan, errors), 2)
    with pytest.raises(ValueError, match=r"shape \(task, config\); these have \(3,\)"):
        select_portfolio(errors[0], 2)
    with pytest.raises(ValueError, match="at least one config, not 0"):
        select_portfolio(errors, 0)
    with pytest.raises(ValueError, match=r"weights of the shape \(4,\), not \(3,\)"):
        select_portfolio(errors, 2, np.ones(3))
    with pytest.raises(ValueError, match="Weights must be above 0; 1 are not"):
        select_portfolio(errors, 2, np.array([1.0, 0, 1, 1]))
    with pytest.raises(ValueError, match="pass train_times"):
        select_portfolio(errors, 2, procedure="cost_aware")
    with pytest.raises(ValueError, match="pass features and query"):
        select_portfolio(errors, 2, procedure="similar")
    with pytest.raises(ValueError, match=r"these have \(3, 2\) and \(2,\), for 4 tasks"):
        select_portfolio(errors, 2, procedure="similar", features=np.ones((3, 2)),
                         query=np.ones(2))
    with pytest.raises(UnknownNameError, match=r"procedure 'costs'\. Did you mean"):
        select_portfolio(errors, 2, procedure="costs")
    assert set(PROCEDURES) == {"published", "paper", "normalized", "cost_aware", "similar"}
