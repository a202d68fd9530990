"""Leaderboards against their definitions written out, and against published ranks."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published_data import PUBLISHED
from scipy.optimize import minimize

from analysis.leaderboards import leaderboard, order, rate_wins

TABREPO = PUBLISHED / "tabrepo"


def as_results(errors: dict[tuple, list[float]]) -> pd.DataFrame:
    """Return a long table from errors by (task, fold), a value per method A, B, …."""
    return pd.DataFrame([(method, task, fold, error) for (task, fold), row in errors.items()
                         for method, error in zip("ABCDEFG", row, strict=False)],
                        columns=["method", "task", "fold", "error"])


@st.composite
def tables(draw):
    """Some methods on tasks of one to three folds; few values, so that ties are common."""
    methods = draw(st.integers(2, 5))
    error = st.sampled_from([0.0, 0.1, 0.2, 0.5, 3.0])
    folds = draw(st.lists(st.integers(1, 3), min_size=1, max_size=5))
    row = st.lists(error, min_size=methods, max_size=methods)
    return as_results({(f"t{t}", f): draw(row) for t, n in enumerate(folds) for f in range(n)})


def by_definition(results: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Return the four measures by loops over tasks, folds and methods."""
    measures = {m: {} for m in ("rank", "normalized_error", "win_rate", "improvability")}
    for method in results["method"].unique():
        tasks = {m: [] for m in measures}
        for _, task in results.groupby("task"):
            folds = {m: [] for m in measures}
            for _, fold in task.groupby("fold"):
                errors = dict(zip(fold["method"], fold["error"], strict=True))
                mine, others = errors[method], [e for m, e in errors.items() if m != method]
                worse, equal = sum(o > mine for o in others), sum(o == mine for o in others)
                best = min(errors.values())
                span = max(float(np.median(list(errors.values()))) - best, 1e-5)
                folds["rank"].append(1 + len(others) - worse - equal / 2)
                folds["normalized_error"].append(min((mine - best) / span, 1))
                folds["win_rate"].append((worse + equal / 2) / len(others))
                folds["improvability"].append(0 if mine == 0 else 1 - best / mine)
            for name in measures:
                tasks[name].append(np.mean(folds[name]))
        for name in measures:
            measures[name][method] = np.mean(tasks[name])
    return measures


@settings(max_examples=25)
@given(tables())
def test_measures_are_as_defined(results):
    board = leaderboard(results, resamples=20)
    assert list(board) == ["rank", "normalized_error", "win_rate", "improvability", "elo",
                           "elo_low", "elo_high"]
    for name, expected in by_definition(results).items():
        pd.testing.assert_series_equal(board[name].sort_index(), pd.Series(expected).sort_index(),
                                       check_names=False, atol=1e-12)
    assert board["rank"].is_monotonic_increasing and board.index.name == "method"
    assert board["elo"].mean() == pytest.approx(1000)
    assert board.attrs["tasks"] == results["task"].nunique()


def test_where_all_are_equal_all_are_in_the_middle():
    results = as_results({("t", 0): [0.2, 0.2, 0.2], ("u", 0): [0, 0, 0]})
    board = leaderboard(results)
    assert (board["rank"] == 2).all() and (board["win_rate"] == 0.5).all()
    assert (board[["normalized_error", "improvability"]] == 0).all().all()
    np.testing.assert_allclose(board[["elo", "elo_low", "elo_high"]], 1000)


def test_a_task_counts_the_same_whatever_its_number_of_folds():
    few = as_results({("t", 0): [0.1, 0.2], ("u", 0): [0.2, 0.1]})
    many = as_results({**{("t", f): [0.1, 0.2] for f in range(9)}, ("u", 0): [0.2, 0.1]})
    pd.testing.assert_frame_equal(leaderboard(few), leaderboard(many))


def negative_log_likelihood(ratings, wins):
    chance = 1 / (1 + 10 ** ((ratings[None, :] - ratings[:, None]) / 400))
    return -(wins * np.log(chance))[~np.eye(len(wins), dtype=bool)].sum()


