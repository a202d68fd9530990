"""Figures of leaderboards show the numbers they are given; critical differences."""

import numpy as np
import pandas as pd
import pytest
from published_data import PUBLISHED
from scipy.stats import friedmanchisquare, rankdata

from analysis.intervals.critical_difference import plot_critical_difference
from analysis.leaderboards import (
    critical_differences,
    leaderboard,
    pareto_front,
    win_matrix,
)
from analysis.leaderboards.figures import draw_elo, draw_pareto, draw_win_matrix


@pytest.fixture
def results():
    rng = np.random.default_rng(0)
    return pd.DataFrame([(m, f"t{t}", f, rng.random() + 0.3 * k) for k, m in enumerate("ABCD")
                         for t in range(20) for f in range(2)],
                        columns=["method", "task", "fold", "error"])


def test_elo_is_drawn_with_its_intervals(results):
    board = leaderboard(results, resamples=50)
    ax = draw_elo(board).axes[0]
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == list(board.sort_values("elo").index)
    np.testing.assert_allclose(np.asarray(ax.lines[0].get_xdata(), float), board.loc[names, "elo"])
    ends = ax.collections[0].get_segments()[0]
    low, high = board.loc[names[0], ["elo_low", "elo_high"]]
    np.testing.assert_allclose(np.asarray(ends[:, 0], float), [low, high])


def test_win_matrix_is_drawn_in_percent_without_its_diagonal(results):
    wins = win_matrix(results)
    ax = draw_win_matrix(wins).axes[0]
    assert len(ax.texts) == 12
    names = [label.get_text().split()[0] for label in ax.get_yticklabels()]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "2", "3", "4"]
    assert ax.texts[0].get_text() == f"{100 * wins.loc[names[0], names[1]]:.0f}"
    assert np.isnan(np.diag(ax.images[0].get_array().filled(np.nan))).all()


def test_pareto_names_the_methods_on_the_front(results):
    table = leaderboard(results, resamples=5).assign(train_time=[4.0, 1, 5, 9])
    front = pareto_front(table, ["rank", "train_time"])
    ax = draw_pareto(table, "rank", {"train_time": "training [s]"}, {"train_time": front}).axes[0]
    assert {text.get_text() for text in ax.texts} == set(table.index[front])
    assert ax.get_ylabel() == "mean rank" and ax.get_xlabel() == "training [s]"


def test_critical_differences_are_of_ranks_over_tasks(results):
    found = critical_differences(results)
    errors = results.groupby(["task", "method"])["error"].mean().unstack()
    np.testing.assert_allclose(found.rankdf["meanrank"].sort_index(),
                               rankdata(errors, axis=1).mean(axis=0))
    assert found.pvalue == pytest.approx(friedmanchisquare(*errors.to_numpy().T).pvalue)
    # Nemenyi's critical difference for 4 methods on 20 tasks (Demšar, Table 5)
    assert found.cd == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 20)), rel=1e-3)
    assert plot_critical_difference(found) is not None
    with pytest.raises(ValueError, match="at least 5"):
        critical_differences(results[results["task"].isin(["t1", "t2"])])
    with pytest.raises(ValueError, match="only A"):
        critical_differences(results[results["method"] == "A"])


def test_automl_frameworks_differ():
    file = PUBLISHED / "tabrepo" / "amlb_7frameworks_965tasks.csv"
    if not file.exists():
        pytest.skip("needs ../shared/published/tabrepo")
    frame = pd.read_csv(file)
    split = frame["dataset"].str.rsplit("_", n=1, expand=True)
    results = frame.assign(method=frame["framework"], task=split[0], fold=split[1].astype(int),
                           error=frame["metric_error"])
    found = critical_differences(results)
    board = leaderboard(results, resamples=100)
    assert board.attrs == {"tasks": 100, "splits": 965} and found.pvalue < 1e-10
    assert board.index[-1] == "TunedRandomForest_1h8c_gp3_2022_jmlr"
    assert board["elo_high"].iloc[-1] < board["elo_low"].iloc[0]
