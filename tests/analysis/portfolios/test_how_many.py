"""How many datasets it takes to learn a portfolio."""

import numpy as np
import pandas as pd
import pytest

from analysis.leaderboards.measures import normalized_errors
from analysis.portfolios import learned_on
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
