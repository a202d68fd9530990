import numpy as np

from analysis.calibration import count as pools
from analysis.calibration.on_databases import nearest_rows


def test_rows_are_matched_by_ratio():
    assert nearest_rows(np.array([30, 300, 700, 8000]), (200, 1000, 5000)).tolist() == [
        200, 200, 1000, 5000]
    assert nearest_rows(np.array([90]), (100, 110)).tolist() == [110]  # of which 81 and 89 train


def test_classes_have_their_lower_ends():
    sizes = np.array([-1, 0, 1e-3, 0.005, 0.02, 0.4])
    assert pools.classes_of(sizes, pools.TRUE_BINS).tolist() == [0, 0, 1, 2, 4, 5]


def test_a_small_pool_counts_every_curve_once_per_verdict():
    pool = pools.Pool("lcdb10", 2, (200,), 1)
    table = pools.count_pool(pool)
    n = pools.simulate_pool(pool, 200).sizes["curve"]
    assert (table.groupby(["procedure", "verdict"])["curves"].sum() == n).all()
    assert table["seen"].max() == len(pools.SEEN_BINS)
