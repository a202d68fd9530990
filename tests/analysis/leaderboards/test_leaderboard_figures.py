"""Figures of orders show the numbers they are given."""

import re

import numpy as np
import pandas as pd
import pytest
from figure_numbers import drawn_numbers

from analysis.leaderboards import order
from analysis.leaderboards.cells import to_cells
from analysis.leaderboards.estimates import estimate_values
from analysis.leaderboards.order_page import draw_order, lead, weigh
from analysis.leaderboards.stepdown import step_down


@pytest.fixture
def results():
    rng = np.random.default_rng(0)
    return pd.DataFrame([(m, f"t{t}", f, rng.random() + 0.3 * k) for k, m in enumerate("ABCD")
                         for t in range(20) for f in range(2)],
                        columns=["method", "task", "fold", "error"])


def test_an_order_is_drawn_as_dots_with_their_intervals(results):
    ranks = order(results.rename(columns={"error": "value"}).assign(lower_is_better=True)).ranks
    drawn = draw_order(ranks, name=str.lower)
    numbers = drawn_numbers(drawn)
    dots, ends = (numbers[numbers["kind"] == kind] for kind in ("points", "interval"))
    assert dots.set_index("y_name")["x"].to_dict() == dict(zip(
        ranks["method"].str.lower(), ranks["rank"], strict=True))
    shown = ends.groupby("y_name")["x"].agg(["min", "max"]).loc[ranks["method"].str.lower()]
    assert shown.to_numpy() == pytest.approx(ranks[["low", "high"]].to_numpy())
    assert set(dots["series"]) <= {"may be first", "significantly behind"}
    assert (drawn_numbers(draw_order(ranks, shown=2))["kind"] == "points").sum() == 2


def test_the_gap_that_tasks_resolve_is_told_in_the_metric_s_unit_too(results):
    results = results.rename(columns={"error": "value"}).assign(
        lower_is_better=True, metric="error rate")
    worth = weigh(results, n_resamples=200)
    told = re.search(r"in mean error rate, some ([\d.]+)", lead(worth.order, worth.gap))
    estimate = estimate_values(to_cells(results))
    by_value = estimate.detectable(step_down(estimate, 200, 0).critical)
    assert float(told[1]) == pytest.approx(by_value, rel=0.1)
    some = results[(results["method"] != "A") | (results["task"] != "t0")]
    assert weigh(some, n_resamples=200).gap == ""
