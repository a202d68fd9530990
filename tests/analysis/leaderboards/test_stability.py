"""Split-half reliability, swaps and claims: against loops, and where they are known."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr, wilcoxon

from analysis.leaderboards import classic_study, task_ranks
from analysis.leaderboards import stability as module
from collection.suites.specs import find_suite
from lab.studies import KEPT, amlb_scores


def made_ranks(n_tasks, n_methods, signal, seed=0):
    rng = np.random.default_rng(seed)
    errors = signal * np.arange(n_methods) + rng.normal(size=(n_tasks, n_methods))
    return pd.DataFrame(errors).rank(axis=1)


def scores(errors, fold=0):
    return pd.DataFrame(errors).rename_axis("task").reset_index().melt(
        "task", var_name="method", value_name="error").assign(fold=fold)


def test_ranks_are_means_over_folds_and_missing_is_last():
    first = scores({"a": [0.1, 0.3], "b": [0.2, 0.3], "c": [np.nan, 0.1]})
    second = scores({"a": [0.2], "b": [0.1], "c": [0.3]}, fold=1)
    ranks = task_ranks(pd.concat([first, second]))
    assert ranks.loc[0].to_dict() == {"a": 1.5, "b": 1.5, "c": 3}
    assert ranks.loc[1].to_dict() == {"a": 2.5, "b": 2.5, "c": 1}


@settings(max_examples=10)
@given(st.integers(0, 1000))
def test_agreement_and_swaps_against_loops(seed):
    rng = np.random.default_rng(seed)
    one, two = rng.integers(0, 4, (2, 3, 5)).astype(float)
    for k in range(3):
        if len(set(one[k])) > 1 and len(set(two[k])) > 1:
            found = module.rank_correlation(one, two)[k]
            assert found == pytest.approx(spearmanr(one[k], two[k])[0])
        pairs = [(i, j) for i in range(5) for j in range(i)]
        swaps = sum(abs(np.sign(one[k, i] - one[k, j]) - np.sign(two[k, i] - two[k, j])) / 2
                    for i, j in pairs) / len(pairs)
        assert module._swaps(one, two)[k] == pytest.approx(swaps)


def test_the_two_suites_share_no_task():
    """Every task's rank names it, so that the means tell which were drawn."""
    values = np.column_stack([2.0 ** np.arange(10), np.zeros(10)])
    one, two = module._two_suites(values, 5, 50, seed=1)
    assert np.allclose(one[..., 0].sum(axis=1) + two[..., 0].sum(axis=1), 2**10 - 1)


def test_what_is_luck_is_a_coin():
    table = module.suite_stability(made_ranks(100, 6, signal=0), draws=400)
    table = table.set_index("n_tasks")
    assert abs(table.loc[10, "reliability"]) < 0.15
    assert table.loc[10, "swap_probability"] == pytest.approx(0.5, abs=0.07)


def test_more_tasks_are_more_reliable_and_seeds_repeat():
    ranks = made_ranks(120, 8, signal=0.3)
    table = module.suite_stability(ranks, draws=200)
    assert table["reliability"].is_monotonic_increasing
    assert table["swap_probability"].is_monotonic_decreasing
    assert table["n_tasks"].max() == 60
    assert (table["low"] <= table["reliability"]).all()
    assert table.equals(module.suite_stability(ranks, draws=200))
    with pytest.raises(ValueError, match="two tasks or more; there is 1"):
        module.suite_stability(ranks[:1])


def test_significance_is_wilcoxons():
    ranks = made_ranks(30, 4, signal=0.4).to_numpy()
    i, j = np.triu_indices(4, k=1)
    ours = module._significant((ranks[:, i] - ranks[:, j])[None])[0]
    theirs = [wilcoxon(ranks[:, a] - ranks[:, b], method="approx").pvalue < 0.05
              for a, b in zip(i, j, strict=True)]
    assert ours.tolist() == theirs


def test_claims():
    table = module.claim_worth(made_ranks(100, 6, signal=0.3), sizes=(10, 44, 72), draws=60)
    table = table.set_index(["n_tasks", "claim"])
    assert set(table.index.get_level_values(0)) == {10, 44}  # 72 leave no second suite
    for n in (10, 44):
        parts = table.loc[n]
        assert parts.loc["significant", "share"] + parts.loc["not significant", "share"] == (
            pytest.approx(parts.loc["any", "share"]))
        assert parts.loc["significant", "reversed"] < parts.loc["not significant", "reversed"]
    assert table.loc[(44, "any"), "reversed"] < table.loc[(10, "any"), "reversed"]


def test_equal_mean_ranks_are_no_claim(monkeypatch):
    """Two methods that win as often: a test of the differences may still be significant."""
    monkeypatch.setattr(module, "_significant", lambda differences: np.ones(
        (len(differences), differences.shape[2]), bool))
    ranks = pd.DataFrame(np.tile([[1.0, 2.0], [2.0, 1.0]], (10, 1)))
    table = module.claim_worth(ranks, sizes=(10,), draws=400).set_index("claim")
    assert 0 < table.loc["any", "share"] < 1
    assert table.loc["significant", "share"] == table.loc["any", "share"]


def test_the_shipped_study_is_whole():
    study = classic_study()
    assert set(study["task"]) <= {task.dataset for task in find_suite("classic").tasks}
    assert study.groupby(["task", "method"]).size().eq(10).all()
    assert study["method"].nunique() == 12 and study["task"].nunique() >= 18
    assert study["error"].between(0, 1).mean() > 0.98


def test_amlb_is_kept_as_it_comes_out(published, monkeypatch):
    from analysis.published.computed import recall

    monkeypatch.setenv("LEARNING_CURVES_PUBLISHED", str(published))
    assert amlb_scores()["task"].nunique() == 100
    for name, compute in KEPT.items():
        kept = recall(name, text=("task",)).drop(columns="computed_on")
        now = compute()
        pd.testing.assert_frame_equal(kept, now, check_dtype=False, rtol=1e-5)


def test_rounding_is_no_swap():
    assert module._swaps(np.array([[0.1 + 0.2, 0.3]]), np.array([[0.3, 0.1 + 0.2]])) == [0]
