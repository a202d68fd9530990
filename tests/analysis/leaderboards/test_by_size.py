"""Orders by training size: made boards of which it is known which methods cross, and where."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

import analysis
from analysis.leaderboards import (
    known_sizes,
    order,
    order_by_size,
    results_of_curves,
    small_and_large,
)
from analysis.leaderboards.by_size import crossing_size
from analysis.leaderboards.cells import ResultsError
from commands import main

SIZES = (16.0, 64.0, 256.0)


def made(seed: int, gaps: np.ndarray, families: int = 40, own: float = 0.5) -> pd.DataFrame:
    """Return errors of methods at sizes; what a task does to a method lasts from size to size.

    `gaps`, of shape (size, method), are the true differences; on every task a method has one of
    its own, of half the variance, and noise.
    """
    rng = np.random.default_rng(seed)
    lasting = rng.normal(0, own, (families, 1, gaps.shape[1]))
    noise = rng.normal(0, np.sqrt(1 - own**2), (families, *gaps.shape))
    value = gaps + lasting + noise
    index = pd.MultiIndex.from_product(
        [range(families), SIZES[:len(gaps)], list("ABCDE")[:value.shape[2]]],
        names=["task", "size", "method"])
    return pd.DataFrame({"value": value.ravel()}, index).reset_index().assign(
        lower_is_better=True)


def test_a_board_of_one_size_is_the_order_of_that_size():
    table = made(1, np.array([[0, 0.3, 0.6, 0.9]] * 2), 30)
    found = order_by_size(table, n_resamples=500)
    for size, own in found.ranks.groupby("size"):
        alone = order(table[table["size"] == size], 500).ranks
        assert own[["method", "rank"]].equals(alone[["method", "rank"]].set_index(own.index))
        assert own["mean_rank"].to_numpy() == pytest.approx(alone["mean_rank"])
        assert (own["low"].to_numpy() <= alone["low"]).all()  # all sizes at once are less sure
    level = found.ranks.pivot_table(index="method", columns="size", values="mean_rank")
    assert found.agreement["tau"].item() == pytest.approx(kendalltau(*level.T.to_numpy())[0])


@pytest.mark.parametrize(("effect", "where"), [
    ([1, 1, -1], 128), ([1, -1, -1], 32), ([-1, -1, -1], 16), ([1, 1, 1], 256),
    ([-1, 1, 3], 256), ([3, -1, 0.5], 16 * 4**0.75)])
def test_the_size_up_to_which_a_lead_sums_to_most(effect, where):
    found = crossing_size(np.array([effect, effect], float), list(SIZES))
    assert found == pytest.approx([where, where])


def test_staying_costs_what_is_true_where_two_are_first_alike():
    # At 16 rows A and B lead alike, and each family has lasting likings; at 64 rows C leads by 1.
    gaps = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]])
    costs = [order_by_size(made(seed, gaps, 30, 0.9), n_resamples=100, seed=seed).staying.iloc[0]
             for seed in range(20)]
    assert np.mean([cost["regret"] for cost in costs]) == pytest.approx(1, abs=0.1)
    assert sum(cost["low"] <= 1 <= cost["high"] for cost in costs) >= 17
    assert {cost["best"] for cost in costs} == {"C"}


def test_curves_are_compared_by_their_test_errors():
    curves = analysis.load_curves("mini")
    table = results_of_curves(curves)
    row = table.query("task == 'vehicle' and method == 'LDA' and size == 64").squeeze()
    errors = curves["error_rate"].sel(dataset="vehicle", learner="LDA", anchor=64, split="test",
                                      scaling="none", leakage="no")
    assert row["value"] == pytest.approx(float(errors.mean())) and row["family"] == "54"
    found = order_by_size(curves, [16, 64], n_resamples=200)
    assert found.sizes == (16, 64) and "DummyClassifier" not in set(found.ranks["method"])
    assert found.n_tasks == 16 and "are left out: " in found.notes[0]


def test_small_and_large_tasks_differ_where_they_are_made_to():
    rows = pd.Series({task: 100 + task for task in range(40)})
    wide = {"as long": rows, "by chance": pd.Series(range(40)) * 7 % 40 + 1}
    small, alike, unlike = ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [3, 1, 0, 2, 4])
    for large, tau in ((alike, 1), (unlike, 0.2)):
        both = [made(number, np.array([gaps] * 2), 20).query("size == 16")
                for number, gaps in enumerate((small, large))]
        table = pd.concat([both[0], both[1].assign(task=both[1]["task"] + 20)])
        found = {of: small_and_large(table, rows, features=own) for of, own in wide.items()}
        for of, one in found.items():
            assert (one["families"], one["methods"], one["rows"]) == (40, 5, 119.5)
            assert one["tau"] == pytest.approx(tau) and (one["p"] <= 0.05) == (tau < 1)
            assert (one["p_alike"] <= 0.05) == (tau < 1 and of == "by chance")
        assert small_and_large(table, rows)["p"] == one["p"]
    with pytest.raises(ResultsError, match="3 families have rows and all results of 5 methods"):
        small_and_large(table, pd.Series({0: 9, 1: 9, 2: 9, 77: 9}))


def test_rows_and_features_of_tasks_are_known():
    known = {study: known_sizes(study) for study in ("amlb_2019", "lightgbm_configs", "own")}
    assert known["amlb_2019"].loc["credit-g"].tolist() == [1000, 20]
    assert known["lightgbm_configs"].loc["2073"].tolist() == [1484, 8]
    assert known["own"].loc["phoneme"].tolist() == [5404, 5]


BOARD = made(0, np.zeros((2, 3)), 8)


@pytest.mark.parametrize(("table", "sizes", "said"), [
    (BOARD.drop(columns="size"), None, "no column `size`"),
    (BOARD.assign(size="many"), None, "48 sizes are no numbers above 0.*many"),
    (BOARD, [16, 65], "No result is of size 65; the nearest are 16 and 64"),
    (BOARD[:0], [16, 64], "no result of any size"),
    (BOARD, [16], "Two sizes or more are needed.*16, 64"),
    (BOARD[BOARD["method"] == "A"], None, r"one method only \(A\)"),
    (BOARD[(BOARD["task"] < 4) == (BOARD["size"] == 16)], None,
     "Fewer than two tasks and two methods have results at all of 16 and 64"),
    (BOARD.drop(columns="lower_is_better"), None, "Is higher or lower better"),
    (pd.concat([BOARD, BOARD]), None, "given twice")])
def test_a_table_without_boards_of_two_sizes_is_told_what_lacks(table, sizes, said):
    with pytest.raises(ResultsError, match=said):
        order_by_size(table, sizes, 100)


@pytest.mark.parametrize("wide", [False, True])
def test_the_command_reads_a_column_of_sizes(wide, tmp_path, capsys):
    table = made(3, np.array([[-2, 0, 1], [2, 0, 1]]), 20).rename(columns={"size": "n_train"})
    table = table.drop(columns="lower_is_better").rename(columns={"value": "loss"})
    if wide:
        table = table.pivot(index=["task", "n_train"], columns="method",
                            values="loss").reset_index()
    table.to_csv(tmp_path / "sizes.csv", index=False)
    out = tmp_path / "out"
    assert main(["order", f"CSV={tmp_path / 'sizes.csv'}", "LOWER=yes", f"OUT={out}"]) == 0
    crossings = pd.read_csv(out / "crossings.csv")
    assert crossings[["one", "other"]].to_numpy().tolist() == [["A", "B"], ["A", "C"]]
    said = capsys.readouterr().out
    assert "2 of 3 pairs cross" in said and "A is ahead up to 16 rows, B from 64 rows on" in said
    page = (out / "order.html").read_text()
    assert "Is the order another one at another size? sizes" in page and page.count("<svg") == 1
