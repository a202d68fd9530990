"""What leakage changes: the test of Table 5, sizes, and a draw where there is nothing to find."""

import numpy as np
import pytest
from curve_examples import labelled
from scipy import stats

from analysis.shapes import treatments as leakage
from analysis.shapes.treatments import difference_table, differences_by_size, different_share

DIMS = "dataset learner scaling leakage outer inner anchor"


@pytest.fixture(scope="module")
def valid():
    """Six datasets: no difference unscaled; KNN is 5 points better at 16 rows with minmax."""
    rng = np.random.default_rng(2)
    no = 0.4 + 0.02 * rng.standard_normal((6, 2, 2, 1, 5, 5, 4))
    yes = no.copy()
    yes[:, :, 1] += 0.001 * rng.standard_normal(yes[:, :, 1].shape)
    yes[:, 0, 1, ..., 0] -= 0.05
    values = np.concatenate([no, yes], axis=3)
    values[5, 1] = np.nan  # not gathered
    values[0, 0, :, :, 4, 4] = np.nan  # a repeat that failed
    return labelled(values, DIMS, dataset=list("abcdef"), learner=["KNN", "LDA"],
                    scaling=["none", "minmax"], leakage=["no", "yes"],
                    anchor=[16, 18, 20, 23]).rename("error_rate")


@pytest.fixture(scope="module")
def table(valid):
    return difference_table(leakage.leakage_differences(valid))


def test_verdicts_are_those_of_scipys_paired_test(valid):
    found = leakage.leakage_differences(valid, test="paired")
    for dataset, learner in (("a", "KNN"), ("b", "KNN"), ("c", "LDA"), ("d", "LDA")):
        pair = valid.sel(dataset=dataset, learner=learner, scaling="minmax").stack(
            repeat=["outer", "inner"]).dropna("repeat", how="all")
        p = [stats.ttest_rel(pair.sel(leakage="yes", anchor=n), pair.sel(leakage="no", anchor=n)
                             ).pvalue * 4 for n in valid["anchor"].values]
        ours = found.sel(dataset=dataset, learner=learner, scaling="minmax")
        assert float(ours["p"]) == pytest.approx(min(1, *p))
        assert bool(ours["different"]) == (min(p) < 0.05)


def test_shares_per_scaling(table):
    share = different_share(table).set_index("scaling")
    assert list(share.index) == ["none", "minmax"]
    assert share.loc["none", ["percent", "low", "identical"]].tolist() == [0, 0, 100]
    assert share.loc["none", "high"] > 20  # none of a few datasets does not say none of all
    assert share.loc["minmax", "n_curves"] == 11 and share.loc["minmax", "n_datasets"] == 6
    assert 100 * 6 / 11 <= share.loc["minmax", "percent"] < 80
    assert share.loc["minmax", "low"] <= share.loc["minmax", "percent"]
    four = different_share(table[~table["dataset"].isin(["a", "b"])])
    assert four[["low", "high"]].isna().all(axis=None)  # too few for an interval


def test_sizes_and_directions(table, valid):
    knn = table.query("learner == 'KNN' and scaling == 'minmax'")
    assert (knn["different"] == 1).all()
    assert knn["change"].to_numpy() == pytest.approx(-1.25, abs=0.1)
    by_size = differences_by_size(leakage.leakage_differences(valid))
    by_size = by_size.set_index(["scaling", "anchor"])
    first = by_size.loc[("minmax", 16)]
    assert first["change"] == pytest.approx(-5 * 6 / 11, abs=0.1)
    assert first["low"] <= first["change"] <= first["high"] < 0
    assert (by_size.loc["none", "change"] == 0).all()


def test_a_constant_difference_is_one_and_no_difference_is_none():
    values = np.full((1, 1, 1, 2, 5, 5, 2), 0.3)
    values[:, :, :, 1, ..., 1] = 0.2
    same = labelled(values, DIMS, leakage=["no", "yes"])
    found = leakage.leakage_differences(same)
    assert found["different"].all() and float(found["p"].squeeze()) == 0
    assert not leakage.leakage_differences(same.isel(anchor=[0]))["different"].any()
    level = same.isel(anchor=[0, 0]).assign_coords(anchor=[16, 18])
    level = level + 1e-13 * (level["leakage"] == "yes")  # in every repeat alike: rounding
    assert not leakage.leakage_differences(level)["different"].any()


def test_without_direction_next_to_nothing_is_found(valid):
    assert leakage.leakage_differences(valid)["different"].sum() >= 6
    swapped = leakage.swap_leakage(valid, seed=3)
    assert leakage.leakage_differences(swapped)["different"].sum() <= 1
    assert swapped.equals(leakage.swap_leakage(valid, seed=3))
    assert (abs(swapped.diff("leakage")) == abs(valid.diff("leakage"))).where(
        valid.diff("leakage").notnull(), True).all()


def test_anchors_that_lack_a_repeat_can_be_left_out(valid):
    gaps = valid.where((valid["anchor"] > 16) | (valid["inner"] > 0))  # of KNN's 5 points none
    every, complete = (leakage.leakage_differences(gaps, only) for only in (False, True))
    knn = {"learner": "KNN", "scaling": "minmax"}
    assert every["different"].sel(knn).all() and not complete["different"].sel(knn).any()
    assert complete["difference"].sel(anchor=16).isnull().all()
