"""What a machine is told changes some means; what was tried is kept."""

import pytest
from published_data import LCDB11

from analysis.databases.lcdb11.summary import META
from analysis.published.computed import recall
from chapters.database import machines
from chapters.database.machines import means_by_setting


def test_what_is_kept_says_what_each_setting_gave():
    kept = recall("means_by_setting")
    assert (kept["equal"] <= kept["anchors"]).all() and set(kept["setting"]) <= set(
        machines.SETTINGS)
    of = kept.set_index(["dataset", "learner", "setting"])["equal"].sort_index()
    boosted = of.xs("ens.GradientBoosting", level="learner")
    assert boosted["vehicle", "NumPy without AVX-512"] > boosted["vehicle", "one thread"]
    qda = of["vehicle", "QDA"]
    assert qda["one thread"] == qda["two threads"] < 44  # threads do not explain it
    assert of["vehicle", "KNN", "two threads"] > of["vehicle", "KNN", "one thread"]


@pytest.mark.skipif(not (LCDB11 / META).is_file(), reason=f"needs the published means in {LCDB11}")
def test_a_process_of_its_own_gathers_the_same_means():
    table = means_by_setting((("keel:vehicle", 54, "LDA", 2, ("one thread", "two threads")),))
    assert table["equal"].tolist() == [2, 2] and table["dataset"].eq("vehicle").all()
