"""Measures of a fold against their definitions written out; names that are about to go."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published_data import at_hand

from analysis.leaderboards import normalize_among, task_ranks
from analysis.leaderboards.measures import normalized_errors, ranks

ERROR = st.sampled_from([0.0, 0.1, 0.2, 0.5, 3.0])  # few values, so that ties are common


@settings(max_examples=50)
@given(st.lists(ERROR, min_size=2, max_size=5))
def test_measures_are_as_defined(fold):
    best, middle = min(fold), float(np.median(fold))
    expected = [(1 + sum(e < mine for e in fold) + (fold.count(mine) - 1) / 2,
                 min(max((mine - best) / max(middle - best, 1e-5), 0), 1)) for mine in fold]
    found = [measure(np.array([fold]))[0] for measure in (ranks, normalized_errors)]
    np.testing.assert_allclose(np.transpose(found), expected, atol=1e-12)


def test_a_spread_of_a_ten_thousandth_still_counts_and_one_of_a_millionth_does_not():
    narrow = np.array([[0.1, 0.1001, 0.1002]])
    np.testing.assert_allclose(normalized_errors(narrow), [[0, 1, 1]], atol=1e-6)
    assert normalize_among(np.array([0.10005]), narrow[0])[0] == pytest.approx(0.5)
    equal = np.array([[0.1, 0.100001, 0.100002]])
    np.testing.assert_allclose(normalized_errors(equal), [[0, 0.1, 0.2]], atol=1e-6)


def as_results(errors):
    """Return a long table from errors by (task, fold), a value per method A, B, …."""
    return pd.DataFrame([(method, task, fold, error) for (task, fold), row in errors.items()
                         for method, error in zip("ABCDEFG", row, strict=False)],
                        columns=["method", "task", "fold", "error"])


def test_a_task_counts_the_same_whatever_its_number_of_folds():
    few = as_results({("t", 0): [0.1, 0.2], ("u", 0): [0.2, np.nan]})
    many = as_results({**{("t", f): [0.1, 0.2] for f in range(9)}, ("u", 0): [0.2, np.nan]})
    pd.testing.assert_frame_equal(task_ranks(few), task_ranks(many))
    assert task_ranks(few).to_numpy().tolist() == [[1, 2], [1, 2]]


def test_ranks_of_automl_frameworks_are_the_published_ones():
    """Real errors of 7 frameworks on 965 tasks; the means file gives their mean ranks."""
    folder = at_hand("tabrepo")
    frame = pd.read_csv(folder / "amlb_7frameworks_965tasks.csv")
    results = frame.rename(columns={"framework": "method", "dataset": "task",
                                    "metric_error": "error"}).assign(fold=0)
    means = pd.read_csv(folder / "amlb_7frameworks_means.csv", index_col="framework")
    found = task_ranks(results).mean()
    np.testing.assert_allclose(found, means.loc[found.index, "rank"], atol=1e-9)
    assert results["task"].nunique() == 965
