"""Portfolios: published cases, the loops they stand for, and bad input."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published_data import PUBLISHED, at_hand

from analysis.leaderboards.measures import normalized_errors, ranks
from analysis.portfolios import select_portfolio

FILE = PUBLISHED / "tabrepo" / "portfolio_cases.npz"
KNOWN = json.loads(str(np.load(FILE)["index_json"]))["greedy"] if FILE.exists() else [None]


@pytest.mark.parametrize("case", KNOWN, ids=lambda case: case["case"] if case else "absent")
def test_published_procedure_gives_the_published_portfolio(case):
    with np.load(at_hand("tabrepo", FILE.name)) as file:
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


def test_costs_are_means_by_the_weights_of_tasks():
    """By weights the first takes (3 · 1 + 1 · 9) / 4 = 3 s; without them 5 s, more than 4 s."""
    errors = np.array([[0.1, 0.1, 0.9]] * 2)
    times = np.array([[1.0, 4.0, 9.0], [9.0, 4.0, 9.0]])
    order = [select_portfolio(errors, 1, weights, "cost_aware", train_times=times).order[0]
             for weights in (np.array([3.0, 1.0]), None)]
    assert order == [0, 1]


ERRORS = np.random.default_rng(1).random((4, 3))


@pytest.mark.parametrize(("given", "message"), [
    ({"errors": np.where(np.arange(12).reshape(4, 3) == 7, np.nan, ERRORS)},
     r"1 of 12 errors are NaN .* task 2, config 1"),
    ({"errors": ERRORS[0]}, r"shape \(task, config\); these have \(3,\)"),
    ({"size": 0}, "at least one config, not 0"),
    ({"weights": np.ones(3)}, r"weights of the shape \(4,\), not \(3,\)"),
    ({"weights": np.array([1.0, 0, 1, 1])}, "Weights must be above 0; 1 are not"),
    ({"procedure": "cost_aware"}, "pass train_times"),
    ({"procedure": "costs"}, r"procedure 'costs'\. Did you mean")])
def test_what_no_portfolio_can_be_made_of_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        select_portfolio(**{"errors": ERRORS, "size": 2} | given)
