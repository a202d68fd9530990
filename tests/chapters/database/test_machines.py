"""One bit in the class shares changes boosted trees; what was tried on machines is kept."""

import numpy as np
import pytest
from published_data import LCDB11

from analysis.databases.lcdb11.summary import META
from analysis.published.computed import recall
from chapters.database import machines
from chapters.database.machines import OneBitMore, knn_by_threads, means_by_setting, one_bit
from collection.datasets import load_dataset


def test_shares_move_by_one_bit_and_no_more():
    X, y = np.zeros((10, 1)), np.repeat([0, 1, 2], [5, 3, 2])
    moved = OneBitMore().fit(X, y).predict_proba(X)
    assert (moved > [0.5, 0.3, 0.2]).all()
    np.testing.assert_allclose(moved, [[0.5, 0.3, 0.2]] * 10, rtol=3e-16)


def test_one_bit_may_change_a_fit():
    table = one_bit(load_dataset("keel:vehicle"), (16, 64), outer=(0,), inner=(0, 1, 2))
    assert table["fits"].eq(3).all() and table["changed"].between(0, 100).all()
    unchanged = table["changed"] == 0
    assert (table.loc[unchanged, "largest_shift"] == 0).all()


def test_what_is_kept_says_what_each_setting_gave():
    kept = recall("means_by_setting")
    assert (kept["equal"] <= kept["anchors"]).all() and set(kept["setting"]) <= set(
        machines.SETTINGS)
    of = kept.set_index(["dataset", "learner", "setting"])["equal"].sort_index()
    boosted = of.xs("ens.GradientBoosting", level="learner")
    assert boosted["vehicle", "NumPy without AVX-512"] > boosted["vehicle", "one thread"]
    qda = of["vehicle", "QDA"]
    assert qda["one thread"] == qda["two threads"] < 44  # threads do not explain it
    assert recall("boosting_one_bit")["changed"].max() > 10


@pytest.mark.skipif(not (LCDB11 / META).is_file(), reason=f"needs the published means in {LCDB11}")
def test_a_process_of_its_own_gathers_the_same_means():
    table = means_by_setting((("keel:vehicle", 54, "LDA", 2, ("one thread", "two threads")),))
    assert table["equal"].tolist() == [2, 2] and table["dataset"].eq("vehicle").all()


def test_what_is_kept_says_that_threads_explain_it():
    kept = recall("knn_by_threads").set_index("threads")
    assert kept.loc[2, "equal"] == kept.loc[2, "anchors"] == 44
    assert kept.loc[1, "equal"] < 44 and 0 < kept.loc[1, "largest"] < 0.01


@pytest.mark.skipif(not (LCDB11 / META).is_file(), reason=f"needs the published means in {LCDB11}")
def test_up_to_one_chunk_threads_do_not_matter():
    table = knn_by_threads(anchors=np.array([16, 64, 128]))
    assert table["equal"].tolist() == [3, 3] and table["largest"].max() < 1e-4
