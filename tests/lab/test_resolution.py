"""Grids of anchors compared, on curves of which some bulge between two coarse anchors."""


import numpy as np
import pandas as pd
import pytest
import xarray as xr
from curve_examples import labelled

from analysis.databases.chapter_curves import validation_errors
from analysis.shapes import VERDICTS, denser_adds, detect_shapes, shares_by_grid
from collection.protocol.anchors import anchor_grid
from lab import resolution as grids

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
    valid = labelled(values[:, None], "dataset learner outer inner anchor", dataset=names,
                     learner=["MLP"], anchor=anchors)
    tried = xr.ones_like(valid.isel(outer=0, inner=0, anchor=0, drop=True), dtype=bool)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grids, "PER_DOUBLING", (1, 8))  # the coarsest and the densest
        return valid, grids.judge_grids(valid, tried)


def test_only_the_densest_grid_finds_a_narrow_peak_and_other_seeds_confirm_it(judged):
    valid, counts = judged
    found = counts.groupby(["procedure", "anchors"])[grids.COUNTS].sum()
    assert (found["curves"] == 6).all()
    assert found.loc[("max_t", 137), ["called", "confirmed"]].tolist() == [3, 3]
    assert found.loc[("max_t", 18), ["called", "confirmed"]].tolist() == [0, 0]
    own = detect_shapes(valid, "corrected")["ill_behaved"]
    assert found.loc[(grids.OWN_PRICE, 137), "called"] == int(own.sum())


def test_more_comparisons_are_a_stricter_correction_and_nothing_else():
    kinds = ("mono", "conv", "dip", "peak")
    assert [grids.COMPARISONS[kind](5) for kind in kinds] == [10, 10, 4, 10]
    own = detect_shapes(validation_errors("lcdb10").isel(dataset=slice(0, 20)).load())
    same = grids.corrected_for(own, own["n_anchors"])
    assert all((same[v] == own[v]).all() for v in VERDICTS)
    dear = grids.corrected_for(own, 4 * own["n_anchors"])
    for kind, verdict in (("mono", "non_monotone"), ("peak", "peaking")):
        assert not (dear[verdict] & ~own[verdict]).any()
        assert ((dear[f"p_{kind}"] < 0.05) == dear[verdict]).all()
    assert dear["ill_behaved"].sum() < own["ill_behaved"].sum()


def test_what_chance_alone_calls_is_confirmed_in_a_twentieth():
    """The seeds that judge had no part in choosing, so that 5 % is 5 %."""
    rng = np.random.default_rng(1)
    values = 0.3 + rng.normal(0, 0.01, (1500, 5, 5, 4))
    curves = labelled(values, "dataset outer inner anchor", anchor=[16, 32, 64, 128])

    def lax(part):
        found = detect_shapes(part, "corrected")
        return found.assign(non_monotone=found["violation_mono"] > 0,
                            non_convex=found["violation_conv"] < 0,
                            ill_behaved=found["violation_mono"] > 0)
    assert float(lax(curves)["ill_behaved"].mean()) > 0.9
    assert float(grids.confirmed_share(curves, lax).mean()) == pytest.approx(0.05, abs=0.012)


def test_shares_are_sums_over_datasets_and_intervals_hold_them():
    counts = pd.DataFrame({"procedure": "max_t", "anchors": 18, "dataset": ["keel:a1", "keel:b1"],
                           "curves": [10, 30], "called": [5, 3], "confirmed": [4.0, 0.0],
                           "null": [1.0, 0.0], "null_confirmed": [0.0, 0.0]})
    row = shares_by_grid(counts).iloc[0]
    assert row[["share", "null_share", "confirmed_share", "n"]].tolist() == [20.0, 2.5, 10.0, 40]
    assert row["low"] <= row["share"] <= row["high"]
    dense = counts.assign(anchors=137, confirmed=[6.0, 4.0], null_confirmed=[2.0, 0.0])
    more = denser_adds(pd.concat([dense, counts]))
    assert [one.value for one in more.values()] == [15, 5, 10] and more["denser_more"].low < 15