@pytest.mark.parametrize("seed", range(5))
def test_elo_is_the_maximum_of_the_likelihood(seed):
    rng = np.random.default_rng(seed)
    wins = rng.integers(1, 40, (6, 6)) + rng.integers(0, 2, (6, 6)) / 2
    found = rate_wins(wins)
    assert found.mean() == pytest.approx(1000)
    reached = minimize(lambda r: negative_log_likelihood(np.append(r, 6000 - r.sum()), wins),
                       np.full(5, 1000.0), method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(found[:5], reached.x, atol=0.05)
    assert negative_log_likelihood(found, wins) <= reached.fun + 1e-9


def test_elo_stays_finite_for_a_method_that_won_everything():
    results = as_results({(f"t{t}", 0): [0.1, 0.2 + t / 9, 0.3] for t in range(5)})
    board = leaderboard(results)
    assert np.isfinite(board.to_numpy()).all()
    assert board["elo"].idxmax() == "A"
    longer = as_results({(f"t{t}", 0): [0.1, 0.2 + (t % 5) / 9, 0.3] for t in range(50)})
    assert leaderboard(longer)["elo"]["A"] > board["elo"]["A"]


def test_elo_intervals_come_from_resampled_tasks():
    rng = np.random.default_rng(3)
    errors = {(f"t{t}", f): rng.random(4) + np.arange(4) / 10 for t in range(20) for f in range(2)}
    board = leaderboard(as_results(errors), seed=1)
    pd.testing.assert_frame_equal(board, leaderboard(as_results(errors), seed=1))
    assert (board["elo_low"] < board["elo"]).all() and (board["elo"] < board["elo_high"]).all()
    more = {(f"{t}{copy}", f): e for (t, f), e in errors.items() for copy in "abcd"}
    wide = board["elo_high"] - board["elo_low"]
    narrow = leaderboard(as_results(more), seed=1).eval("elo_high - elo_low")
    assert (narrow / wide).between(0.35, 0.65).all()


def test_missing_results_are_refused_or_counted_as_asked():
    results = as_results({("t", 0): [0.1, 0.2, 0.3], ("t", 1): [0.1, np.nan, 0.3],
                          ("u", 0): [0.3, 0.2, 0.1]})
    with pytest.raises(ValueError, match=r"1 of 9 results are missing: B \(1\)"):
        leaderboard(results)
    common = leaderboard(results, missing="common")
    assert common.attrs == {"tasks": 2, "splits": 2}
    assert (common["rank"] == 2).all()
    worst = leaderboard(results, missing="worst")
    assert worst["rank"]["B"] == 2.25 and worst["normalized_error"]["B"] == 1
    assert worst["improvability"]["B"] == np.mean([(0.5 + 1) / 2, 0.5])
    stand_in = leaderboard(results, fallback="C")
    assert stand_in["rank"]["B"] == np.mean([(2 + 2.5) / 2, 2])
    pd.testing.assert_frame_equal(leaderboard(results.dropna(), missing="worst"), worst)


def test_the_table_of_an_order_makes_the_same_leaderboard():
    errors = as_results({(t, f): [0.1 + 0.02 * f, 0.2 - 0.07 * f, 0.3] for t in "tuvwxy"
                         for f in range(2)})
    values = errors.rename(columns={"error": "value", "fold": "seed"}).sample(
        frac=1, random_state=0).assign(lower_is_better=True)
    pd.testing.assert_frame_equal(leaderboard(values), leaderboard(errors))
    assert order(errors).ranks["rank"].tolist() == pytest.approx(
        order(values).ranks["rank"].tolist())


GOOD = as_results({("t", 0): [0.1, 0.2]})


@pytest.mark.parametrize(("results", "settings", "message"), [
    (GOOD.rename(columns={"error": "value"}).assign(higher_is_better=True), {},
     "Higher is better on task t"),
    (GOOD.assign(error=[0.1, -0.2]), {}, "1 errors are negative, the first: B on task t"),
    (GOOD.assign(error=np.nan), {"missing": "worst"}, "No method has a result on task t, fold 0"),
    (as_results({("t", 0): [0.1, np.nan], ("u", 0): [np.nan, 0.1]}), {"missing": "common"},
     "on which all methods"),
    (GOOD, {"missing": "comon"}, "'common'"), (GOOD, {"fallback": "Z"}, "fallback method 'Z'")])
def test_what_cannot_be_compared_is_refused(results, settings, message):
    with pytest.raises(ValueError, match=message):
        leaderboard(results, **settings)


def test_ranks_of_automl_frameworks_are_the_published_ones():
    """Real errors of 7 frameworks on 965 tasks; the means file gives their mean ranks."""
    if not TABREPO.exists():
        pytest.skip(f"needs {TABREPO}")
    frame = pd.read_csv(TABREPO / "amlb_7frameworks_965tasks.csv")
    results = frame.rename(columns={"framework": "method", "dataset": "task",
                                    "metric_error": "error"}).assign(fold=0)
    board = leaderboard(results, resamples=200)
    means = pd.read_csv(TABREPO / "amlb_7frameworks_means.csv", index_col="framework")
    np.testing.assert_allclose(board["rank"], means.loc[board.index, "rank"], atol=1e-9)
    assert board.attrs["tasks"] == 965
