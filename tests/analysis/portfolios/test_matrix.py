"""Portfolios judged by errors alone: known picks, brute force, near-duplicates left out."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import analysis
from analysis.databases.evaluations import is_repository
from analysis.leaderboards.measures import ranks
from analysis.portfolios import matrix as matrices
from analysis.portfolios import select_portfolio
from analysis.portfolios.matrix import pick_many
from commands import COMMANDS

main = COMMANDS["portfolio"].run


@pytest.fixture(scope="module")
def matrix():
    return matrices.open_matrix("tabrepo-lightgbm")


def test_the_matrix_is_whole_and_its_errors_are_those_shipped(matrix):
    assert matrix.errors.shape == (93, 104) and is_repository("tabrepo-lightgbm")
    table = analysis.load_results("lightgbm_configs")
    row = table[(table["task"].astype(str) == matrix.tasks[5])
                & (table["method"] == matrix.configs[7])]
    assert matrix.errors[5, 7] == row["value"].item()
    known = analysis.load_evaluations("tabrepo-lightgbm")
    assert known["error"].sel(split=["train", "valid"]).isnull().all()
    known = known.sel(split="test")
    of_auc = known["task"].values[known["metric"].values == "auc"]
    assert len(of_auc) and np.allclose(known["auc"].sel(task=of_auc),
                                       1 - known["error"].sel(task=of_auc))
    assert (matrix.train_times > 0).all()
    assert len(set(matrix.relatives)) == 87
    assert matrix.facts["title"].values[matrix.tasks.index("3945")] == "KDDCup09_appetency"


def test_greedy_picks_are_the_known_ones(matrix):
    """Positions in the order of the configs' names, as measured on the published table."""
    assert matrix.configs == sorted(matrix.configs)
    order = select_portfolio(matrix.errors, 8).order
    assert order.tolist() == [78, 23, 102, 91, 66, 55, 57, 7]


def test_neither_a_dataset_nor_its_near_duplicates_teach_its_portfolio(matrix):
    task = matrix.tasks.index("3945")  # KDD Cup 2009, with 360975
    twin = matrix.tasks.index("360975")
    others = [k for k in range(93) if k not in (task, twin)]
    expected = select_portfolio(matrix.errors[others], 104).order
    np.testing.assert_array_equal(matrices.left_out_orders(matrix)[task], expected)
    mean = ranks(matrix.errors)[others].mean(axis=0)
    assert (np.diff(mean[matrices.best_on_average(matrix)[task]]) >= 0).all()


@given(st.integers(0, 10**6), st.integers(2, 7))
def test_random_configs_by_brute_force(seed, n):
    values = np.random.default_rng(seed).integers(0, 5, (3, n)).astype(float)
    found = matrices.random_by_size(values)
    for size in range(1, n + 1):
        drawn = [values[:, list(some)].min(axis=1) for some in combinations(range(n), size)]
        np.testing.assert_allclose(found[:, size - 1], np.mean(drawn, axis=0))


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_many_picks_at_once_are_those_one_by_one(seed, size):
    rng = np.random.default_rng(seed)
    values = rng.random((9, 8))
    learned = rng.random((5, 9)) < 0.6
    learned[:, 0] = True
    for order, own in zip(pick_many(values, learned, size), learned, strict=True):
        least, left = np.full(own.sum(), np.inf), list(range(8))
        for pick in order:
            sums = [np.minimum(least, values[own][:, c]).sum() for c in left]
            assert np.minimum(least, values[own][:, pick]).sum() <= min(sums) * (1 + 1e-9)
            least = np.minimum(least, values[own][:, pick])
            left.remove(pick)


def test_where_nothing_gets_better_the_best_on_average_follow():
    values = np.array([[1.0, 9, 3, 2], [1, 8, 2, 4]])
    assert pick_many(values, np.ones((1, 2), bool), 4).tolist() == [[0, 2, 3, 1]]


def test_a_short_portfolio_stays_as_it_is():
    values = np.array([[3.0, 1, 2], [1, 3, 2]])
    orders = [np.array([2, 1]), np.array([1, 2, 0])]
    assert matrices.lowest_by_size(values, orders).tolist() == [[2, 1, 1], [3, 2, 1]]
    assert matrices.total_by_size(np.cumsum, values, orders).tolist() == [[2, 3, 3], [3, 5, 6]]


def test_all_configs_are_as_good_however_they_are_ordered(matrix):
    table = matrices.compare_sizes(matrix, ("paper",)).set_index(["method", "size"])
    for method in ("paper", matrices.QUICK, matrices.RANDOM):
        assert table.loc[(method, 104), "normalized_error"] == pytest.approx(0, abs=1e-9)
        assert table.loc[(method, 104), "seconds"] == pytest.approx(
            matrix.train_times.sum(axis=1).mean())
    assert (table["normalized_error_low"] <= table["normalized_error"] + 1e-12).all()


def test_orders_in_the_same_time_train_what_it_pays_for(matrix):
    few = replace(matrix, errors=matrix.errors[:, :9], train_times=matrix.train_times[:, :9],
                  configs=matrix.configs[:9])
    table = matrices.compare_in_time(few, [1, 4, 9], 3, ["published"]).set_index(
        ["rival", "configs"])
    values, orders = few.measures["normalized_error"], matrices.left_out_orders(few)
    for size in (1, 4, 9):
        found = [min(value[order[:max((np.cumsum(times[order]) <= size * times.mean()).sum(), 1)]])
                 for value, times, order in zip(values, few.train_times, orders, strict=True)]
        row = table.loc["published", size]
        assert row["normalized_error"] == pytest.approx(np.mean(found))
        random = table.loc[(matrices.RANDOM, size), "normalized_error"]
        assert row["difference"] == pytest.approx(random - np.mean(found))
    assert table.loc[(matrices.QUICK, 4), "quick"] == 0


def test_the_command_prints_sizes_and_refuses_a_budget(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("collection.project.paths.RESULTS", tmp_path)
    assert main(["WHERE=tabrepo-lightgbm"]) == 0
    assert "93 datasets (87 families), 104 configs" in capsys.readouterr().out
    assert (tmp_path / "portfolio" / "sizes.csv").is_file()
    assert main(["WHERE=tabrepo-lightgbm", "BUDGET=3"]) == 1
    assert "no predictions" in capsys.readouterr().err
