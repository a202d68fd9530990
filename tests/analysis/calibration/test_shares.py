import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.calibration.pool import (
    SEEN_BINS,
    TRUE_BINS,
    Pool,
    classes_of,
    classes_seen,
    count_pool,
    simulate_pool,
)
from analysis.calibration.shares import deconvolve, nearest_rows, seen_on, true_shares
from analysis.shapes.simulation import simulate_curves


def pool_of(matrix, n=2000):
    return pd.DataFrame([("dipping", 1000, b, c, round(n * share))
                         for b, row in enumerate(matrix) for c, share in enumerate(row)],
                        columns=["verdict", "rows", "true", "seen", "curves"])


#: A procedure that is right nine times of ten, and sees sizes as they are.
GOOD = np.array([[1, 0, 0, 0, 0]] * 3 + [[0.1, 0, 0.9, 0, 0], [0.1, 0, 0, 0.9, 0],
                                         [0.1, 0, 0, 0, 0.9]])


def test_shares_are_corrected_for_what_is_missed():
    """Nine of a hundred called at .02 to .05: ten truly are."""
    seen = pd.DataFrame({"verdict": "dipping", "rows": 1000, "family": np.arange(400) % 40,
                         "seen": np.where(np.arange(400) < 36, 3, 0)})
    found = true_shares(seen, pool_of(GOOD)).set_index("min_violation")
    assert found.loc[0.02, "rate"] == pytest.approx(10, abs=0.5)
    assert found.loc[0.05, "rate"] == pytest.approx(0, abs=0.5)
    assert found.loc[0.02, "low"] < 10 < found.loc[0.02, "high"]


def test_intervals_are_wider_where_datasets_are_fewer_or_the_pool_is_small():
    called = np.arange(400) % 40 < 8
    seen = pd.DataFrame({"verdict": "dipping", "rows": 1000, "family": np.arange(400) % 40,
                         "seen": np.where(called, 3, 0)})
    width = {}
    for name, table, pool in (("many", seen, pool_of(GOOD)),
                              ("few", seen.assign(family=seen["family"] // 4), pool_of(GOOD)),
                              ("small", seen, pool_of(GOOD, 10))):
        row = true_shares(table, pool).set_index("min_violation").loc[0.02]
        width[name] = row["high"] - row["low"]
    assert width["many"] < width["few"] and width["many"] < width["small"]


def test_a_pool_of_two_curves_of_each_size_proves_nothing():
    """By hand: half a curve added to each makes chances of 1/3 against 1/9 to be seen so.

    One of ten was seen so, less than 1/9. No weight is the likeliest for that size, and the five
    others, which cannot be told apart, share it: a fifth of all is .05 or more. Taken at its word,
    the pool would say that twice as many as were seen, a fifth, have that size.
    """
    matrix = np.zeros((6, 5))
    matrix[:, 0], matrix[4] = 1, [0.5, 0, 0, 0.5, 0]
    seen = pd.DataFrame({"verdict": "dipping", "rows": 1000, "family": np.arange(100),
                         "seen": np.where(np.arange(100) < 10, 3, 0)})
    found = true_shares(seen, pool_of(matrix, 2)).set_index("min_violation")["rate"]
    assert found[0.02] == pytest.approx(20, abs=0.1) == found[0.05]


@given(st.lists(st.floats(0.01, 1), min_size=6, max_size=6))
@settings(max_examples=30, deadline=None)
def test_weights_make_what_is_seen_likelier_than_equal_ones_do(raw):
    weights = np.array(raw) / sum(raw)
    seen = weights @ GOOD
    found = deconvolve(1000 * seen, GOOD + 1e-9)
    assert found.sum() == pytest.approx(1, abs=1e-6)
    np.testing.assert_allclose(found @ GOOD, seen, atol=2e-3)


def test_rows_are_matched_by_ratio():
    assert nearest_rows(np.array([30, 300, 700, 8000]), (200, 1000, 5000)).tolist() == [
        200, 200, 1000, 5000]
    # Of 1,000 rows 810 train, 2.9 times 280; of 100 rows 81, and 280 is 3.5 times that.
    assert nearest_rows(np.array([280]), (100, 1000)).tolist() == [1000]


def test_classes_have_their_lower_ends():
    assert classes_of(np.array([-1, 0, 1e-3, 0.005, 0.02, 0.4]), TRUE_BINS).tolist() == [
        0, 0, 1, 2, 4, 5]


def test_a_small_pool_counts_every_curve_once_per_verdict():
    pool = Pool("lcdb10", 2, (200,), 1, estimands=("dataset",))
    table = count_pool(pool)
    n = simulate_pool(pool, "dataset", 200).sizes["curve"]
    assert (table.groupby(["procedure", "verdict"])["curves"].sum() == n).all()
    assert table["seen"].max() == len(SEEN_BINS)


def test_curves_of_a_database_are_classed_by_rows_and_family():
    valid = simulate_curves("peak", 6, 0, rows=1000, anchors=12, true_size=0.12)
    valid = valid.rename(curve="dataset").expand_dims(learner=["KNN"], scaling=["none"])
    valid = valid.assign_coords(dataset=np.arange(6))
    tried = xr.ones_like(valid.isel(outer=0, inner=0, anchor=0, drop=True), dtype=bool)
    rows = xr.DataArray([200] * 3 + [1000] * 3, dims="dataset", coords={"dataset": np.arange(6)})
    family = pd.Series([0, 0, 1, 2, 3, 4], index=np.arange(6))
    table = seen_on(valid, tried.where(valid["dataset"] > 0, False), "corrected", rows, family)
    one = table[table["verdict"] == "ill_behaved"]
    assert len(one) == 5 and one["rows"].tolist() == [200, 200, 1000, 1000, 1000]
    assert one["family"].tolist() == [0, 1, 2, 3, 4] and (one["seen"] > 0).any()
    assert set(classes_seen(valid, "corrected").dims) == {"learner", "scaling", "dataset"}
