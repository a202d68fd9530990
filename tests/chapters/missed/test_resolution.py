"""Grids of anchors compared, on curves of which some bulge between two coarse anchors."""

import itertools

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from curve_examples import labelled

from analysis.shapes import detect_shapes
from chapters.missed import resolution as grids
from collection.anchors import anchor_grid

NARROW = 140  # rows: on the densest grid alone


@pytest.fixture(scope="module")
def judged():
    """Six curves that fall, the last three with a narrow peak where only the densest grid looks."""
    rng = np.random.default_rng(0)
    anchors = anchor_grid(up_to=300)
    assert NARROW in anchors and NARROW not in anchor_grid(up_to=300, per_doubling=4)
    mean = np.broadcast_to(0.2 + 1 / anchors, (6, len(anchors))).copy()
    mean[3:, anchors == NARROW] += 0.1
    values = mean[:, None, None] + rng.normal(0, 0.01, (6, 5, 5, len(anchors)))
    names = [f"keel:made{k}" for k in range(6)]
    valid = labelled(values[:, None, None], "dataset learner scaling outer inner anchor",
                     dataset=names, learner=["KNN"], scaling=["none"], anchor=anchors)
    tried = xr.ones_like(valid.isel(outer=0, inner=0, anchor=0, drop=True), dtype=bool)
    return valid, *grids.judge_grids(valid, tried)


def test_grids_are_nested():
    sizes = [set(anchor_grid(per_doubling=per)) for per in grids.PER_DOUBLING]
    assert all(small < large for small, large in itertools.pairwise(sizes))


def test_only_the_densest_grid_finds_a_narrow_peak_and_it_is_there_again(judged):
    valid, counts, calls = judged
    found = counts.groupby(["procedure", "anchors"])[grids.COUNTS].sum()
    assert (found["curves"] == 6).all()
    assert found.loc[("max_t", 137), ["called", "again", "new", "new_again"]].tolist() == [3] * 4
    assert found.loc[("max_t", 18), "called"] == 0
    own = detect_shapes(valid, "corrected")["ill_behaved"]
    assert found.loc[(grids.OWN_PRICE, 137), "called"] == int(own.sum())
    row = calls.query("procedure == 'max_t' and anchors == 137")
    assert row["size"].mean() == pytest.approx(0.1, abs=0.02)
    assert row["size_anew"].mean() == pytest.approx(0.1, abs=0.02)
    assert row["again"].all() and row["new"].all()


def test_the_dense_price_is_no_lower_than_its_own(judged):
    found = judged[1].groupby(["procedure", "anchors"])["called"].sum()
    for anchors in found.loc[grids.OWN_PRICE].index:
        assert found[grids.DENSE_PRICE, anchors] <= found[grids.OWN_PRICE, anchors]


def test_shares_are_sums_over_datasets_and_intervals_hold_them():
    counts = pd.DataFrame({"procedure": "max_t", "anchors": 18, "dataset": ["keel:a1", "keel:b1"],
                           "curves": [10, 30], "called": [5, 3], "again": [4, 0], "new": [5, 3],
                           "new_again": [4, 0], "null": [1.0, 0.0], "null_symmetric": [0.5, 0]})
    row = grids.resolution(counts).iloc[0]
    assert row[["share", "null_share", "again_share", "n", "null_symmetric_share"]].tolist() == [
        20.0, 2.5, 50.0, 40, 1.25]
    assert row["low"] <= row["share"] <= row["high"]
