"""How many datasets it takes: to learn a portfolio, and to tell that it is better."""

import numpy as np
import pandas as pd
import pytest

from analysis.leaderboards.measures import normalized_errors, ranks
from analysis.portfolios import learned_on, rival_differences, tell_apart
from analysis.portfolios.how_many import pick_many
from analysis.portfolios.matrix import ErrorMatrix, left_out_orders

DEFAULT = "LightGBM_c1"
TASKS, CONFIGS = 24, 15


@pytest.fixture(scope="module")
def matrix():
    """Tasks of two kinds, told apart by their rows; on each kind other configs are good."""
    rng = np.random.default_rng(3)
    kind = np.arange(TASKS) % 2
    good = np.arange(CONFIGS) % 2 == kind[:, None]
    errors = np.where(good, 0.1, 0.3) + rng.uniform(0, 0.1, (TASKS, CONFIGS))
    relatives = np.array([f"own:{max(k, 1)}" for k in range(TASKS)], object)  # 0 and 1 are one
    facts = pd.DataFrame({"rows": np.where(kind, 1000, 10) + np.arange(TASKS)}).to_xarray()
    return ErrorMatrix(errors, rng.uniform(1, 5, (TASKS, CONFIGS)),
                       [f"t{k}" for k in range(TASKS)],
                       [DEFAULT, *(f"c{k}" for k in range(1, CONFIGS))], relatives, facts)


def test_a_draw_is_judged_on_datasets_that_it_did_not_learn_from(matrix):
    table = learned_on(matrix, [4], draws=6, size=3)
    own = table[(table["criterion"] == "ranks") & (table["number"] == 4)]
    sizes = own.groupby("draw").size()
    assert sizes.between(TASKS - 5, TASKS - 4).all()  # the twin of one that was drawn is left out
    for _, part in own.groupby("draw"):
        assert {"t0", "t1"} <= set(part["task"]) or not {"t0", "t1"} & set(part["task"])


def test_all_datasets_but_one_are_leaving_one_out(matrix):
    table = learned_on(matrix, [4], draws=1, size=3)
    own = table[(table["criterion"] == "ranks") & (table["number"] == TASKS - 1)]
    values = normalized_errors(matrix.errors)
    orders = left_out_orders(matrix, "published", 3)
    expected = [values[k, order].min() for k, order in enumerate(orders)]
    np.testing.assert_allclose(own["normalized_error"], expected)


def test_differences_are_to_the_rivals(matrix):
    found = rival_differences(matrix, DEFAULT, size=2)
    values = normalized_errors(matrix.errors)
    k, others = 7, np.delete(np.arange(TASKS), 7)
    order = pick_many(ranks(matrix.errors)[others], np.ones((1, TASKS - 1), bool), 2)[0]
    own = values[k, order].min()
    average = ranks(matrix.errors)[others].mean(axis=0).argsort(kind="stable")[:2]
    pairs = [min(values[k, a], values[k, b]) for a in range(CONFIGS) for b in range(a)]
    expected = [own - values[k, 0], own - values[k, average].min(), own - np.mean(pairs)]
    np.testing.assert_allclose(found[k], expected)


def test_a_study_tells_where_interval_and_test_agree():
    clear = np.linspace(-2, -1, 12)
    said = tell_apart(np.column_stack([clear, -clear, np.linspace(-1, 1, 12)]),
                      list("abcdefghijkl"))
    assert said.tolist() == [-1, 1, 0]
    assert tell_apart(clear[:5, None], list("abcde")).tolist() == [0]  # 2 / 32 is no 5 %
    assert tell_apart(clear[:, None], ["a"] * 7 + list("bcdef")).tolist() == [-1]
    assert tell_apart(clear[:, None], ["a"] * 8 + list("bcde")).tolist() == [0]  # of five families
