"""From how many rows on a learner is ahead for good, against definitions spelt out in loops."""

import numpy as np
import pytest
import xarray as xr
from curve_examples import labelled
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from analysis.selection import lead_over, overtakes, shares_ahead

NAN = np.nan
ANCHORS = np.array([16, 32, 64, 128, 256])
# Few values, so that ties, gaps and changes of the lead are frequent.
gaps = arrays(float, (3, 2, 5), elements=st.sampled_from([-0.05, -0.005, -1e-15, 0, 0.05, NAN]))


CUT = np.full((3, 2, 5), -0.05)  # one curve ends early, another begins late
CUT[0, 0, 3:] = CUT[1, 1, :3] = NAN


def as_mean(values) -> xr.DataArray:
    names = [f"d{k}" for k in range(len(values))]
    return labelled(values, "dataset learner anchor", dataset=names)


def by_the_book(gap):
    """Walk along one curve: first, last, rows."""
    common = [(a, g) for a, g in zip(ANCHORS, gap, strict=True) if not np.isnan(g)]
    if not common:
        return NAN, NAN, NAN
    rows = NAN
    for k, (anchor, _) in enumerate(common):
        if all(g < -1e-12 for _, g in common[k:]):
            rows = anchor
            break
    return common[0][0], common[-1][0], rows


@given(gaps)
def test_overtaking_is_being_ahead_at_every_anchor_to_come(values):
    cases = overtakes(as_mean(values))
    for place in np.ndindex(values.shape[:2]):
        found = [float(cases[n].values[place]) for n in ("first", "last", "rows")]
        assert np.array_equal(found, by_the_book(values[place]), equal_nan=True)


@settings(max_examples=40)
@example(CUT, 128)
@given(gaps, st.sampled_from([None, 128]))
def test_three_shares_as_loops_say(values, reach):
    mean = as_mean(np.concatenate([values] * 4))
    table = shares_ahead(mean, (64,), reach).to_dataframe().reset_index()
    for k, learner in enumerate(mean["learner"].values):
        curves = [[(a, g) for a, g in zip(ANCHORS, c, strict=True) if not np.isnan(g)]
                  for c in mean.values[:, k]]
        curves = [c for c in curves if c and c[0][0] <= 64 and c[-1][0] >= (reach or 64)]
        found = table[table["learner"] == learner].set_index("who")
        assert (found["n_datasets"] == len(curves)).all()
        if len(curves) < 5:
            continue
        from_here = [[g for a, g in c if a >= max(a for a, _ in c if a <= 64)] for c in curves]
        expected = {"ahead now": [f[0] < -1e-12 for f in from_here],
                    "ahead for good": [all(g < -1e-12 for g in f) for f in from_here],
                    "behind for good": [all(not g < -1e-12 for g in f) for f in from_here]}
        for who, flags in expected.items():
            assert found.loc[who, "share"] == pytest.approx(np.mean(flags))


def test_problems_count_together_only_where_all_learners_have_them():
    mean = as_mean(np.full((6, 2, 5), -0.1))
    mean[0, 0, 3:] = NAN  # one curve ends early
    apart, together = (shares_ahead(mean, (64, 128), together=so)["n_datasets"].sel(
        who="ahead now").values.tolist() for so in (False, True))
    assert apart == [[6, 6], [5, 6]] and together == [[6, 6], [5, 5]]


def test_a_mean_is_over_the_repeats_that_both_have():
    errors = xr.DataArray(
        [[[[[0.5]], [[0.3]]], [[[0.2]], [[NAN]]]]],
        dims=("dataset", "learner", "outer", "inner", "anchor"),
        coords={"dataset": ["d"], "learner": ["B", "L"], "anchor": [16],
                "rows": ("dataset", [150])})
    lead = lead_over(errors, "B")
    assert lead.item() == pytest.approx(-0.3) and lead["learner"].values.tolist() == ["L"]
    assert set(lead.coords) == {"dataset", "learner", "anchor"}
